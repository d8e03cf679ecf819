//! Claims jobs from the database's queue, with fairness across tenants.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use domain::{Clock, ClockUse, StageName, TenantId};
use store::{ClaimedJob, JobClaim, LeaseRef, StageSlots, Store};
use tokio::sync::{Mutex, Notify};
use uuid::Uuid;

use crate::source::{ClaimFailed, ClaimRequest, Delivery, JobSource, SourceFuture};

#[derive(Debug)]
pub(crate) struct DatabaseSource {
    store: Store,
    clock: Arc<dyn Clock>,
    /// The tenant whose job was claimed last, by stage.
    last_tenants: Mutex<HashMap<StageName, TenantId>>,
}

impl DatabaseSource {
    pub(crate) fn new(store: Store, clock: Arc<dyn Clock>) -> Self {
        Self { store, clock, last_tenants: Mutex::default() }
    }

    async fn claim_jobs(&self, request: ClaimRequest<'_>) -> Result<Vec<ClaimedJob>, ClaimFailed> {
        let mut last_tenants = self.last_tenants.lock().await;
        let mut across = self.store.queue_transaction().await?;
        // Connecting may have taken a while: leases begin now.
        let Some(now) = self.clock.now_for(ClockUse::Schedule) else {
            across.rollback().await?;
            return Ok(Vec::new());
        };
        let slots = |free: &crate::FreeSlots| StageSlots {
            stage: free.stage.clone(),
            count: free.count,
            is_reserved: free.is_reserved,
            last_tenant: last_tenants.get(&free.stage).copied().unwrap_or(TenantId(Uuid::nil())),
            lease_until: now + free.lease,
        };
        let stages: Vec<StageSlots> = request.slots.iter().map(slots).collect();
        let ClaimRequest { max_jobs, busy_tenants, worker_id, stopping, .. } = request;
        let claim = JobClaim { stages: &stages, max_jobs, busy_tenants, worker_id, now };
        let jobs = across.claim_jobs(&claim).await?;
        if stopping.is_cancelled() {
            across.rollback().await?;
            return Ok(Vec::new());
        }
        if let Err(error) = across.commit().await {
            let held = |job: &ClaimedJob| LeaseRef { job_id: job.job_id, token: job.token };
            return Err(ClaimFailed { error, in_doubt: jobs.iter().map(held).collect() });
        }
        for job in &jobs {
            last_tenants.insert(job.stage.clone(), job.tenant_id);
        }
        Ok(jobs)
    }
}

impl JobSource for DatabaseSource {
    fn claim<'a>(
        &'a self,
        request: ClaimRequest<'a>,
    ) -> SourceFuture<'a, Result<Vec<Delivery>, ClaimFailed>> {
        Box::pin(async {
            let jobs = self.claim_jobs(request).await?;
            Ok(jobs.into_iter().map(|job| Delivery { job, message: None }).collect())
        })
    }

    /// Notifies the worker when any process queues a job.
    fn listen<'a>(&'a self, work: &'a Notify) -> SourceFuture<'a, ()> {
        const RECONNECT_DELAY: Duration = Duration::from_secs(1);
        Box::pin(async {
            loop {
                if let Ok(mut notifications) = self.store.listen_for_jobs().await {
                    while notifications.changed().await.is_ok() {
                        work.notify_one();
                    }
                }
                tokio::time::sleep(RECONNECT_DELAY).await;
            }
        })
    }
}
