//! Which fields are accepted without review, at the error rate that the tenant chose.
//!
//! [`accept`] sets the calibrated confidence and the status of each field. A field is accepted when its confidence
//! reaches the threshold that the calibration data supports ([`threshold`]), and nothing speaks against it: its document type
//! says `must_review`, a check that uses it failed, or a language model chose it, which the calibration data does not measure.

pub mod threshold;

use domain::{Check, Extraction, Field, FieldSource, FieldStatus, Random};

use crate::calibration::{Calibration, Features, scored_fields};
use crate::types::{DocumentType, FieldSpec};

pub use threshold::{Basis, Shortfall, Support, Threshold};

/// The confidence of a value that the issuer's own XML states. It is read, not recognised: what can be wrong with it is
/// that the page says something else, which a check finds.
const EXACT_CONFIDENCE: f64 = 0.9995;

const GROUPS: [&str; 2] = ["trades[].", "lines[]."];

/// Sets confidence and status of every field that no reviewer decided on, and returns what the calibration data supports.
///
/// The extraction must come from reconciliation: its confidences are uncalibrated, so calling this twice would
/// calibrate twice.
pub fn accept(
    document_type: &DocumentType,
    extraction: &mut Extraction,
    calibration: &Calibration,
    accepted_error_rate: f64,
) -> Support {
    let support = calibration.support(&document_type.name, accepted_error_rate);
    // All features first: they come from the confidences that are replaced below.
    let features: Vec<Features> =
        scored_fields(document_type, extraction).map(|scored| scored.features).collect();
    let mut features = features.into_iter();
    let failed: Vec<String> = extraction
        .checks
        .iter()
        .filter(|check| check.passed == Some(false))
        .map(|check| check.name.clone())
        .collect();
    let mut unsupported: Vec<&FieldSpec> = Vec::new();
    for spec in &document_type.fields {
        for field in fields_of(spec, extraction) {
            if is_decided(field) {
                if field.value.is_some() {
                    features.next();
                }
                continue;
            }
            if field.value.is_none() {
                field.confidence = 0.0;
                field.status =
                    if spec.required { FieldStatus::NeedsReview } else { FieldStatus::Missing };
                continue;
            }
            let Some(features) = features.next() else { continue };
            let is_exact = field.source == Some(FieldSource::EInvoice);
            field.confidence = if is_exact {
                EXACT_CONFIDENCE
            } else {
                calibration.confidence(&document_type.name, &spec.name, spec.kind, &features)
            };
            let threshold =
                if is_exact { Some(0.0) } else { support.threshold_for(&spec.name, spec.kind) };
            if threshold.is_none() && !unsupported.contains(&spec) {
                unsupported.push(spec);
            }
            let is_measured = field.source != Some(FieldSource::LanguageModel);
            let is_contradicted = field.checks.iter().any(|check| failed.contains(check));
            let is_accepted = !spec.must_review
                && is_measured
                && !is_contradicted
                && accepted_error_rate > 0.0
                && threshold.is_some_and(|threshold| field.confidence >= threshold);
            field.status =
                if is_accepted { FieldStatus::Accepted } else { FieldStatus::NeedsReview };
        }
    }
    review_others(document_type, extraction);
    require_groups(document_type, extraction);
    if let Some(warning) = warning(document_type, &support, &unsupported) {
        extraction.warnings.push(warning);
    }
    support
}

/// What a tenant decided for a document type, with the calibration data that applies to it.
#[derive(Clone, Debug)]
pub struct TenantAcceptance {
    pub accepted_error_rate: f64,
    /// The share of accepted documents that is sent to review anyway.
    pub review_share: f64,
    pub calibration: Calibration,
}

impl TenantAcceptance {
    /// Accepts the fields that the error rate supports. Returns whether the document is a random sample for review; a
    /// document that needs review anyway is none.
    pub fn apply(
        &self,
        document_type: &DocumentType,
        extraction: &mut Extraction,
        random: &dyn Random,
    ) -> bool {
        accept(document_type, extraction, &self.calibration, self.accepted_error_rate);
        !extraction.needs_review() && sample_for_review(self.review_share, random)
    }
}

/// Whether a document that was accepted as a whole is sent to review anyway: `share` of them are, by chance.
pub fn sample_for_review(share: f64, random: &dyn Random) -> bool {
    let mut bytes = [0; 4];
    random.fill(&mut bytes);
    f64::from(u32::from_le_bytes(bytes)) < share * (f64::from(u32::MAX) + 1.0)
}

fn is_decided(field: &Field) -> bool {
    matches!(field.status, FieldStatus::Confirmed | FieldStatus::Corrected)
}

/// The fields that a line of the document type describes. A required one that is not there is added.
fn fields_of<'a>(spec: &FieldSpec, extraction: &'a mut Extraction) -> Vec<&'a mut Field> {
    let (items, name) = match GROUPS.map(|group| spec.name.strip_prefix(group)) {
        [Some(name), _] => (&mut extraction.trades, name),
        [_, Some(name)] => (&mut extraction.lines, name),
        [None, None] => {
            return field_of(&mut extraction.fields, &spec.name, spec.required)
                .into_iter()
                .collect();
        }
    };
    items.iter_mut().filter_map(|item| field_of(item, name, spec.required)).collect()
}

fn field_of<'a>(
    fields: &'a mut domain::FieldGroup,
    name: &str,
    is_required: bool,
) -> Option<&'a mut Field> {
    if is_required {
        return Some(fields.entry(name.to_owned()).or_insert_with(Field::missing));
    }
    fields.get_mut(name)
}

/// Nothing is known about a field that the document type does not describe.
fn review_others(document_type: &DocumentType, extraction: &mut Extraction) {
    let is_described = |prefix: &str, name: &str| {
        let mut names = document_type.fields.iter().map(|spec| spec.name.as_str());
        names.any(|described| described.strip_prefix(prefix) == Some(name))
    };
    let review = |prefix: &str, fields: &mut domain::FieldGroup| {
        let others = fields.iter_mut().filter(|(name, _)| !is_described(prefix, name));
        for (_, field) in others.filter(|(_, field)| !is_decided(field) && field.value.is_some()) {
            field.status = FieldStatus::NeedsReview;
        }
    };
    review("", &mut extraction.fields);
    extraction.trades.iter_mut().for_each(|fields| review(GROUPS[0], fields));
    extraction.lines.iter_mut().for_each(|fields| review(GROUPS[1], fields));
}

/// A document without a trade or line, although its type requires fields of one, has a failed check.
fn require_groups(document_type: &DocumentType, extraction: &mut Extraction) {
    for (prefix, is_empty) in
        GROUPS.into_iter().zip([extraction.trades.is_empty(), extraction.lines.is_empty()])
    {
        let mut specs = document_type.fields.iter().filter(|spec| spec.name.starts_with(prefix));
        if is_empty && specs.any(|spec| spec.required) {
            let group = prefix.trim_end_matches("[].");
            extraction.checks.push(Check {
                name: format!("{group}_found"),
                passed: Some(false),
                detail: format!("no {group} were found"),
            });
        }
    }
}

/// Says why fields are not accepted for want of data.
fn warning(
    document_type: &DocumentType,
    support: &Support,
    unsupported: &[&FieldSpec],
) -> Option<String> {
    if unsupported.is_empty() {
        return None;
    }
    let name = &document_type.name;
    match &support.outcome {
        Err(Shortfall::NothingWanted) => None,
        Err(shortfall) => Some(format!("No field of type '{name}' is accepted yet: {shortfall}.")),
        Ok(_) => {
            let mut reasons: Vec<String> = Vec::new();
            for FieldSpec { name, kind, .. } in unsupported.iter().copied() {
                let reason = match support.kind_shortfall(*kind) {
                    Some(shortfall) => format!("{} ({shortfall})", kind.as_str()),
                    None => match support.field_shortfall(name, *kind) {
                        Some(shortfall) => format!("{name} ({shortfall})"),
                        None => continue,
                    },
                };
                if !reasons.contains(&reason) {
                    reasons.push(reason);
                }
            }
            let reasons = reasons.join(", ");
            Some(format!("Fields of type '{name}' are not accepted yet for: {reasons}."))
        }
    }
}

#[cfg(test)]
mod tests;
