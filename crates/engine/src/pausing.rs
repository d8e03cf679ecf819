//! Paused jobs: they wait for a dependency (`domain::Dependency`). This module resumes them and logs the pauses.
//!
//! A claim does not see paused jobs. A job resumes when its own pause is over. In addition, every [`PROBE_EVERY`] one job
//! of each dependency resumes, the one that was tried longest ago: that job is the probe for whether the dependency
//! works again. The first one that succeeds resumes all others (`settle_jobs` of the store).

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use domain::Dependency;
use store::{AcrossTenants, PausedJobs, StoreError};

use crate::worker::WorkerShared;

/// The longest time until a dependency that works again is noticed.
const PROBE_EVERY: Duration = Duration::from_secs(30);
/// How often to check whether a pause has begun or ended.
const CHECK_EVERY: Duration = Duration::from_secs(10);

/// The pauses that this process has logged.
#[derive(Debug, Default)]
pub(crate) struct PauseWatch {
    state: Mutex<WatchState>,
}

#[derive(Debug, Default)]
struct WatchState {
    checked_at: Option<Duration>,
    waiting: BTreeSet<Dependency>,
}

/// The changes to log.
#[derive(Debug, Default, PartialEq, Eq)]
struct PauseChanges {
    begun: Vec<PausedJobs>,
    ended: Vec<Dependency>,
}

impl PauseWatch {
    /// `true` once every [`CHECK_EVERY`].
    fn is_due(&self, elapsed: Duration) -> bool {
        let mut state = self.lock();
        let is_due = state.checked_at.is_none_or(|at| elapsed.saturating_sub(at) >= CHECK_EVERY);
        if is_due {
            state.checked_at = Some(elapsed);
        }
        is_due
    }

    /// The changes since the last call.
    fn changes(&self, paused: Vec<PausedJobs>) -> PauseChanges {
        let mut state = self.lock();
        let waiting: BTreeSet<Dependency> = paused.iter().map(|paused| paused.dependency).collect();
        let begun = paused
            .into_iter()
            .filter(|paused| !state.waiting.contains(&paused.dependency))
            .collect();
        let ended = state.waiting.difference(&waiting).copied().collect();
        state.waiting = waiting;
        PauseChanges { begun, ended }
    }

    /// A panic cannot leave the state inconsistent.
    fn lock(&self) -> std::sync::MutexGuard<'_, WatchState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl WorkerShared {
    /// Resumes the jobs whose pause is over, and one job of each dependency as a probe.
    pub(crate) async fn resume_paused(&self, across: &mut AcrossTenants) -> Result<(), StoreError> {
        let now = self.environment.clock.now();
        across.resume_paused(now, now - PROBE_EVERY).await?;
        Ok(())
    }

    /// Logs when the first job waits for a dependency, and when none does any more.
    pub(crate) async fn watch_pauses(&self) -> Result<(), StoreError> {
        if !self.pauses.is_due(self.environment.clock.elapsed()) {
            return Ok(());
        }
        let PauseChanges { begun, ended } =
            self.pauses.changes(self.store.list_paused_jobs().await?);
        for PausedJobs { dependency, jobs, since } in begun {
            tracing::warn!(
                event = "dependency_unavailable",
                dependency = dependency.as_str(),
                jobs,
                %since,
                advice = dependency.advice(),
                "jobs wait for {dependency}; they resume automatically when it works again"
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
    fn each_change_is_reported_once_however_many_jobs_wait() {
        let watch = PauseWatch::default();
        let objects = |jobs| waiting(Dependency::ObjectStore, jobs);
        assert_eq!(watch.changes(vec![]), PauseChanges::default());
        assert_eq!(
            watch.changes(vec![objects(1)]),
            PauseChanges { begun: vec![objects(1)], ended: vec![] }
        );
        assert_eq!(watch.changes(vec![objects(50)]), PauseChanges::default());
        let model = waiting(Dependency::EmbeddingModel, 2);
        let changes = watch.changes(vec![model.clone()]);
        assert_eq!(
            changes,
            PauseChanges { begun: vec![model], ended: vec![Dependency::ObjectStore] }
        );
    }

    #[test]
    fn it_checks_again_only_after_the_interval() {
        let watch = PauseWatch::default();
        let seconds = [0, 5, 9, 10, 19, 20].map(Duration::from_secs);
        assert_eq!(seconds.map(|at| watch.is_due(at)), [true, false, false, true, false, true]);
    }
}
