//! Whether a database that answers also takes writes.
//!
//! A server whose disk is full goes on answering, and even takes the writes that need no new page. So the check writes
//! something that does need new pages, which costs too much to do it at every probe: it is done only after this process was
//! refused a write, until it succeeds.

use std::sync::atomic::{AtomicU64, Ordering};

use sqlx::PgPool;
use sqlx::error::DatabaseError;
use tokio::sync::Mutex;

use crate::StoreError;
use crate::tx::open_transaction;

/// No space, an I/O error of the server's disk, a database that is read-only.
const REFUSALS: [&str; 3] = ["53100", "58030", "25006"];

/// By every database that this process uses: which one it was is not known where an error is made, and one check too many
/// does no harm.
static REFUSED: AtomicU64 = AtomicU64::new(0);

/// Remembers an error that means that a write was refused.
pub(crate) fn note(error: &sqlx::Error) {
    if is_refusal(error) {
        REFUSED.fetch_add(1, Ordering::Relaxed);
    }
}

#[derive(Debug, Default)]
pub(crate) struct WriteCheck {
    /// How many refusals there had been when a write last succeeded.
    overcome: AtomicU64,
    /// Held by whoever writes to find out: of many probes one at a time does, and a success is for all of them.
    writing: Mutex<()>,
}

impl WriteCheck {
    pub(crate) async fn check(&self, pool: &PgPool) -> Result<(), StoreError> {
        if self.is_overcome() {
            return Ok(());
        }
        let _writing = self.writing.lock().await;
        if self.is_overcome() {
            return Ok(());
        }
        let refused = REFUSED.load(Ordering::Relaxed);
        match write_and_undo(pool).await {
            Ok(()) => {
                self.overcome.store(refused, Ordering::Relaxed);
                Ok(())
            }
            Err(StoreError::Unavailable(error)) if is_refusal(&error) => {
                Err(StoreError::NoWrites(error))
            }
            Err(error) if error.is_unavailable() => Err(error),
            // Where the role may not make temporary tables, the next write that is refused tells.
            Err(_) => Ok(()),
        }
    }

    fn is_overcome(&self) -> bool {
        REFUSED.load(Ordering::Relaxed) == self.overcome.load(Ordering::Relaxed)
    }
}

fn is_refusal(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(DatabaseError::code);
    code.is_some_and(|code| REFUSALS.contains(&code.as_ref()))
}

/// About a megabyte, which nobody else ever sees.
async fn write_and_undo(pool: &PgPool) -> Result<(), StoreError> {
    const WRITE: &str = "CREATE TEMPORARY TABLE docket_write_check ON COMMIT DROP AS \
                         SELECT number FROM generate_series(1, 30000) AS number";
    let mut transaction = open_transaction(pool, "BEGIN".to_owned()).await?;
    sqlx::query(WRITE).execute(&mut *transaction).await?;
    Ok(transaction.rollback().await?)
}
