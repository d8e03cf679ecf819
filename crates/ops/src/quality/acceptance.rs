//! What a tenant accepts without review, and the calibration data that applies to it.

use std::collections::BTreeMap;

use domain::{Action, Caller, FieldKind, TenantId};
use extraction::acceptance::TenantAcceptance;
use extraction::calibration::{Calibration, CalibrationData, Counts, STEPS, TypeData};
use store::{DocumentStep, LatestReviewed, StepCounts, Tx};
use uuid::Uuid;

use crate::{OpsError, Quality};

/// Older reviews do not count: documents and extraction change.
const LATEST_FIELDS: i64 = 10_000;

impl Quality {
    /// For the stage `package`: the error rate that the tenant accepts for a document type, with the calibration that the
    /// tenant's own reviews refine.
    pub async fn acceptance(
        &self,
        tenant_id: TenantId,
        document_type: &str,
    ) -> Result<TenantAcceptance, OpsError> {
        let scope = Caller::system(tenant_id).permit(Action::ReadQuality)?;
        let mut tx = self.store.read(&scope).await?;
        let rules = tx.find_tenant().await?.rules.acceptance;
        let calibration = calibration_of(&mut tx, document_type).await?;
        tx.commit().await?;
        Ok(TenantAcceptance {
            accepted_error_rate: rules.error_rate_of(document_type),
            review_share: rules.share_for_review(),
            calibration,
        })
    }
}

/// The shipped calibration with the tenant's reviewed fields of one type.
pub(super) async fn calibration_of(
    tx: &mut Tx,
    document_type: &str,
) -> Result<Calibration, OpsError> {
    let ascending: Vec<f64> = STEPS.iter().rev().copied().collect();
    let latest = LatestReviewed { document_type, most: LATEST_FIELDS, steps: &ascending };
    let counted = tx.count_reviewed_steps(latest).await?;
    let mut reviewed = CalibrationData::default();
    if !counted.is_empty() {
        let documents = tx.count_wrong_of_documents(latest).await?;
        reviewed.types.insert(document_type.to_owned(), data_of(&counted, &documents));
    }
    Ok(Calibration::builtin().clone().with_reviewed(reviewed))
}

fn data_of(counted: &[StepCounts], documents: &[DocumentStep]) -> TypeData {
    let number = |count: i64| u32::try_from(count).unwrap_or(0);
    let mut data = TypeData::default();
    for counts in counted {
        // Written by an older or newer Docket: a kind that this one does not know.
        let Ok(kind) = counts.kind.parse::<FieldKind>() else { continue };
        let both = Counts { total: number(counts.total), wrong: number(counts.wrong) };
        data.add_counts(&counts.field, kind, step_reached(counts.step), both);
    }
    let mut wrong: BTreeMap<Uuid, [u32; STEPS.len() + 1]> = BTreeMap::new();
    for found in documents {
        let of_document = wrong.entry(found.doc_id).or_insert([0; STEPS.len() + 1]);
        of_document[step_reached(found.step)] += number(found.wrong);
    }
    for of_document in wrong.values() {
        data.add_wrong_of_document(of_document);
    }
    data
}

/// The database counts the steps that a confidence reaches; the calibration data begins with the strictest.
fn step_reached(steps: i32) -> usize {
    STEPS.len() - usize::try_from(steps).unwrap_or(0).min(STEPS.len())
}

#[cfg(test)]
mod tests {
    use extraction::calibration::step_of;

    use super::*;

    #[test]
    fn the_steps_of_the_database_are_those_of_the_calibration_data() {
        let counted = |step| StepCounts {
            field: "issued".to_owned(),
            kind: "date".to_owned(),
            step,
            total: 3,
            wrong: 1,
        };
        let reached = |confidence: f64| {
            let steps = STEPS.iter().filter(|step| confidence >= **step).count();
            i32::try_from(steps).unwrap()
        };
        for confidence in [0.9999, 0.99, 0.7, 0.2] {
            let data = data_of(&[counted(reached(confidence))], &[]);
            let expected = step_of(confidence);
            assert_eq!(data.fields["issued"].counts[expected].total, 3, "{confidence}");
        }
        let unknown = StepCounts { kind: "colour".to_owned(), ..counted(1) };
        assert!(data_of(&[unknown], &[]).fields.is_empty());
        let of_document = |document, confidence, wrong| {
            let step = reached(confidence);
            DocumentStep { doc_id: Uuid::from_u128(document), step, wrong }
        };
        let documents = [of_document(1, 0.99, 2), of_document(1, 0.7, 1), of_document(2, 0.99, 0)];
        let data = data_of(&[counted(1)], &documents);
        assert_eq!(data.documents, 2);
        let together = |confidence| data.together[step_of(confidence)];
        assert_eq!([0.995, 0.99, 0.7].map(together), [0, 2, 3]);
    }
}
