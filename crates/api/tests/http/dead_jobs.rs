//! Dead jobs that need attention: at most one per document, until it is repaired, discarded or irrelevant.

use std::net::Ipv4Addr;

use axum::http::{Method, StatusCode};
use domain::{Failure, FailureCode, Role, TenantId, TraceContext};
use serde_json::{Value, json};
use store::{JobClaim, LeaseRef, Outcome, Report, StageSlots};
use testkit::{TestApp, TestTenant};

struct Office {
    app: TestApp,
    acme: TestTenant,
}

impl Office {
    async fn open() -> Self {
        let app = TestApp::start().await;
        let acme = app.tenant("acme").await;
        Self { app, acme }
    }

    fn token(&self) -> &str {
        &self.acme.admin_token
    }

    /// A document whose run failed permanently.
    async fn failed_document(&self, name: &str) -> String {
        let made = self.app.upload(name, name).bearer(self.token()).send().await;
        self.fail_all().await;
        made.body["doc_id"].as_str().unwrap().to_owned()
    }

    /// Claims all waiting jobs and fails them permanently.
    async fn fail_all(&self) {
        let now = self.app.ops.clock().now();
        let slots = [StageSlots {
            stage: "ingest".parse().unwrap(),
            count: 10,
            is_reserved: false,
            last_tenant: TenantId(uuid::Uuid::nil()),
            lease_until: now + chrono::Duration::seconds(15),
        }];
        let claim =
            JobClaim { stages: &slots, max_jobs: 10, busy_tenants: &[], worker_id: "w", now };
        let mut across = self.app.ops.store().across_tenants().await.unwrap();
        let jobs = across.claim_jobs(&claim).await.unwrap();
        assert!(!jobs.is_empty(), "no job is waiting");
        let failure = Failure::permanent("the file is encrypted", "enter its password")
            .with_code(Some(FailureCode::PasswordRequired));
        let report = |job: store::ClaimedJob| Report {
            lease: LeaseRef { job_id: job.job_id, token: job.token },
            outcome: Outcome::Failed { failure: failure.clone() },
        };
        let reports: Vec<Report> = jobs.into_iter().map(report).collect();
        across.settle_jobs(&reports, now).await.unwrap();
        across.commit().await.unwrap();
    }

    async fn get(&self, path: &str) -> Value {
        let answer = self.app.get(path).bearer(self.token()).send().await;
        assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.body);
        answer.body
    }

    async fn act(&self, method: Method, path: &str) -> testkit::Response {
        self.app.request(method, path).bearer(self.token()).send().await
    }

    async fn rerun(&self, doc_id: &str) {
        let path = format!("/v1/documents/{doc_id}/rerun");
        self.app.clock.advance(chrono::Duration::seconds(1));
        let begun = self.app.post(&path, json!({})).bearer(self.token()).send().await;
        assert_eq!(begun.status, StatusCode::ACCEPTED, "{}", begun.body);
    }

    /// The documents that need attention; checks that list, queues and metrics agree.
    async fn attention(&self) -> Vec<String> {
        let documents = |page: &Value| -> Vec<String> {
            let items = page["items"].as_array().unwrap().iter();
            items.map(|job| job["doc_id"].as_str().unwrap().to_owned()).collect()
        };
        let listed = documents(&self.get("/v1/jobs/dead").await);
        assert_eq!(documents(&self.get("/v1/jobs?status=DEAD").await), listed);
        let queues = self.get("/v1/queues").await;
        let counted: i64 = queues["queues"]
            .as_array()
            .unwrap()
            .iter()
            .map(|queue| queue["dead"].as_i64().unwrap())
            .sum();
        assert_eq!(usize::try_from(counted).unwrap(), listed.len(), "{queues}");
        let mut across = self.app.ops.store().across_tenants().await.unwrap();
        let measured: i64 =
            across.list_all_queues().await.unwrap().iter().map(|queue| queue.dead).sum();
        assert_eq!(measured, counted, "the metrics agree");
        listed
    }

    /// The one dead job that is listed.
    async fn dead_job(&self) -> Value {
        let dead = self.get("/v1/jobs/dead").await;
        assert_eq!(dead["items"].as_array().unwrap().len(), 1, "{dead}");
        dead["items"][0].clone()
    }

    async fn discard(&self, jobs: &[&Value]) -> Value {
        let body = json!({ "job_ids": jobs });
        let done = self.app.post("/v1/jobs/dead/discard", body).bearer(self.token()).send().await;
        assert_eq!(done.status, StatusCode::OK, "{}", done.body);
        done.body
    }
}

#[tokio::test]
async fn a_document_that_failed_twice_needs_attention_once() {
    let office = Office::open().await;
    let doc = office.failed_document("a.txt").await;
    let first = office.dead_job().await;
    assert_eq!(first["error_code"], "password_required");
    office.rerun(&doc).await;
    assert!(office.attention().await.is_empty(), "a newer run is in progress");
    office.fail_all().await;
    assert_eq!(office.attention().await, [doc]);
    assert_ne!(office.dead_job().await["run_id"], first["run_id"], "the latest run is shown");
    let old = office.get(&format!("/v1/jobs/{}", first["job_id"].as_str().unwrap())).await;
    assert_eq!((&old["status"], &old["closed_by"]), (&json!("DEAD"), &json!("superseded")));
    let retry = format!("/v1/jobs/{}/retry", first["job_id"].as_str().unwrap());
    let refused = office.act(Method::POST, &retry).await;
    assert_eq!((refused.status, refused.code()), (StatusCode::CONFLICT, "job_superseded"));
}

#[tokio::test]
async fn a_document_that_was_repaired_deleted_or_withdrawn_needs_no_attention() {
    let office = Office::open().await;
    let repaired = office.failed_document("a.txt").await;
    office.rerun(&repaired).await;
    office.app.work_off().await;
    assert!(office.attention().await.is_empty());

    // It is active, and a later run of it failed.
    office.rerun(&repaired).await;
    office.fail_all().await;
    assert_eq!(office.attention().await, [repaired.as_str()]);
    let withdraw = format!("/v1/documents/{repaired}/deactivate");
    assert!(office.act(Method::POST, &withdraw).await.status.is_success());
    assert!(office.attention().await.is_empty());

    let deleted = office.failed_document("b.txt").await;
    let job = office.dead_job().await;
    let gone = office.act(Method::DELETE, &format!("/v1/documents/{deleted}")).await;
    assert_eq!(gone.status, StatusCode::NO_CONTENT);
    assert!(office.attention().await.is_empty());
    let retry = format!("/v1/jobs/{}/retry", job["job_id"].as_str().unwrap());
    let refused = office.act(Method::POST, &retry).await;
    assert_eq!((refused.status, refused.code()), (StatusCode::CONFLICT, "document_deleted"));
    let all = office.app.post("/v1/jobs/dead/requeue", json!({ "all": true }));
    assert_eq!(all.bearer(office.token()).send().await.body["requeued"], 0);
    let by_document = office.app.post("/v1/jobs/dead/requeue", json!({ "doc_id": deleted }));
    assert_eq!(by_document.bearer(office.token()).send().await.body["requeued"], 0);
}

#[tokio::test]
async fn a_discarded_job_is_audited_and_can_still_be_retried() {
    let office = Office::open().await;
    let doc = office.failed_document("a.txt").await;
    let job = office.dead_job().await;
    assert_eq!(office.discard(&[&job["job_id"]]).await, json!({ "discarded": 1, "skipped": [] }));
    assert!(office.attention().await.is_empty());
    let shown = office.get(&format!("/v1/documents/{doc}")).await;
    assert_eq!(
        (&shown["status"], &shown["error"], &shown["error_code"]),
        (&json!("failed"), &json!("the file is encrypted"), &json!("password_required"))
    );
    assert_eq!(shown["runs"][0]["error_code"], "password_required");
    let log = office.get("/v1/audit?action=JOB_DISCARDED").await;
    assert_eq!(log["items"][0]["entity_id"], job["job_id"]);
    assert_eq!(log["items"][0]["detail"]["doc_id"], json!(doc));

    let again = office.discard(&[&job["job_id"]]).await;
    assert_eq!(again["discarded"], 0);
    assert_eq!(again["skipped"][0]["problem"], "This job needs no attention: it was discarded.");
    let log = office.get("/v1/audit?action=JOB_DISCARDED").await;
    assert_eq!(log["items"].as_array().unwrap().len(), 1, "the second time changed nothing");

    let retry = format!("/v1/jobs/{}/retry", job["job_id"].as_str().unwrap());
    let retried = office.act(Method::POST, &retry).await;
    assert_eq!((retried.status, &retried.body["closed_by"]), (StatusCode::OK, &Value::Null));
    office.fail_all().await;
    assert_eq!(office.attention().await, [doc.as_str()], "it failed again");
    office.discard(&[&job["job_id"]]).await;
    office.rerun(&doc).await;
    office.app.work_off().await;
    assert_eq!(office.get(&format!("/v1/documents/{doc}")).await["status"], "active");
}

#[tokio::test]
async fn several_jobs_are_discarded_and_skipped_ones_say_why() {
    let office = Office::open().await;
    office.failed_document("a.txt").await;
    office.failed_document("b.txt").await;
    let dead = office.get("/v1/jobs/dead").await["items"].clone();
    let waiting = office.app.upload("c.txt", "c").bearer(office.token()).send().await.body;
    let jobs = office.get("/v1/jobs?status=PENDING").await;
    assert_eq!(jobs["items"][0]["doc_id"], waiting["doc_id"]);
    let nobody = json!(uuid::Uuid::nil());
    let given = [&dead[0]["job_id"], &dead[1]["job_id"], &jobs["items"][0]["job_id"], &nobody];
    let done = office.discard(&given).await;
    assert_eq!(done["discarded"], 2);
    let problems: Vec<&Value> =
        done["skipped"].as_array().unwrap().iter().map(|skipped| &skipped["problem"]).collect();
    assert_eq!(
        problems,
        [
            "Only a dead job can be discarded. This one is PENDING.",
            "This job does not exist, or you don't have access."
        ]
    );
    for ids in [vec![], vec![uuid::Uuid::nil(); 1001]] {
        let body = json!({ "job_ids": ids });
        let sent = office.app.post("/v1/jobs/dead/discard", body).bearer(office.token());
        assert_eq!(sent.send().await.status, StatusCode::BAD_REQUEST);
    }
}

#[tokio::test]
async fn discarding_is_idempotent_and_needs_permission() {
    let office = Office::open().await;
    office.failed_document("a.txt").await;
    let job = office.dead_job().await["job_id"].clone();
    let other = office.app.tenant("other").await;
    for role in [Role::User, Role::Reviewer, Role::Viewer, Role::Auditor, Role::ApiClient] {
        let (_, token) = office.app.user(&office.acme, role).await;
        let body = json!({ "job_ids": [job] });
        let refused = office.app.post("/v1/jobs/dead/discard", body).bearer(&token).send().await;
        assert_eq!(refused.status, StatusCode::FORBIDDEN, "{role}");
    }
    let body = json!({ "job_ids": [job] });
    let foreign = office.app.post("/v1/jobs/dead/discard", body).bearer(&other.admin_token);
    assert_eq!(
        foreign.send().await.body["skipped"][0]["problem"],
        "This job does not exist, or you don't have access."
    );
    assert_eq!(office.attention().await.len(), 1);

    let send = async |ids: Value| {
        let sent = office.app.post("/v1/jobs/dead/discard", json!({ "job_ids": ids }));
        sent.bearer(office.token()).header("idempotency-key", "k1").send().await
    };
    let first = send(json!([job])).await;
    let second = send(json!([job])).await;
    assert_eq!(
        (first.body["discarded"].clone(), first.header("idempotent-replayed")),
        (json!(1), None)
    );
    assert_eq!(second.body, first.body);
    assert_eq!(second.header("idempotent-replayed"), Some("true"));
    assert_eq!(send(json!([uuid::Uuid::nil()])).await.status, StatusCode::UNPROCESSABLE_ENTITY);
}

#[tokio::test]
async fn followers_learn_that_the_list_changed_if_they_see_all_documents() {
    let office = Office::open().await;
    let (_, ada) = office.app.user(&office.acme, Role::User).await;
    office.failed_document("a.txt").await;
    let job = office.dead_job().await["job_id"].clone();
    let start = async |token: &str| {
        let client = Ipv4Addr::LOCALHOST.into();
        let caller =
            office.app.ops.access.authenticate(token, client, TraceContext::new(1)).await.unwrap();
        office.app.ops.events.follow_events(&caller, None).await.unwrap()
    };
    let (mut admin, mut user) = (start(office.token()).await, start(&ada).await);
    office.discard(&[&job]).await;
    assert_eq!(admin.next().await.unwrap().topic, "dead_jobs.changed");
    let doc = office.failed_document("b.txt").await;
    let until_changed = async |following: &mut ops::EventFollower| {
        while following.next().await.unwrap().topic != "dead_jobs.changed" {}
    };
    office.act(Method::DELETE, &format!("/v1/documents/{doc}")).await;
    until_changed(&mut admin).await;
    office.app.upload("hers.txt", "hers").bearer(&ada).send().await;
    let event = user.next().await.unwrap();
    assert_eq!(event.topic, "document.queued", "the first event is about her own document");
}
