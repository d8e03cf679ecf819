//! Checks whether a database that answers also accepts writes.
//!
//! A server whose disk is full still answers, and even accepts writes that need no new page. So the check writes new
//! pages, which is too expensive for every probe: it runs only after this process was refused a write, until it succeeds.

use std::sync::atomic::{AtomicU64, Ordering};

use sqlx::PgPool;
use sqlx::error::DatabaseError;
use tokio::sync::Mutex;

use crate::StoreError;
use crate::tx::open_transaction;

/// No space, an I/O error of the server's disk, a read-only database.
const REFUSALS: [&str; 3] = ["53100", "58030", "25006"];

/// The refusals of all databases that this process uses. An error does not say which database it came from, and an
/// unnecessary check does no harm.
static REFUSED: AtomicU64 = AtomicU64::new(0);

/// Counts an error that means that a write was refused.
pub(crate) fn note(error: &sqlx::Error) {
    if is_refusal(error) {
        REFUSED.fetch_add(1, Ordering::Relaxed);
    }
}

#[derive(Debug, Default)]
pub(crate) struct WriteCheck {
    /// How many refusals there were when a write last succeeded.
    overcome: AtomicU64,
    /// Held during a check: one probe at a time writes, and its success counts for all.
    check_lock: Mutex<()>,
}

impl WriteCheck {
    pub(crate) async fn check(&self, pool: &PgPool) -> Result<(), StoreError> {
        if self.is_overcome() {
            return Ok(());
        }
        let _lock = self.check_lock.lock().await;
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
            // Where the role may not create temporary tables, the next refused write shows the problem.
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

/// Writes about a megabyte into a temporary table.
async fn write_and_undo(pool: &PgPool) -> Result<(), StoreError> {
    const WRITE: &str = "CREATE TEMPORARY TABLE docket_write_check ON COMMIT DROP AS \
                         SELECT number FROM generate_series(1, 30000) AS number";
    let mut transaction = open_transaction(pool, "BEGIN".to_owned()).await?;
    sqlx::query(WRITE).execute(&mut *transaction).await?;
    Ok(transaction.rollback().await?)
}
