//! Every route × every role × {own, same tenant, other tenant}, held against the permission table.

use std::collections::BTreeSet;

use axum::http::{Method, StatusCode};
use domain::{Action, Caller, Reach, Role, UserId};
use ops::RequestedApiKey;
use serde_json::{Value, json};
use testkit::{TestApp, TestTenant};
use uuid::Uuid;

use crate::intake::fail_waiting_jobs;
use crate::jobs::{kill_all, queue_run};
use crate::layout_memory::insert_layout_memory;
use crate::pages::write_layout_artifacts;
use crate::results::insert_results;

/// Who may call a route.
#[derive(Clone, Copy)]
enum Guard {
    Anybody,
    WhoMay(Action),
}

/// The resource that the `{id}` of a route names.
#[derive(Clone, Copy, PartialEq)]
enum About {
    Nothing,
    User,
    ApiKey,
    DeadJob,
    LiveRun,
    Document,
    FailedDocument,
    ReadDocument,
    ReadRun,
    ExtractedDocument,
    Trade,
    Run,
    Batch,
    WebPage,
    LayoutMemoryEntry,
}

impl About {
    /// Resources of which some roles see only their own.
    fn may_be_own_only(self) -> bool {
        matches!(
            self,
            Self::Document
                | Self::FailedDocument
                | Self::ReadDocument
                | Self::ReadRun
                | Self::ExtractedDocument
                | Self::Trade
                | Self::Run
                | Self::Batch
                | Self::WebPage
        )
    }
}

struct Row {
    route: &'static str,
    guard: Guard,
    about: About,
    body: fn() -> Option<Value>,
}

/// The row of every route. A route without one fails the test.
#[expect(clippy::too_many_lines, reason = "a line for each route")]
fn rows() -> Vec<Row> {
    use About::{
        ApiKey, Batch, DeadJob, Document, ExtractedDocument, FailedDocument, LayoutMemoryEntry,
        LiveRun, Nothing, ReadDocument, ReadRun, Run, Trade, User, WebPage,
    };
    use Guard::{Anybody, WhoMay};
    let row = |route, guard, about, body| Row { route, guard, about, body };
    let none = || None;
    let manage_users = WhoMay(Action::ManageUsers);
    let manage_keys = WhoMay(Action::ManageApiKeys);
    let own_session = WhoMay(Action::UseOwnSession);
    let see = WhoMay(Action::SeeDocuments);
    vec![
        row("GET /livez", Anybody, Nothing, none),
        row("GET /metrics", Anybody, Nothing, none),
        row("GET /readyz", Anybody, Nothing, none),
        row("GET /api/health", Anybody, Nothing, none),
        row("GET /api/ready", Anybody, Nothing, none),
        row("POST /v1/auth/login", Anybody, Nothing, || {
            Some(json!({"email": "admin@acme.test", "password": TestApp::PASSWORD}))
        }),
        row("POST /v1/auth/logout", own_session, Nothing, none),
        row("DELETE /v1/me/sessions", own_session, Nothing, none),
        row("GET /v1/me", own_session, Nothing, none),
        row("PUT /v1/me/password", own_session, Nothing, || {
            Some(json!({"current_password": TestApp::PASSWORD, "new_password": "battery staple"}))
        }),
        row("GET /v1/users", manage_users, Nothing, none),
        row("POST /v1/users", manage_users, Nothing, || {
            let email = format!("{}@new.test", unique());
            Some(json!({"email": email, "password": TestApp::PASSWORD, "role": "user"}))
        }),
        row("GET /v1/users/{id}", manage_users, User, none),
        row("PATCH /v1/users/{id}", manage_users, User, || Some(json!({"role": "viewer"}))),
        row("DELETE /v1/users/{id}", manage_users, User, none),
        row("GET /v1/api-keys", manage_keys, Nothing, none),
        row("POST /v1/api-keys", manage_keys, Nothing, || {
            Some(json!({"name": "scanner", "role": "api_client"}))
        }),
        row("GET /v1/api-keys/{id}", manage_keys, ApiKey, none),
        row("DELETE /v1/api-keys/{id}", manage_keys, ApiKey, none),
        row("GET /v1/jobs", WhoMay(Action::ReadDeadJobs), Nothing, none),
        row("GET /v1/jobs/dead", WhoMay(Action::ReadDeadJobs), Nothing, none),
        row("POST /v1/jobs/dead/requeue", WhoMay(Action::RetryDeadJobs), Nothing, || {
            Some(json!({"stage": "none"}))
        }),
        row("POST /v1/jobs/dead/discard", WhoMay(Action::RetryDeadJobs), Nothing, || {
            Some(json!({"job_ids": [uuid::Uuid::nil()]}))
        }),
        row("GET /v1/jobs/{id}", WhoMay(Action::ReadDeadJobs), DeadJob, none),
        row("POST /v1/jobs/{id}/retry", WhoMay(Action::RetryDeadJobs), DeadJob, none),
        row("GET /v1/queues", WhoMay(Action::ReadDeadJobs), Nothing, none),
        row("POST /v1/runs/{id}/cancel", WhoMay(Action::RerunDocuments), LiveRun, none),
        row("POST /v1/ingest", WhoMay(Action::UploadDocuments), Nothing, none),
        row("POST /v1/documents", WhoMay(Action::UploadDocuments), Nothing, none),
        row("GET /v1/documents", see, Nothing, none),
        row("GET /v1/documents/facets", see, Nothing, none),
        row("GET /v1/documents/orphans", WhoMay(Action::DeactivateDocuments), Nothing, none),
        row("GET /v1/documents/stats/summary", see, Nothing, none),
        row("GET /v1/documents/{id}", see, Document, none),
        row("DELETE /v1/documents/{id}", WhoMay(Action::DeactivateDocuments), Document, none),
        row("POST /v1/documents/{id}/rerun", WhoMay(Action::RerunDocuments), Document, || {
            Some(json!({}))
        }),
        row("POST /v1/documents/{id}/retry", WhoMay(Action::RerunDocuments), FailedDocument, none),
        row(
            "POST /v1/documents/{id}/deactivate",
            WhoMay(Action::DeactivateDocuments),
            Document,
            none,
        ),
        row("PUT /v1/documents/{id}/tags", WhoMay(Action::EditResults), Document, || {
            Some(json!({"tags": ["rent"]}))
        }),
        row("PUT /v1/documents/{id}/title", WhoMay(Action::RenameDocuments), Document, || {
            Some(json!({"title": "Lease"}))
        }),
        row("GET /v1/documents/{id}/original", see, Document, none),
        row("GET /v1/documents/{id}/pages/{page}", see, ReadDocument, none),
        row("GET /v1/documents/{id}/pages/{page}.png", see, ReadDocument, none),
        row("GET /v1/documents/{id}/text", see, ReadDocument, none),
        row("GET /v1/documents/{id}/view", see, WebPage, none),
        row("GET /v1/documents/{id}/pdf", see, Document, none),
        row("GET /v1/documents/{id}/result", see, ExtractedDocument, none),
        row("GET /v1/documents/{id}/results", see, ExtractedDocument, none),
        row("GET /v1/documents/{id}/results/{version}", see, ExtractedDocument, none),
        row("GET /v1/documents/{id}/results/{version}/diff/{other}", see, ExtractedDocument, none),
        row(
            "POST /v1/documents/{id}/results/{version}/promote",
            WhoMay(Action::PromoteResults),
            ExtractedDocument,
            || Some(json!({})),
        ),
        row("GET /v1/trades", see, Nothing, none),
        row("GET /v1/trades/{id}", see, Trade, none),
        row("GET /v1/trades/{id}/pdf", see, Trade, none),
        row("GET /v1/documents/trades/{id}/pdf", see, Trade, none),
        row("POST /v1/search", WhoMay(Action::SeeKnowledgeBase), Nothing, || {
            Some(json!({"query": "rent"}))
        }),
        row("GET /v1/search", WhoMay(Action::SeeKnowledgeBase), Nothing, none),
        row("POST /v1/ask", WhoMay(Action::AskQuestions), Nothing, || {
            Some(json!({"question": "How much is the rent?"}))
        }),
        row("GET /v1/knowledge-base", WhoMay(Action::SeeKnowledgeBase), Nothing, none),
        row("POST /v1/mcp", own_session, Nothing, || {
            Some(json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}))
        }),
        row("GET /v1/files/{token}", Anybody, Nothing, none),
        row("GET /v1/views/{token}", Anybody, Nothing, none),
        row("GET /v1/ingestion-runs", see, Nothing, none),
        row("GET /v1/ingestion-runs/{id}", see, Run, none),
        row("GET /v1/ingestion-runs/{id}/artifacts/{stage}/{name}", see, ReadRun, none),
        row("GET /v1/batches", see, Nothing, none),
        row("POST /v1/batches", WhoMay(Action::CreateBatches), Nothing, || Some(json!({}))),
        row("GET /v1/batches/{id}", see, Batch, none),
        row("POST /v1/batches/{id}/documents", WhoMay(Action::UploadDocuments), Batch, none),
        row("GET /v1/batches/{id}/results", see, Batch, none),
        row("GET /v1/ids/{id}", see, Document, none),
        row("GET /v1/events", see, Nothing, none),
        row("GET /v1/audit/verify", WhoMay(Action::ReadAudit), Nothing, none),
        row("GET /v1/audit/checkpoints", WhoMay(Action::ReadAudit), Nothing, none),
        row("GET /v1/quality", WhoMay(Action::ReadQuality), Nothing, none),
        row("GET /v1/tenant", WhoMay(Action::ManageTenant), Nothing, none),
        row("PUT /v1/tenant/rules", WhoMay(Action::ManageTenant), Nothing, || Some(json!({}))),
        row("PUT /v1/tenant/acceptance", WhoMay(Action::ManageTenant), Nothing, || Some(json!({}))),
        row("GET /v1/document-types", see, Nothing, none),
        row("GET /v1/document-types/{name}", see, Nothing, none),
        row("PUT /v1/document-types/{name}", WhoMay(Action::ManageDocumentTypes), Nothing, || {
            Some(json!({"title": "Invoice", "schema": {"type": "object"}, "fields": []}))
        }),
        row("GET /v1/document-types/{name}/versions", see, Nothing, none),
        row(
            "POST /v1/document-types/{name}/dry-run",
            WhoMay(Action::ManageDocumentTypes),
            ReadDocument,
            || Some(json!({ "document_id": "{id}" })),
        ),
        row("DELETE /v1/document-types/{name}", WhoMay(Action::ManageDocumentTypes), Nothing, none),
        row("GET /v1/layout-memory", WhoMay(Action::ManageDocumentTypes), Nothing, none),
        row("DELETE /v1/layout-memory", WhoMay(Action::ManageDocumentTypes), Nothing, none),
        row(
            "DELETE /v1/layout-memory/{id}",
            WhoMay(Action::ManageDocumentTypes),
            LayoutMemoryEntry,
            none,
        ),
        row("GET /v1/config", WhoMay(Action::SeeConfiguration), Nothing, none),
        row("GET /v1/audit", WhoMay(Action::ReadAudit), Nothing, none),
        row("GET /api/audit/logs", WhoMay(Action::ReadAudit), Nothing, none),
    ]
}

fn unique() -> u32 {
    static LAST: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    LAST.fetch_add(1, std::sync::atomic::Ordering::Relaxed)
}

/// Who owns the resource of a request.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Whose {
    Own,
    SameTenant,
    OtherTenant,
}

#[tokio::test]
async fn every_route_has_a_row() {
    let documented = documented_routes();
    let walked: BTreeSet<String> = rows().iter().map(|row| row.route.to_owned()).collect();
    assert_eq!(documented, walked, "left: documented; right: with an authorisation row");
}

#[tokio::test]
async fn the_permission_table_holds_on_every_route() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let other = app.tenant("other").await;
    for row in rows() {
        let Guard::WhoMay(action) = row.guard else { continue };
        for role in Role::ALL {
            for whose in [Whose::Own, Whose::SameTenant, Whose::OtherTenant] {
                if row.about == About::Nothing && whose != Whose::Own {
                    continue;
                }
                let status = call(&app, &row, &acme, &other, role, whose).await;
                let permitted = role.reach(action) != Reach::Nothing;
                let case = format!("{} as {role}, {whose:?}: {status}", row.route);
                let hidden = whose == Whose::SameTenant
                    && row.about.may_be_own_only()
                    && role.reach(Action::SeeDocuments) == Reach::Own;
                match (permitted, whose) {
                    (true, _) if hidden => assert_eq!(status, StatusCode::NOT_FOUND, "{case}"),
                    (false, _) => assert_eq!(status, StatusCode::FORBIDDEN, "{case}"),
                    (true, Whose::OtherTenant) => {
                        assert_eq!(status, StatusCode::NOT_FOUND, "{case}");
                    }
                    // They get in; this application has no reader.
                    (true, _) if row.route.ends_with("/dry-run") => {
                        assert_eq!(status, StatusCode::CONFLICT, "{case}");
                    }
                    (true, _) => assert!(status.is_success(), "{case}"),
                }
            }
        }
    }
}

#[tokio::test]
async fn only_public_routes_need_no_credential() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let doc_id = upload(&app, &acme.admin_token).await["doc_id"].as_str().unwrap().to_owned();
    let link = app.get(&format!("/v1/documents/{doc_id}/original")).bearer(&acme.admin_token);
    let link = link.send().await.body["url"].as_str().unwrap().to_owned();
    let token = link.rsplit('/').next().unwrap();
    let page = app.upload("a.html", "<p>A page</p>").bearer(&acme.admin_token).send().await;
    let view = format!("/v1/documents/{}/view", page.body["doc_id"].as_str().unwrap());
    let view = app.get(&view).bearer(&acme.admin_token).send().await;
    let view = view.body["url"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    for row in rows() {
        for prefix in ["/v1/", "/api/"] {
            let route = row.route.replace("/v1/", prefix);
            let (method, path) = split(&route);
            let path = path.replace("{id}", &Uuid::from_u128(1).to_string());
            let is_view = row.route == "GET /v1/views/{token}";
            let path = fill(&path.replace("{token}", if is_view { &view } else { token }));
            let request = app.request(method, &path);
            let status = with_body(request, &row, Uuid::from_u128(1)).status().await;
            match row.guard {
                // They get in; this application has no reader that could render it.
                Guard::Anybody if is_view => assert_eq!(status, StatusCode::CONFLICT, "{route}"),
                Guard::Anybody => assert_eq!(status, StatusCode::OK, "{route}"),
                Guard::WhoMay(_) => assert_eq!(status, StatusCode::UNAUTHORIZED, "{route}"),
            }
        }
    }
}

#[tokio::test]
async fn lists_contain_nothing_of_another_tenant() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let other = app.tenant("other").await;
    app.user(&other, Role::User).await;
    make_key(&app, &other).await;
    for path in ["/v1/users", "/v1/api-keys", "/v1/audit"] {
        let seen = app.get(path).bearer(&acme.admin_token).send().await.body.to_string();
        let stranger = other.tenant.tenant_id.to_string();
        assert!(!seen.contains(&stranger), "{path} shows {stranger}: {seen}");
    }
    let keys = app.get("/v1/api-keys").bearer(&acme.admin_token).send().await.body;
    assert_eq!(keys["items"], json!([]));
}

/// One request by a new caller of `role` in acme, about a new resource.
async fn call(
    app: &TestApp,
    row: &Row,
    acme: &TestTenant,
    other: &TestTenant,
    role: Role,
    whose: Whose,
) -> StatusCode {
    let (caller, token) = app.user(acme, role).await;
    let id = match (row.about, whose) {
        (About::Nothing, _) => Uuid::nil(),
        (About::User, Whose::Own) => caller.user_id.0,
        (About::User, Whose::SameTenant) => app.user(acme, Role::User).await.0.user_id.0,
        (About::User, Whose::OtherTenant) => app.user(other, Role::User).await.0.user_id.0,
        (About::ApiKey, Whose::Own) => make_key_as(app, acme, Some(caller.user_id)).await,
        (About::ApiKey, Whose::SameTenant) => make_key(app, acme).await,
        (About::ApiKey, Whose::OtherTenant) => make_key(app, other).await,
        (About::DeadJob, Whose::OtherTenant) => make_dead_job(app, other).await,
        (About::DeadJob, _) => make_dead_job(app, acme).await,
        (About::LiveRun, Whose::OtherTenant) => queue_run(app, other).await.0.0,
        (About::LiveRun, _) => queue_run(app, acme).await.0.0,
        (About::LayoutMemoryEntry, Whose::OtherTenant) => insert_layout_memory(app, other).await,
        (About::LayoutMemoryEntry, _) => insert_layout_memory(app, acme).await,
        (about, whose) => {
            // Roles that cannot upload own nothing, and see everything.
            let brings = role.reach(Action::UploadDocuments) != Reach::Nothing;
            let maker = match whose {
                Whose::Own if brings => &token,
                Whose::OtherTenant => &other.admin_token,
                Whose::Own | Whose::SameTenant => &acme.admin_token,
            };
            make_intake(app, about, maker).await
        }
    };
    let (method, path) = split(row.route);
    let path = fill(&path.replace("{id}", &id.to_string()));
    let request = app.request(method, &path).bearer(&token);
    with_body(request, row, id).status().await
}

/// Fills in parameters that every processed document has.
fn fill(path: &str) -> String {
    let path =
        if path.ends_with("/search") { format!("{path}?query=rent") } else { path.to_owned() };
    let path =
        if path.ends_with("/layout-memory") { path + "?document_type=invoice" } else { path };
    let name = if path.contains("/document-types/") { "invoice" } else { "text.txt" };
    let path = path.replace("{version}", "1").replace("{other}", "2");
    path.replace("{page}", "1").replace("{stage}", "layout").replace("{name}", name)
}

/// Adds the body that the route needs; `{id}` in it stands for the resource.
fn with_body(request: testkit::Request, row: &Row, id: Uuid) -> testkit::Request {
    let takes_files = ["/ingest", "/v1/documents", "/batches/{id}/documents"];
    if row.route.starts_with("POST") && takes_files.iter().any(|end| row.route.ends_with(end)) {
        return request.files([("a.txt", format!("file {}", unique()).as_bytes())]);
    }
    match (row.body)() {
        Some(mut body) => {
            let fields = body.as_object_mut().into_iter().flat_map(|body| body.values_mut());
            fields.filter(|value| **value == "{id}").for_each(|value| *value = json!(id));
            request.json(body)
        }
        None => request,
    }
}

async fn upload(app: &TestApp, token: &str) -> Value {
    app.upload("a.txt", &format!("file {}", unique())).bearer(token).send().await.body
}

/// A document, a run or a batch of the caller.
async fn make_intake(app: &TestApp, about: About, token: &str) -> Uuid {
    let id = |body: &Value, name: &str| body[name].as_str().unwrap().parse().unwrap();
    match about {
        About::Batch => {
            let made = app.post("/v1/batches", json!({})).bearer(token).send().await.body;
            id(&made, "batch_id")
        }
        About::Run => id(&upload(app, token).await, "run_id"),
        About::ReadDocument => {
            let made = upload(app, token).await;
            write_layout_artifacts(app, id(&made, "run_id")).await;
            id(&made, "doc_id")
        }
        About::ReadRun => {
            let made = upload(app, token).await;
            write_layout_artifacts(app, id(&made, "run_id")).await;
            id(&made, "run_id")
        }
        About::ExtractedDocument => {
            let made = upload(app, token).await;
            insert_results(app, id(&made, "run_id")).await;
            id(&made, "doc_id")
        }
        About::Trade => {
            let made = upload(app, token).await;
            insert_results(app, id(&made, "run_id")).await
        }
        About::FailedDocument => {
            let made = upload(app, token).await;
            fail_waiting_jobs(app).await;
            id(&made, "doc_id")
        }
        About::WebPage => {
            let page = app.upload("a.html", &format!("<p>file {}</p>", unique()));
            id(&page.bearer(token).send().await.body, "doc_id")
        }
        _ => id(&upload(app, token).await, "doc_id"),
    }
}

async fn make_dead_job(app: &TestApp, tenant: &TestTenant) -> Uuid {
    let (_, job_id) = queue_run(app, tenant).await;
    kill_all(app).await;
    job_id.0
}

async fn make_key(app: &TestApp, tenant: &TestTenant) -> Uuid {
    make_key_as(app, tenant, None).await
}

async fn make_key_as(app: &TestApp, tenant: &TestTenant, maker: Option<UserId>) -> Uuid {
    let mut caller = Caller::system(tenant.tenant.tenant_id);
    if let Some(user_id) = maker {
        caller.actor = domain::Actor::User(user_id);
    }
    let requested =
        RequestedApiKey { name: "key".to_owned(), role: Role::ApiClient, expires_at: None };
    app.ops.access.create_api_key(&caller, requested).await.unwrap().key.api_key_id.0
}

fn split(route: &str) -> (Method, String) {
    let (method, path) = route.split_once(' ').unwrap();
    (method.parse().unwrap(), path.to_owned())
}

/// `METHOD /path` of everything in the OpenAPI document.
pub(crate) fn documented_routes() -> BTreeSet<String> {
    let document = serde_json::to_value(api::openapi_document()).unwrap();
    let paths = document["paths"].as_object().unwrap();
    let methods = |(path, item): (&String, &Value)| {
        let path = path.clone();
        let methods: Vec<String> = item.as_object().unwrap().keys().cloned().collect();
        methods.into_iter().map(move |method| format!("{} {path}", method.to_uppercase()))
    };
    paths.iter().flat_map(methods).collect()
}
