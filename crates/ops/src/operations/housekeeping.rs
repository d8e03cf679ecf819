//! Housekeeping of a server: reads revocations, records when API keys were used, deletes expired rows.

use std::time::Duration;

use chrono::DateTime;
use domain::ClockUse;
use store::{RevocationNotifications, StoreError};
use tokio_util::sync::CancellationToken;

use crate::Operations;

impl Operations {
    /// Notifications speed up revocations; polling guarantees them.
    const ROUND: Duration = Duration::from_secs(15);
    /// A transaction may commit later than its timestamp, and the clocks of servers differ. Applying a revocation again is
    /// harmless.
    const OVERLAP: chrono::Duration = chrono::Duration::hours(2);
    /// Limits a round if the database does not respond.
    const ROUND_TIMEOUT: Duration = Duration::from_secs(10);

    /// Runs until `stop`. Errors are logged only: the next round tries again.
    pub async fn run_housekeeping(&self, stop: CancellationToken) {
        let mut feed: Option<RevocationNotifications> = None;
        loop {
            let round = async {
                if let Err(error) = self.do_housekeeping().await {
                    tracing::warn!(error = &error as &dyn std::error::Error, "housekeeping failed");
                }
                if feed.is_none() {
                    feed = self.store.listen_for_revocations().await.ok();
                }
            };
            tokio::select! {
                () = stop.cancelled() => break,
                ended = tokio::time::timeout(Self::ROUND_TIMEOUT, round) => {
                    if ended.is_err() {
                        tracing::warn!("the database did not respond during housekeeping");
                        feed = None;
                    }
                }
            }
            tokio::select! {
                () = stop.cancelled() => break,
                () = tokio::time::sleep(Self::ROUND) => {}
                notified = next_revocation(feed.as_mut()) => {
                    if notified.is_err() {
                        feed = None;
                    }
                }
            }
        }
        let last = tokio::time::timeout(Self::ROUND_TIMEOUT, self.write_key_uses()).await;
        if !matches!(last, Ok(Ok(()))) {
            tracing::warn!("cannot record the last use of some API keys");
        }
    }

    /// One round. Revocations come first, because they protect access.
    pub async fn do_housekeeping(&self) -> Result<(), StoreError> {
        let (now, elapsed) = (self.store.clock().now(), self.store.clock().elapsed());
        // The first round reads all revocations, since tokens may be older than the current lifetime setting. So does a
        // round after the clock was set back, since newer revocations then have earlier timestamps.
        let synced_until = self.access.credentials.synced_until().filter(|until| *until <= now);
        let since = synced_until.map_or(DateTime::UNIX_EPOCH, |until| until - Self::OVERLAP);
        let mut across = self.store.across_tenants().await?;
        let revocations = across.revocations_since(since, now).await?;
        let limits = across.special_limits().await?;
        across.commit().await?;
        self.limits.replace(limits);
        self.access.credentials.apply(&revocations, now);
        self.access.credentials.record_sync(now, elapsed);
        self.access.evict_idle();
        self.intake.queue.evict_stale(self.store.clock().as_ref());
        self.write_key_uses().await?;
        let Some(now) = self.store.clock().now_for(ClockUse::Delete) else { return Ok(()) };
        let mut across = self.store.across_tenants().await?;
        if across.delete_expired(now).await? > 0
            && !across.confirms_time_for(ClockUse::Delete).await?
        {
            return across.rollback().await;
        }
        across.commit().await
    }

    async fn write_key_uses(&self) -> Result<(), StoreError> {
        let uses = self.access.credentials.take_uses();
        if uses.is_empty() {
            return Ok(());
        }
        let written = async {
            let mut across = self.store.across_tenants().await?;
            across.touch_api_keys(&uses).await?;
            across.commit().await
        };
        written.await.inspect_err(|_| {
            for (key, moment) in &uses {
                self.access.credentials.record_use(*key, *moment);
            }
        })
    }
}

/// Never completes without a feed: the timer still ends the wait.
async fn next_revocation(feed: Option<&mut RevocationNotifications>) -> Result<(), StoreError> {
    match feed {
        Some(feed) => feed.changed().await,
        None => std::future::pending().await,
    }
}
