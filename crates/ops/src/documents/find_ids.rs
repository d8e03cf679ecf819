//! Finding ids by their last digits.

use domain::{Action, BatchId, Caller, DocId, JobId, RunId};
use store::{IdKind, Tx};
use uuid::Uuid;

use crate::{Documents, OpsError};

/// The ids that end with the same digits, of what the caller may see.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundIds {
    pub documents: Vec<Uuid>,
    pub runs: Vec<Uuid>,
    pub batches: Vec<Uuid>,
    /// Of dead jobs.
    pub jobs: Vec<Uuid>,
    /// Whether there are more candidates than were examined.
    pub is_incomplete: bool,
}

impl Documents {
    /// Fewer digits would rarely be unique.
    const MIN_DIGITS: usize = 4;
    /// The most ids of a kind that are examined.
    const MAX_CANDIDATES: u32 = 50;

    /// The documents, runs, batches and dead jobs that the caller may see and whose ids end with these digits.
    pub async fn find_ids(&self, caller: &Caller, end_of_id: &str) -> Result<FoundIds, OpsError> {
        let scope = caller.permit(Action::SeeDocuments)?;
        let sees_jobs = caller.permit(Action::ReadDeadJobs).is_ok();
        let digits = digits_of(end_of_id)?;
        let mut tx = self.store.read(&scope).await?;
        let candidates = tx.find_ids_ending_with(&digits, Self::MAX_CANDIDATES).await?;
        let mut found = FoundIds::default();
        for kind in [IdKind::Document, IdKind::Run, IdKind::Batch, IdKind::DeadJob] {
            let of_kind = candidates.iter().filter(|(other, _)| *other == kind);
            found.is_incomplete |= of_kind.count() >= Self::MAX_CANDIDATES as usize;
        }
        for (kind, id) in candidates {
            if !is_visible(&mut tx, kind, id, sees_jobs).await? {
                continue;
            }
            let ids = match kind {
                IdKind::Document => &mut found.documents,
                IdKind::Run => &mut found.runs,
                IdKind::Batch => &mut found.batches,
                IdKind::DeadJob => &mut found.jobs,
            };
            ids.push(id);
        }
        tx.commit().await?;
        let FoundIds { documents, runs, batches, jobs, is_incomplete } = &mut found;
        let all = [documents, runs, batches, jobs];
        if all.iter().all(|ids| ids.is_empty()) && !*is_incomplete {
            return Err(OpsError::NotFound("id"));
        }
        for ids in all {
            ids.sort_unstable();
        }
        Ok(found)
    }
}

/// Decided by the statement that the object's own route uses.
async fn is_visible(
    tx: &mut Tx,
    kind: IdKind,
    id: Uuid,
    sees_jobs: bool,
) -> Result<bool, OpsError> {
    Ok(match kind {
        IdKind::Document => tx.find_document(DocId(id)).await?.is_some(),
        IdKind::Run => tx.find_run(RunId(id)).await?.is_some(),
        IdKind::Batch => tx.find_batch(BatchId(id)).await?.is_some(),
        IdKind::DeadJob => sees_jobs && tx.find_job(JobId(id)).await?.is_some(),
    })
}

/// Without hyphens, in lower case.
fn digits_of(end_of_id: &str) -> Result<String, OpsError> {
    let digits: String = end_of_id.chars().filter(|c| *c != '-').collect();
    let is_valid = (Documents::MIN_DIGITS..=32).contains(&digits.len())
        && digits.chars().all(|c| c.is_ascii_hexdigit());
    if is_valid {
        return Ok(digits.to_ascii_lowercase());
    }
    Err(OpsError::Invalid {
        field: "id",
        problem: "Enter an id, or at least its last 4 hexadecimal digits.".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_of_an_id_has_four_to_thirty_two_digits() {
        assert_eq!(digits_of("5921A8f5").unwrap(), "5921a8f5");
        assert_eq!(digits_of("b170-2bb85921a8f5").unwrap(), "b1702bb85921a8f5");
        for wrong in ["", "8f5", "-8f5", "rent", &"a".repeat(33)] {
            assert!(digits_of(wrong).is_err(), "{wrong}");
        }
    }
}
