//! How the process stands to the database's clock, for `/readyz` and the metrics.

use crate::operations::check_readiness::{Dependency, Vitals};

impl Vitals {
    /// A wrong clock is no reason to take the process out of rotation: it goes by the database's.
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
