//! `docket ingest`: uploads files and, with `--wait`, waits until they have been processed.
//!
//! 1. `paths.rs` finds the files.
//! 2. `upload.rs` uploads several at a time and skips those that were accepted before and have not changed;
//!    `file_stream.rs` streams them from the disk.
//! 3. With `--wait`, the runs are watched until they have ended (`client/watch.rs`).
//! 4. `report.rs` prints the result of each file and a summary, also when the command is interrupted.

mod file_stream;
mod paths;
mod progress;
mod report;
mod upload;

pub(crate) use file_stream::FileStream;
pub(crate) use progress::Progress;

use std::collections::HashMap;
use std::io::{self, IsTerminal};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

use anyhow::Context;
use api_types::{BatchView, CreateBatchRequest, MeView};
use domain::Dependency;
use futures_util::{Stream, StreamExt, stream};
use uuid::Uuid;

use self::paths::{Input, Source};
use self::report::{Ending, Processed, Report, UploadResult};
use self::upload::Uploader;
use crate::cli::IngestArgs;
use crate::client::{
    Client, ClientError, Detail, Receipts, RequestRetries, RunUpdate, Session, Watch,
};
use crate::config::ConfigError;
use crate::signals::StopSignals;
use crate::system;

pub(crate) async fn run(args: &IngestArgs) -> anyhow::Result<ExitCode> {
    let session = Session::find(args.server.server.as_deref())?;
    let client = session.signed_in()?;
    let inputs = paths::collect(&args.paths, args.name.as_deref());
    check(args, &inputs)?;
    let me = with_retries(async || client.get::<MeView>("/v1/me").await).await?;
    let signals = StopSignals::listen().context("cannot listen for signals")?;
    let progress = Arc::new(if io::stderr().is_terminal() && !args.json {
        Progress::on_terminal(inputs.iter().map(Input::size).sum())
    } else {
        Progress::hidden()
    });
    let uploader = uploader(args, &client, &me, &inputs, &progress).await?;
    let mut report = Report::new(inputs.len(), args.json, progress);
    let ended = upload_all(args, &uploader, inputs, &mut report, signals).await;
    let ending = match &ended {
        Ok(ending) => *ending,
        Err(_) => Ending::Broken,
    };
    report.finish(ending, final_batch(&uploader, ending).await.as_ref());
    ended?;
    Ok(match ending {
        Ending::Interrupted => ExitCode::from(130),
        _ if report.has_failures() => ExitCode::FAILURE,
        _ => ExitCode::SUCCESS,
    })
}

/// Checks that need the list of files.
fn check(args: &IngestArgs, inputs: &[Input]) -> Result<(), ConfigError> {
    let reads_input = inputs.iter().any(|input| matches!(input.source, Source::StandardInput));
    if args.name.is_some() && !reads_input {
        return Err(ConfigError::argument("--name is for standard input; write - as the path"));
    }
    if args.title.is_some() && inputs.len() != 1 {
        return Err(ConfigError::argument(format_args!(
            "--title is for one file, and these are {}",
            inputs.len()
        )));
    }
    Ok(())
}

async fn uploader(
    args: &IngestArgs,
    client: &Client,
    me: &MeView,
    inputs: &[Input],
    progress: &Arc<Progress>,
) -> Result<Uploader, ClientError> {
    let receipts = match Receipts::open(client.server(), me.tenant_id) {
        Ok(receipts) => Some(Mutex::new(receipts)),
        // Without a home folder there is no list of uploaded files; the upload works without it.
        Err(ClientError::NoHome) => None,
        Err(error) => {
            progress.complain_once(error);
            None
        }
    };
    let batch_id = match &args.batch {
        Some(name) if !inputs.is_empty() => Some(create_batch(client, name, inputs).await?),
        _ => None,
    };
    Ok(Uploader {
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

/// The batch expects only the files that can be read.
async fn create_batch(client: &Client, name: &str, inputs: &[Input]) -> Result<Uuid, ClientError> {
    let readable = inputs.iter().filter(|input| !matches!(input.source, Source::Unreadable { .. }));
    let request = CreateBatchRequest {
        name: Some(name.to_owned()),
        expected_documents: i32::try_from(readable.count()).ok().filter(|count| *count > 0),
        ..CreateBatchRequest::default()
    };
    let key = system::environment().ids.next().to_string();
    let batch: BatchView =
        with_retries(async || client.post_once("/v1/batches", &request, &key).await).await?;
    Ok(batch.batch_id)
}

async fn final_batch(uploader: &Uploader, ending: Ending) -> Option<BatchView> {
    let batch_id = uploader.batch_id.filter(|_| ending != Ending::Broken)?;
    uploader.client.get(&format!("/v1/batches/{batch_id}")).await.ok()
}

/// For the first requests: the user does not wait for long when the server cannot be reached.
async fn with_retries<T>(
    request: impl AsyncFn() -> Result<T, ClientError>,
) -> Result<T, ClientError> {
    let mut retries = RequestRetries::short();
    loop {
        match request().await {
            Ok(answer) => return Ok(answer),
            Err(error) => match retries.wait_after(&error) {
                Some(wait) => tokio::time::sleep(wait).await,
                None => return Err(error),
            },
        }
    }
}

async fn upload_all(
    args: &IngestArgs,
    uploader: &Uploader,
    inputs: Vec<Input>,
    report: &mut Report,
    mut signals: StopSignals,
) -> Result<Ending, ClientError> {
    let detail = if uploader.progress.is_visible() { Detail::Stages } else { Detail::EndsOnly };
    let mut pending = if args.wait {
        Some(PendingRuns::new(Watch::start(uploader.client.clone(), detail).await))
    } else {
        None
    };
    let mut uploads = std::pin::pin!(uploads(uploader, inputs, args.parallel));
    let mut all_uploaded = false;
    loop {
        if all_uploaded && pending.as_ref().is_none_or(PendingRuns::is_over) {
            return Ok(Ending::Complete);
        }
        tokio::select! {
            () = signals.next() => return Ok(Ending::Interrupted),
            result = uploads.next(), if !all_uploaded => match (result, &mut pending) {
                (None, _) => {
                    all_uploaded = true;
                    uploader.progress.is_uploaded();
                    report.print_waiting();
                }
                (Some((shown, result)), pending) => match (result?, pending) {
                    (result @ UploadResult { run_id: Some(run_id), .. }, Some(pending)) => {
                        uploader.progress.add_run(run_id);
                        pending.add(run_id, report.add_pending(shown, result));
                    }
                    (result, _) => report.add(shown, result),
                },
            },
            update = next(&mut pending) => {
                if let Some(pending) = &mut pending {
                    pending.apply(update, &uploader.progress, report)?;
                }
            }
        }
    }
}

/// Uploads `parallel` files at a time; the results come in the order in which the uploads end.
fn uploads(
    uploader: &Uploader,
    inputs: Vec<Input>,
    parallel: usize,
) -> impl Stream<Item = (String, Result<UploadResult, ClientError>)> {
    let results = stream::iter(inputs).map(move |input| async move {
        let result = uploader.upload_input(&input).await;
        (input.shown, result)
    });
    results.buffer_unordered(parallel)
}

/// The next update; never returns when no runs are watched.
async fn next(pending: &mut Option<PendingRuns>) -> RunUpdate {
    let update = match pending {
        Some(pending) => pending.watch.next().await,
        None => None,
    };
    match update {
        Some(update) => update,
        None => std::future::pending().await,
    }
}

/// The runs that have not ended yet.
struct PendingRuns {
    watch: Watch,
    /// The files of each run: two with the same content have one run.
    places: HashMap<Uuid, Vec<usize>>,
}

impl PendingRuns {
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

    fn apply(
        &mut self,
        update: RunUpdate,
        progress: &Progress,
        report: &mut Report,
    ) -> Result<(), ClientError> {
        let (run_id, processed) = match update {
            RunUpdate::WatchFailed(error) => return Err(error),
            RunUpdate::Started(run_id) => {
                progress.started(run_id);
                return Ok(());
            }
            RunUpdate::At { run_id, pipeline, passed } => {
                progress.at(run_id, &pipeline, passed);
                return Ok(());
            }
            RunUpdate::Paused { waiting_for } => {
                progress.complain_once(paused(&waiting_for));
                return Ok(());
            }
            RunUpdate::Succeeded(run_id) => (run_id, Processed::Succeeded),
            RunUpdate::Failed { run_id, error } => (run_id, Processed::Failed(error)),
        };
        progress.ended(run_id);
        for place in self.places.remove(&run_id).unwrap_or_default() {
            report.processed(place, processed.clone());
        }
        Ok(())
    }
}

/// Processing is paused because of a dependency, not because of the files.
fn paused(waiting_for: &str) -> String {
    match waiting_for.parse::<Dependency>() {
        Ok(dependency) => format!(
            "Processing waits for {dependency}, and continues when it works again. {}",
            dependency.advice()
        ),
        Err(()) => {
            format!("Processing waits for {waiting_for}, and continues when it works again.")
        }
    }
}
