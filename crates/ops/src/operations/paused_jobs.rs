//! What jobs wait for, for whoever watches the process.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use store::PausedJobs;

use crate::{Dependency, Vitals};

/// What the paused jobs were when they were last counted: in an outage there are many, and many probes.
#[derive(Clone, Debug, Default)]
pub struct RecentPauses {
    counted: Arc<Mutex<Option<Counted>>>,
}

#[derive(Debug)]
struct Counted {
    at: Duration,
    paused: Vec<PausedJobs>,
}

impl RecentPauses {
    const LAST: Duration = Duration::from_secs(10);

    fn get(&self, now: Duration) -> Option<Vec<PausedJobs>> {
        let counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        let recent = counted.as_ref().filter(|counted| now.saturating_sub(counted.at) < Self::LAST);
        recent.map(|counted| counted.paused.clone())
    }

    fn note(&self, now: Duration, paused: &[PausedJobs]) {
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        *counted = Some(Counted { at: now, paused: paused.to_vec() });
    }
}

impl Vitals {
    /// One line for each thing that jobs wait for; none when no job waits. The process serves all the same, and the
    /// jobs go on by themselves.
    pub(crate) async fn paused_jobs(&self) -> Vec<Dependency> {
        let now = self.clock.elapsed();
        if let Some(paused) = self.recent_pauses.get(now) {
            return paused.into_iter().map(told).collect();
        }
        let asked = tokio::time::timeout(Self::PROBE_TIMEOUT, self.store.list_paused_jobs()).await;
        // A database that does not answer is told of by name already.
        let Ok(Ok(paused)) = asked else { return Vec::new() };
        self.recent_pauses.note(now, &paused);
        paused.into_iter().map(told).collect()
    }
}

fn told(PausedJobs { dependency, jobs, since }: PausedJobs) -> Dependency {
    let jobs = if jobs == 1 { "1 job waits".to_owned() } else { format!("{jobs} jobs wait") };
    let since = since.format("%Y-%m-%d %H:%M:%S UTC");
    let problem = format!("{jobs} for {dependency} since {since}. {}", dependency.advice());
    Dependency { name: "paused_jobs", problem: Some(problem), is_essential: false }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;

    #[test]
    fn a_count_holds_for_ten_seconds() {
        let (pauses, second) = (RecentPauses::default(), Duration::from_secs);
        assert!(pauses.get(second(0)).is_none());
        let (dependency, since) = (domain::Dependency::ObjectStore, DateTime::UNIX_EPOCH);
        pauses.note(second(5), &[PausedJobs { dependency, jobs: 12, since }]);
        assert_eq!(pauses.clone().get(second(14)).map(|paused| paused.len()), Some(1));
        assert!(pauses.get(second(15)).is_none());
    }

    #[test]
    fn it_says_what_is_waited_for_and_what_to_do() {
        let dependency = domain::Dependency::ObjectStore;
        let told = told(PausedJobs { dependency, jobs: 12, since: DateTime::UNIX_EPOCH });
        assert!(!told.is_essential);
        assert_eq!(
            told.problem.unwrap(),
            "12 jobs wait for the object store since 1970-01-01 00:00:00 UTC. Check that the object store is up, \
             mounted and not full, and that its credentials are valid."
        );
    }
}
