//! Operating a process: housekeeping, gauges and readiness.

pub(crate) mod check_readiness;
mod clock_health;
mod housekeeping;
mod measure_queues;
pub(crate) mod paused_jobs;

use std::sync::{Arc, OnceLock};

use blob::Blobs;
use reading::sandbox::SandboxReport;
use store::Store;

use crate::tenants::limit_overrides::TenantLimitOverrides;
use crate::{Access, Intake, PausedJobsCache, WorkerProbe};

/// Operations on the process itself.
pub struct Operations {
    pub(crate) store: Store,
    pub(crate) blobs: Blobs,
    pub(crate) access: Arc<Access>,
    pub(crate) limits: Arc<TenantLimitOverrides>,
    pub(crate) intake: Intake,
    pub(crate) sandbox: Option<SandboxReport>,
    pub(crate) worker: OnceLock<WorkerProbe>,
    pub(crate) paused_jobs_cache: PausedJobsCache,
}
