//! Results of runs: which one is current, and the trades of the current one.

use std::sync::Arc;

use chrono::Duration;
use domain::{
    DocId, Effect, Extraction, Field, FieldGroup, FieldStatus, JobId, NewResult, RunConfig, RunId,
    StageOutput, TenantId,
};
use serde_json::{Value, json};
use store::{NewRun, Outcome, Promotion, Report};

use crate::harness::{Harness, lease_of};

struct Document<'a> {
    harness: &'a Harness,
    tenant_id: TenantId,
    doc_id: DocId,
}

impl<'a> Document<'a> {
    async fn create(harness: &'a Harness) -> Self {
        let tenant_id = harness.tenant("a").await;
        let doc_id = DocId(harness.ids.next());
        sqlx::query(
            "INSERT INTO documents (doc_id, tenant_id, file_kind, source_uri, title, source, filename, mime, bytes_len,
                                    status, created_at, updated_at)
             VALUES ($1, $2, 'txt', 'upload://a', 'a', 'manual', 'a.txt', 'text/plain', 1, 'processing', now(), now())",
        )
        .bind(doc_id.0)
        .bind(tenant_id.0)
        .execute(&mut harness.database.superuser().await)
        .await
        .unwrap();
        Self { harness, tenant_id, doc_id }
    }

    /// Queues a run of some content, a second after the run before.
    async fn submit(&self, content: &str) -> RunId {
        let Harness { ids, store, clock, .. } = self.harness;
        clock.advance(Duration::seconds(1));
        let run = NewRun {
            run_id: RunId(ids.next()),
            job_id: JobId(ids.next()),
            doc_id: self.doc_id,
            pipeline: crate::harness::pipeline(&["package"]),
            priority: 0,
            retries: 4,
            parent_run_id: None,
            reason: None,
            config: RunConfig { content_hash: content.to_owned(), ..RunConfig::default() },
            run_type: domain::RunType::default(),
            trace_parent: None,
            content: None,
            batch_id: None,
            password: None,
            reused: None,
        };
        let mut tx = store.begin(&Harness::scope(self.tenant_id)).await.unwrap();
        tx.start_run(&run).await.unwrap();
        tx.commit().await.unwrap();
        run.run_id
    }

    /// Runs what is queued. Every run gives the same trades.
    async fn work_off(&self, trades: &[FieldGroup]) {
        for job in self.harness.claim("w", "package", 10).await {
            assert!(self.harness.settle(lease_of(&job), with_result(trades)).await);
        }
    }

    async fn run(&self, content: &str, trades: &[FieldGroup]) {
        self.submit(content).await;
        self.work_off(trades).await;
    }

    async fn promote(&self, version: u32) -> Promotion {
        let mut tx = self.harness.store.begin(&Harness::scope(self.tenant_id)).await.unwrap();
        assert!(tx.lock_document(self.doc_id).await.unwrap());
        let promotion = tx.promote_result(self.doc_id, version).await.unwrap();
        tx.commit().await.unwrap();
        promotion
    }

    /// The state of each version.
    async fn states(&self) -> Vec<Value> {
        self.harness.values("SELECT to_jsonb(state) FROM results ORDER BY result_version").await
    }

    async fn trades(&self) -> Vec<Value> {
        let columns = "SELECT jsonb_build_array(trade_id, isin, trade_date, match_status, review_status, request_id)
                       FROM trades ORDER BY position";
        self.harness.values(columns).await
    }
}

fn with_result(trades: &[FieldGroup]) -> Outcome {
    let extraction = Extraction {
        document_type: "contract_note".to_owned(),
        trades: trades.to_vec(),
        ..Extraction::default()
    };
    let new = NewResult { extraction, type_version: 1, sampled_for_review: false };
    let effects = vec![Effect::Result(Arc::new(new))];
    Outcome::Succeeded {
        output: Arc::new(StageOutput { effects, ..StageOutput::default() }),
        next: None,
    }
}

fn trade(isin: &str, price: &str) -> FieldGroup {
    let field = |value: &str| Field {
        value: Some(value.to_owned()),
        confidence: 0.75,
        status: FieldStatus::Accepted,
        ..Field::missing()
    };
    let values = [("isin", isin), ("price", price), ("trade_date", "2026-03-04")];
    values.into_iter().map(|(name, value)| (name.to_owned(), field(value))).collect()
}

#[tokio::test]
async fn a_report_of_a_lost_lease_stores_no_result() {
    let harness = Harness::open().await;
    let document = Document::create(&harness).await;
    document.submit("c").await;
    let lost = harness.claim_one("w", "package").await;
    harness.clock.advance(Duration::minutes(1));
    assert_eq!(harness.expire_leases(3).await, (1, 0));
    assert!(!harness.settle(lease_of(&lost), with_result(&[])).await);
    assert!(document.states().await.is_empty());

    document.work_off(&[]).await;
    assert_eq!(document.states().await, ["current"]);
    let rows = harness
        .values(
            "SELECT jsonb_build_array(result_version, document_type, type_version) FROM results",
        )
        .await;
    assert_eq!(rows, [json!([1, "contract_note", 1])]);
    let events = "SELECT payload - 'run_id' - 'doc_id' FROM outbox_events
                  WHERE topic = 'document.result_created'";
    let event = json!({ "version": 1, "result_version": 1, "state": "current" });
    assert_eq!(harness.values(events).await, [event]);
    assert!(harness.audited().await.contains(&"RESULT_CREATED".to_owned()));
    harness.assert_chain_intact(document.tenant_id).await;
}

#[tokio::test]
async fn the_result_of_a_rerun_becomes_current_and_a_late_one_does_not() {
    let harness = Harness::open().await;
    let document = Document::create(&harness).await;
    document.run("c", &[]).await;
    document.submit("c").await;
    let earlier = harness.claim_one("w", "package").await;
    document.submit("c").await;
    let later = harness.claim_one("w", "package").await;
    assert!(harness.settle(lease_of(&later), with_result(&[])).await);
    assert!(harness.settle(lease_of(&earlier), with_result(&[])).await);
    assert_eq!(document.states().await, ["superseded", "current", "superseded"]);
}

#[tokio::test]
async fn two_runs_of_a_document_that_settle_together_leave_one_current_result() {
    let harness = Harness::open().await;
    let document = Document::create(&harness).await;
    document.submit("c").await;
    document.submit("c").await;
    let jobs = harness.claim("w", "package", 2).await;
    let reports: Vec<Report> = jobs
        .iter()
        .map(|job| Report { lease: lease_of(job), outcome: with_result(&[trade("A", "1")]) })
        .collect();
    let mut across = harness.store.queue_transaction().await.unwrap();
    assert_eq!(across.settle_jobs(&reports, harness.now()).await.unwrap().len(), 2);
    across.commit().await.unwrap();
    let current = "SELECT to_jsonb(run.created_at = (SELECT max(created_at) FROM ingestion_runs))
                   FROM results JOIN ingestion_runs AS run USING (run_id) WHERE state = 'current'";
    assert_eq!(harness.values(current).await, [true]);
    assert_eq!(document.trades().await.len(), 1);
}

#[tokio::test]
async fn a_result_waits_when_a_person_promoted_the_current_one() {
    let harness = Harness::open().await;
    let document = Document::create(&harness).await;
    document.run("c", &[trade("A", "1")]).await;
    document.run("c", &[]).await;
    assert_eq!(document.promote(2).await, Promotion::IsCurrent);
    assert_eq!(document.promote(7).await, Promotion::NotFound);
    assert_eq!(document.promote(1).await, Promotion::Promoted { result_version: 3 });
    assert_eq!(document.states().await, ["superseded", "superseded", "current"]);
    assert_eq!(document.trades().await.len(), 1);
    let reviews =
        "SELECT jsonb_build_array(kind, actor, from_result_version, to_result_version, edit_patch)
                   FROM reviews";
    assert_eq!(harness.values(reviews).await, [json!(["promoted", "system", 2, 3, null])]);
    let revision = "SELECT to_jsonb(revision) FROM documents";
    assert_eq!(harness.values(revision).await, [2]);

    // The latest of two waits, and the trades stay.
    document.run("c", &[]).await;
    assert_eq!(document.states().await[2..], ["current", "waiting"]);
    document.run("c", &[]).await;
    assert_eq!(document.states().await[2..], ["current", "superseded", "waiting"]);
    assert_eq!(document.trades().await.len(), 1);
    assert_eq!(document.promote(5).await, Promotion::Promoted { result_version: 6 });
    assert_eq!(document.states().await[2..], ["superseded", "superseded", "superseded", "current"]);
    assert!(document.trades().await.is_empty());

    // An updated original: the promoted result is of other content.
    document.run("d", &[]).await;
    assert_eq!(document.states().await[5..], ["superseded", "current"]);
}

#[tokio::test]
async fn a_trade_that_stays_the_same_keeps_its_id_and_what_was_decided_about_it() {
    let harness = Harness::open().await;
    let document = Document::create(&harness).await;
    document.run("c", &[trade("A", "1"), trade("B", "2")]).await;
    let ids = harness.values("SELECT to_jsonb(trade_id) FROM trades ORDER BY position").await;
    sqlx::query(
        "UPDATE trades SET match_status = 'matched', review_status = 'approved', request_id = 'R-1'",
    )
    .execute(&mut harness.database.superuser().await)
    .await
    .unwrap();

    document.run("c", &[trade("C", "3"), trade("A", "1"), trade("B", "5")]).await;
    let trades = document.trades().await;
    assert_eq!((&trades[0][1], &trades[0][4]), (&json!("C"), &json!("pending")));
    assert!(!ids.contains(&trades[0][0]));
    assert_eq!(
        trades[1],
        json!([ids[0], "A", "2026-03-04", "matched", "approved", "R-1"]),
        "the same values"
    );
    assert_eq!(
        trades[2],
        json!([ids[1], "B", "2026-03-04", "pending", "pending", null]),
        "another price"
    );
    document.run("c", &[trade("A", "1")]).await;
    assert_eq!(document.trades().await.len(), 1);
}
