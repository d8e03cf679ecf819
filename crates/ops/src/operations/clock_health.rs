//! The skew between the clocks of the process and of the database, for `/readyz` and the metrics.

use crate::operations::check_readiness::{Dependency, ReadinessProbe};

impl ReadinessProbe {
    /// Not essential: the process uses the database's clock.
    pub(crate) fn check_clock(&self) -> Option<Dependency> {
        let report = self.clock.report()?;
        Some(Dependency { name: "clock", problem: report.problem(), is_essential: false })
    }

    pub(crate) fn measure_clock(&self) {
        if let Some(report) = self.clock.report() {
            metrics::gauge!("docket_clock_skew_seconds").set(report.skew.as_seconds_f64());
        }
    }
}
