//! Deleting document passwords that are no longer needed.

use std::sync::Arc;

use chrono::DateTime;
use domain::{Clock, ClockUse};
use store::Store;

use crate::OpsError;

#[derive(Clone, Debug)]
pub struct PasswordCleanup {
    pub store: Store,
    pub clock: Arc<dyn Clock>,
}

impl PasswordCleanup {
    /// A failed run can be retried without the password within this time.
    const RETENTION_AFTER_FAILURE: chrono::Duration = chrono::Duration::hours(24);

    /// Deletes the passwords that are not needed. Returns how many.
    pub async fn delete_unneeded(&self) -> Result<u64, OpsError> {
        let mut across = self.store.across_tenants().await?;
        // While the clock is not confirmed, passwords of failed runs are kept, since their age is not known.
        let now = self.clock.now_for(ClockUse::Delete);
        let failed_before =
            now.map_or(DateTime::UNIX_EPOCH, |now| now - Self::RETENTION_AFTER_FAILURE);
        let deleted = across.delete_unneeded_passwords(failed_before).await?;
        if deleted > 0 && now.is_some() && !across.confirms_time_for(ClockUse::Delete).await? {
            across.rollback().await?;
            return Ok(0);
        }
        across.commit().await?;
        if deleted > 0 {
            tracing::info!(
                passwords = deleted,
                "deleted document passwords that are no longer needed"
            );
        }
        Ok(deleted)
    }
}
