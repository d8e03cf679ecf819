//! How fast the queue and a worker are with stages that do nothing, on a private server of its own
//! with full durability: `cargo run --release -p engine --example rates`.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a measurement, not the product")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use domain::{Action, Caller, Clock, DocId, IdGen, JobId, RunId, StageName, Tenant, TenantId};
use engine::{
    Environment, Stage, StageFuture, StageOutput, StageSettings, Stages, Work, Worker,
    WorkerSettings,
};
use serde_json::json;
use store::private::{PrivateServer, Settings};
use store::{Claim, Held, NewRun, Outcome, Report, StageRoom, Store};
use uuid::Uuid;

#[derive(Debug)]
struct Machine;

#[expect(clippy::disallowed_methods, reason = "a measurement takes the machine as it is")]
impl Clock for Machine {
    fn now(&self) -> DateTime<Utc> {
        Utc::now()
    }

    fn elapsed(&self) -> std::time::Duration {
        (self.now() - DateTime::UNIX_EPOCH).to_std().unwrap_or_default()
    }
}

#[expect(clippy::disallowed_methods, reason = "a measurement takes the machine as it is")]
impl IdGen for Machine {
    fn next(&self) -> Uuid {
        Uuid::now_v7()
    }
}

struct Nothing {
    name: StageName,
    settings: StageSettings,
}

impl Stage for Nothing {
    fn name(&self) -> &StageName {
        &self.name
    }

    fn settings(&self) -> &StageSettings {
        &self.settings
    }

    fn run<'a>(&'a self, _: &'a Work) -> StageFuture<'a> {
        Box::pin(async { Ok(StageOutput::default()) })
    }
}

const STAGES: [&str; 9] = ["s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9"];

async fn submit(store: &Store, tenant_id: TenantId, stages: &[&str], count: usize) {
    let scope = Caller::system(tenant_id).permit(Action::RetryDeadJobs).unwrap();
    let stages: Vec<StageName> = stages.iter().map(|stage| stage.parse().unwrap()).collect();
    let mut tx = store.begin(&scope).await.unwrap();
    for _ in 0..count {
        let new = NewRun {
            run_id: RunId(Machine.next()),
            job_id: JobId(Machine.next()),
            doc_id: DocId(Machine.next()),
            pipeline: stages.clone().try_into().unwrap(),
            priority: 0,
            retries: 4,
            parent_run_id: None,
            reason: None,
            config: json!({}),
            trace_parent: None,
            content: None,
            batch_id: None,
        };
        tx.start_run(&new).await.unwrap();
    }
    tx.commit().await.unwrap();
}

fn rate(what: &str, count: usize, began: Instant) {
    let seconds = began.elapsed().as_secs_f64();
    #[expect(clippy::cast_precision_loss, reason = "a rate")]
    let rate = count as f64 / seconds;
    println!("{what}: {rate:.0}/s ({count} in {seconds:.2} s)");
}

async fn queue_alone(store: &Store) {
    const BATCH: usize = 100;
    let mut held = Vec::new();
    let began = Instant::now();
    loop {
        let now = Machine.now();
        let lease_until = now + Duration::from_mins(10);
        let stage: StageName = "alone".parse().unwrap();
        let rooms =
            [StageRoom { stage, room: BATCH, last_tenant: TenantId(Uuid::nil()), lease_until }];
        let mut across = store.on_the_queue().await.unwrap();
        let claim = Claim { rooms: &rooms, most: BATCH, worker_id: "w", now };
        let jobs = across.claim_jobs(&claim).await.unwrap();
        across.commit().await.unwrap();
        if jobs.is_empty() {
            break;
        }
        held.extend(jobs.into_iter().map(|job| Held { job_id: job.job_id, token: job.token }));
    }
    rate("claims, batches of 100", held.len(), began);
    let began = Instant::now();
    for batch in held.chunks(BATCH) {
        let outcome = Outcome::Succeeded { artifacts: json!([]), next: None };
        let reports: Vec<Report> =
            batch.iter().map(|held| Report { held: *held, outcome: outcome.clone() }).collect();
        let mut across = store.on_the_queue().await.unwrap();
        across.settle_jobs(&reports, Machine.now()).await.unwrap();
        across.commit().await.unwrap();
    }
    rate("settles, batches of 100", held.len(), began);
}

async fn end_to_end(store: &Store, tenant_id: TenantId, stages: &[&str], count: usize) {
    submit(store, tenant_id, stages, count).await;
    let settings = StageSettings { concurrency: 256, ..Default::default() };
    let registered = stages.iter().fold(Stages::default(), |all, name| {
        all.with(Nothing { name: name.parse().unwrap(), settings: settings.clone() })
    });
    let environment =
        Environment { clock: Arc::new(Machine), ids: Arc::new(Machine), random: Arc::new(Zeros) };
    let settings = WorkerSettings { max_jobs: 256, ..WorkerSettings::named("w") };
    let worker = Worker::new(store.clone(), registered, environment, settings).unwrap();
    let began = Instant::now();
    worker.work_off().await.unwrap();
    rate(&format!("documents through {} stages, work_off", stages.len()), count, began);
}

/// How long a job waits for a worker that has nothing to do.
async fn idle_pick_up(store: &Store, tenant_id: TenantId) {
    const JOBS: usize = 200;
    let (picked_up, mut seen) = tokio::sync::mpsc::unbounded_channel();
    let stage =
        Timed { name: "timed".parse().unwrap(), settings: StageSettings::default(), picked_up };
    let environment =
        Environment { clock: Arc::new(Machine), ids: Arc::new(Machine), random: Arc::new(Zeros) };
    let stages = Stages::default().with(stage);
    let settings = WorkerSettings::named("idle");
    let worker = Worker::new(store.clone(), stages, environment, settings).unwrap().start();
    let mut waits = Vec::new();
    for _ in 0..JOBS {
        tokio::time::sleep(Duration::from_millis(30)).await;
        submit(store, tenant_id, &["timed"], 1).await;
        let committed = Instant::now();
        let began: Instant = seen.recv().await.unwrap();
        waits.push(began.saturating_duration_since(committed));
    }
    worker.stop(Duration::from_secs(5)).await;
    waits.sort();
    println!(
        "idle pick-up after the commit: p50 {:?}, p99 {:?}",
        waits[JOBS / 2],
        waits[JOBS * 99 / 100]
    );
}

struct Timed {
    name: StageName,
    settings: StageSettings,
    picked_up: tokio::sync::mpsc::UnboundedSender<Instant>,
}

impl Stage for Timed {
    fn name(&self) -> &StageName {
        &self.name
    }

    fn settings(&self) -> &StageSettings {
        &self.settings
    }

    fn run<'a>(&'a self, _: &'a Work) -> StageFuture<'a> {
        self.picked_up.send(Instant::now()).unwrap();
        Box::pin(async { Ok(StageOutput::default()) })
    }
}

#[derive(Debug)]
struct Zeros;

impl domain::Random for Zeros {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(0);
    }
}

#[tokio::main]
async fn main() {
    let folder = std::env::temp_dir().join(format!("docket-rates-{}", std::process::id()));
    let server = PrivateServer::start_or_attach(Settings::new(folder.clone())).await.unwrap();
    let store =
        Store::open_private(&server, 10, Arc::new(Machine), Arc::new(Machine)).await.unwrap();
    let tenant_id = TenantId(Machine.next());
    let tenant = Tenant { tenant_id, name: "acme".to_owned(), created_at: Machine.now() };
    let mut across = store.across_tenants().await.unwrap();
    across.insert_tenant(&tenant).await.unwrap();
    across.commit().await.unwrap();
    submit(&store, tenant_id, &["alone"], 5000).await;
    queue_alone(&store).await;
    end_to_end(&store, tenant_id, &["one"], 5000).await;
    end_to_end(&store, tenant_id, &STAGES, 1000).await;
    idle_pick_up(&store, tenant_id).await;
    store.close().await;
    server.release().await.unwrap();
    std::fs::remove_dir_all(folder).unwrap();
}
