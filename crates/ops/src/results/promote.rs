//! Promoting a result.

use domain::{Action, AuditAction, AuditEntry, Caller, DocId, Entity, IdempotencyClaim};
use serde_json::json;
use store::{Promotion, Tx};

use super::Results;
use crate::OpsError;
use crate::idempotency::{Outcome, commit_outcome, recorded_outcome};

impl Results {
    /// Makes a copy of a result the current one, once per claim; returns the new version. Results of later runs wait from
    /// then on.
    pub async fn promote_result(
        &self,
        caller: &Caller,
        doc_id: DocId,
        result_version: u32,
        claim: Option<&IdempotencyClaim>,
    ) -> Result<Outcome<u32>, OpsError> {
        let scope = caller.permit(Action::PromoteResults)?;
        let claim = claim.map(|claim| self.request_hmac.apply(claim));
        let mut tx = self.store.begin(&scope).await?;
        if let Some(done) = recorded_outcome(&mut tx, claim.as_ref()).await? {
            return Ok(done);
        }
        let promoted = promote(&mut tx, doc_id, result_version).await;
        commit_outcome(tx, claim.as_ref(), promoted).await
    }
}

async fn promote(tx: &mut Tx, doc_id: DocId, result_version: u32) -> Result<u32, OpsError> {
    if !tx.lock_document(doc_id).await? {
        return Err(OpsError::NotFound("document"));
    }
    let new_version = match tx.promote_result(doc_id, result_version).await? {
        Promotion::Promoted { result_version } => result_version,
        Promotion::NotFound => return Err(OpsError::NotFound("result")),
        Promotion::IsCurrent => {
            return Err(OpsError::Conflict {
                code: "result_is_current",
                problem: format!("Version {result_version} is the current result already."),
            });
        }
    };
    tx.append_audit(AuditEntry {
        action: AuditAction::ResultPromoted,
        entity: Entity::Document(doc_id),
        detail: json!({ "promoted": result_version, "result_version": new_version }),
    })
    .await?;
    Ok(new_version)
}
