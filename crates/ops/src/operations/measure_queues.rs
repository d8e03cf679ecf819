//! Gauges of the queues of all tenants.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use domain::Dependency;
use store::QueueRecord;

use crate::{Operations, OpsError, ReadinessProbe};

/// Stages whose gauges were set before. A stage whose queue became empty is not listed by the database, and its gauges must
/// be set to 0. Static, because the gauges belong to the process too.
static MEASURED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

impl Operations {
    pub async fn measure_queues(&self) -> Result<(), OpsError> {
        self.readiness_probe().measure_queues().await
    }
}

impl ReadinessProbe {
    /// Sets the gauges. They contain counts only, and no tenant's name.
    pub async fn measure_queues(&self) -> Result<(), OpsError> {
        let mut across = self.store.across_tenants().await?;
        let queues = across.list_all_queues().await?;
        across.commit().await?;
        let paused = self.store.list_paused_jobs().await?;
        for dependency in Dependency::ALL {
            let jobs = paused.iter().find(|paused| paused.dependency == dependency);
            let jobs = jobs.map_or(0, |paused| paused.jobs);
            metrics::gauge!("docket_jobs_paused", "dependency" => dependency.as_str())
                .set(count(jobs));
        }
        let now = self.clock.now();
        let mut measured = MEASURED.lock().unwrap_or_else(PoisonError::into_inner);
        let empty =
            measured.iter().filter(|stage| queues.iter().all(|queue| queue.stage != **stage));
        let empty: Vec<QueueRecord> = empty.map(|stage| empty_queue(stage)).collect();
        for QueueRecord { stage, waiting, in_flight, dead, oldest, .. } in
            queues.into_iter().chain(empty)
        {
            let set = |name: &'static str, value: f64| {
                metrics::gauge!(name, "stage" => stage.clone()).set(value);
            };
            set("docket_queue_waiting", count(waiting));
            set("docket_queue_in_flight", count(in_flight));
            set("docket_queue_dead", count(dead));
            let age = oldest.map_or(0, |oldest| (now - oldest).num_milliseconds().max(0));
            set("docket_queue_oldest_seconds", count(age) / 1000.0);
            measured.insert(stage);
        }
        Ok(())
    }
}

#[expect(clippy::cast_precision_loss, reason = "more than a gauge can tell apart")]
fn count(number: i64) -> f64 {
    number as f64
}

fn empty_queue(stage: &str) -> QueueRecord {
    QueueRecord {
        stage: stage.to_owned(),
        waiting: 0,
        paused: 0,
        in_flight: 0,
        dead: 0,
        oldest: None,
        finished_last_minute: 0,
    }
}
