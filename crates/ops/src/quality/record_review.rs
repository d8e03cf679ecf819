//! Recording what a review says about the extraction before it.

use domain::{Action, Caller, DocId, Extraction, ResultId};
use extraction::outcomes::{ReviewedField, outcomes};
use extraction::types::DocumentType;
use store::{FieldOutcome, ReviewedResult, Tx};

use crate::{OpsError, Quality};

/// A review of a result.
#[derive(Debug)]
pub struct ReviewOutcome<'a> {
    pub doc_id: DocId,
    pub result_id: ResultId,
    pub document_type: &'a DocumentType,
    /// The document was accepted and reviewed by chance.
    pub is_sampled: bool,
    pub extracted: &'a Extraction,
    pub reviewed: &'a Extraction,
}

impl Quality {
    /// Records which values were correct, for the measured error rate and the tenant's calibration.
    pub async fn record_review(
        &self,
        caller: &Caller,
        review: ReviewOutcome<'_>,
    ) -> Result<(), OpsError> {
        let scope = caller.permit(Action::EditResults)?;
        let mut tx = self.store.begin(&scope).await?;
        record_reviewed_fields(&mut tx, &review).await?;
        Ok(tx.commit().await?)
    }
}

/// The same in the transaction of the review.
pub(crate) async fn record_reviewed_fields(
    tx: &mut Tx,
    review: &ReviewOutcome<'_>,
) -> Result<(), OpsError> {
    let outcomes = outcomes(review.document_type, review.extracted, review.reviewed);
    let outcomes: Vec<FieldOutcome> = outcomes.into_iter().map(stored).collect();
    let result = ReviewedResult {
        doc_id: review.doc_id,
        result_id: review.result_id,
        document_type: &review.document_type.name,
        is_sampled: review.is_sampled,
    };
    Ok(tx.record_reviewed_fields(result, &outcomes).await?)
}

fn stored(outcome: ReviewedField) -> FieldOutcome {
    FieldOutcome {
        path: outcome.path,
        field: outcome.field,
        kind: outcome.kind.as_str(),
        confidence: outcome.confidence,
        status: outcome.status.as_str(),
        source: outcome.source.map(domain::FieldSource::as_str),
        was_correct: outcome.was_correct,
    }
}
