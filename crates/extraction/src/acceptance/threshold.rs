//! The lowest confidence at which the evidence supports the chosen error rate.
//!
//! For each threshold, the hypothesis "the error rate of the fields at or above it is higher than chosen" is tested with
//! the exact binomial test (the Clopper–Pearson bound). *Fixed-sequence testing* goes from strict to lenient thresholds
//! and stops at the first hypothesis that is not rejected, so that testing many thresholds needs no correction. Because
//! a single early error would end such a sequence, there are [`STARTS`] of them, which begin where there are once, twice
//! and four times as many fields as the test needs; they share the risk (Bonferroni). Where they begin depends on the
//! number of fields only, never on which are wrong. `docs/decisions/accepted-error-rate.md` has the reasons.

use std::fmt;

use domain::FieldKind;

use crate::calibration::{Calibration, Counts, STEPS, TypeEvidence};
use crate::statistics::{binomial_tail, lower_bound, upper_bound};

/// The probability that the error rate of accepted fields is above the chosen one, although the test accepted it.
pub const RISK: f64 = 0.05;
/// The sequences of tests that share the risk.
pub const STARTS: u32 = 3;
/// The fields of a kind that must be known before a field of this kind is accepted.
pub const MIN_OF_KIND: u32 = 20;
/// A tenant with this many reviewed fields of a type is measured by its own fields only.
pub const REPLACES_SHIPPED_AT: u32 = 1_000;

/// Which evidence a threshold is based on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// The calibration data that Docket ships with.
    Shipped,
    /// Both: the tenant has reviewed few fields so far.
    ShippedAndReviewed,
    /// The fields that the tenant's reviewers checked.
    Reviewed,
}

/// Why no field is accepted, or none of a kind.
#[derive(Clone, Debug, PartialEq)]
pub enum Shortfall {
    /// The chosen rate is 0: everything is reviewed.
    NothingWanted,
    /// Nothing is known about the type.
    NoData,
    TooFewFields {
        known: u32,
        needed: u32,
    },
    /// The error rate that the test supports is above the chosen one.
    ErrorTooHigh {
        supported: f64,
    },
}

impl fmt::Display for Shortfall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NothingWanted => f.write_str("the accepted error rate is 0"),
            Self::NoData => f.write_str("no field of this type was reviewed yet"),
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

/// What the evidence supports for a document type.
#[derive(Clone, Debug, PartialEq)]
pub struct Support {
    pub basis: Basis,
    pub outcome: Result<Threshold, Shortfall>,
    evidence: TypeEvidence,
    rate: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Threshold {
    /// A field with at least this confidence is accepted.
    pub confidence: f64,
    /// The fields at or above it in the evidence.
    pub fields: Counts,
    /// The upper bound of their error rate.
    pub bound: f64,
}

impl Calibration {
    /// What the evidence supports for a type at an error rate.
    pub fn support(&self, document_type: &str, rate: f64) -> Support {
        let shipped = self.shipped.types.get(document_type);
        let reviewed = self.reviewed.types.get(document_type);
        let of = |basis, evidence: &TypeEvidence| {
            let outcome = lowest_threshold(evidence, rate);
            Support { basis, outcome, evidence: evidence.clone(), rate }
        };
        match (shipped, reviewed) {
            (None, None) => Support {
                basis: Basis::Shipped,
                outcome: Err(if rate <= 0.0 {
                    Shortfall::NothingWanted
                } else {
                    Shortfall::NoData
                }),
                evidence: TypeEvidence::default(),
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
                    contradicts(reviewed, above(reviewed, threshold.confidence), rate)
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
    /// The confidence that a field of a kind must reach; `None` when none is accepted.
    pub fn threshold_for(&self, kind: FieldKind) -> Option<f64> {
        let threshold = self.outcome.as_ref().ok()?;
        self.kind_shortfall(kind).is_none().then_some(threshold.confidence)
    }

    /// Why no field of a kind is accepted, although others of the type are.
    pub fn kind_shortfall(&self, kind: FieldKind) -> Option<Shortfall> {
        let threshold = self.outcome.as_ref().ok()?;
        let known = self.evidence.of_kind(kind).total;
        if known < MIN_OF_KIND {
            return Some(Shortfall::TooFewFields { known, needed: MIN_OF_KIND });
        }
        let mut own = self.evidence.clone();
        own.kinds.retain(|name, _| name == kind.as_str());
        let fields = above(&own, threshold.confidence);
        let [wrong, total] = effective(&own, fields);
        contradicts(&own, fields, self.rate)
            .then(|| Shortfall::ErrorTooHigh { supported: upper_bound(wrong, total, RISK) })
    }
}

/// The fields that the test needs when none of them is wrong; `None` for a rate of 0.
pub fn fields_needed(rate: f64, design_effect: f64) -> Option<f64> {
    (rate > 0.0).then(|| (risk_of_each().ln() / (-rate).ln_1p()).ceil() * design_effect)
}

fn risk_of_each() -> f64 {
    RISK / f64::from(STARTS)
}

fn lowest_threshold(evidence: &TypeEvidence, rate: f64) -> Result<Threshold, Shortfall> {
    let Some(needed) = fields_needed(rate, evidence.design_effect) else {
        return Err(Shortfall::NothingWanted);
    };
    let sums = evidence.at_or_above();
    let is_supported = |fields: &Counts| {
        let [wrong, total] = effective(evidence, *fields);
        binomial_tail(wrong, total, rate) <= risk_of_each()
    };
    let sequences = (0..STARTS).map(|start| needed * f64::from(1_u32 << start));
    let reached = sequences.filter_map(|at_least| {
        let first = sums.iter().position(|fields| f64::from(fields.total) >= at_least)?;
        let passed = sums[first..].iter().take_while(|fields| is_supported(fields)).count();
        (passed > 0).then(|| first + passed - 1)
    });
    let bound = |fields: Counts| {
        let [wrong, total] = effective(evidence, fields);
        upper_bound(wrong, total, risk_of_each())
    };
    if let Some(step) = reached.max() {
        let fields = sums[step];
        return Ok(Threshold { confidence: STEPS[step], fields, bound: bound(fields) });
    }
    let known = sums[STEPS.len() - 1].total;
    if f64::from(known) < needed {
        // Small: a rate of 0.1 % with the largest design effect needs some ten thousands.
        let needed = format!("{needed:.0}").parse().unwrap_or(u32::MAX);
        return Err(Shortfall::TooFewFields { known, needed });
    }
    let supported = sums.iter().map(|fields| bound(*fields)).reduce(f64::min).unwrap_or(1.0);
    Err(Shortfall::ErrorTooHigh { supported })
}

fn above(evidence: &TypeEvidence, confidence: f64) -> Counts {
    let step = STEPS.iter().position(|step| *step <= confidence).unwrap_or(STEPS.len() - 1);
    evidence.at_or_above()[step]
}

/// Whether the fields were wrong so often that the chosen rate is not plausible.
fn contradicts(evidence: &TypeEvidence, fields: Counts, rate: f64) -> bool {
    let [wrong, total] = effective(evidence, fields);
    lower_bound(wrong, total, RISK) > rate
}

/// Wrong and all fields, as many as independent fields would say the same.
fn effective(evidence: &TypeEvidence, fields: Counts) -> [f64; 2] {
    [fields.wrong, fields.total].map(|count| f64::from(count) / evidence.design_effect.max(1.0))
}

#[cfg(test)]
mod tests;
