//! Jobs that messages name: what is worked on, what is acknowledged, and what is delivered again.

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

/// A message of a transport that tells the test what became of it.
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
    tells: UnboundedSender<Fate>,
}

impl Transport {
    fn new(harness: &Harness) -> Self {
        let clock = Arc::clone(&harness.environment.clock);
        let source = Arc::new(MessageSource::new(harness.store.clone(), clock, 8));
        let (tells, fates) = unbounded_channel();
        Self { source, fates, tells }
    }

    fn worker(&self, harness: &Harness, stages: Stages) -> Worker {
        let (source, settings) = (Arc::clone(&self.source), WorkerSettings::named("w"));
        let (store, environment) = (harness.store.clone(), harness.environment.clone());
        Worker::with_source(source, store, stages, environment, settings).unwrap()
    }

    async fn deliver(&self, body: String) {
        let fate = Some(self.tells.clone());
        self.source.deliver(Box::new(TestMessage { body, fate })).await;
    }

    /// Delivers, lets the worker do what there is to do, and says what became of the message.
    async fn exchange(&mut self, worker: &Worker, body: String) -> Fate {
        self.deliver(body).await;
        worker.work_off().await.unwrap();
        self.fates.try_recv().unwrap()
    }
}

/// The job of the run's first stage, as whoever queued it would name it.
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
    assert_eq!(found[1..], ["ocr COMPLETED", "ocr PENDING"], "only what a message named");
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
async fn a_message_for_a_job_that_somebody_has_leased_is_left_until_the_lease_is_over() {
    let harness = Harness::open().await;
    let mut transport = Transport::new(&harness);
    let worker = transport.worker(&harness, quick(&["ocr"]));
    let run = harness.submit(&["ocr"]).await;
    let now = harness.environment.clock.now();
    let mut across = harness.store.on_the_queue().await.unwrap();
    let until = now + Duration::from_secs(15);
    let claim =
        across.claim_named_job(&envelope(&harness, &run), "other", until, now).await.unwrap();
    assert!(matches!(claim, NamedClaim::Claimed(_)));
    across.commit().await.unwrap();

    assert_eq!(transport.exchange(&worker, body(&harness, &run)).await, LeftForRedelivery);
    assert_eq!(harness.job(run.job_id).await.worker_id.as_deref(), Some("other"));
    // The other one dies: whoever polls takes the job back.
    harness.clock.advance(chrono::Duration::seconds(16));
    assert_eq!(transport.exchange(&worker, body(&harness, &run)).await, Acknowledged);
    assert_eq!(harness.job(run.job_id).await.worker_id.as_deref(), Some("w"));
}

#[tokio::test]
async fn a_message_whose_job_was_put_off_is_left_until_the_job_is_due() {
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
async fn a_message_whose_job_is_given_up_is_acknowledged() {
    let harness = Harness::open().await;
    let mut transport = Transport::new(&harness);
    let (stage, _) = scripted("ocr", StageSettings::default(), |_| async {
        Err(Failure::permanent("it is damaged", "hand in another copy"))
    });
    let worker = transport.worker(&harness, Stages::default().with(stage));
    let run = harness.submit(&["ocr"]).await;
    assert_eq!(transport.exchange(&worker, body(&harness, &run)).await, Acknowledged);
    assert_eq!(harness.job(run.job_id).await.status, JobState::Dead);
}

/// Another worker may understand it, or have the stage; what nobody can use ends in the transport's dead letters.
#[tokio::test]
async fn a_message_that_this_worker_cannot_use_is_left() {
    let harness = Harness::open().await;
    let mut transport = Transport::new(&harness);
    let worker = transport.worker(&harness, quick(&["ocr"]));
    let elsewhere = harness.submit(&["layout"]).await;
    let of_other_tenant = Envelope {
        tenant_id: harness.neighbour("other").await,
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
        body(&harness, &elsewhere).replace("\"version\":1", "\"version\":2"),
        body(&harness, &elsewhere),
        serde_json::to_string(&of_other_tenant).unwrap(),
    ];
    for body in bodies {
        assert_eq!(transport.exchange(&worker, body).await, LeftForRedelivery);
    }
    assert_eq!(harness.count_audited("JOB_STARTED").await, 0);
}

/// As with every claim: somebody's many jobs keep nobody else's single one waiting.
#[tokio::test]
async fn a_reserved_slot_takes_a_message_of_an_idle_tenant_only() {
    let harness = Harness::open().await;
    let mut transport = Transport::new(&harness);
    let gate = Arc::new(tokio::sync::Semaphore::new(0));
    let closed = Arc::clone(&gate);
    let (begun, mut seen) = unbounded_channel();
    let settings = StageSettings { concurrency: 1, ..StageSettings::default() };
    let (stage, _) = scripted("ocr", settings, move |work| {
        let (gate, begun) = (Arc::clone(&closed), begun.clone());
        async move {
            begun.send(work.run_id).unwrap();
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
    let idle = harness.neighbour("idle").await;
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
