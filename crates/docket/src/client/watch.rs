//! Watching runs until they end.
//!
//! Events say it at once; asking makes it certain. A server that goes away is waited for, for some
//! minutes: when it is back, the events go on where they stopped.

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::{Duration, Instant};

use api_types::{RunPage, RunView};
use domain::{FailureCode, RunState, StageStatus};
use tokio::sync::mpsc;
use tokio::time::MissedTickBehavior;
use uuid::Uuid;

use super::events::{Heard, follow};
use super::{Client, ClientError};

/// What is known of a run that is watched.
#[derive(Debug)]
pub(crate) enum Told {
    Started(Uuid),
    /// The stages it passes, and how many of them it has behind it.
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
    /// Nothing more will be told.
    GaveUp(ClientError),
}

/// Runs that are watched, in a task of its own. It ends with this.
#[derive(Debug)]
pub(crate) struct Watch {
    runs: mpsc::UnboundedSender<Uuid>,
    told: mpsc::UnboundedReceiver<Told>,
}

/// Whether it is worth a request each second to see at which stage runs are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detail {
    Stages,
    EndsOnly,
}

impl Watch {
    /// Returns once nothing will be missed, or when that takes long.
    pub(crate) async fn start(client: Client, detail: Detail) -> Self {
        let (runs, to_watch) = mpsc::unbounded_channel();
        let (teller, told) = mpsc::unbounded_channel();
        let mut heard = follow(client.clone());
        let first = tokio::time::timeout(Duration::from_secs(3), heard.recv()).await;
        let listens = matches!(first, Ok(Some(Heard::Connected)));
        let watcher = Watcher {
            client,
            detail,
            teller,
            listens,
            watched: HashSet::new(),
            turns: VecDeque::new(),
            early: HashMap::new(),
            last_asked: Instant::now(),
            last_word: Instant::now(),
        };
        tokio::spawn(watcher.watch(to_watch, heard));
        Self { runs, told }
    }

    pub(crate) fn add(&self, run_id: Uuid) {
        // A watcher that gave up has said so.
        self.runs.send(run_id).ok();
    }

    pub(crate) async fn next(&mut self) -> Option<Told> {
        self.told.recv().await
    }
}

struct Watcher {
    client: Client,
    detail: Detail,
    teller: mpsc::UnboundedSender<Told>,
    /// Whether events come in.
    listens: bool,
    watched: HashSet<Uuid>,
    /// In the order in which they are asked about; some have ended since.
    turns: VecDeque<Uuid>,
    /// The ends of runs that nobody has told us to watch yet: events can be quicker than answers.
    early: HashMap<Uuid, Option<String>>,
    last_asked: Instant,
    last_word: Instant,
}

impl Watcher {
    const TICK: Duration = Duration::from_secs(1);
    /// How often to ask while events come in, and while they do not.
    const ASK_EVERY: Duration = Duration::from_secs(10);
    const ASK_EVERY_UNTOLD: Duration = Duration::from_secs(2);
    /// Of many runs, how many to ask about at a time.
    const AT_A_TIME: usize = 50;
    /// How long a server may be away.
    const AWAY: Duration = Duration::from_mins(5);
    const MOST_EARLY: usize = 10_000;

    async fn watch(
        mut self,
        mut runs: mpsc::UnboundedReceiver<Uuid>,
        mut heard: mpsc::UnboundedReceiver<Heard>,
    ) {
        let mut ticks = tokio::time::interval(Self::TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                run = runs.recv() => match run {
                    Some(run_id) => self.begin(run_id),
                    None => return,
                },
                Some(heard) = heard.recv() => self.hear(heard),
                _ = ticks.tick() => {
                    if let Err(error) = self.ask().await {
                        self.tell(Told::GaveUp(error));
                        return;
                    }
                }
            }
        }
    }

    fn begin(&mut self, run_id: Uuid) {
        match self.early.remove(&run_id) {
            Some(error) => self.tell_end(run_id, error),
            None if !self.watched.insert(run_id) => {}
            None => self.turns.push_back(run_id),
        }
    }

    fn hear(&mut self, heard: Heard) {
        let (topic, payload) = match heard {
            Heard::Lost => {
                self.listens = false;
                return;
            }
            Heard::Connected => {
                self.listens = true;
                // Something may have happened meanwhile: ask at the next tick.
                self.last_asked =
                    self.last_asked.checked_sub(Self::ASK_EVERY).unwrap_or(self.last_asked);
                return;
            }
            Heard::Event { topic, payload } => (topic, payload),
        };
        self.last_word = Instant::now();
        let Some(run_id) = payload["run_id"].as_str().and_then(|id| Uuid::try_parse(id).ok())
        else {
            return;
        };
        match topic.as_str() {
            "document.started" if self.watched.contains(&run_id) => {
                self.tell(Told::Started(run_id));
            }
            "document.paused" if self.watched.contains(&run_id) => {
                let waiting_for = payload["waiting_for"].as_str().unwrap_or_default().to_owned();
                self.tell(Told::Paused { waiting_for });
            }
            "document.completed" => self.end(run_id, None),
            "document.failed" => {
                self.end(run_id, Some(why(payload["error"].as_str(), payload["code"].as_str())));
            }
            _ => {}
        }
    }

    /// A run has ended, whoever watches it.
    fn end(&mut self, run_id: Uuid, error: Option<String>) {
        if self.watched.remove(&run_id) {
            self.tell_end(run_id, error);
            return;
        }
        if self.early.len() >= Self::MOST_EARLY {
            self.early.clear();
        }
        self.early.insert(run_id, error);
    }

    async fn ask(&mut self) -> Result<(), ClientError> {
        if self.watched.is_empty() {
            self.last_word = Instant::now();
            return Ok(());
        }
        let every = if self.listens { Self::ASK_EVERY } else { Self::ASK_EVERY_UNTOLD };
        let asked = if self.last_asked.elapsed() >= every {
            self.last_asked = Instant::now();
            self.ask_about_some().await
        } else if self.detail == Detail::Stages && self.listens {
            self.ask_about_stages().await
        } else {
            return Ok(());
        };
        match asked {
            Ok(()) => self.last_word = Instant::now(),
            Err(
                error @ (ClientError::Unreachable { .. }
                | ClientError::Busy { .. }
                | ClientError::NotDocket { .. }),
            ) => {
                if self.last_word.elapsed() > Self::AWAY {
                    return Err(error);
                }
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Those first that were not asked about for the longest time.
    async fn ask_about_some(&mut self) -> Result<(), ClientError> {
        let turns = self.turns.len();
        let mut asked = 0;
        for _ in 0..turns {
            let Some(run_id) = self.turns.pop_front() else { break };
            if !self.watched.contains(&run_id) {
                continue;
            }
            if asked == Self::AT_A_TIME {
                self.turns.push_front(run_id);
                break;
            }
            asked += 1;
            self.turns.push_back(run_id);
            match self.client.get::<RunView>(&format!("/v1/ingestion-runs/{run_id}")).await {
                Ok(run) => self.take_in(run),
                Err(ClientError::Refused(problem)) if problem.status == 404 => {
                    self.end(run_id, Some("the document was deleted".to_owned()));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn take_in(&mut self, run: RunView) {
        match run.status {
            RunState::Succeeded => self.end(run.run_id, None),
            RunState::Failed => {
                let error = why(run.error.as_deref(), run.error_code.as_deref());
                self.end(run.run_id, Some(error));
            }
            RunState::Queued => {}
            RunState::Running => self.tell_stages(run),
        }
    }

    async fn ask_about_stages(&mut self) -> Result<(), ClientError> {
        let query = [("status", "running"), ("limit", "100")];
        let running: RunPage = self.client.get_by("/v1/ingestion-runs", &query).await?;
        for run in running.items {
            if self.watched.contains(&run.run_id) {
                self.tell_stages(run);
            }
        }
        Ok(())
    }

    fn tell_stages(&self, run: RunView) {
        let passed =
            run.stages.iter().filter(|stage| stage.status == StageStatus::Succeeded).count();
        self.tell(Told::At { run_id: run.run_id, pipeline: run.pipeline, passed });
    }

    fn tell_end(&self, run_id: Uuid, error: Option<String>) {
        self.tell(match error {
            None => Told::Succeeded(run_id),
            Some(error) => Told::Failed { run_id, error },
        });
    }

    fn tell(&self, told: Told) {
        // Nobody listens any more: the next thing that happens is the end of this task.
        self.teller.send(told).ok();
    }
}

/// Why a run failed, and what to type where that helps.
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
        let told = why(Some("the file is encrypted"), Some("password_required"));
        assert_eq!(
            told,
            "the file is encrypted; give its password with `docket rerun ID --password`"
        );
        assert_eq!(why(Some("it broke"), None), "it broke");
        assert_eq!(why(None, None), "it failed; the server does not say why");
    }
}
