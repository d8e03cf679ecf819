//! Jobs that messages name: which are run, acknowledged or delivered again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use domain::{Envelope, Failure, JobInput, JobState, JobType};
use engine::{Message, MessageSource, SourceFuture, StageSettings, Stages, Worker, WorkerSettings};
use store::{NamedClaim, NewRun};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::harness::{Harness, quick, scripted};

#[derive(Debug, PartialEq, Eq)]
enum Fate {
    Acknowledged,
    LeftForRedelivery,
}
use Fate::{Acknowledged, LeftForRedelivery};

/// A message that reports to the test whether it was acknowledged.
#[derive(Debug)]
struct TestMessage {
    body: String,
    fate: Option<UnboundedSender<Fate>>,
}

impl Message for TestMessage {
    fn body(&self) -> &str {
        &self.body
    }

    fn acknowledge(mut self: Box<Self>) -> SourceFuture<'static, ()> {
        Box::pin(async move {
            self.fate.take().unwrap().send(Acknowledged).unwrap();
        })
    }
}

impl Drop for TestMessage {
    fn drop(&mut self) {
        if let Some(fate) = self.fate.take() {
            fate.send(LeftForRedelivery).ok();
        }
    }
}

struct Transport {
    source: Arc<MessageSource>,
    fates: UnboundedReceiver<Fate>,
    sender: UnboundedSender<Fate>,
}

impl Transport {
    fn new(harness: &Harness) -> Self {
        let clock = Arc::clone(&harness.environment.clock);
        let source = Arc::new(MessageSource::new(harness.store.clone(), clock, 8));
        let (sender, fates) = unbounded_channel();
        Self { source, fates, sender }
    }

    fn worker(&self, harness: &Harness, stages: Stages) -> Worker {
        let (source, settings) = (Arc::clone(&self.source), WorkerSettings::named("w"));
        let (store, environment) = (harness.store.clone(), harness.environment.clone());
        Worker::with_source(source, store, stages, environment, settings).unwrap()
    }

    async fn deliver(&self, body: String) {
        let fate = Some(self.sender.clone());
        self.source.deliver(Box::new(TestMessage { body, fate })).await;
    }

    /// Delivers a message, runs the worker until it is idle, and returns the message's fate.
    async fn exchange(&mut self, worker: &Worker, body: String) -> Fate {
        self.deliver(body).await;
        worker.run_until_idle().await.unwrap();
        self.fates.try_recv().unwrap()
    }
}

/// The envelope of the run's first stage.
fn envelope(harness: &Harness, run: &NewRun) -> Envelope {
    let stage = run.pipeline.first().clone();
    let now = harness.environment.clock.now();
    Envelope {
        version: Envelope::VERSION,
        job_type: JobType::UploadIngest,
        tenant_id: harness.tenant_id,
        doc_id: run.doc_id,
        run_id: run.run_id,
        attempt: 1,
        deadline: now + Duration::from_mins(10),
        idempotency_key: Envelope::idempotency_key(harness.tenant_id, run.run_id, &stage, 1),
        stage,
        trace_parent: None,
        input: JobInput {
            upload_uri: "file:///originals/ab".to_owned(),
            title: None,
            file_kind: "txt".to_owned(),
            source_uri: "upload://sha256:ab".to_owned(),
            original_filename: None,
            content_hash: "sha256:ab".to_owned(),
            embedding_model: None,
            embedding_dim: None,
        },
        submitted_at: now,
    }
}

fn body(harness: &Harness, run: &NewRun) -> String {
    serde_json::to_string(&envelope(harness, run)).unwrap()
}

#[tokio::test]
async fn a_message_is_acknowledged_when_its_job_is_settled() {
    let harness = Harness::open().await;
    let mut transport = Transport::new(&harness);
    let named = harness.submit(&["ocr", "index"]).await;
    let unnamed = harness.submit(&["ocr"]).await;
    let worker = transport.worker(&harness, quick(&["ocr", "index"])).start();
    transport.deliver(body(&harness, &named)).await;
    assert_eq!(transport.fates.recv().await, Some(Acknowledged));
    assert_eq!(harness.job(named.job_id).await.status, JobState::Completed);
    worker.stop(Duration::from_secs(20)).await;
    let found =
        harness.values("SELECT to_jsonb(stage || ' ' || status) FROM jobs ORDER BY 1").await;
    assert_eq!(found[1..], ["ocr COMPLETED", "ocr PENDING"], "only the job that a message named");
    assert_eq!(harness.job(unnamed.job_id).await.status, JobState::Pending);
}

/// G8: a message may be delivered more than once.
#[tokio::test]
async fn a_message_delivered_again_after_completion_is_acknowledged_without_work() {
    let harness = Harness::open().await;
    let mut transport = Transport::new(&harness);
    let (stage, runs) = scripted("ocr", StageSettings::default(), |_| async { Ok(()) });
    let worker = transport.worker(&harness, Stages::default().with(stage));
    let run = harness.submit(&["ocr"]).await;
    assert_eq!(transport.exchange(&worker, body(&harness, &run)).await, Acknowledged);
    let before = harness.values("SELECT to_jsonb(t) FROM jobs t").await;
    assert_eq!(transport.exchange(&worker, body(&harness, &run)).await, Acknowledged);
    assert_eq!(runs.load(Ordering::SeqCst), 1);
    assert_eq!(harness.values("SELECT to_jsonb(t) FROM jobs t").await, before);
    assert_eq!(harness.count_audited("JOB_STARTED").await, 1);
}

#[tokio::test]
async fn a_message_for_a_leased_job_is_left_until_the_lease_has_expired() {
    let harness = Harness::open().await;
    let mut transport = Transport::new(&harness);
    let worker = transport.worker(&harness, quick(&["ocr"]));
    let run = harness.submit(&["ocr"]).await;
    let now = harness.environment.clock.now();
    let mut across = harness.store.queue_transaction().await.unwrap();
    let until = now + Duration::from_secs(15);
    let claim =
        across.claim_named_job(&envelope(&harness, &run), "other", until, now).await.unwrap();
    assert!(matches!(claim, NamedClaim::Claimed(_)));
    across.commit().await.unwrap();

    assert_eq!(transport.exchange(&worker, body(&harness, &run)).await, LeftForRedelivery);
    assert_eq!(harness.job(run.job_id).await.worker_id.as_deref(), Some("other"));
    // The other worker dies: the lease expires, and the next poll releases the job.
    harness.clock.advance(chrono::Duration::seconds(16));
    assert_eq!(transport.exchange(&worker, body(&harness, &run)).await, Acknowledged);
    assert_eq!(harness.job(run.job_id).await.worker_id.as_deref(), Some("w"));
}

#[tokio::test]
async fn a_message_whose_job_waits_for_a_retry_is_left_until_the_job_is_due() {
    let harness = Harness::open().await;
    let mut transport = Transport::new(&harness);
    let works = Arc::new(AtomicBool::new(false));
    let answer = Arc::clone(&works);
    let (stage, runs) = scripted("ocr", StageSettings::default(), move |_| {
        let works = answer.load(Ordering::SeqCst);
        async move { if works { Ok(()) } else { Err(Failure::retry("not now")) } }
    });
    let worker = transport.worker(&harness, Stages::default().with(stage));
    let run = harness.submit(&["ocr"]).await;
    assert_eq!(transport.exchange(&worker, body(&harness, &run)).await, LeftForRedelivery);
    assert_eq!(transport.exchange(&worker, body(&harness, &run)).await, LeftForRedelivery);
    assert_eq!(runs.load(Ordering::SeqCst), 1, "it is not due yet");
    works.store(true, Ordering::SeqCst);
    harness.clock.advance(chrono::Duration::seconds(34));
    assert_eq!(transport.exchange(&worker, body(&harness, &run)).await, Acknowledged);
    assert_eq!(harness.job(run.job_id).await.status, JobState::Completed);
}

#[tokio::test]
async fn a_message_whose_job_is_dead_is_acknowledged() {
    let harness = Harness::open().await;
    let mut transport = Transport::new(&harness);
    let (stage, _) = scripted("ocr", StageSettings::default(), |_| async {
        Err(Failure::permanent("it is damaged", "upload another copy"))
    });
    let worker = transport.worker(&harness, Stages::default().with(stage));
    let run = harness.submit(&["ocr"]).await;
    assert_eq!(transport.exchange(&worker, body(&harness, &run)).await, Acknowledged);
    assert_eq!(harness.job(run.job_id).await.status, JobState::Dead);
}

/// Another worker may understand it, or have the stage. A message that no worker can use becomes a dead letter of the
/// transport.
#[tokio::test]
async fn a_message_that_this_worker_cannot_use_is_left() {
    let harness = Harness::open().await;
    let mut transport = Transport::new(&harness);
    let worker = transport.worker(&harness, quick(&["ocr"]));
    let of_other_stage = harness.submit(&["layout"]).await;
    let of_other_tenant = Envelope {
        tenant_id: harness.add_tenant("other").await,
        ..envelope(&harness, &harness.submit(&["ocr"]).await)
    };
    let of_other_tenant = Envelope {
        idempotency_key: Envelope::idempotency_key(
            of_other_tenant.tenant_id,
            of_other_tenant.run_id,
            &of_other_tenant.stage,
            1,
        ),
        ..of_other_tenant
    };
    let bodies = [
        "not an envelope".to_owned(),
        body(&harness, &of_other_stage).replace("\"version\":1", "\"version\":2"),
        body(&harness, &of_other_stage),
        serde_json::to_string(&of_other_tenant).unwrap(),
    ];
    for body in bodies {
        assert_eq!(transport.exchange(&worker, body).await, LeftForRedelivery);
    }
    assert_eq!(harness.count_audited("JOB_STARTED").await, 0);
}

/// As with every claim: a tenant without running jobs does not wait for another tenant's long queue.
#[tokio::test]
async fn a_reserved_slot_takes_a_message_of_an_idle_tenant_only() {
    let harness = Harness::open().await;
    let mut transport = Transport::new(&harness);
    let gate = Arc::new(tokio::sync::Semaphore::new(0));
    let closed = Arc::clone(&gate);
    let (begun, mut seen) = unbounded_channel();
    let settings = StageSettings { concurrency: 1, ..StageSettings::default() };
    let (stage, _) = scripted("ocr", settings, move |input| {
        let (gate, begun) = (Arc::clone(&closed), begun.clone());
        async move {
            begun.send(input.run_id).unwrap();
            gate.acquire().await.unwrap().forget();
            Ok(())
        }
    });
    let worker = transport.worker(&harness, Stages::default().with(stage)).start();
    let (first, second) = (harness.submit(&["ocr"]).await, harness.submit(&["ocr"]).await);
    transport.deliver(body(&harness, &first)).await;
    assert_eq!(seen.recv().await, Some(first.run_id));
    transport.deliver(body(&harness, &second)).await;
    assert_eq!(transport.fates.recv().await, Some(LeftForRedelivery), "its tenant is busy");
    let idle = harness.add_tenant("idle").await;
    let single = harness.submit_for(idle, &["ocr"]).await;
    let stage = single.pipeline.first();
    let key = Envelope::idempotency_key(idle, single.run_id, stage, 1);
    let envelope =
        Envelope { tenant_id: idle, idempotency_key: key, ..envelope(&harness, &single) };
    transport.deliver(serde_json::to_string(&envelope).unwrap()).await;
    assert_eq!(seen.recv().await, Some(single.run_id));
    gate.add_permits(2);
    assert_eq!(transport.fates.recv().await, Some(Acknowledged));
    assert_eq!(transport.fates.recv().await, Some(Acknowledged));
    worker.stop(Duration::from_secs(20)).await;
}
