//! What a server does beside answering: follow revocations, note when keys were used, forget what
//! has expired.

use std::time::Duration;

use store::{RevocationFeed, StoreError};
use tokio_util::sync::CancellationToken;

use crate::Ops;

impl Ops {
    /// The channel makes a revocation known at once; this makes it certain.
    const ROUND: Duration = Duration::from_secs(15);
    /// A transaction may commit later than the moment it carries, and clocks of servers differ.
    const OVERLAP: chrono::Duration = chrono::Duration::minutes(2);

    /// Runs until `stop`. Errors are for the log only: the next round tries again.
    pub async fn keep_house(&self, stop: CancellationToken) {
        let mut feed: Option<RevocationFeed> = None;
        loop {
            if let Err(error) = self.do_housekeeping().await {
                tracing::warn!(error = &error as &dyn std::error::Error, "housekeeping failed");
            }
            if feed.is_none() {
                feed = self.store.follow_revocations().await.ok();
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
        if let Err(error) = self.write_down_key_uses().await {
            tracing::warn!(error = &error as &dyn std::error::Error, "last use of keys was lost");
        }
    }

    /// One round: first what keeps people out, then what can wait.
    pub async fn do_housekeeping(&self) -> Result<(), StoreError> {
        let now = self.clock.now();
        // The first time, everything that can still be presented counts.
        let heard_until = self.access.heard_until().unwrap_or(now - self.tokens.lifetime());
        let since = heard_until - Self::OVERLAP;
        let mut across = self.store.across_tenants().await?;
        let revocations = across.revocations_since(since, now).await?;
        across.commit().await?;
        self.access.apply(&revocations, now);
        self.access.refreshed(now);
        self.login_throttle.forget_idle();
        self.write_down_key_uses().await?;
        let mut across = self.store.across_tenants().await?;
        across.forget_expired(now).await?;
        across.commit().await
    }

    async fn write_down_key_uses(&self) -> Result<(), StoreError> {
        let uses = self.access.take_uses();
        if uses.is_empty() {
            return Ok(());
        }
        let mut across = self.store.across_tenants().await?;
        across.touch_api_keys(&uses).await?;
        across.commit().await
    }
}

/// Waits for ever when there is no feed: the timer goes on.
async fn next_revocation(feed: Option<&mut RevocationFeed>) -> Result<(), StoreError> {
    match feed {
        Some(feed) => feed.changed().await,
        None => std::future::pending().await,
    }
}
