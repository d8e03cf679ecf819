//! Running a server: its periodic work, its gauges, and whether it is ready.

pub(crate) mod check_readiness;
mod housekeeping;
mod measure_queues;
pub(crate) mod paused_jobs;
mod report_clock;

use std::sync::{Arc, OnceLock};

use blob::Blobs;
use reading::sandbox::SandboxReport;
use store::Store;

use crate::runs::queue_room::QueueRoom;
use crate::tenants::limits::SpecialLimits;
use crate::{Access, RecentPauses, WorkerProbe};

/// The process itself.
pub struct Operations {
    pub(crate) store: Store,
    pub(crate) blobs: Blobs,
    pub(crate) access: Arc<Access>,
    pub(crate) limits: Arc<SpecialLimits>,
    pub(crate) queue_room: Arc<QueueRoom>,
    pub(crate) sandbox: Option<SandboxReport>,
    pub(crate) worker: OnceLock<WorkerProbe>,
    pub(crate) recent_pauses: RecentPauses,
}
