//! The lowest confidence at which the calibration data supports the chosen error rate.
//!
//! The bound is that of *conformal risk control*: of the known fields at or above a threshold, `total` in number, `wrong` are
//! wrong, and one more document could add `together` wrong ones, as many as any document has. The bound of the expected
//! error rate is `(wrong + together) / total`. The threshold is the lowest one whose bound is at most the chosen rate.
//! `docs/decisions/accepted-error-rate.md` says what this promises, and what it does not.
//!
//! Beside it, [`Threshold::upper_bound`] is the Clopper–Pearson bound, with the errors of one issuer counted together. It
//! is reported and decides nothing.

use std::fmt;

use domain::FieldKind;

use crate::calibration::{Calibration, Counts, STEPS, TypeData, step_of};
use crate::statistics::{lower_bound, upper_bound};

/// The probability that the error rate is above the upper bound.
pub const RISK: f64 = 0.05;
/// The wrong fields that one more document could add, when no known document has more. Few known errors say little
/// about how many come together.
pub const LEAST_TOGETHER: u32 = 2;
/// The documents that must be known before a field is accepted: documents are what is drawn at random, not fields.
pub const MIN_DOCUMENTS: u32 = 20;
/// The fields of a kind that must be known before a field of this kind is accepted.
pub const MIN_OF_KIND: u32 = 20;
/// A tenant with this many reviewed fields of a type is measured by its own fields only.
pub const REPLACES_SHIPPED_AT: u32 = 1_000;

/// Which calibration data a threshold is based on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// The calibration data that Docket ships with.
    Shipped,
    /// Both: the tenant has reviewed few fields so far.
    ShippedAndReviewed,
    /// The fields that the tenant's reviewers checked.
    Reviewed,
}

/// Why no field is accepted, or none of a kind or name.
#[derive(Clone, Debug, PartialEq)]
pub enum Shortfall {
    /// The chosen rate is 0: everything is reviewed.
    NothingWanted,
    /// Nothing is known about the type.
    NoData,
    TooFewDocuments {
        known: u32,
        needed: u32,
    },
    TooFewFields {
        known: u32,
        needed: u32,
    },
    /// The error rate that the data supports is above the chosen one.
    ErrorTooHigh {
        supported: f64,
    },
}

impl fmt::Display for Shortfall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NothingWanted => f.write_str("the accepted error rate is 0"),
            Self::NoData => f.write_str("no field of this type was reviewed yet"),
            Self::TooFewDocuments { known, needed } => {
                write!(f, "{known} documents with a known outcome are too few; {needed} are needed")
            }
            Self::TooFewFields { known, needed } => write!(
                f,
                "{known} fields with a known outcome are too few; about {needed} are needed for this error rate"
            ),
            Self::ErrorTooHigh { supported } if *supported < 1.0 => {
                write!(f, "the data supports an error rate of {:.1} % at best", supported * 100.0)
            }
            Self::ErrorTooHigh { .. } => f.write_str("the data supports no error rate"),
        }
    }
}

/// What the calibration data supports for a document type.
#[derive(Clone, Debug, PartialEq)]
pub struct Support {
    pub basis: Basis,
    pub outcome: Result<Threshold, Shortfall>,
    data: TypeData,
    rate: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Threshold {
    /// A field with at least this confidence is accepted.
    pub confidence: f64,
    /// The fields at or above it in the calibration data.
    pub fields: Counts,
    /// The bound of their expected error rate; at most the chosen rate.
    pub bound: f64,
    /// The error rate is above this one with a probability of at most [`RISK`], when errors of one issuer come together as
    /// often as in the calibration data. It can be above the chosen rate.
    pub upper_bound: f64,
}

impl Calibration {
    /// What the calibration data supports for a type at an error rate.
    pub fn support(&self, document_type: &str, rate: f64) -> Support {
        let shipped = self.shipped.types.get(document_type);
        let reviewed = self.reviewed.types.get(document_type);
        let of = |basis, data: &TypeData| {
            let outcome = lowest_threshold(data, rate);
            Support { basis, outcome, data: data.clone(), rate }
        };
        match (shipped, reviewed) {
            (None, None) => Support {
                basis: Basis::Shipped,
                outcome: Err(if rate <= 0.0 {
                    Shortfall::NothingWanted
                } else {
                    Shortfall::NoData
                }),
                data: TypeData::default(),
                rate,
            },
            (Some(shipped), None) => of(Basis::Shipped, shipped),
            (None, Some(reviewed)) => of(Basis::Reviewed, reviewed),
            (Some(_), Some(reviewed)) if reviewed.total().total >= REPLACES_SHIPPED_AT => {
                of(Basis::Reviewed, reviewed)
            }
            (Some(shipped), Some(reviewed)) => {
                let both = of(Basis::ShippedAndReviewed, &shipped.merged(reviewed));
                let is_contradicted = both.outcome.as_ref().is_ok_and(|threshold| {
                    let step = step_of(threshold.confidence);
                    contradicts(reviewed.at_or_above()[step], rate)
                });
                // The tenant's documents are worse than those that were shipped: only they count.
                if is_contradicted { of(Basis::Reviewed, reviewed) } else { both }
            }
        }
    }

    /// The lowest error rate, in steps of 0.1 %, at which fields of a type are accepted; `None` when none below 50 % is.
    pub fn supported_rate(&self, document_type: &str) -> Option<f64> {
        let rates = (1..500_u32).map(|step| f64::from(step) / 1_000.0);
        rates.into_iter().find(|rate| self.support(document_type, *rate).outcome.is_ok())
    }
}

impl Support {
    /// The confidence that a field must reach; `None` when it is not accepted at any. The document type writes `name`.
    pub fn threshold_for(&self, name: &str, kind: FieldKind) -> Option<f64> {
        let threshold = self.outcome.as_ref().ok()?;
        self.field_shortfall(name, kind).is_none().then_some(threshold.confidence)
    }

    /// Whether the calibration data contains fields of a kind.
    pub fn knows(&self, kind: FieldKind) -> bool {
        self.data.total_of_kind(kind) > 0
    }

    /// Why a field is not accepted, although others of the type are: there is too little data of its kind, or its kind or
    /// the field itself is wrong too often at the threshold.
    pub fn field_shortfall(&self, name: &str, kind: FieldKind) -> Option<Shortfall> {
        self.kind_shortfall(kind).or_else(|| self.wrong_too_often(&self.data.of_field(name)))
    }

    /// The same for a field that the calibration data contains; `None` for others.
    pub fn known_field_shortfall(&self, name: &str) -> Option<Shortfall> {
        let kind = self.data.fields.get(name)?.kind;
        self.field_shortfall(name, kind)
    }

    /// Why no field of a kind is accepted, although others of the type are.
    pub fn kind_shortfall(&self, kind: FieldKind) -> Option<Shortfall> {
        self.outcome.as_ref().ok()?;
        let known = self.data.total_of_kind(kind);
        if known < MIN_OF_KIND {
            return Some(Shortfall::TooFewFields { known, needed: MIN_OF_KIND });
        }
        self.wrong_too_often(&self.data.of_kind(kind))
    }

    fn wrong_too_often(&self, at_or_above: &[Counts; STEPS.len()]) -> Option<Shortfall> {
        let threshold = self.outcome.as_ref().ok()?;
        let fields = at_or_above[step_of(threshold.confidence)];
        contradicts(fields, self.rate)
            .then(|| Shortfall::ErrorTooHigh { supported: bound(fields, LEAST_TOGETHER) })
    }
}

/// The fields that the bound needs when none of them is wrong; `None` for a rate of 0.
pub fn fields_needed(rate: f64) -> Option<f64> {
    (rate > 0.0).then(|| (f64::from(LEAST_TOGETHER) / rate).ceil())
}

fn lowest_threshold(data: &TypeData, rate: f64) -> Result<Threshold, Shortfall> {
    let Some(needed) = fields_needed(rate) else {
        return Err(Shortfall::NothingWanted);
    };
    if data.documents < MIN_DOCUMENTS {
        let (known, needed) = (data.documents, MIN_DOCUMENTS);
        return Err(Shortfall::TooFewDocuments { known, needed });
    }
    let sums = data.at_or_above();
    let together = |step: usize| data.together.get(step).copied().unwrap_or(0).max(LEAST_TOGETHER);
    let bounds: Vec<f64> =
        sums.iter().enumerate().map(|(step, fields)| bound(*fields, together(step))).collect();
    if let Some(step) = bounds.iter().rposition(|bound| *bound <= rate) {
        let fields = sums[step];
        return Ok(Threshold {
            confidence: STEPS[step],
            fields,
            bound: bounds[step],
            upper_bound: clustered_upper_bound(fields, data.design_effect),
        });
    }
    let known = sums[STEPS.len() - 1].total;
    if f64::from(known) < needed {
        // Small: a rate of 0.1 % needs 2,000.
        let needed = format!("{needed:.0}").parse().unwrap_or(u32::MAX);
        return Err(Shortfall::TooFewFields { known, needed });
    }
    let supported = bounds.into_iter().reduce(f64::min).unwrap_or(1.0);
    Err(Shortfall::ErrorTooHigh { supported })
}

/// The bound of the expected error rate; 1 without fields.
fn bound(fields: Counts, together: u32) -> f64 {
    (f64::from(fields.wrong + together) / f64::from(fields.total.max(1))).min(1.0)
}

/// The Clopper–Pearson bound for as many independent fields as say the same.
pub fn clustered_upper_bound(fields: Counts, design_effect: f64) -> f64 {
    let [wrong, total] =
        [fields.wrong, fields.total].map(|count| f64::from(count) / design_effect.max(1.0));
    upper_bound(wrong, total, RISK)
}

/// Whether the fields were wrong so often that the chosen rate is not plausible.
fn contradicts(fields: Counts, rate: f64) -> bool {
    lower_bound(f64::from(fields.wrong), f64::from(fields.total), RISK) > rate
}

#[cfg(test)]
mod tests;
