//! Says that there is work, to whoever waits for it. It only wakes; polling is the guarantee.

use sqlx::PgConnection;
use sqlx::postgres::PgListener;

use crate::{Store, StoreError};

const CHANNEL: &str = "docket_work";

/// Wakes whoever waits on it when there may be work.
#[derive(Debug)]
pub struct WorkFeed {
    listener: PgListener,
}

impl WorkFeed {
    /// Returns when there may be work. Reconnects by itself; what was said meanwhile is lost, so it
    /// also returns after a reconnection.
    pub async fn changed(&mut self) -> Result<(), StoreError> {
        self.listener.try_recv().await?;
        Ok(())
    }
}

impl Store {
    pub async fn follow_work(&self) -> Result<WorkFeed, StoreError> {
        let mut listener = PgListener::connect_with(&self.app).await?;
        listener.listen(CHANNEL).await?;
        Ok(WorkFeed { listener })
    }
}

/// Heard when the transaction commits.
pub(crate) async fn announce_work(connection: &mut PgConnection) -> Result<(), StoreError> {
    sqlx::query("SELECT pg_notify($1, '')").bind(CHANNEL).execute(connection).await?;
    Ok(())
}
