//! What jobs wait for, for whoever watches the process.

use store::PausedJobs;

use crate::{Dependency, Vitals};

impl Vitals {
    /// One line for each thing that jobs wait for; none when no job waits. The process serves all the same, and the
    /// jobs go on by themselves.
    pub(crate) async fn paused_jobs(&self) -> Vec<Dependency> {
        let asked = tokio::time::timeout(Self::PROBE_TIMEOUT, self.store.list_paused_jobs()).await;
        // A database that does not answer is told of by name already.
        let Ok(Ok(paused)) = asked else { return Vec::new() };
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
