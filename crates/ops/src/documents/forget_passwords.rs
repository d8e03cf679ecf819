//! Deleting the passwords of documents that nobody needs any more.

use std::sync::Arc;

use chrono::DateTime;
use domain::{Clock, ClockUse};
use store::Store;

use crate::OpsError;

#[derive(Clone, Debug)]
pub struct PasswordKeeper {
    pub store: Store,
    pub clock: Arc<dyn Clock>,
}

impl PasswordKeeper {
    /// A failed run is retried within this time, or with the password given again.
    const KEPT_AFTER_A_FAILURE: chrono::Duration = chrono::Duration::hours(24);

    /// Deletes passwords that are not needed. Returns how many.
    pub async fn forget(&self) -> Result<u64, OpsError> {
        let mut across = self.store.across_tenants().await?;
        // While the time is not sure, those of failed runs stay; what else is not needed goes all the same.
        let now = self.clock.now_for(ClockUse::Delete);
        let failed_before =
            now.map_or(DateTime::UNIX_EPOCH, |now| now - Self::KEPT_AFTER_A_FAILURE);
        let forgotten = across.delete_unneeded_passwords(failed_before).await?;
        if forgotten > 0 && now.is_some() && !across.confirms_time_for(ClockUse::Delete).await? {
            across.rollback().await?;
            return Ok(0);
        }
        across.commit().await?;
        if forgotten > 0 {
            tracing::info!(
                passwords = forgotten,
                "deleted document passwords that were not needed any more"
            );
        }
        Ok(forgotten)
    }
}
