//! Listing, retrying and cancelling jobs.

use std::sync::{Arc, LazyLock};

use axum::http::{Method, StatusCode};
use domain::{
    Action, Caller, DocId, Failure, IdGen, JobId, LeaseToken, Pipeline, RetryPolicy, RunConfig,
    RunId, RunType, TenantId,
};
use serde_json::{Value, json};
use store::{ClaimedJob, JobClaim, LeaseRef, NewRun, Outcome, Report, StageSlots};
use testkit::{CountedIds, TestApp, TestTenant};

/// Queues a run of one stage; returns the ids of the run and of its job.
pub(crate) async fn queue_run(app: &TestApp, tenant: &TestTenant) -> (RunId, JobId) {
    static IDS: LazyLock<CountedIds> = LazyLock::new(|| CountedIds::after(1 << 40));
    let ids = &*IDS;
    let scope = Caller::system(tenant.tenant.tenant_id).permit(Action::UploadDocuments).unwrap();
    let stages = vec!["ocr".parse().unwrap()];
    let run = NewRun {
        run_id: RunId(ids.next()),
        job_id: JobId(ids.next()),
        doc_id: DocId(ids.next()),
        pipeline: Pipeline::try_from(stages).unwrap(),
        priority: 0,
        retries: RetryPolicy::KNOWLEDGE.retries(),
        parent_run_id: None,
        reason: None,
        config: RunConfig::default(),
        run_type: RunType::default(),
        trace_parent: None,
        content: None,
        batch_id: None,
        password: None,
        reused: None,
    };
    let mut tx = app.ops.store().begin(&scope).await.unwrap();
    tx.start_run(&run).await.unwrap();
    tx.commit().await.unwrap();
    (run.run_id, run.job_id)
}

async fn claim(app: &TestApp) -> Vec<ClaimedJob> {
    claim_some(app, 10).await
}

async fn claim_some(app: &TestApp, most: usize) -> Vec<ClaimedJob> {
    let now = app.ops.clock().now();
    let slots = [StageSlots {
        stage: "ocr".parse().unwrap(),
        count: 10,
        is_reserved: false,
        last_tenant: TenantId(uuid::Uuid::nil()),
        lease_until: now + chrono::Duration::seconds(15),
    }];
    let claim =
        JobClaim { stages: &slots, max_jobs: most, busy_tenants: &[], worker_id: "w1", now };
    let mut across = app.ops.store().across_tenants().await.unwrap();
    let jobs = across.claim_jobs(&claim).await.unwrap();
    across.commit().await.unwrap();
    jobs
}

/// Claims all waiting jobs and fails them permanently.
pub(crate) async fn kill_all(app: &TestApp) {
    let now = app.ops.clock().now();
    let report = |job: ClaimedJob| Report {
        lease: LeaseRef { job_id: job.job_id, token: job.token },
        outcome: Outcome::Failed {
            failure: Failure::permanent("the file is encrypted", "upload it without a password"),
        },
    };
    let reports: Vec<Report> = claim(app).await.into_iter().map(report).collect();
    let mut across = app.ops.store().across_tenants().await.unwrap();
    across.settle_jobs(&reports, now).await.unwrap();
    across.commit().await.unwrap();
}

fn ids_of(page: &Value) -> Vec<String> {
    let items = page["items"].as_array().unwrap();
    items.iter().map(|job| job["job_id"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_dead_job_says_what_happened_and_what_to_do() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let (run_id, job_id) = queue_run(&app, &acme).await;
    kill_all(&app).await;
    let dead = app.get("/api/jobs/dead").bearer(&acme.admin_token).send().await;
    assert_eq!(dead.status, StatusCode::OK);
    let job = &dead.body["items"][0];
    assert_eq!(job["job_id"], json!(job_id));
    assert_eq!(job["run_id"], json!(run_id));
    assert_eq!(job["status"], "DEAD");
    assert_eq!(job["stage"], "ocr");
    assert_eq!(job["attempts"], 0);
    assert_eq!(job["error"], "the file is encrypted");
    assert_eq!(job["error_class"], "permanent");
    assert_eq!(job["guidance"], "upload it without a password");
}

#[tokio::test]
async fn an_admin_retries_a_dead_job() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let (_, job_id) = queue_run(&app, &acme).await;
    let retry = format!("/v1/jobs/{job_id}/retry");
    let early = app.request(Method::POST, &retry).bearer(&acme.admin_token).send().await;
    assert_eq!((early.status, early.code()), (StatusCode::CONFLICT, "job_not_dead"));
    kill_all(&app).await;
    let retried = app.request(Method::POST, &retry).bearer(&acme.admin_token).send().await;
    assert_eq!(retried.status, StatusCode::OK);
    assert_eq!(retried.body["status"], "PENDING");
    assert_eq!(retried.body["attempts"], 0);
    assert_eq!(retried.body["error"], Value::Null);
    let log =
        app.get("/v1/audit?action=JOB_RETRIED_BY_ADMIN").bearer(&acme.admin_token).send().await;
    assert_eq!(log.body["items"][0]["entity_id"], json!(job_id));
    assert_eq!(claim(&app).await.len(), 1, "it can be claimed again");
}

#[tokio::test]
async fn dead_jobs_are_requeued_by_filter() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let other = app.tenant("other").await;
    let early = app.ops.clock().now();
    let (run_id, _) = queue_run(&app, &acme).await;
    app.clock.advance(chrono::Duration::hours(1));
    app.ops.operations.do_housekeeping().await.unwrap();
    let late = app.ops.clock().now();
    for tenant in [&acme, &acme, &other] {
        queue_run(&app, tenant).await;
    }
    kill_all(&app).await;
    let requeue = async |body: Value| {
        let sent = app.post("/v1/jobs/dead/requeue", body).bearer(&acme.admin_token).send().await;
        assert_eq!(sent.status, StatusCode::OK, "{}", sent.body);
        sent.body["requeued"].clone()
    };
    for fits_none in [
        json!({"stage": "layout"}),
        json!({"error_class": "poison"}),
        json!({"created_before": early}),
        json!({"created_after": late + chrono::Duration::seconds(1)}),
        json!({"run_id": uuid::Uuid::nil()}),
        json!({"doc_id": uuid::Uuid::nil()}),
        json!({"error_contains": "100% wrong"}),
        json!({"stage": "ocr", "run_id": run_id, "error_contains": "password"}),
    ] {
        assert_eq!(requeue(fits_none.clone()).await, 0, "{fits_none}");
    }
    assert_eq!(requeue(json!({"run_id": run_id, "created_before": late})).await, 1);
    assert_eq!(
        requeue(json!({"error_contains": "ENCRYPTED", "error_class": "permanent"})).await,
        2
    );
    kill_all(&app).await;
    assert_eq!(requeue(json!({"created_after": early, "created_before": late})).await, 1);
    assert_eq!(requeue(json!({"stage": "ocr"})).await, 2);
    kill_all(&app).await;
    assert_eq!(requeue(json!({"all": true})).await, 3);
    let others = app.get("/v1/jobs/dead").bearer(&other.admin_token).send().await;
    assert_eq!(ids_of(&others.body).len(), 1, "jobs of another tenant stay dead");
    let log = "/v1/audit?action=JOB_RETRIED_BY_ADMIN&limit=100";
    let log = app.get(log).bearer(&acme.admin_token).send().await;
    assert_eq!(log.body["items"].as_array().unwrap().len(), 9, "each is audited");
}

#[tokio::test]
async fn requeueing_all_dead_jobs_must_be_explicit() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    for body in [
        json!({}),
        json!({"all": false}),
        json!({"all": true, "stage": "ocr"}),
        json!({"error_class": "bad luck"}),
        json!({"stage": "o\u{0}cr"}),
        json!({"created_after": "+12026-01-01T00:00:00Z"}),
    ] {
        let sent = app.post("/v1/jobs/dead/requeue", body.clone()).bearer(&acme.admin_token);
        let refused = sent.send().await;
        assert_eq!(refused.status, StatusCode::BAD_REQUEST, "{body}");
    }
}

#[tokio::test]
async fn a_cancelled_run_ends_and_its_worker_loses_the_lease() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let (run_id, _) = queue_run(&app, &acme).await;
    let job = claim(&app).await.remove(0);
    let cancel = format!("/v1/runs/{run_id}/cancel");
    let cancelled = app.request(Method::POST, &cancel).bearer(&acme.admin_token).send().await;
    assert_eq!(cancelled.status, StatusCode::NO_CONTENT);
    let again = app.request(Method::POST, &cancel).bearer(&acme.admin_token).send().await;
    assert_eq!((again.status, again.code()), (StatusCode::CONFLICT, "run_is_over"));
    let late = Report {
        lease: LeaseRef { job_id: job.job_id, token: LeaseToken(job.token.0) },
        outcome: Outcome::Succeeded { output: Arc::default(), next: None },
    };
    let mut across = app.ops.store().across_tenants().await.unwrap();
    let counted = across.settle_jobs(&[late], app.ops.clock().now()).await.unwrap();
    assert!(counted.is_empty());
}

#[tokio::test]
async fn queues_show_depth_and_age() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    queue_run(&app, &acme).await;
    queue_run(&app, &acme).await;
    queue_run(&app, &acme).await;
    app.clock.advance(chrono::Duration::seconds(42));
    let report = |job: &ClaimedJob| Report {
        lease: LeaseRef { job_id: job.job_id, token: job.token },
        outcome: Outcome::Succeeded { output: Arc::default(), next: None },
    };
    let finished = report(&claim_some(&app, 1).await[0]);
    let mut across = app.ops.store().across_tenants().await.unwrap();
    across.settle_jobs(&[finished], app.ops.clock().now()).await.unwrap();
    across.commit().await.unwrap();
    let queues = app.get("/v1/queues").bearer(&acme.admin_token).send().await;
    assert_eq!(
        queues.body,
        json!({"queues": [{
            "stage": "ocr", "waiting": 2, "paused": 0, "in_flight": 0, "dead": 0,
            "oldest_age_seconds": 42, "finished_last_minute": 1,
        }]})
    );
    app.clock.advance(chrono::Duration::minutes(1));
    app.ops.operations.do_housekeeping().await.unwrap();
    let later = app.get("/v1/queues").bearer(&acme.admin_token).send().await;
    assert_eq!(later.body["queues"][0]["finished_last_minute"], 0);
    let jobs = app.get("/v1/jobs?status=PENDING&stage=ocr").bearer(&acme.admin_token).send().await;
    assert_eq!(ids_of(&jobs.body).len(), 2);
    let none = app.get("/v1/jobs?status=DEAD").bearer(&acme.admin_token).send().await;
    assert_eq!(ids_of(&none.body).len(), 0);
}
