//! How the queues of all tenants stand, for whoever watches the process.

use domain::Dependency;
use store::QueueRecord;

use crate::{Ops, OpsError, Vitals};

impl Ops {
    pub async fn measure_queues(&self) -> Result<(), OpsError> {
        self.vitals().measure_queues().await
    }
}

impl Vitals {
    /// Sets the gauges to what they are now. Counts only: no tenant shows.
    pub async fn measure_queues(&self) -> Result<(), OpsError> {
        let mut across = self.store.across_tenants().await?;
        let queues = across.list_all_queues().await?;
        across.commit().await?;
        let now = self.clock.now();
        for QueueRecord { stage, waiting, in_flight, dead, oldest, .. } in queues {
            let set = |name: &'static str, value: f64| {
                metrics::gauge!(name, "stage" => stage.clone()).set(value);
            };
            set("docket_queue_waiting", count(waiting));
            set("docket_queue_in_flight", count(in_flight));
            set("docket_queue_dead", count(dead));
            let age = oldest.map_or(0, |oldest| (now - oldest).num_milliseconds().max(0));
            set("docket_queue_oldest_seconds", count(age) / 1000.0);
        }
        let paused = self.store.list_paused_jobs().await?;
        for dependency in Dependency::ALL {
            let jobs = paused.iter().find(|paused| paused.dependency == dependency);
            let jobs = jobs.map_or(0, |paused| paused.jobs);
            metrics::gauge!("docket_jobs_paused", "dependency" => dependency.as_str())
                .set(count(jobs));
        }
        Ok(())
    }
}

#[expect(clippy::cast_precision_loss, reason = "more than a gauge can tell apart")]
fn count(number: i64) -> f64 {
    number as f64
}
