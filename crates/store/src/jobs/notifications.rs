//! Notifies workers of new jobs. Notifications may get lost: workers also poll.

use sqlx::PgConnection;
use sqlx::postgres::PgListener;

use crate::{Store, StoreError};

const CHANNEL: &str = "docket_work";

/// Receives the notifications.
#[derive(Debug)]
pub struct JobNotifications {
    listener: PgListener,
}

impl JobNotifications {
    /// Returns when there may be new jobs. It reconnects by itself, and returns after that too, because notifications
    /// may have been lost meanwhile.
    pub async fn changed(&mut self) -> Result<(), StoreError> {
        self.listener.try_recv().await?;
        Ok(())
    }
}

impl Store {
    pub async fn listen_for_jobs(&self) -> Result<JobNotifications, StoreError> {
        let mut listener = PgListener::connect_with(&self.app).await?;
        listener.listen(CHANNEL).await?;
        Ok(JobNotifications { listener })
    }
}

/// The notification is sent when the transaction commits.
pub(crate) async fn notify_workers(connection: &mut PgConnection) -> Result<(), StoreError> {
    sqlx::query("SELECT pg_notify($1, '')").bind(CHANNEL).execute(connection).await?;
    Ok(())
}
