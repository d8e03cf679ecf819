//! What a server does beside answering: follow revocations, note when keys were used, forget what
//! has expired.

use std::time::Duration;

use chrono::DateTime;
use domain::ClockUse;
use store::{RevocationNotifications, StoreError};
use tokio_util::sync::CancellationToken;

use crate::Operations;

impl Operations {
    /// The channel makes a revocation known at once; this makes it certain.
    const ROUND: Duration = Duration::from_secs(15);
    /// A transaction may commit later than the moment it carries, and clocks of servers differ.
    /// Hearing of a revocation again does no harm.
    const OVERLAP: chrono::Duration = chrono::Duration::hours(2);
    /// A database that has vanished must not keep a round waiting for ever.
    const ROUND_TIMEOUT: Duration = Duration::from_secs(10);

    /// Runs until `stop`. Errors are for the log only: the next round tries again.
    pub async fn keep_house(&self, stop: CancellationToken) {
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
                        tracing::warn!("the database did not answer during housekeeping");
                        feed = None;
                    }
                }
            }
            tokio::select! {
                () = stop.cancelled() => break,
                () = tokio::time::sleep(Self::ROUND) => {}
                heard = next_revocation(feed.as_mut()) => {
                    if heard.is_err() {
                        feed = None;
                    }
                }
            }
        }
        let last = tokio::time::timeout(Self::ROUND_TIMEOUT, self.write_down_key_uses()).await;
        if !matches!(last, Ok(Ok(()))) {
            tracing::warn!("the last use of some keys was not written down");
        }
    }

    /// One round: first what keeps people out, then what can wait.
    pub async fn do_housekeeping(&self) -> Result<(), StoreError> {
        let (now, elapsed) = (self.store.clock().now(), self.store.clock().elapsed());
        // The first time everything counts: tokens may be older than today's setting lets them get.
        // And when the clock was set back: what is new now carries an earlier time.
        let heard_until = self.access.directory.heard_until().filter(|until| *until <= now);
        let since = heard_until.map_or(DateTime::UNIX_EPOCH, |until| until - Self::OVERLAP);
        let mut across = self.store.across_tenants().await?;
        let revocations = across.revocations_since(since, now).await?;
        let special_limits = across.special_limits().await?;
        across.commit().await?;
        self.limits.replace(special_limits);
        self.access.directory.apply(&revocations, now);
        self.access.directory.heard_at(now, elapsed);
        self.access.forget_idle();
        self.intake.queue.forget_old(self.store.clock().as_ref());
        self.write_down_key_uses().await?;
        let Some(now) = self.store.clock().now_for(ClockUse::Delete) else { return Ok(()) };
        let mut across = self.store.across_tenants().await?;
        if across.delete_expired(now).await? > 0
            && !across.confirms_time_for(ClockUse::Delete).await?
        {
            return across.rollback().await;
        }
        across.commit().await
    }

    async fn write_down_key_uses(&self) -> Result<(), StoreError> {
        let uses = self.access.directory.take_uses();
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
                self.access.directory.note_use(*key, *moment);
            }
        })
    }
}

/// Waits for ever when there is no feed: the timer goes on.
async fn next_revocation(feed: Option<&mut RevocationNotifications>) -> Result<(), StoreError> {
    match feed {
        Some(feed) => feed.changed().await,
        None => std::future::pending().await,
    }
}
