//! Finding ids by their last digits. A *short id* is the end of an id: in a UUIDv7 that part is random, while the first
//! digits are the time and therefore alike.

use sqlx::FromRow;
use uuid::Uuid;

use crate::{StoreError, Tx, sql};

/// What an id names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdKind {
    Document,
    Run,
    Batch,
    /// A dead job; other jobs are not found by a short id.
    DeadJob,
}

#[derive(FromRow)]
struct IdRow {
    kind: String,
    id: Uuid,
}

/// How many of an id's last digits the database has an index for.
const INDEXED_DIGITS: usize = 12;

impl Tx {
    /// The tenant's ids that end with these hexadecimal digits, at most `limit` of each kind. Whether the scope may see
    /// what they name is not decided here.
    pub async fn find_ids_ending_with(
        &mut self,
        digits: &str,
        limit: u32,
    ) -> Result<Vec<(IdKind, Uuid)>, StoreError> {
        let reversed: String = digits.chars().rev().take(INDEXED_DIGITS).collect();
        // No hexadecimal digit comes after `f`.
        let end = format!("{reversed}g");
        let rows: Vec<IdRow> = sqlx::query_as(sql!("short_ids/find"))
            .bind(self.tenant_id().0)
            .bind(reversed)
            .bind(end)
            .bind(i64::from(limit))
            .fetch_all(self.connection())
            .await?;
        let ids = rows.into_iter().map(|IdRow { kind, id }| {
            let kind = match kind.as_str() {
                "document" => IdKind::Document,
                "run" => IdKind::Run,
                "batch" => IdKind::Batch,
                _ => IdKind::DeadJob,
            };
            (kind, id)
        });
        Ok(ids.filter(|(_, id)| id.simple().to_string().ends_with(digits)).collect())
    }
}
