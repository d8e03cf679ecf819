//! What a tenant accepts without review, and the calibration data that applies to it.

use domain::{Action, Caller, FieldKind, TenantId};
use extraction::acceptance::TenantAcceptance;
use extraction::calibration::{Calibration, CalibrationData, Counts, STEPS, TypeData};
use store::{StepCounts, Tx};

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
    let counted = tx.count_reviewed_steps(document_type, LATEST_FIELDS, &ascending).await?;
    let mut reviewed = CalibrationData::default();
    if !counted.is_empty() {
        reviewed.types.insert(document_type.to_owned(), data_of(&counted));
    }
    Ok(Calibration::builtin().clone().with_reviewed(reviewed))
}

fn data_of(counted: &[StepCounts]) -> TypeData {
    let mut data = TypeData::default();
    for counts in counted {
        // Written by an older or newer Docket: a kind that this one does not know.
        let Ok(kind) = counts.kind.parse::<FieldKind>() else { continue };
        let reached = usize::try_from(counts.step).unwrap_or(0).min(STEPS.len());
        let number = |count: i64| u32::try_from(count).unwrap_or(0);
        let both = Counts { total: number(counts.total), wrong: number(counts.wrong) };
        data.add_counts(kind, STEPS.len() - reached, both);
    }
    data
}

#[cfg(test)]
mod tests {
    use extraction::calibration::step_of;

    use super::*;

    #[test]
    fn the_steps_of_the_database_are_those_of_the_calibration_data() {
        let counted = |step| StepCounts { kind: "date".to_owned(), step, total: 3, wrong: 1 };
        let reached = |confidence: f64| {
            let steps = STEPS.iter().filter(|step| confidence >= **step).count();
            i32::try_from(steps).unwrap()
        };
        for confidence in [0.9999, 0.99, 0.7, 0.2] {
            let data = data_of(&[counted(reached(confidence))]);
            let expected = step_of(confidence);
            assert_eq!(data.kinds["date"][expected].total, 3, "{confidence}");
        }
        let unknown = StepCounts { kind: "colour".to_owned(), ..counted(1) };
        assert!(data_of(&[unknown]).kinds.is_empty());
    }
}
