//! Batches, and following events.

use axum::body::Body;
use axum::http::{Method, Request, StatusCode};
use domain::{Caller, Role};
use http_body_util::BodyExt;
use ops::EventId;
use serde_json::{Value, json};
use testkit::{Response, TestApp, TestTenant};
use tower::ServiceExt;

use crate::intake::fail_waiting_jobs;

async fn make(app: &TestApp, token: &str, body: Value) -> String {
    let made = app.post("/v1/batches", body).bearer(token).send().await;
    assert_eq!(made.status, StatusCode::CREATED, "{}", made.body);
    made.body["batch_id"].as_str().unwrap().to_owned()
}

async fn add(app: &TestApp, token: &str, batch: &str, files: &[(&str, &str)]) -> Response {
    let files = files.iter().map(|(name, content)| (*name, content.as_bytes()));
    let path = format!("/v1/batches/{batch}/documents");
    app.request(Method::POST, &path).files(files).bearer(token).send().await
}

async fn get_batch(app: &TestApp, token: &str, batch: &str) -> Value {
    app.get(&format!("/v1/batches/{batch}")).bearer(token).send().await.body
}

async fn start() -> (TestApp, TestTenant) {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    (app, acme)
}

/// The topics of all events so far.
async fn topics(app: &TestApp, caller: &Caller) -> Vec<String> {
    let beginning: EventId = format!("p0-{}", uuid::Uuid::nil().simple()).parse().unwrap();
    let mut following = app.ops.events.follow_events(caller, Some(beginning)).await.unwrap();
    let mut topics = Vec::new();
    while let Ok(Some(event)) =
        tokio::time::timeout(std::time::Duration::from_millis(100), following.next()).await
    {
        topics.push(event.topic);
    }
    topics
}

#[tokio::test]
async fn a_batch_ends_with_its_last_document() {
    let (app, acme) = start().await;
    let token = &acme.admin_token;
    let batch = make(&app, token, json!({"name": "monday", "expected_documents": 3})).await;
    assert_eq!(get_batch(&app, token, &batch).await["status"], "open");
    let answer = add(&app, token, &batch, &[("a.txt", "a"), ("b.txt", "b")]).await;
    assert_eq!(answer.status, StatusCode::ACCEPTED);
    assert_eq!(answer.body["files"].as_array().unwrap().len(), 2);
    app.work_off().await;
    let waiting = get_batch(&app, token, &batch).await;
    assert_eq!(waiting["status"], "processing", "one file is missing");
    assert_eq!(
        waiting["counts"],
        json!({"offered": 2, "refused": 0, "documents": 2, "succeeded": 2, "failed": 0, "pending": 0})
    );
    add(&app, token, &batch, &[("c.txt", "c")]).await;
    app.work_off().await;
    let over = get_batch(&app, token, &batch).await;
    assert_eq!(over["status"], "completed");
    assert!(over["finished_at"].is_string());
    let results = app.get(&format!("/v1/batches/{batch}/results")).bearer(token).send().await.body;
    let names: Vec<&str> = results["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|i| i["filename"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["a.txt", "b.txt", "c.txt"]);
    let told = topics(&app, &Caller::system(acme.tenant.tenant_id)).await;
    assert_eq!(told.iter().filter(|topic| *topic == "batch.completed").count(), 1);
}

#[tokio::test]
async fn a_batch_with_a_failed_document_is_partial() {
    let (app, acme) = start().await;
    let token = &acme.admin_token;
    let batch = make(&app, token, json!({})).await;
    add(&app, token, &batch, &[("a.txt", "a")]).await;
    app.work_off().await;
    add(&app, token, &batch, &[("b.txt", "b")]).await;
    fail_waiting_jobs(&app).await;
    let over = get_batch(&app, token, &batch).await;
    assert_eq!(over["status"], "partial");
    assert_eq!(
        over["counts"],
        json!({"offered": 2, "refused": 0, "documents": 2, "succeeded": 1, "failed": 1, "pending": 0})
    );
    let told = topics(&app, &Caller::system(acme.tenant.tenant_id)).await;
    assert_eq!(told.last().map(String::as_str), Some("batch.partial"));

    let dead = app.get("/v1/jobs/dead").bearer(token).send().await.body;
    let job = dead["items"][0]["job_id"].as_str().unwrap();
    app.request(Method::POST, &format!("/v1/jobs/{job}/retry")).bearer(token).send().await;
    assert_eq!(get_batch(&app, token, &batch).await["status"], "processing");
    app.work_off().await;
    assert_eq!(get_batch(&app, token, &batch).await["status"], "completed", "after the retry");
}

#[tokio::test]
async fn of_xml_files_only_electronic_invoices_are_accepted() {
    let (app, acme) = start().await;
    let token = &acme.admin_token;
    let batch = make(&app, token, json!({"expected_documents": 2})).await;
    let samples = testkit::samples::samples();
    let invoice = samples.iter().find(|sample| sample.ending == "xml").unwrap().form.to_bytes();
    let invoice = String::from_utf8(invoice).unwrap();
    let files = [("invoice.xml", invoice.as_str()), ("note.xml", "<?xml version='1.0'?><note/>")];
    let answer = add(&app, token, &batch, &files).await;
    let document = answer.body["files"][0]["accepted"]["doc_id"].as_str().unwrap();
    let document = app.get(&format!("/v1/documents/{document}")).bearer(token).send().await.body;
    assert_eq!(document["file_kind"], "xml");
    let problem = &answer.body["files"][1]["problem"];
    assert_eq!(problem["code"], "unsupported_type");
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("Factur-X, ZUGFeRD or XRechnung"), "{detail}");
}

#[tokio::test]
async fn a_refused_file_does_not_delay_the_others() {
    let (app, acme) = start().await;
    let token = &acme.admin_token;
    let batch = make(&app, token, json!({"expected_documents": 4})).await;
    let files = [("a.txt", "a"), ("b.pdf", "no pdf"), ("c.txt", "c"), ("twin.txt", "c")];
    let answer = add(&app, token, &batch, &files).await;
    assert_eq!(answer.status, StatusCode::ACCEPTED);
    assert_eq!(answer.body["files"][1]["problem"]["code"], "unsupported_type");
    app.work_off().await;
    let over = get_batch(&app, token, &batch).await;
    assert_eq!(over["counts"]["documents"], 2);
    assert_eq!(over["status"], "partial", "all four files arrived");
}

#[tokio::test]
async fn known_content_is_skipped_unless_the_batch_turns_dedupe_off() {
    let (app, acme) = start().await;
    let token = &acme.admin_token;
    app.upload("a.txt", "a").bearer(token).send().await;
    app.work_off().await;
    let deduped = make(&app, token, json!({"expected_documents": 1})).await;
    add(&app, token, &deduped, &[("a.txt", "a")]).await;
    assert_eq!(get_batch(&app, token, &deduped).await["status"], "completed");
    let fresh = make(&app, token, json!({"dedupe": false})).await;
    let answer = add(&app, token, &fresh, &[("a.txt", "a")]).await;
    assert_eq!(answer.body["files"][0]["accepted"]["dedup_result"], "new_version");
    assert_eq!(get_batch(&app, token, &fresh).await["status"], "processing");
}

#[tokio::test]
async fn a_batch_may_have_a_pipeline_of_stages_that_exist() {
    let (app, acme) = start().await;
    let token = &acme.admin_token;
    make(&app, token, json!({"pipeline": ["ingest"]})).await;
    for (body, field) in [
        (json!({"pipeline": ["magic"]}), "pipeline"),
        (json!({"pipeline": []}), "pipeline"),
        (json!({"webhook_url": "ftp://x"}), "webhook_url"),
        (json!({"expected_documents": 0}), "expected_documents"),
    ] {
        let refused = app.post("/v1/batches", body.clone()).bearer(token).send().await;
        assert_eq!(refused.status, StatusCode::BAD_REQUEST, "{body}");
        assert_eq!(refused.body["field"], field, "{}", refused.body);
    }
}

/// The document type that the last run of each file was configured with.
async fn chosen_types(app: &TestApp, token: &str, answer: &Response) -> Vec<Value> {
    let mut types = Vec::new();
    for file in answer.body["files"].as_array().unwrap() {
        let run = file["accepted"]["run_id"].as_str().unwrap();
        let run = app.get(&format!("/v1/ingestion-runs/{run}")).bearer(token).send().await.body;
        types.push(run["config"]["document_type"].clone());
    }
    types
}

#[tokio::test]
async fn the_schema_mapping_of_a_batch_chooses_the_document_type() {
    let (app, acme) = start().await;
    let token = &acme.admin_token;
    let mapping = json!({"text/*": "receipt", "*invoice*": "invoice"});
    let batch = make(&app, token, json!({ "schema_mapping": mapping })).await;
    assert_eq!(get_batch(&app, token, &batch).await["schema_mapping"], mapping);
    let files = [("March Invoice.txt", "a"), ("b.txt", "b"), ("c.md", "# c")];
    let answer = add(&app, token, &batch, &files).await;
    let chosen = chosen_types(&app, token, &answer).await;
    assert_eq!(chosen, [json!("invoice"), json!("receipt"), json!("receipt")]);
    let undecided = make(&app, token, json!({"schema_mapping": {"*.pdf": "invoice"}})).await;
    let answer = add(&app, token, &undecided, &[("d.txt", "d")]).await;
    assert_eq!(chosen_types(&app, token, &answer).await, [Value::Null]);
    for wrong in [json!({"*": ["invoice"]}), json!({}), json!(7), json!("No Name")] {
        let body = json!({ "schema_mapping": wrong });
        let refused = app.post("/v1/batches", body).bearer(token).send().await;
        assert_eq!(refused.status, StatusCode::BAD_REQUEST, "{wrong}");
        assert_eq!(refused.body["field"], "schema_mapping", "{}", refused.body);
    }
}

#[tokio::test]
async fn a_document_type_that_does_not_exist_is_refused_with_the_known_ones() {
    let (app, acme) = start().await;
    let token = &acme.admin_token;
    let own = json!({"title": "Payslip", "schema": {"type": "object"}, "fields": []});
    app.put("/v1/document-types/payslip", own.clone()).bearer(token).send().await;
    let made = app.upload("a.txt", "a").bearer(token).send().await.body;
    app.work_off().await;
    let rerun = format!("/v1/documents/{}/rerun", made["doc_id"].as_str().unwrap());
    let requests = [
        ("/v1/batches", json!({"schema_mapping": "letter"}), "schema_mapping"),
        ("/v1/batches", json!({"schema_mapping": {"*": "auto", "b*": "letter"}}), "schema_mapping"),
        (rerun.as_str(), json!({"document_type": "letter"}), "document_type"),
    ];
    for (path, body, field) in &requests {
        let refused = app.post(path, body.clone()).bearer(token).send().await;
        assert_eq!(
            (refused.status, refused.code(), &refused.body["field"]),
            (StatusCode::UNPROCESSABLE_ENTITY, "unknown_document_type", &json!(field)),
        );
        let known = "There is no document type 'letter'. Choose one of: contract_note, generic, invoice, payslip, receipt.";
        let detail = refused.body["detail"].as_str().unwrap();
        assert!(detail.starts_with(known), "{detail}");
    }
    let file = app.request(Method::POST, &rerun).bearer(token);
    let refused = file.file_with(&[("document_type", "letter")], "a.txt", "other").send().await;
    assert_eq!(refused.code(), "unknown_document_type");

    // The types of another tenant do not count, nor do withdrawn ones.
    let other = app.tenant("other").await;
    let body = json!({"schema_mapping": "payslip"});
    let foreign = app.post("/v1/batches", body.clone()).bearer(&other.admin_token).send().await;
    assert_eq!(foreign.code(), "unknown_document_type");
    make(&app, token, body.clone()).await;
    app.request(Method::DELETE, "/v1/document-types/payslip").bearer(token).send().await;
    assert_eq!(
        app.post("/v1/batches", body).bearer(token).send().await.code(),
        "unknown_document_type"
    );
    make(&app, token, json!({"schema_mapping": {"*.pdf": "invoice", "*": "auto"}})).await;
}

#[tokio::test]
async fn an_updated_original_keeps_the_document_type_or_chooses_another() {
    let (app, acme) = start().await;
    let token = &acme.admin_token;
    let batch = make(&app, token, json!({"schema_mapping": "receipt"})).await;
    let answer = add(&app, token, &batch, &[("a.txt", "a")]).await;
    let doc_id = answer.body["files"][0]["accepted"]["doc_id"].as_str().unwrap().to_owned();
    app.work_off().await;
    let path = format!("/v1/documents/{doc_id}/rerun");
    let cases = [
        (None, "b", json!("receipt")),
        (Some(("document_type", "invoice")), "c", json!("invoice")),
        (Some(("reason", "signed")), "d", json!("invoice")),
        // The current content again: a plain rerun.
        (Some(("document_type", "generic")), "d", json!("generic")),
        (Some(("document_type", "auto")), "e", Value::Null),
    ];
    for (field, content, expected) in cases {
        let request = app.request(Method::POST, &path).bearer(token);
        let updated = request.file_with(field.as_slice(), "a.txt", content).send().await;
        assert_eq!(updated.status, StatusCode::ACCEPTED, "{}", updated.body);
        let run = updated.body["run_id"].as_str().unwrap();
        let run = app.get(&format!("/v1/ingestion-runs/{run}")).bearer(token).send().await.body;
        assert_eq!(run["config"]["document_type"], expected, "{field:?}");
        app.work_off().await;
    }
}

#[tokio::test]
async fn a_stream_of_results_ends_with_the_access_of_its_caller() {
    let (app, acme) = start().await;
    let batch = make(&app, &acme.admin_token, json!({})).await;
    let names: Vec<String> = (0..120).map(|number| format!("{number}.txt")).collect();
    let files: Vec<(&str, &str)> =
        names.iter().map(|name| (name.as_str(), name.as_str())).collect();
    let added = add(&app, &acme.admin_token, &batch, &files).await;
    assert_eq!(added.status, StatusCode::ACCEPTED, "{}", added.body);
    for format in ["ndjson", "csv"] {
        let (_, token) = app.user(&acme, Role::Viewer).await;
        let path = format!("/v1/batches/{batch}/results?format={format}");
        let open = async || {
            let request = Request::get(&path).header("authorization", format!("Bearer {token}"));
            let request = request.body(Body::empty()).unwrap();
            app.router().oneshot(request).await.unwrap().into_body()
        };
        let whole = open().await.collect().await.unwrap().to_bytes();
        let heading = usize::from(format == "csv");
        assert_eq!(whole.split(|byte| *byte == b'\n').count(), 121 + heading);

        let mut stream = open().await;
        assert!(stream.frame().await.unwrap().is_ok(), "the first page was read before");
        app.request(Method::POST, "/v1/auth/logout").bearer(&token).send().await;
        assert!(stream.frame().await.unwrap().is_err(), "{format}");
        assert!(stream.frame().await.is_none());
    }
}

#[tokio::test]
async fn a_rerun_chooses_the_document_type_or_keeps_it() {
    let (app, acme) = start().await;
    let token = &acme.admin_token;
    let batch = make(&app, token, json!({"schema_mapping": "receipt"})).await;
    let answer = add(&app, token, &batch, &[("a.txt", "a")]).await;
    let doc_id = answer.body["files"][0]["accepted"]["doc_id"].as_str().unwrap().to_owned();
    app.work_off().await;
    let path = format!("/v1/documents/{doc_id}/rerun");
    for (body, expected) in [
        (json!({}), json!("receipt")),
        (json!({"document_type": "invoice"}), json!("invoice")),
        (json!({"reason": "again"}), json!("invoice")),
        (json!({"document_type": "auto"}), Value::Null),
    ] {
        let rerun = app.post(&path, body.clone()).bearer(token).send().await;
        assert_eq!(rerun.status, StatusCode::ACCEPTED, "{}", rerun.body);
        let run = rerun.body["run_id"].as_str().unwrap();
        let run = app.get(&format!("/v1/ingestion-runs/{run}")).bearer(token).send().await.body;
        assert_eq!(run["config"]["document_type"], expected, "{body}");
        app.work_off().await;
    }
    let refused =
        app.post(&path, json!({"document_type": "An Invoice"})).bearer(token).send().await;
    assert_eq!(
        (refused.status, &refused.body["field"]),
        (StatusCode::BAD_REQUEST, &json!("document_type"))
    );
}

#[tokio::test]
async fn a_user_cannot_add_to_an_invisible_batch() {
    let (app, acme) = start().await;
    let (_, ada) = app.user(&acme, Role::User).await;
    let (_, bob) = app.user(&acme, Role::User).await;
    let batch = make(&app, &ada, json!({})).await;
    let refused = add(&app, &bob, &batch, &[("a.txt", "a")]).await;
    assert_eq!(refused.status, StatusCode::NOT_FOUND);
    assert_eq!(add(&app, &ada, &batch, &[("a.txt", "a")]).await.status, StatusCode::ACCEPTED);
}

#[tokio::test]
async fn followers_receive_visible_events_in_order_and_resume() {
    let (app, acme) = start().await;
    let (ada, ada_token) = app.user(&acme, Role::User).await;
    let ada = Caller::of_user(&ada);
    let admin = Caller::system(acme.tenant.tenant_id);
    let mut live = app.ops.events.follow_events(&ada, None).await.unwrap();
    app.upload("other.txt", "not ada's").bearer(&acme.admin_token).send().await;
    app.upload("own.txt", "ada's").bearer(&ada_token).send().await;
    app.work_off().await;
    let first = live.next().await.unwrap();
    assert_eq!(first.topic, "document.queued");
    assert_eq!(first.payload["title"], "own.txt");
    drop(live);
    let mut resumed = app.ops.events.follow_events(&ada, first.id).await.unwrap();
    assert_eq!(resumed.next().await.unwrap().topic, "document.started");
    assert_eq!(resumed.next().await.unwrap().topic, "document.completed");
    let everything = topics(&app, &admin).await;
    assert_eq!(everything.len(), 6, "{everything:?}");
    let wrong = app.get("/v1/events").bearer(&ada_token).header("last-event-id", "nonsense");
    assert_eq!(wrong.send().await.status, StatusCode::BAD_REQUEST);
}
