//! Jobs that wait for something processing depends on (`domain::Dependency`): when they are tried again, and who
//! hears of it.
//!
//! A paused job is in no list that a claim walks. It is let try again when its own pause is over. Beside that, one job
//! of each dependency is let try every [`PROBE_EVERY`], the one that was tried longest ago: the real work is the probe
//! for whether the dependency works again, so no dependency needs a probe of its own. The first that succeeds wakes all
//! others (`settle_jobs` of the store).

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use domain::Dependency;
use store::{AcrossTenants, PausedJobs, StoreError};

use crate::worker::WorkerShared;

/// How long a dependency that works again may go unnoticed.
const PROBE_EVERY: Duration = Duration::from_secs(30);
/// How often to look whether somebody must hear of it.
const LOOK_EVERY: Duration = Duration::from_secs(10);

/// What this process has told of.
#[derive(Debug, Default)]
pub(crate) struct PauseWatch {
    told: Mutex<Told>,
}

#[derive(Debug, Default)]
struct Told {
    looked_at: Option<Duration>,
    waiting: BTreeSet<Dependency>,
}

/// What is worth a line in the log.
#[derive(Debug, Default, PartialEq, Eq)]
struct News {
    begun: Vec<PausedJobs>,
    ended: Vec<Dependency>,
}

impl PauseWatch {
    /// `true` once in a while.
    fn is_due(&self, elapsed: Duration) -> bool {
        let mut told = self.lock();
        let is_due = told.looked_at.is_none_or(|at| elapsed.saturating_sub(at) >= LOOK_EVERY);
        if is_due {
            told.looked_at = Some(elapsed);
        }
        is_due
    }

    /// What has changed since the last call.
    fn news(&self, paused: Vec<PausedJobs>) -> News {
        let mut told = self.lock();
        let waiting: BTreeSet<Dependency> = paused.iter().map(|paused| paused.dependency).collect();
        let begun = paused
            .into_iter()
            .filter(|paused| !told.waiting.contains(&paused.dependency))
            .collect();
        let ended = told.waiting.difference(&waiting).copied().collect();
        told.waiting = waiting;
        News { begun, ended }
    }

    /// Nothing here can be left half done by a panic.
    fn lock(&self) -> std::sync::MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl WorkerShared {
    /// Lets jobs try again whose pause is over, and those that are to find out whether it is.
    pub(crate) async fn resume_paused(&self, across: &mut AcrossTenants) -> Result<(), StoreError> {
        let now = self.environment.clock.now();
        across.resume_paused(now, now - PROBE_EVERY).await?;
        Ok(())
    }

    /// Warns when the first job waits for a dependency, and says when none does any more.
    pub(crate) async fn watch_pauses(&self) -> Result<(), StoreError> {
        if !self.pauses.is_due(self.environment.clock.elapsed()) {
            return Ok(());
        }
        let News { begun, ended } = self.pauses.news(self.store.list_paused_jobs().await?);
        for PausedJobs { dependency, jobs, since } in begun {
            tracing::warn!(
                event = "dependency_unavailable",
                dependency = dependency.as_str(),
                jobs,
                %since,
                advice = dependency.advice(),
                "jobs wait for {dependency}; they go on by themselves when it works again"
            );
        }
        for dependency in ended {
            let name = dependency.as_str();
            tracing::info!(
                event = "dependency_available",
                dependency = name,
                "no job waits for {dependency} any more"
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;

    fn waiting(dependency: Dependency, jobs: i64) -> PausedJobs {
        PausedJobs { dependency, jobs, since: DateTime::UNIX_EPOCH }
    }

    #[test]
    fn each_change_is_told_once_however_many_jobs_wait() {
        let watch = PauseWatch::default();
        let objects = |jobs| waiting(Dependency::ObjectStore, jobs);
        assert_eq!(watch.news(vec![]), News::default());
        assert_eq!(watch.news(vec![objects(1)]), News { begun: vec![objects(1)], ended: vec![] });
        assert_eq!(watch.news(vec![objects(50)]), News::default());
        let model = waiting(Dependency::EmbeddingModel, 2);
        let news = watch.news(vec![model.clone()]);
        assert_eq!(news, News { begun: vec![model], ended: vec![Dependency::ObjectStore] });
    }

    #[test]
    fn it_looks_again_only_after_a_while() {
        let watch = PauseWatch::default();
        let seconds = [0, 5, 9, 10, 19, 20].map(Duration::from_secs);
        assert_eq!(seconds.map(|at| watch.is_due(at)), [true, false, false, true, false, true]);
    }
}
