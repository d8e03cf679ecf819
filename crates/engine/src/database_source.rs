//! Jobs out of the database's own queue, fairly across tenants.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use domain::{Clock, ClockUse, StageName, TenantId};
use store::{Claim, ClaimedJob, Held, StageRoom, Store};
use tokio::sync::{Mutex, Notify};
use uuid::Uuid;

use crate::source::{ClaimFailed, Delivery, JobSource, SourceFuture, Wanted};

#[derive(Debug)]
pub(crate) struct DatabaseSource {
    store: Store,
    clock: Arc<dyn Clock>,
    /// Whose turn it was last, by stage.
    turns: Mutex<HashMap<StageName, TenantId>>,
}

impl DatabaseSource {
    pub(crate) fn new(store: Store, clock: Arc<dyn Clock>) -> Self {
        Self { store, clock, turns: Mutex::default() }
    }

    async fn claim_jobs(&self, wanted: Wanted<'_>) -> Result<Vec<ClaimedJob>, ClaimFailed> {
        let mut turns = self.turns.lock().await;
        let mut across = self.store.on_the_queue().await?;
        // It may have taken a while to get through: leases begin now.
        let Some(now) = self.clock.now_for(ClockUse::Schedule) else {
            across.rollback().await?;
            return Ok(Vec::new());
        };
        let room = |free: &crate::FreeSlots| StageRoom {
            stage: free.stage.clone(),
            room: free.count,
            is_reserved: free.is_reserved,
            last_tenant: turns.get(&free.stage).copied().unwrap_or(TenantId(Uuid::nil())),
            lease_until: now + free.lease,
        };
        let rooms: Vec<StageRoom> = wanted.slots.iter().map(room).collect();
        let Wanted { most, busy_tenants, worker_id, stopping, .. } = wanted;
        let claim = Claim { rooms: &rooms, most, busy_tenants, worker_id, now };
        let jobs = across.claim_jobs(&claim).await?;
        if stopping.is_cancelled() {
            across.rollback().await?;
            return Ok(Vec::new());
        }
        if let Err(error) = across.commit().await {
            let held = |job: &ClaimedJob| Held { job_id: job.job_id, token: job.token };
            return Err(ClaimFailed { error, in_doubt: jobs.iter().map(held).collect() });
        }
        for job in &jobs {
            turns.insert(job.stage.clone(), job.tenant_id);
        }
        Ok(jobs)
    }
}

impl JobSource for DatabaseSource {
    fn claim<'a>(
        &'a self,
        wanted: Wanted<'a>,
    ) -> SourceFuture<'a, Result<Vec<Delivery>, ClaimFailed>> {
        Box::pin(async {
            let jobs = self.claim_jobs(wanted).await?;
            Ok(jobs.into_iter().map(|job| Delivery { job, message: None }).collect())
        })
    }

    /// Hears of work that any process queues.
    fn listen<'a>(&'a self, work: &'a Notify) -> SourceFuture<'a, ()> {
        const BEFORE_ANOTHER_TRY: Duration = Duration::from_secs(1);
        Box::pin(async {
            loop {
                if let Ok(mut feed) = self.store.follow_work().await {
                    while feed.changed().await.is_ok() {
                        work.notify_one();
                    }
                }
                tokio::time::sleep(BEFORE_ANOTHER_TRY).await;
            }
        })
    }
}
