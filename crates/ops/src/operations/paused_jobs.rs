//! Paused jobs in readiness.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use store::PausedJobs;

use crate::{Dependency, ReadinessProbe};

/// Caches the count of paused jobs: in an outage there are many jobs, and many probes.
#[derive(Clone, Debug, Default)]
pub struct PausedJobsCache {
    counted: Arc<Mutex<Option<Counted>>>,
}

#[derive(Debug)]
struct Counted {
    at: Duration,
    paused: Vec<PausedJobs>,
}

impl PausedJobsCache {
    const MAX_AGE: Duration = Duration::from_secs(10);

    fn get(&self, now: Duration) -> Option<Vec<PausedJobs>> {
        let counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        let recent =
            counted.as_ref().filter(|counted| now.saturating_sub(counted.at) < Self::MAX_AGE);
        recent.map(|counted| counted.paused.clone())
    }

    fn insert(&self, now: Duration, paused: &[PausedJobs]) {
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        *counted = Some(Counted { at: now, paused: paused.to_vec() });
    }
}

impl ReadinessProbe {
    /// One entry per dependency that jobs wait for. The process serves nevertheless, and the jobs resume by themselves.
    pub(crate) async fn paused_jobs(&self) -> Vec<Dependency> {
        let now = self.clock.elapsed();
        if let Some(paused) = self.paused_jobs_cache.get(now) {
            return paused.into_iter().map(dependency_view).collect();
        }
        let counted =
            tokio::time::timeout(Self::PROBE_TIMEOUT, self.store.list_paused_jobs()).await;
        // The entry `database` reports a database that does not respond.
        let Ok(Ok(paused)) = counted else { return Vec::new() };
        self.paused_jobs_cache.insert(now, &paused);
        paused.into_iter().map(dependency_view).collect()
    }
}

fn dependency_view(PausedJobs { dependency, jobs, since }: PausedJobs) -> Dependency {
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
    fn a_count_is_cached_for_ten_seconds() {
        let (pauses, second) = (PausedJobsCache::default(), Duration::from_secs);
        assert!(pauses.get(second(0)).is_none());
        let (dependency, since) = (domain::Dependency::ObjectStore, DateTime::UNIX_EPOCH);
        pauses.insert(second(5), &[PausedJobs { dependency, jobs: 12, since }]);
        assert_eq!(pauses.clone().get(second(14)).map(|paused| paused.len()), Some(1));
        assert!(pauses.get(second(15)).is_none());
    }

    #[test]
    fn the_problem_names_the_dependency_and_the_remedy() {
        let waited_for = domain::Dependency::ObjectStore;
        let dependency = dependency_view(PausedJobs {
            dependency: waited_for,
            jobs: 12,
            since: DateTime::UNIX_EPOCH,
        });
        assert!(!dependency.is_essential);
        assert_eq!(
            dependency.problem.unwrap(),
            "12 jobs wait for the object store since 1970-01-01 00:00:00 UTC. Check that the object store is up, \
             mounted and not full, and that its credentials are valid."
        );
    }
}
