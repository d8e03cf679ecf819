//! `docket ingest`: hands files in, and waits for what becomes of them if asked to.
//!
//! 1. `paths.rs` finds the files that are meant.
//! 2. `handing_in.rs` takes each to the server, several at a time: one that was accepted before and
//!    has not changed is not uploaded again; `reading.rs` streams the others from the disk.
//! 3. With `--wait`, the runs are watched until they have ended (`client/watch.rs`).
//! 4. `report.rs` says what became of each and sums it up, also when it all ends early.

mod handing_in;
mod paths;
mod progress;
mod reading;
mod report;

pub(crate) use progress::Progress;
pub(crate) use reading::Reading;

use std::collections::HashMap;
use std::io::{self, IsTerminal};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

use anyhow::Context;
use api_types::{BatchView, CreateBatchRequest, MeView};
use domain::Dependency;
use futures_util::{Stream, StreamExt, stream};
use uuid::Uuid;

use self::handing_in::Desk;
use self::paths::{Found, Source};
use self::report::{Ending, Handed, Processed, Report};
use crate::cli::IngestArgs;
use crate::client::{Client, ClientError, Detail, Patience, Receipts, Session, Told, Watch};
use crate::config::ConfigError;
use crate::signals::StopSignals;
use crate::system;

pub(crate) async fn run(args: &IngestArgs) -> anyhow::Result<ExitCode> {
    let session = Session::find(args.server.server.as_deref())?;
    let client = session.signed_in()?;
    let found = paths::gather(&args.paths, args.name.as_deref());
    check(args, &found)?;
    let me = patiently(async || client.get::<MeView>("/v1/me").await).await?;
    let signals = StopSignals::listen().context("cannot listen for signals")?;
    let progress = Arc::new(if io::stderr().is_terminal() && !args.json {
        Progress::on_terminal(found.iter().map(Found::size).sum())
    } else {
        Progress::unseen()
    });
    let desk = open_desk(args, &client, &me, &found, &progress).await?;
    let mut report = Report::new(found.len(), args.json, progress);
    let ended = hand_all_in(args, &desk, found, &mut report, signals).await;
    let ending = match &ended {
        Ok(ending) => *ending,
        Err(_) => Ending::Broken,
    };
    report.finish(ending, final_batch(&desk, ending).await.as_ref());
    ended?;
    Ok(match ending {
        Ending::Interrupted => ExitCode::from(130),
        _ if report.has_failures() => ExitCode::FAILURE,
        _ => ExitCode::SUCCESS,
    })
}

/// What the command line alone cannot tell.
fn check(args: &IngestArgs, found: &[Found]) -> Result<(), ConfigError> {
    let reads_input = found.iter().any(|found| matches!(found.source, Source::StandardInput));
    if args.name.is_some() && !reads_input {
        return Err(ConfigError::argument("--name is for standard input; write - as the path"));
    }
    if args.title.is_some() && found.len() != 1 {
        return Err(ConfigError::argument(format_args!(
            "--title is for one file, and these are {}",
            found.len()
        )));
    }
    Ok(())
}

async fn open_desk(
    args: &IngestArgs,
    client: &Client,
    me: &MeView,
    found: &[Found],
    progress: &Arc<Progress>,
) -> Result<Desk, ClientError> {
    let receipts = match Receipts::open(client.server(), me.tenant_id) {
        Ok(receipts) => Some(Mutex::new(receipts)),
        // Without a home there is nothing to remember, and no reason to fail.
        Err(ClientError::NoHome) => None,
        Err(error) => {
            progress.complain_once(error);
            None
        }
    };
    let batch_id = match &args.batch {
        Some(name) if !found.is_empty() => Some(create_batch(client, name, found).await?),
        _ => None,
    };
    Ok(Desk {
        client: client.clone(),
        receipts,
        batch_id,
        title: args.title.clone(),
        tags: args.tags.clone(),
        password: args.password.clone(),
        name: args.name.clone().unwrap_or_else(|| "stdin".to_owned()),
        again: args.again,
        progress: Arc::clone(progress),
    })
}

/// Expects what can be read: the rest will never come.
async fn create_batch(client: &Client, name: &str, found: &[Found]) -> Result<Uuid, ClientError> {
    let readable = found.iter().filter(|found| !matches!(found.source, Source::Nothing { .. }));
    let request = CreateBatchRequest {
        name: Some(name.to_owned()),
        expected_documents: i32::try_from(readable.count()).ok().filter(|count| *count > 0),
        ..CreateBatchRequest::default()
    };
    let key = system::environment().ids.next().to_string();
    let batch: BatchView =
        patiently(async || client.post_once("/v1/batches", &request, &key).await).await?;
    Ok(batch.batch_id)
}

async fn final_batch(desk: &Desk, ending: Ending) -> Option<BatchView> {
    let batch_id = desk.batch_id.filter(|_| ending != Ending::Broken)?;
    desk.client.get(&format!("/v1/batches/{batch_id}")).await.ok()
}

/// Before anything was done, a person is not kept waiting for long.
async fn patiently<T>(ask: impl AsyncFn() -> Result<T, ClientError>) -> Result<T, ClientError> {
    let mut patience = Patience::short();
    loop {
        match ask().await {
            Ok(answer) => return Ok(answer),
            Err(error) => match patience.wait_after(&error) {
                Some(wait) => tokio::time::sleep(wait).await,
                None => return Err(error),
            },
        }
    }
}

async fn hand_all_in(
    args: &IngestArgs,
    desk: &Desk,
    found: Vec<Found>,
    report: &mut Report,
    mut signals: StopSignals,
) -> Result<Ending, ClientError> {
    let detail = if desk.progress.is_seen() { Detail::Stages } else { Detail::EndsOnly };
    let mut waiting = if args.wait {
        Some(Waiting::new(Watch::start(desk.client.clone(), detail).await))
    } else {
        None
    };
    let mut uploads = std::pin::pin!(uploads(desk, found, args.parallel));
    let mut all_handed_in = false;
    loop {
        if all_handed_in && waiting.as_ref().is_none_or(Waiting::is_over) {
            return Ok(Ending::Complete);
        }
        tokio::select! {
            () = signals.next() => return Ok(Ending::Interrupted),
            handed = uploads.next(), if !all_handed_in => match (handed, &mut waiting) {
                (None, _) => {
                    all_handed_in = true;
                    desk.progress.is_uploaded();
                    report.waits();
                }
                (Some((shown, handed)), waiting) => match (handed?, waiting) {
                    (handed @ Handed { run_id: Some(run_id), .. }, Some(waiting)) => {
                        desk.progress.waits_for(run_id);
                        waiting.add(run_id, report.under_way(shown, handed));
                    }
                    (handed, _) => report.handed(shown, handed),
                },
            },
            told = next(&mut waiting) => {
                if let Some(waiting) = &mut waiting {
                    waiting.hear(told, &desk.progress, report)?;
                }
            }
        }
    }
}

/// What becomes of each file, as many at a time as wanted, in the order in which they are done.
fn uploads(
    desk: &Desk,
    found: Vec<Found>,
    parallel: usize,
) -> impl Stream<Item = (String, Result<Handed, ClientError>)> {
    let handed = stream::iter(found).map(move |found| async move {
        let handed = desk.hand_in(&found).await;
        (found.shown, handed)
    });
    handed.buffer_unordered(parallel)
}

/// Never, when nothing is waited for.
async fn next(waiting: &mut Option<Waiting>) -> Told {
    let told = match waiting {
        Some(waiting) => waiting.watch.next().await,
        None => None,
    };
    match told {
        Some(told) => told,
        None => std::future::pending().await,
    }
}

/// The runs whose end is waited for.
struct Waiting {
    watch: Watch,
    /// The files of each run: two with the same content have one run.
    places: HashMap<Uuid, Vec<usize>>,
}

impl Waiting {
    fn new(watch: Watch) -> Self {
        Self { watch, places: HashMap::new() }
    }

    fn is_over(&self) -> bool {
        self.places.is_empty()
    }

    fn add(&mut self, run_id: Uuid, place: usize) {
        self.places.entry(run_id).or_default().push(place);
        self.watch.add(run_id);
    }

    fn hear(
        &mut self,
        told: Told,
        progress: &Progress,
        report: &mut Report,
    ) -> Result<(), ClientError> {
        let (run_id, processed) = match told {
            Told::GaveUp(error) => return Err(error),
            Told::Started(run_id) => {
                progress.started(run_id);
                return Ok(());
            }
            Told::At { run_id, pipeline, passed } => {
                progress.at(run_id, &pipeline, passed);
                return Ok(());
            }
            Told::Paused { waiting_for } => {
                progress.complain_once(paused(&waiting_for));
                return Ok(());
            }
            Told::Succeeded(run_id) => (run_id, Processed::Succeeded),
            Told::Failed { run_id, error } => (run_id, Processed::Failed(error)),
        };
        progress.ended(run_id);
        for place in self.places.remove(&run_id).unwrap_or_default() {
            report.processed(place, processed.clone());
        }
        Ok(())
    }
}

/// Nothing is wrong with the files, but it may take long.
fn paused(waiting_for: &str) -> String {
    match waiting_for.parse::<Dependency>() {
        Ok(dependency) => format!(
            "Documents wait for {dependency}, and go on by themselves when it works again. {}",
            dependency.advice()
        ),
        Err(()) => format!("Documents wait for {waiting_for}, and go on by themselves after that."),
    }
}
