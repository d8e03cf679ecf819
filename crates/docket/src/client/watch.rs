//! Watches runs until they end.
//!
//! Events report an end at once; polling finds the ends whose events were missed. While the server cannot be reached,
//! the watcher waits some minutes for it, and then continues with the events after the last one it received.

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::{Duration, Instant};

use api_types::{RunPage, RunView};
use domain::{FailureCode, RunState, StageStatus};
use tokio::sync::mpsc;
use tokio::time::MissedTickBehavior;
use uuid::Uuid;

use super::events::{StreamItem, follow};
use super::{Client, ClientError};

/// What happened to a watched run.
#[derive(Debug)]
pub(crate) enum RunUpdate {
    Started(Uuid),
    /// The stages of its pipeline, and how many of them have succeeded.
    At {
        run_id: Uuid,
        pipeline: Vec<String>,
        passed: usize,
    },
    /// It is paused until a dependency works again.
    Paused {
        waiting_for: String,
    },
    Succeeded(Uuid),
    Failed {
        run_id: Uuid,
        error: String,
    },
    /// There will be no more updates.
    WatchFailed(ClientError),
}

/// The handle of a task that watches runs. The task ends when the handle is dropped.
#[derive(Debug)]
pub(crate) struct Watch {
    runs: mpsc::UnboundedSender<Uuid>,
    received_updates: mpsc::UnboundedReceiver<RunUpdate>,
}

/// Whether to send a request each second for the stages of the runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detail {
    Stages,
    EndsOnly,
}

impl Watch {
    /// Returns when events are being received, or after 3 seconds.
    pub(crate) async fn start(client: Client, detail: Detail) -> Self {
        let (runs, to_watch) = mpsc::unbounded_channel();
        let (updates, received_updates) = mpsc::unbounded_channel();
        let mut events = follow(client.clone());
        let first = tokio::time::timeout(Duration::from_secs(3), events.recv()).await;
        let is_connected = matches!(first, Ok(Some(StreamItem::Connected)));
        let watcher = Watcher {
            client,
            detail,
            updates,
            is_connected,
            watched: HashSet::new(),
            poll_order: VecDeque::new(),
            early: HashMap::new(),
            last_poll: Instant::now(),
            last_contact: Instant::now(),
        };
        tokio::spawn(watcher.watch(to_watch, events));
        Self { runs, received_updates }
    }

    pub(crate) fn add(&self, run_id: Uuid) {
        // A watcher that has failed has sent an update about it.
        self.runs.send(run_id).ok();
    }

    pub(crate) async fn next(&mut self) -> Option<RunUpdate> {
        self.received_updates.recv().await
    }
}

struct Watcher {
    client: Client,
    detail: Detail,
    updates: mpsc::UnboundedSender<RunUpdate>,
    /// Whether events are being received.
    is_connected: bool,
    watched: HashSet<Uuid>,
    /// The order in which runs are polled; some have ended since.
    poll_order: VecDeque<Uuid>,
    /// The ends of runs that are not watched yet: an event can arrive before the response to the upload.
    early: HashMap<Uuid, Option<String>>,
    last_poll: Instant,
    last_contact: Instant,
}

impl Watcher {
    const TICK: Duration = Duration::from_secs(1);
    /// How often to poll while events are received, and while they are not.
    const POLL_EVERY: Duration = Duration::from_secs(10);
    const POLL_EVERY_WITHOUT_EVENTS: Duration = Duration::from_secs(2);
    /// How many runs to poll at a time.
    const RUNS_PER_POLL: usize = 50;
    /// How long the server may be unreachable.
    const LONGEST_OUTAGE: Duration = Duration::from_mins(5);
    const MAX_EARLY: usize = 10_000;

    async fn watch(
        mut self,
        mut runs: mpsc::UnboundedReceiver<Uuid>,
        mut events: mpsc::UnboundedReceiver<StreamItem>,
    ) {
        let mut ticks = tokio::time::interval(Self::TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                run = runs.recv() => match run {
                    Some(run_id) => self.add(run_id),
                    None => return,
                },
                Some(item) = events.recv() => self.handle(item),
                _ = ticks.tick() => {
                    if let Err(error) = self.poll().await {
                        self.send(RunUpdate::WatchFailed(error));
                        return;
                    }
                }
            }
        }
    }

    fn add(&mut self, run_id: Uuid) {
        match self.early.remove(&run_id) {
            Some(error) => self.send_end(run_id, error),
            None if !self.watched.insert(run_id) => {}
            None => self.poll_order.push_back(run_id),
        }
    }

    fn handle(&mut self, item: StreamItem) {
        let (topic, payload) = match item {
            StreamItem::Lost => {
                self.is_connected = false;
                return;
            }
            StreamItem::Connected => {
                self.is_connected = true;
                // Events may have been missed meanwhile: poll at the next tick.
                self.last_poll =
                    self.last_poll.checked_sub(Self::POLL_EVERY).unwrap_or(self.last_poll);
                return;
            }
            StreamItem::Event { topic, payload } => (topic, payload),
        };
        self.last_contact = Instant::now();
        let Some(run_id) = payload["run_id"].as_str().and_then(|id| Uuid::try_parse(id).ok())
        else {
            return;
        };
        match topic.as_str() {
            "document.started" if self.watched.contains(&run_id) => {
                self.send(RunUpdate::Started(run_id));
            }
            "document.paused" if self.watched.contains(&run_id) => {
                let waiting_for = payload["waiting_for"].as_str().unwrap_or_default().to_owned();
                self.send(RunUpdate::Paused { waiting_for });
            }
            "document.completed" => self.end(run_id, None),
            "document.failed" => {
                self.end(run_id, Some(why(payload["error"].as_str(), payload["code"].as_str())));
            }
            _ => {}
        }
    }

    /// A run has ended; it may not be watched yet.
    fn end(&mut self, run_id: Uuid, error: Option<String>) {
        if self.watched.remove(&run_id) {
            self.send_end(run_id, error);
            return;
        }
        if self.early.len() >= Self::MAX_EARLY {
            self.early.clear();
        }
        self.early.insert(run_id, error);
    }

    async fn poll(&mut self) -> Result<(), ClientError> {
        if self.watched.is_empty() {
            self.last_contact = Instant::now();
            return Ok(());
        }
        let every =
            if self.is_connected { Self::POLL_EVERY } else { Self::POLL_EVERY_WITHOUT_EVENTS };
        let polled = if self.last_poll.elapsed() >= every {
            self.last_poll = Instant::now();
            self.poll_some_runs().await
        } else if self.detail == Detail::Stages && self.is_connected {
            self.poll_stages().await
        } else {
            return Ok(());
        };
        match polled {
            Ok(()) => self.last_contact = Instant::now(),
            Err(
                error @ (ClientError::Unreachable { .. }
                | ClientError::Busy { .. }
                | ClientError::NotDocket { .. }),
            ) => {
                if self.last_contact.elapsed() > Self::LONGEST_OUTAGE {
                    return Err(error);
                }
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Polls the runs first that were not polled for the longest time.
    async fn poll_some_runs(&mut self) -> Result<(), ClientError> {
        let poll_order = self.poll_order.len();
        let mut polled = 0;
        for _ in 0..poll_order {
            let Some(run_id) = self.poll_order.pop_front() else { break };
            if !self.watched.contains(&run_id) {
                continue;
            }
            if polled == Self::RUNS_PER_POLL {
                self.poll_order.push_front(run_id);
                break;
            }
            polled += 1;
            self.poll_order.push_back(run_id);
            match self.client.get::<RunView>(&format!("/v1/ingestion-runs/{run_id}")).await {
                Ok(run) => self.apply(run),
                Err(ClientError::Refused(problem)) if problem.status == 404 => {
                    self.end(run_id, Some("the document was deleted".to_owned()));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn apply(&mut self, run: RunView) {
        match run.status {
            RunState::Succeeded => self.end(run.run_id, None),
            RunState::Failed => {
                let error = why(run.error.as_deref(), run.error_code.as_deref());
                self.end(run.run_id, Some(error));
            }
            RunState::Queued => {}
            RunState::Running => self.send_stages(run),
        }
    }

    async fn poll_stages(&mut self) -> Result<(), ClientError> {
        let query = [("status", "running"), ("limit", "100")];
        let running: RunPage = self.client.get_by("/v1/ingestion-runs", &query).await?;
        for run in running.items {
            if self.watched.contains(&run.run_id) {
                self.send_stages(run);
            }
        }
        Ok(())
    }

    fn send_stages(&self, run: RunView) {
        let passed =
            run.stages.iter().filter(|stage| stage.status == StageStatus::Succeeded).count();
        self.send(RunUpdate::At { run_id: run.run_id, pipeline: run.pipeline, passed });
    }

    fn send_end(&self, run_id: Uuid, error: Option<String>) {
        self.send(match error {
            None => RunUpdate::Succeeded(run_id),
            Some(error) => RunUpdate::Failed { run_id, error },
        });
    }

    fn send(&self, update: RunUpdate) {
        // When the receiver is gone, this task ends with the next loop.
        self.updates.send(update).ok();
    }
}

/// Why a run failed, with the command that repairs it where there is one.
fn why(error: Option<&str>, code: Option<&str>) -> String {
    let error = error.unwrap_or("it failed; the server does not say why");
    let is_locked = [FailureCode::PasswordRequired, FailureCode::WrongPassword]
        .into_iter()
        .any(|locked| code == Some(locked.as_str()));
    if is_locked {
        return format!("{error}; give its password with `docket rerun ID --password`");
    }
    error.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_locked_file_says_how_to_enter_its_password() {
        let received_updates = why(Some("the file is encrypted"), Some("password_required"));
        assert_eq!(
            received_updates,
            "the file is encrypted; give its password with `docket rerun ID --password`"
        );
        assert_eq!(why(Some("it broke"), None), "it broke");
        assert_eq!(why(None, None), "it failed; the server does not say why");
    }
}
