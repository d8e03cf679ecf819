//! One run: processes start, documents go in, faults happen, everything is stopped, and the rows and the audit log say
//! what became of every document (`report.rs`).

use std::collections::HashMap;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, ensure};
use chrono::{DateTime, Utc};
use docket::{StopSignals, complain, environment, say};
use domain::{DocId, Random, RunId, RunState};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use rustix::process::{Signal, kill_process};
use serde_json::json;
use store::Store;
use store::private::{PrivateServer, Settings};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::cli::Plan;
use crate::drill;
use crate::processes::{Process, Role, Setup, addresses, postmaster, ready_postmaster};
use crate::report::{Evidence, Faults, Report};
use crate::submit::{Receipt, Submitter, TestDocument};

const FAULT_INTERVAL_MS: std::ops::Range<u64> = 700..1900;
/// The first start unpacks PostgreSQL and creates its cluster.
const START_TIMEOUT: Duration = Duration::from_mins(2);
/// How long a process may take to restart before it is killed again.
const RESTART_TIMEOUT: Duration = Duration::from_secs(20);
/// How long the accepted documents may take to be processed after the last fault.
const COMPLETION_TIMEOUT: Duration = Duration::from_mins(3);
/// How long the submission of a document is retried while no server answers.
const SUBMIT_TIMEOUT: Duration = Duration::from_mins(2);
/// Longer than a worker's lease of 15 s.
const SUSPENSION: Duration = Duration::from_secs(18);
/// How long the object store is unavailable.
const OUTAGE: Duration = Duration::from_secs(4);

pub(crate) async fn run(plan: &Plan) -> anyhow::Result<ExitCode> {
    let mut signals = StopSignals::listen().context("cannot listen for signals")?;
    let folder = tempfile::tempdir().context("cannot create a temporary folder")?;
    let setup = set_up(folder.path())?;
    let ended = tokio::select! {
        ended = test(plan, &setup) => ended,
        () = signals.next() => Err(anyhow::anyhow!("interrupted before it was finished")),
    };
    setup.shut_down().await;
    let report = Report::on(&ended?, plan.resume_limit);
    if plan.json {
        say(json!(report));
    } else {
        report.print();
    }
    if plan.keep || !report.holds() {
        complain(format_args!("the logs and the database are in {}", folder.keep().display()));
    }
    Ok(if report.holds() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn set_up(folder: &Path) -> anyhow::Result<Setup> {
    let environment = environment();
    Ok(Setup {
        program: std::env::current_exe()
            .context("the path of this program cannot be determined")?,
        folder: folder.to_owned(),
        password: format!("chaos {:032x}", environment.ids.next().as_u128()),
        pipeline: drill::NAMES.map(String::from).join(","),
        clock: environment.clock,
        shutdown: CancellationToken::new(),
        supervisors: TaskTracker::new(),
    })
}

async fn test(plan: &Plan, setup: &Setup) -> anyhow::Result<Evidence> {
    let environment = environment();
    let folder = &setup.folder;
    let seed = plan.seed.unwrap_or_else(|| u64::from(fresh_seed(environment.random.as_ref())));
    let began = environment.clock.elapsed();
    let mut processes = Processes::start(setup, plan.workers).await?;
    let server = addresses(processes.server.ready.clone());
    let submitter = Submitter::sign_in(server, &setup.password).await?;
    let (done, faults_so_far) = watch::channel(0);
    let faults = cause_faults(&mut processes, folder, plan, seed, &done);
    let (answers, caused) = tokio::join!(submit_all(&submitter, plan, seed, faults_so_far), faults);
    wait_for_completion(&submitter, &answers).await;
    let ended_by_themselves = processes.iter().map(Process::ended_by_itself).sum();
    let mut evidence = Evidence {
        seed,
        faults: caused.counts,
        worker_kills: caused.worker_kills,
        ended_by_themselves,
        accepted: answers.accepted,
        submissions: answers.times,
        never_accepted: answers.never_accepted,
        seconds: environment.clock.elapsed().saturating_sub(began).as_secs(),
        ..Evidence::default()
    };
    for process in processes.iter() {
        process.stop().await;
    }
    collect_evidence(folder, &mut evidence).await?;
    Ok(evidence)
}

fn fresh_seed(random: &dyn Random) -> u32 {
    let mut bytes = [0; 4];
    random.fill(&mut bytes);
    u32::from_le_bytes(bytes)
}

/// All processes but PostgreSQL.
struct Processes {
    server: Process,
    workers: Vec<Process>,
}

impl Processes {
    /// The server first: it creates the database that the workers use.
    async fn start(setup: &Setup, workers: usize) -> anyhow::Result<Self> {
        let mut server = Process::start(setup, Role::Server, "server".to_owned());
        ensure!(
            server.is_ready_within(START_TIMEOUT).await,
            "the server does not get ready: {}",
            last_line(&setup.folder.join("server.log"))
        );
        let names = (1..=workers).map(|number| format!("worker-{number}"));
        let mut workers: Vec<Process> =
            names.map(|name| Process::start(setup, Role::Worker, name)).collect();
        for worker in &mut workers {
            ensure!(
                worker.is_ready_within(START_TIMEOUT).await,
                "a worker does not get ready: {}",
                last_line(&setup.folder.join("worker-1.log"))
            );
        }
        Ok(Self { server, workers })
    }

    fn iter(&self) -> impl Iterator<Item = &Process> {
        self.workers.iter().chain([&self.server])
    }
}

fn last_line(log: &Path) -> String {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    text.lines().last().unwrap_or("its log is empty").to_owned()
}

/// Waits until every accepted run has ended, for [`COMPLETION_TIMEOUT`] at most.
async fn wait_for_completion(submitter: &Submitter, answers: &Answers) {
    let mut waiting: Vec<RunId> = answers.accepted.values().flatten().copied().collect();
    let wait = async {
        while !waiting.is_empty() {
            let mut still = Vec::new();
            for run in waiting {
                let over = submitter.state_of(run).await.is_ok_and(RunState::is_terminal);
                still.extend((!over).then_some(run));
            }
            waiting = still;
            progress(format_args!("{} documents are still being processed", waiting.len()));
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    };
    // What has not ended by then shows in the report.
    tokio::time::timeout(COMPLETION_TIMEOUT, wait).await.ok();
}

/// What was submitted, and what was answered.
#[derive(Debug, Default)]
struct Answers {
    accepted: HashMap<DocId, Option<RunId>>,
    times: HashMap<DocId, usize>,
    never_accepted: usize,
}

/// Submits the documents, as many between two faults as between any others.
async fn submit_all(
    submitter: &Submitter,
    plan: &Plan,
    seed: u64,
    faults: watch::Receiver<usize>,
) -> Answers {
    let answers = Mutex::new(Answers::default());
    let submissions_in_flight = (0..plan.docs).map(|number| {
        let (answers, mut faults) = (&answers, faults.clone());
        let turn = number * plan.kills / plan.docs;
        async move {
            // The sender is gone after the last fault.
            faults.wait_for(|count| *count >= turn).await.ok();
            let (receipt, times) = submit(submitter, TestDocument { number, seed }).await;
            let mut answers = answers.lock().unwrap_or_else(PoisonError::into_inner);
            match receipt {
                Some(receipt) => {
                    answers.accepted.insert(receipt.doc_id, receipt.run_id);
                    answers.times.insert(receipt.doc_id, times);
                }
                None => answers.never_accepted += 1,
            }
        }
    });
    futures_util::future::join_all(submissions_in_flight).await;
    answers.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Retries until the document is accepted; returns the number of tries too.
async fn submit(submitter: &Submitter, document: TestDocument) -> (Option<Receipt>, usize) {
    const RETRY_DELAY: Duration = Duration::from_millis(250);
    let mut times = 0;
    let accepted = async {
        loop {
            times += 1;
            if let Ok(receipt) = submitter.submit(document).await {
                return receipt;
            }
            tokio::time::sleep(RETRY_DELAY).await;
        }
    };
    let receipt = tokio::time::timeout(SUBMIT_TIMEOUT, accepted).await.ok();
    (receipt, times)
}

#[derive(Clone, Copy)]
enum Fault {
    KillWorker,
    KillServer,
    KillDatabase,
    SuspendWorker,
    RestartDatabase,
    StoreOutage,
}

#[derive(Debug, Default)]
struct Caused {
    counts: Faults,
    /// When each worker was killed, by its id.
    worker_kills: HashMap<String, DateTime<Utc>>,
}

/// The next fault: one of each at the beginning, then six kills of ten hit a worker, and the server and PostgreSQL share
/// the rest. With `--faults`, one fault of four is another one than a kill.
fn next_fault(number: usize, faults: bool, rng: &mut StdRng) -> Fault {
    match (number, faults) {
        (1, _) => return Fault::KillWorker,
        (2, _) => return Fault::KillDatabase,
        (3, _) => return Fault::KillServer,
        (4, true) => return Fault::SuspendWorker,
        (5, true) => return Fault::RestartDatabase,
        (6, true) => return Fault::StoreOutage,
        _ => {}
    }
    if faults && rng.random_range(0..4) == 0 {
        return match rng.random_range(0..3) {
            0 => Fault::SuspendWorker,
            1 => Fault::RestartDatabase,
            _ => Fault::StoreOutage,
        };
    }
    match rng.random_range(0..10) {
        0..6 => Fault::KillWorker,
        6..8 => Fault::KillServer,
        _ => Fault::KillDatabase,
    }
}

async fn cause_faults(
    processes: &mut Processes,
    folder: &Path,
    plan: &Plan,
    seed: u64,
    done: &watch::Sender<usize>,
) -> Caused {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut caused = Caused::default();
    for number in 1..=plan.kills {
        let fault = next_fault(number, plan.faults, &mut rng);
        let chosen = rng.random_range(0..processes.workers.len());
        let worker = &mut processes.workers[chosen];
        // A process that dies while it starts can interrupt nothing: let it work for a while first.
        match fault {
            Fault::KillWorker | Fault::SuspendWorker => {
                worker.is_ready_within(RESTART_TIMEOUT).await
            }
            Fault::KillServer | Fault::StoreOutage => {
                processes.server.is_ready_within(RESTART_TIMEOUT).await
            }
            Fault::KillDatabase | Fault::RestartDatabase => is_database_ready(folder).await,
        };
        tokio::time::sleep(Duration::from_millis(rng.random_range(FAULT_INTERVAL_MS))).await;
        let counts = &mut caused.counts;
        match fault {
            Fault::KillWorker => {
                if let Some(killed) = worker.kill().await {
                    caused.worker_kills.extend(killed.worker_id.map(|id| (id, killed.at)));
                    counts.workers += 1;
                }
            }
            Fault::KillServer => {
                counts.server += usize::from(processes.server.kill().await.is_some());
            }
            Fault::KillDatabase => {
                counts.database += usize::from(signal_database(folder, Signal::KILL));
            }
            Fault::SuspendWorker => {
                counts.suspended_workers += usize::from(worker.suspend(SUSPENSION).await);
            }
            // PostgreSQL's "fast shutdown", which ends all sessions.
            Fault::RestartDatabase => {
                counts.database_restarts += usize::from(signal_database(folder, Signal::INT));
            }
            Fault::StoreOutage => {
                counts.store_outages += usize::from(take_store_away(folder, OUTAGE).await);
            }
        }
        done.send_replace(number);
        progress(format_args!("{number} of {} faults", plan.kills));
    }
    caused
}

async fn is_database_ready(folder: &Path) -> bool {
    let back = async {
        while ready_postmaster(folder).is_none() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(RESTART_TIMEOUT, back).await.is_ok()
}

/// Its child processes notice the end on their own. `false` when it does not run.
fn signal_database(folder: &Path, signal: Signal) -> bool {
    postmaster(folder).is_some_and(|pid| kill_process(pid, signal).is_ok())
}

/// Like a disk that is unmounted and mounted again. `false` when there was no store.
async fn take_store_away(folder: &Path, time: Duration) -> bool {
    let (store, away) = (folder.join("data/blobs"), folder.join("data/blobs-away"));
    if std::fs::rename(&store, &away).is_err() {
        return false;
    }
    tokio::time::sleep(time).await;
    // Nothing may have been written to where no store was; a folder that was made there would be in the way.
    std::fs::remove_dir_all(&store).ok();
    std::fs::rename(&away, &store).is_ok()
}

/// Reads the rows after all processes have stopped.
async fn collect_evidence(folder: &Path, evidence: &mut Evidence) -> anyhow::Result<()> {
    let environment = environment();
    let server =
        PrivateServer::start_or_attach(Settings::new(folder.join("data/postgres"))).await?;
    let opened = Store::open_private(&server, 2, environment.clock, environment.ids).await;
    let result = match opened {
        Ok(store) => {
            let result = read_evidence(&store, evidence).await;
            store.close().await;
            result
        }
        Err(error) => Err(error.into()),
    };
    server.release().await?;
    result
}

async fn read_evidence(store: &Store, evidence: &mut Evidence) -> anyhow::Result<()> {
    let mut across = store.across_tenants().await?;
    across.use_one_snapshot().await?;
    evidence.runs = across.list_checked_runs().await?;
    evidence.takeovers = across.list_takeovers().await?;
    evidence.stages_committed_twice = across.count_stages_committed_twice().await?;
    for tenant in across.list_tenants().await? {
        evidence.audit_faults += across.find_chain_faults(tenant.tenant_id).await?.len();
    }
    across.rollback().await?;
    Ok(())
}

/// Shows progress on a terminal.
fn progress(line: impl std::fmt::Display) {
    if io::stderr().is_terminal() {
        complain(line);
    }
}
