//! `docket chaos`: the promise that nothing is lost and nothing happens twice, put to the test.
//!
//! A real server, workers and the private PostgreSQL run in a folder of their own. While documents flow
//! in, one of them after the other is killed with SIGKILL and comes back. When all is over, the rows and
//! the audit log say what became of every document (`report.rs`).

mod cast;
mod door;
mod http_door;
mod report;

use std::collections::HashMap;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, ensure};
use chrono::{DateTime, Utc};
use domain::{DocId, Random, RunId, RunState};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use rustix::process::{Signal, kill_process};
use serde_json::json;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::cast::{Actor, Part, Stage, addresses, postmaster, ready_postmaster};
use self::door::{FrontDoor, Paper, Receipt};
use self::http_door::HttpDoor;
use self::report::{Evidence, Kills, Report};
use crate::backend::{Folder, OpenDatabase};
use crate::config::{Config, Layers};
use crate::drill;
use crate::say::{complain, say};
use crate::signals::StopSignals;
use crate::system;

/// What the person wants to see.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub(crate) kills: usize,
    pub(crate) docs: usize,
    pub(crate) workers: usize,
    /// Decides who is killed, and when; a fresh one unless it is given.
    pub(crate) seed: Option<u64>,
    /// The folder stays, whatever came of it.
    pub(crate) keep: bool,
}

const BETWEEN_KILLS: std::ops::Range<u64> = 700..1900;
/// The first start unpacks PostgreSQL and makes its files.
const TO_GET_READY: Duration = Duration::from_mins(2);
/// How long a victim may take to come back before it is killed again.
const TO_COME_BACK: Duration = Duration::from_secs(20);
/// How long what was accepted may take to end, once nobody is killed any more.
const TO_END: Duration = Duration::from_mins(3);
/// How long a document is handed in again and again while nobody answers.
const TO_BE_ACCEPTED: Duration = Duration::from_mins(2);

pub(crate) async fn run(plan: &Plan, as_json: bool) -> anyhow::Result<ExitCode> {
    let mut signals = StopSignals::listen().context("cannot listen for signals")?;
    let folder = tempfile::tempdir().context("there is no room for a temporary folder")?;
    let stage = set_up(folder.path())?;
    let played = tokio::select! {
        played = play(plan, &stage) => played,
        () = signals.next() => Err(anyhow::anyhow!("stopped before it was done")),
    };
    stage.clear().await;
    let report = Report::on(&played?);
    if as_json {
        say(json!(report));
    } else {
        report.print();
    }
    if plan.keep || !report.holds() {
        complain(format_args!("the logs and the database are in {}", folder.keep().display()));
    }
    Ok(if report.holds() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn set_up(folder: &Path) -> anyhow::Result<Stage> {
    let environment = system::environment();
    Ok(Stage {
        program: std::env::current_exe().context("this program's own file is not to be found")?,
        folder: folder.to_owned(),
        password: format!("chaos {:032x}", environment.ids.next().as_u128()),
        pipeline: drill::NAMES.join(","),
        clock: environment.clock,
        curtain: CancellationToken::new(),
        keepers: TaskTracker::new(),
    })
}

async fn play(plan: &Plan, stage: &Stage) -> anyhow::Result<Evidence> {
    let environment = system::environment();
    let folder = &stage.folder;
    let seed = plan.seed.unwrap_or_else(|| u64::from(fresh_seed(environment.random.as_ref())));
    let began = environment.clock.elapsed();
    let mut troupe = Troupe::enter(stage, plan.workers).await?;
    let door = HttpDoor::open(addresses(troupe.server.ready.clone()), &stage.password).await?;
    let (done, killed) = watch::channel(0);
    let killing = kill_some(&mut troupe, folder, plan, seed, &done);
    let (book, kills) = tokio::join!(flow(&door, plan, seed, killed), killing);
    wait_for_the_end(&door, &book).await;
    let ended_by_themselves = troupe.actors().map(Actor::ended_by_itself).sum();
    let mut evidence = Evidence {
        seed,
        kills: kills.counts,
        worker_kills: kills.of_workers,
        ended_by_themselves,
        accepted: book.accepted,
        handed_in: book.handed_in,
        never_accepted: book.never_accepted,
        seconds: environment.clock.elapsed().saturating_sub(began).as_secs(),
        ..Evidence::default()
    };
    for actor in troupe.actors() {
        actor.stop().await;
    }
    gather(folder, &mut evidence).await?;
    Ok(evidence)
}

fn fresh_seed(random: &dyn Random) -> u32 {
    let mut bytes = [0; 4];
    random.fill(&mut bytes);
    u32::from_le_bytes(bytes)
}

/// Everybody who can be killed but PostgreSQL.
struct Troupe {
    server: Actor,
    workers: Vec<Actor>,
}

impl Troupe {
    /// The server first: it makes the database that the workers attach to.
    async fn enter(stage: &Stage, workers: usize) -> anyhow::Result<Self> {
        let mut server = Actor::start(stage, Part::Server, "server".to_owned());
        ensure!(
            server.is_ready_within(TO_GET_READY).await,
            "the server does not get ready: {}",
            last_words(&stage.folder.join("server.log"))
        );
        let names = (1..=workers).map(|number| format!("worker-{number}"));
        let mut workers: Vec<Actor> =
            names.map(|name| Actor::start(stage, Part::Worker, name)).collect();
        for worker in &mut workers {
            ensure!(
                worker.is_ready_within(TO_GET_READY).await,
                "a worker does not get ready: {}",
                last_words(&stage.folder.join("worker-1.log"))
            );
        }
        Ok(Self { server, workers })
    }

    fn actors(&self) -> impl Iterator<Item = &Actor> {
        self.workers.iter().chain([&self.server])
    }
}

fn last_words(log: &Path) -> String {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    text.lines().last().unwrap_or("it said nothing").to_owned()
}

/// Until every run that was named has ended, or has taken far too long.
async fn wait_for_the_end(door: &impl FrontDoor, book: &Book) {
    let mut waiting: Vec<RunId> = book.accepted.values().flatten().copied().collect();
    let wait = async {
        while !waiting.is_empty() {
            let mut still = Vec::new();
            for run in waiting {
                let over = door.state_of(run).await.is_ok_and(RunState::is_terminal);
                still.extend((!over).then_some(run));
            }
            waiting = still;
            progress(format_args!("{} documents are still under way", waiting.len()));
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    };
    // What has not ended by then shows in the report.
    tokio::time::timeout(TO_END, wait).await.ok();
}

/// The settings of a command on the run's own data folder.
fn config(folder: &Path) -> anyhow::Result<Config> {
    let data_dir = folder.join("data").display().to_string();
    let layers = Layers::load(None, |_| None, vec![("data_dir", data_dir)])?;
    Ok(Config::from_layers(&layers)?)
}

/// What was handed in, and what was said about it.
#[derive(Debug, Default)]
struct Book {
    accepted: HashMap<DocId, Option<RunId>>,
    handed_in: HashMap<DocId, usize>,
    never_accepted: usize,
}

/// Hands the documents in, as many between two kills as between any others.
async fn flow(
    door: &impl FrontDoor,
    plan: &Plan,
    seed: u64,
    killed: watch::Receiver<usize>,
) -> Book {
    let book = Mutex::new(Book::default());
    let papers = (0..plan.docs).map(|number| {
        let (book, mut killed) = (&book, killed.clone());
        let turn = number * plan.kills / plan.docs;
        async move {
            // Nobody counts any more when all are killed.
            killed.wait_for(|killed| *killed >= turn).await.ok();
            let (receipt, times) = hand_in(door, Paper { number, seed }).await;
            let mut book = book.lock().unwrap_or_else(PoisonError::into_inner);
            match receipt {
                Some(receipt) => {
                    book.accepted.insert(receipt.doc_id, receipt.run_id);
                    book.handed_in.insert(receipt.doc_id, times);
                }
                None => book.never_accepted += 1,
            }
        }
    });
    futures_util::future::join_all(papers).await;
    book.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Again and again until it is accepted; says how often that was.
async fn hand_in(door: &impl FrontDoor, paper: Paper) -> (Option<Receipt>, usize) {
    const BEFORE_ANOTHER_TRY: Duration = Duration::from_millis(250);
    let mut times = 0;
    let accepted = async {
        loop {
            times += 1;
            if let Ok(receipt) = door.hand_in(paper).await {
                return receipt;
            }
            tokio::time::sleep(BEFORE_ANOTHER_TRY).await;
        }
    };
    let receipt = tokio::time::timeout(TO_BE_ACCEPTED, accepted).await.ok();
    (receipt, times)
}

enum Victim {
    Worker,
    Server,
    Database,
}

#[derive(Debug, Default)]
struct Killings {
    counts: Kills,
    /// When each worker was killed, by its id.
    of_workers: HashMap<String, DateTime<Utc>>,
}

/// Who is next: six of ten are workers, the server and PostgreSQL share the rest. At the beginning, one
/// of each.
fn victim(number: usize, dice: &mut StdRng) -> Victim {
    match number {
        1 => Victim::Worker,
        2 => Victim::Database,
        3 => Victim::Server,
        _ => match dice.random_range(0..10) {
            0..6 => Victim::Worker,
            6..8 => Victim::Server,
            _ => Victim::Database,
        },
    }
}

async fn kill_some(
    troupe: &mut Troupe,
    folder: &Path,
    plan: &Plan,
    seed: u64,
    done: &watch::Sender<usize>,
) -> Killings {
    let mut dice = StdRng::seed_from_u64(seed);
    let mut killings = Killings::default();
    for number in 1..=plan.kills {
        let victim = victim(number, &mut dice);
        let chosen = dice.random_range(0..troupe.workers.len());
        let worker = &mut troupe.workers[chosen];
        // Everybody gets to live for a while: who dies while coming back can interrupt nothing.
        match victim {
            Victim::Worker => worker.is_ready_within(TO_COME_BACK).await,
            Victim::Server => troupe.server.is_ready_within(TO_COME_BACK).await,
            Victim::Database => is_database_ready(folder).await,
        };
        tokio::time::sleep(Duration::from_millis(dice.random_range(BETWEEN_KILLS))).await;
        match victim {
            Victim::Worker => {
                if let Some(killed) = worker.kill().await {
                    killings.of_workers.extend(killed.worker_id.map(|id| (id, killed.at)));
                    killings.counts.workers += 1;
                }
            }
            Victim::Server => {
                killings.counts.server += usize::from(troupe.server.kill().await.is_some());
            }
            Victim::Database => {
                killings.counts.database += usize::from(kill_database(folder));
            }
        }
        done.send_replace(number);
        progress(format_args!("{number} of {} kills", plan.kills));
    }
    killings
}

async fn is_database_ready(folder: &Path) -> bool {
    let back = async {
        while ready_postmaster(folder).is_none() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(TO_COME_BACK, back).await.is_ok()
}

/// Its children find out by themselves. `false` when it is not there.
fn kill_database(folder: &Path) -> bool {
    postmaster(folder).is_some_and(|pid| kill_process(pid, Signal::KILL).is_ok())
}

/// What the rows say, when nobody changes them any more.
async fn gather(folder: &Path, evidence: &mut Evidence) -> anyhow::Result<()> {
    let database = OpenDatabase::attach(&config(folder)?, Folder::MustBeThere).await?;
    let looked = look(&database, evidence).await;
    database.close_after(looked).await
}

async fn look(database: &OpenDatabase, evidence: &mut Evidence) -> anyhow::Result<()> {
    let mut across = database.store().across_tenants().await?;
    across.hold_one_view().await?;
    evidence.runs = across.prove_runs().await?;
    evidence.takeovers = across.list_takeovers().await?;
    evidence.stages_committed_twice = across.count_stages_committed_twice().await?;
    for tenant in across.list_tenants().await? {
        evidence.audit_faults += across.find_chain_faults(tenant.tenant_id).await?.len();
    }
    across.rollback().await?;
    Ok(())
}

/// For who watches.
fn progress(line: impl std::fmt::Display) {
    if io::stderr().is_terminal() {
        complain(line);
    }
}
