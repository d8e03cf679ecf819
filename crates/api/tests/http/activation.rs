//! Which version is active and searchable, whichever stages a run has, begins with or fails in.
//!
//! The stages after `index` are the tests' own. Each row of a table says of one document: its status, its version,
//! whether it is found, and what its latest run reports.

use axum::http::{Method, StatusCode};
use chrono::Duration;
use domain::{Failure, StageName};
use engine::{Stage, StageFuture, StageInput, StageOutput, StageSettings};
use serde_json::{Value, json};
use testkit::{Library, TestTenant};

const STAGES: [&str; 7] = ["ingest", "layout", "index", "parse", "reconcile", "match", "package"];

/// A stage without output that succeeds or fails permanently.
struct Scripted {
    name: StageName,
    settings: StageSettings,
    fails: bool,
}

impl Scripted {
    fn new(name: &str, fails: bool) -> Self {
        Self { name: name.parse().unwrap(), settings: StageSettings::default(), fails }
    }
}

impl Stage for Scripted {
    fn name(&self) -> &StageName {
        &self.name
    }

    fn settings(&self) -> &StageSettings {
        &self.settings
    }

    fn run<'a>(&'a self, _: &'a StageInput) -> StageFuture<'a> {
        Box::pin(async {
            if self.fails {
                Err(Failure::permanent(format!("{} is torn", self.name), "Scan it again."))
            } else {
                Ok(StageOutput::default())
            }
        })
    }
}

struct Archive {
    library: Library,
    acme: TestTenant,
}

impl Archive {
    async fn open() -> Self {
        let library = Library::open_with(|settings| {
            let stages: Vec<StageName> = STAGES.iter().map(|name| name.parse().unwrap()).collect();
            settings.ops.intake.pipeline = stages.clone().try_into().ok();
            settings.ops.intake.stages = stages;
        })
        .await;
        let acme = library.app.tenant("acme").await;
        Self { library, acme }
    }

    async fn post(&self, path: &str, body: Value) -> Value {
        let answer = self.library.app.post(path, body).bearer(&self.acme.admin_token).send().await;
        assert!(answer.status.is_success(), "{path}: {answer:?}");
        answer.body
    }

    async fn get(&self, path: &str) -> Value {
        let answer = self.library.app.get(path).bearer(&self.acme.admin_token).send().await;
        assert_eq!(answer.status, StatusCode::OK, "{path}: {answer:?}");
        answer.body
    }

    /// Uploads a document about a word, with this pipeline; returns its id.
    async fn upload(&self, word: &str, pipeline: &[&str]) -> String {
        let app = &self.library.app;
        let batch = self.post("/v1/batches", json!({ "pipeline": pipeline })).await;
        let path = format!("/v1/batches/{}/documents", batch["batch_id"].as_str().unwrap());
        let (name, text) = (format!("{word}.txt"), format!("The {word} is due on Monday."));
        let files = [(name.as_str(), text.as_bytes())];
        let answer = app.request(Method::POST, &path).files(files);
        let answer = answer.bearer(&self.acme.admin_token).send().await;
        answer.body["files"][0]["accepted"]["doc_id"].as_str().unwrap().to_owned()
    }

    /// Uploads a document that becomes active and searchable.
    async fn upload_active(&self, word: &str) -> String {
        let doc_id = self.upload(word, &STAGES).await;
        self.work_off(None).await;
        doc_id
    }

    /// Advances the clock first, so that the runs have an order.
    async fn rerun(&self, doc_id: &str, body: Value) {
        self.library.app.clock.advance(Duration::seconds(1));
        self.post(&format!("/v1/documents/{doc_id}/rerun"), body).await;
    }

    async fn work_off(&self, failing: Option<&str>) {
        let after_index = STAGES[3..].iter().map(|name| Scripted::new(name, false));
        let stages = after_index.fold(self.library.stages(), engine::Stages::with);
        let stages = match failing {
            Some(name) => stages.with(Scripted::new(name, true)),
            None => stages,
        };
        self.library.app.work_off_with(stages).await;
    }

    async fn row(&self, doc_id: &str, word: &str) -> String {
        let document = self.get(&format!("/v1/documents/{doc_id}")).await;
        let body = json!({ "query": word, "filters": { "document_ids": [doc_id] } });
        let hits = self.post("/v1/search", body).await["hits"].as_array().unwrap().len();
        assert_eq!(document["is_searchable"], hits > 0, "{document}");
        let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
        let run = &document["runs"][0];
        format!(
            "{} {} {}, run {} {}",
            text(&document["status"]),
            text(&document["version_label"]),
            if hits > 0 { "found" } else { "not found" },
            text(&run["status"]),
            text(&run["error"]),
        )
    }
}

#[tokio::test]
async fn a_pipeline_with_every_prefix() {
    let archive = Archive::open().await;
    let mut table = Vec::new();
    for length in 1..=STAGES.len() {
        let word = format!("prefix{length}");
        let doc_id = archive.upload(&word, &STAGES[..length]).await;
        archive.work_off(None).await;
        let row = archive.row(&doc_id, &word).await;
        table.push(format!("up to {}: {row}", STAGES[length - 1]));
    }
    assert_eq!(
        table,
        [
            "up to ingest: active v1 not found, run succeeded -",
            "up to layout: active v1 not found, run succeeded -",
            "up to index: active v1 found, run succeeded -",
            "up to parse: active v1 found, run succeeded -",
            "up to reconcile: active v1 found, run succeeded -",
            "up to match: active v1 found, run succeeded -",
            "up to package: active v1 found, run succeeded -",
        ]
    );
}

#[tokio::test]
async fn a_failure_in_every_stage() {
    let archive = Archive::open().await;
    let mut table = Vec::new();
    for stage in STAGES {
        let word = format!("failure{stage}");
        let doc_id = archive.upload(&word, &STAGES).await;
        archive.work_off(Some(stage)).await;
        table.push(archive.row(&doc_id, &word).await);
    }
    assert_eq!(
        table,
        [
            "failed - not found, run failed ingest is torn",
            "failed - not found, run failed layout is torn",
            "failed - not found, run failed index is torn",
            "active v1 found, run failed parse is torn",
            "active v1 found, run failed reconcile is torn",
            "active v1 found, run failed match is torn",
            "active v1 found, run failed package is torn",
        ]
    );
}

#[tokio::test]
async fn a_rerun_from_every_stage() {
    let archive = Archive::open().await;
    for stage in STAGES {
        let word = format!("again{stage}");
        let doc_id = archive.upload_active(&word).await;
        archive.rerun(&doc_id, json!({ "from_stage": stage })).await;
        assert_eq!(archive.row(&doc_id, &word).await, "active v1 found, run queued -", "{stage}");
        archive.work_off(None).await;
        let row = archive.row(&doc_id, &word).await;
        assert_eq!(row, "active v2 found, run succeeded -", "from {stage}");
    }
}

#[tokio::test]
async fn a_rerun_that_fails_in_the_stage_it_begins_with() {
    let archive = Archive::open().await;
    for stage in STAGES {
        let word = format!("failing{stage}");
        let doc_id = archive.upload_active(&word).await;
        archive.rerun(&doc_id, json!({ "from_stage": stage })).await;
        archive.work_off(Some(stage)).await;
        let row = archive.row(&doc_id, &word).await;
        assert_eq!(row, format!("active v1 found, run failed {stage} is torn"), "from {stage}");

        // The latest run that passed `index` has no version of its own, but its chunks exist.
        archive.rerun(&doc_id, json!({ "from_stage": stage })).await;
        archive.work_off(None).await;
        let row = archive.row(&doc_id, &word).await;
        assert_eq!(row, "active v2 found, run succeeded -", "from {stage} once more");
    }
}

#[tokio::test]
async fn a_full_rerun_that_fails_in_every_stage() {
    let archive = Archive::open().await;
    let mut table = Vec::new();
    for stage in STAGES {
        let word = format!("whole{stage}");
        let doc_id = archive.upload_active(&word).await;
        archive.rerun(&doc_id, json!({})).await;
        archive.work_off(Some(stage)).await;
        table.push(archive.row(&doc_id, &word).await);
    }
    assert_eq!(
        table,
        [
            "active v1 found, run failed ingest is torn",
            "active v1 found, run failed layout is torn",
            "active v1 found, run failed index is torn",
            "active v2 found, run failed parse is torn",
            "active v2 found, run failed reconcile is torn",
            "active v2 found, run failed match is torn",
            "active v2 found, run failed package is torn",
        ]
    );
}

/// The text is the same, so the new version reuses the chunks of the previous one.
#[tokio::test]
async fn a_rerun_with_every_prefix_keeps_the_document_searchable() {
    let archive = Archive::open().await;
    for length in 1..=STAGES.len() {
        let word = format!("shorter{length}");
        let doc_id = archive.upload_active(&word).await;
        archive.rerun(&doc_id, json!({ "pipeline": STAGES[..length] })).await;
        archive.work_off(None).await;
        let row = archive.row(&doc_id, &word).await;
        assert_eq!(row, "active v2 found, run succeeded -", "up to {}", STAGES[length - 1]);
    }
}

#[tokio::test]
async fn chunks_without_a_new_mask_are_not_reused() {
    let archive = Archive::open().await;
    let doc_id = archive.upload_active("salary").await;
    let masks =
        json!({ "masks": [{ "box": [0.0, 0.0, 1.0, 0.5], "file_name_contains": "salary" }] });
    let rules = archive.library.app.put("/v1/tenant/rules", masks);
    let rules = rules.bearer(&archive.acme.admin_token).send().await;
    assert_eq!(rules.status, StatusCode::OK, "{rules:?}");
    archive.rerun(&doc_id, json!({ "pipeline": ["ingest"] })).await;
    archive.work_off(None).await;
    let row = archive.row(&doc_id, "salary").await;
    assert_eq!(row, "active v2 not found, run succeeded -");
}

#[tokio::test]
async fn a_stage_that_fails_after_index_leaves_the_document_searchable_and_can_be_retried() {
    let archive = Archive::open().await;
    let doc_id = archive.upload("rent", &STAGES).await;
    archive.work_off(Some("match")).await;
    assert_eq!(archive.row(&doc_id, "rent").await, "active v1 found, run failed match is torn");

    let dead = archive.get("/v1/jobs?status=DEAD").await;
    let job = dead["items"][0]["job_id"].as_str().unwrap();
    archive.post(&format!("/v1/jobs/{job}/retry"), json!({})).await;
    assert_eq!(archive.row(&doc_id, "rent").await, "active v1 found, run running -");
    archive.work_off(None).await;
    assert_eq!(archive.row(&doc_id, "rent").await, "active v1 found, run succeeded -");
}

#[tokio::test]
async fn a_withdrawn_document_stays_withdrawn_when_its_run_continues() {
    let archive = Archive::open().await;
    let doc_id = archive.upload("notice", &STAGES).await;
    archive.work_off(Some("match")).await;
    archive.post(&format!("/v1/documents/{doc_id}/deactivate"), json!({})).await;
    let dead = archive.get("/v1/jobs").await;
    let jobs = dead["items"].as_array().unwrap();
    let job = jobs.iter().find(|job| job["stage"] == "match").unwrap()["job_id"].as_str().unwrap();
    archive.post(&format!("/v1/jobs/{job}/retry"), json!({})).await;
    archive.work_off(None).await;
    assert_eq!(archive.row(&doc_id, "notice").await, "inactive - not found, run succeeded -");

    // A rerun activates it again with its earlier chunks.
    archive.rerun(&doc_id, json!({ "from_stage": "parse" })).await;
    archive.work_off(None).await;
    assert_eq!(archive.row(&doc_id, "notice").await, "active v2 found, run succeeded -");
}

/// A slow run ends after a later one was activated and the document withdrawn: it activates nothing.
#[tokio::test]
async fn an_older_run_does_not_activate_a_withdrawn_document() {
    let archive = Archive::open().await;
    let doc_id = archive.upload("plan", &STAGES).await;
    let mut superuser = archive.library.app.database.superuser().await;
    let delay = "UPDATE jobs SET next_run_at = next_run_at + interval '1 hour'";
    sqlx::raw_sql(delay).execute(&mut superuser).await.unwrap();
    archive.rerun(&doc_id, json!({})).await;
    archive.work_off(None).await;
    assert_eq!(archive.row(&doc_id, "plan").await, "active v1 found, run succeeded -");
    archive.post(&format!("/v1/documents/{doc_id}/deactivate"), json!({})).await;
    let end_delay = "UPDATE jobs SET next_run_at = created_at WHERE status = 'PENDING'";
    sqlx::raw_sql(end_delay).execute(&mut superuser).await.unwrap();
    archive.work_off(None).await;
    let document = archive.get(&format!("/v1/documents/{doc_id}")).await;
    assert!(document["runs"].as_array().unwrap().iter().all(|run| run["status"] == "succeeded"));
    assert_eq!(document["status"], "inactive", "{document}");
}

/// Chunks of a long withdrawn document are deleted, so a rerun cannot begin after `index`.
#[tokio::test]
async fn deleted_chunks_are_not_reused() {
    let archive = Archive::open().await;
    let doc_id = archive.upload_active("deed").await;
    archive.post(&format!("/v1/documents/{doc_id}/deactivate"), json!({})).await;
    archive.library.app.clock.advance(Duration::days(400));
    let sweeper = archive.library.app.ops.search.embeddings();
    sweeper.sweep().await.unwrap();
    archive.library.app.ops.operations.do_housekeeping().await.unwrap();
    let token = archive.library.app.login("admin@acme.test").await;
    let rerun = async |body: Value| {
        let path = format!("/v1/documents/{doc_id}/rerun");
        archive.library.app.post(&path, body).bearer(&token).send().await
    };
    let refused = rerun(json!({ "from_stage": "parse" })).await;
    assert_eq!((refused.status, refused.code()), (StatusCode::CONFLICT, "nothing_to_reuse"));
    let queued = rerun(json!({ "pipeline": ["ingest"] })).await;
    assert_eq!(queued.status, StatusCode::ACCEPTED, "{queued:?}");
    archive.work_off(None).await;
    let document = archive.library.app.get(&format!("/v1/documents/{doc_id}"));
    let document = document.bearer(&token).send().await.body;
    let shown = [&document["status"], &document["version_label"], &document["is_searchable"]];
    assert_eq!(shown, [&json!("active"), &json!("v2"), &json!(false)]);
}
