//! Hostile files against a running server: one tenant uploads them all, while another tenant uploads good ones and a probe
//! keeps asking the server whether it is ready.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use sqlx::PgConnection;
use testkit::mutate::Mutator;
use tokio::task::JoinSet;
use uuid::Uuid;

use super::expected::{Case, Expected};
use super::ledger::{self, Standing};
use super::neighbour::Neighbour;
use super::verdict::{self, Siege};
use super::{HostileArgs, Ocr, Wave};
use crate::client::{Client, File};
use crate::processes::Watch;
use crate::server::{self, ADMIN, Server};

const ATTACKER: &str = "mallory";
const CLIENTS: usize = 4;
/// Documents of the other tenant before there is anybody else.
const ALONE: u32 = 50;
const ASK_EVERY: Duration = Duration::from_millis(250);
/// Longer than any file may take with all its tries: what makes no step for so long never will.
const STANDSTILL: Duration = Duration::from_mins(15);

/// One file, and the answer to its upload.
pub(super) struct SubmittedFile {
    pub(super) wave: usize,
    pub(super) name: String,
    pub(super) expected: Expected,
    pub(super) answer: UploadAnswer,
}

pub(super) enum UploadAnswer {
    /// With its run.
    Taken(Uuid),
    /// The same content was there before.
    Known,
    Refused(String),
    /// No answer, or one that blames the server.
    Fault(String),
}

/// What asking for readiness came to.
#[derive(Debug, Default)]
pub(super) struct Readiness {
    pub(super) asked: AtomicU32,
    pub(super) not_ready: AtomicU32,
}

pub(super) fn report(waves: Vec<Wave>, args: &HostileArgs, each: bool) -> anyhow::Result<()> {
    let docket = server::binary(args.docket())?;
    let folder = tempfile::tempdir()?;
    let titles: Vec<String> = waves.iter().map(|wave| wave.title.clone()).collect();
    let files: usize = waves.iter().map(|wave| wave.cases.len()).sum();
    let mut server = Server::start(&docket, folder.path(), &settings(files, args.ocr))?;
    let runtime = tokio::runtime::Runtime::new()?;
    let siege = runtime.block_on(lay_siege(&mut server, waves))?;
    let ocr = match args.ocr {
        Ocr::None => "no OCR",
        Ocr::Tesseract => "tesseract alone",
        Ocr::Both => "both OCR engines",
    };
    verdict::print(&siege, &titles, ocr, each)
}

/// Limits on how many may come are lifted; those on what a file may do are as they are.
fn settings(files: usize, ocr: Ocr) -> Vec<(&'static str, String)> {
    let mut settings = vec![
        ("DOCKET_RATE_LIMIT_PER_SECOND", "10000000".to_owned()),
        ("DOCKET_RATE_LIMIT_BURST", "10000000".to_owned()),
        ("DOCKET_QUEUE_QUOTA", (files * 2 + 100_000).to_string()),
        // Whatever it still says is for whoever runs this.
        ("DOCKET_LOG_LEVEL", "error".to_owned()),
    ];
    if ocr != Ocr::Both {
        settings.push(("DOCKET_OCR_MODELS", "/none".to_owned()));
    }
    if ocr == Ocr::None {
        settings.push(("DOCKET_TESSERACT", String::new()));
    }
    settings
}

async fn lay_siege(server: &mut Server, waves: Vec<Wave>) -> anyhow::Result<Siege> {
    let attacker = server.create_tenant(ATTACKER)?;
    let attacker = Client::sign_in(server, &attacker).await?;
    let other = Client::sign_in(server, ADMIN).await?;
    let mut superuser = server.superuser().await?;
    let mut neighbour = Neighbour::new(other.clone());
    // The first ones start what the server starts when it is needed.
    neighbour.submit_several(5).await;
    let alone = neighbour.submit_several(ALONE).await;

    let (over, readiness) = (Arc::new(AtomicBool::new(false)), Arc::new(Readiness::default()));
    let beside = tokio::spawn(neighbour.submit_until(Arc::clone(&over)));
    let asking = tokio::spawn(ask_whether_ready(other, Arc::clone(&over), Arc::clone(&readiness)));
    let (begun, watch) = (Instant::now(), Watch::begin(server.pid()));
    let mut oldest = Duration::ZERO;
    let mut submitted = Vec::new();
    for cases in in_turn(waves) {
        submitted.extend(submit_all(&attacker, cases).await?);
        let oldest_now = wait_until_over(&mut superuser).await?;
        oldest = oldest.max(oldest_now);
    }
    let (took, peaks) = (begun.elapsed(), watch.end());
    over.store(true, Ordering::Relaxed);
    asking.await?;
    Ok(Siege {
        submitted,
        ends: ledger::ends(&mut superuser, ATTACKER).await?,
        oldest,
        took,
        peaks,
        alone,
        beside: beside.await?,
        readiness,
        survived: server.is_alive(),
    })
}

/// Those with a password come last: of content that is under way already there is no second run.
fn in_turn(waves: Vec<Wave>) -> [Vec<(usize, Case)>; 2] {
    let cases = waves.into_iter().enumerate();
    let cases = cases.flat_map(|(at, wave)| wave.cases.into_iter().map(move |case| (at, case)));
    let (last, first) = cases.partition(|(_, case)| case.password.is_some());
    [first, last]
}

async fn submit_all(
    client: &Client,
    cases: Vec<(usize, Case)>,
) -> anyhow::Result<Vec<SubmittedFile>> {
    let (left, mutator) = (Mutex::new(cases.into_iter()), Mutator::default());
    let shared = Arc::new((left, mutator));
    let mut clients = JoinSet::new();
    for _ in 0..CLIENTS {
        let (client, shared) = (client.clone(), Arc::clone(&shared));
        clients.spawn(async move {
            let (left, mutator) = &*shared;
            let next = || left.lock().unwrap_or_else(PoisonError::into_inner).next();
            let mut submitted = Vec::new();
            while let Some((wave, case)) = next() {
                let file = case.file(mutator)?;
                let (name, expected) = (case.name_with(&file), case.expected);
                let answer = at_the_door(&client, file).await;
                submitted.push(SubmittedFile { wave, name, expected, answer });
            }
            anyhow::Ok(submitted)
        });
    }
    let mut submitted = Vec::new();
    while let Some(some) = clients.join_next().await {
        submitted.extend(some??);
    }
    Ok(submitted)
}

async fn at_the_door(client: &Client, file: File) -> UploadAnswer {
    match client.submit_file(file).await {
        Ok(answer) if answer.status == 202 => match answer.text("run_id").parse() {
            Ok(run_id) if answer.text("dedup_result") != "in_progress" => {
                UploadAnswer::Taken(run_id)
            }
            _ => UploadAnswer::Known,
        },
        Ok(answer) if answer.status == 200 => UploadAnswer::Known,
        Ok(answer) if answer.status < 500 && !answer.text("code").is_empty() => {
            UploadAnswer::Refused(answer.text("code"))
        }
        Ok(answer) => UploadAnswer::Fault(format!("{answer:?}")),
        Err(error) => UploadAnswer::Fault(format!("{error:#}")),
    }
}

/// Until every run of the attacker's is over, or nothing moves any more. For how long the oldest job was
/// worked on at most.
async fn wait_until_over(superuser: &mut PgConnection) -> anyhow::Result<Duration> {
    let (mut oldest, mut last) = (0.0_f64, Standing::default());
    let (mut moved, mut told) = (Instant::now(), Instant::now());
    loop {
        let now = ledger::standing(superuser, ATTACKER).await?;
        oldest = oldest.max(now.oldest_seconds);
        if now.unfinished != last.unfinished {
            (last, moved) = (now, Instant::now());
        }
        if now.unfinished == 0 || moved.elapsed() > STANDSTILL {
            return Ok(Duration::try_from_secs_f64(oldest).unwrap_or_default());
        }
        if told.elapsed() > Duration::from_mins(1) {
            writeln!(io::stderr(), "{} files are not done", now.unfinished)?;
            told = Instant::now();
        }
        tokio::time::sleep(ASK_EVERY).await;
    }
}

async fn ask_whether_ready(client: Client, over: Arc<AtomicBool>, readiness: Arc<Readiness>) {
    while !over.load(Ordering::Relaxed) {
        let is_ready = client.get("/readyz").await.is_ok_and(|answer| answer.status == 200);
        readiness.asked.fetch_add(1, Ordering::Relaxed);
        readiness.not_ready.fetch_add(u32::from(!is_ready), Ordering::Relaxed);
        tokio::time::sleep(ASK_EVERY).await;
    }
}
