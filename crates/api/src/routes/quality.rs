//! The quality of extraction.

use std::sync::Arc;

use api_types::{
    FieldQualityView, KindShortfallView, MeasuredErrorView, PeriodQualityView, QualityInterval,
    QualityMeasures, QualityQuery, QualityView, TypeQualityView,
};
use axum::Json;
use axum::extract::State;
use ops::{ErrorCounts, Measures, QualityPeriod, QualityRequest, TypeQuality};

use crate::Api;
use crate::extract::{Query, SignedInCaller};
use crate::openapi::{Checked, Guarded};
use crate::problem::ApiProblem;

/// Measure the quality of extraction
///
/// The measured error of accepted fields with its confidence interval, and the share of values that were accepted: by
/// document type, by field and over time. Also says from which confidence on fields are accepted, and why none are.
#[utoipa::path(
    get, path = "/quality", tag = "quality", operation_id = "measure_quality",
    params(QualityQuery),
    responses((status = 200, body = QualityView, description = "The quality of extraction"), Guarded, Checked),
    security(("bearer" = [])),
)]
pub(crate) async fn measure(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Query(query): Query<QualityQuery>,
) -> Result<Json<QualityView>, ApiProblem> {
    let request = QualityRequest {
        from: query.from,
        to: query.to,
        document_type: query.document_type,
        period: match query.interval {
            QualityInterval::Day => QualityPeriod::Day,
            QualityInterval::Week => QualityPeriod::Week,
        },
    };
    let report = api.ops.quality.report(&caller, &request).await?;
    Ok(Json(QualityView {
        from: report.from,
        to: report.to,
        interval: query.interval,
        types: report.types.iter().map(type_view).collect(),
    }))
}

fn type_view(found: &TypeQuality) -> TypeQualityView {
    let threshold = found.support.outcome.as_ref().ok();
    TypeQualityView {
        document_type: found.document_type.clone(),
        accepted_error_rate: found.accepted_error_rate,
        threshold: threshold.map(|threshold| threshold.confidence),
        error_bound: threshold.map(|threshold| threshold.bound),
        error_upper_bound: threshold.map(|threshold| threshold.upper_bound),
        basis: found.basis().to_owned(),
        shortfall: found.shortfall(),
        kinds_not_accepted: found
            .kind_shortfalls()
            .into_iter()
            .map(|(kind, reason)| KindShortfallView { kind: kind.as_str().to_owned(), reason })
            .collect(),
        measures: measures_view(&found.measures),
        fields: found
            .fields
            .iter()
            .map(|(field, measures)| FieldQualityView {
                field: field.clone(),
                shortfall: found.field_shortfall(field),
                measures: measures_view(measures),
            })
            .collect(),
        periods: found
            .periods
            .iter()
            .map(|(starts_at, measures)| PeriodQualityView {
                starts_at: *starts_at,
                measures: measures_view(measures),
            })
            .collect(),
    }
}

fn measures_view(measures: &Measures) -> QualityMeasures {
    QualityMeasures {
        extracted: measures.extracted,
        accepted: measures.accepted,
        acceptance_rate: measures.acceptance_rate(),
        error: error_view(measures.reviewed),
        sampled_error: error_view(measures.sampled),
    }
}

fn error_view(counts: ErrorCounts) -> MeasuredErrorView {
    let interval = counts.interval();
    MeasuredErrorView {
        reviewed: counts.total,
        wrong: counts.wrong,
        rate: counts.rate(),
        low: interval.map(|[low, _]| low),
        high: interval.map(|[_, high]| high),
    }
}
