//! *Split-half*: model and threshold come from a random half of the issuers, errors are counted in the other half.
//!
//! Three rules for the threshold are compared. Docket uses the first.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use extraction::acceptance::Support;
use extraction::acceptance::threshold::{RISK, clustered_upper_bound};
use extraction::calibration::fit::{Example, confidence, fit};
use extraction::calibration::{Calibration, Provenance, STEPS};
use extraction::statistics::{expected_calibration_error, reliability, upper_bound};

use super::{INTERVALS, RATE};

const SPLITS: u64 = 200;

#[derive(Clone, Copy, PartialEq)]
enum Rule {
    ConformalRiskControl,
    /// The Clopper–Pearson bound of independent fields.
    Independent,
    /// The same, with the errors of one issuer counted together.
    Clustered,
}

const RULES: [(Rule, &str); 3] = [
    (Rule::ConformalRiskControl, "conformal risk control"),
    (Rule::Independent, "Clopper–Pearson, independent fields"),
    (Rule::Clustered, "Clopper–Pearson, design effect"),
];

/// The half that was not used to calibrate.
struct Half {
    total: u32,
    accepted: u32,
    wrong: u32,
    calibration_error: f64,
}

impl Half {
    fn error(&self) -> f64 {
        f64::from(self.wrong) / f64::from(self.accepted.max(1))
    }

    fn acceptance(&self) -> f64 {
        f64::from(self.accepted) / f64::from(self.total.max(1))
    }
}

pub(super) fn report(report: &mut String, name: &str, examples: &[Example]) -> anyhow::Result<()> {
    writeln!(report, "  split-half at {:.0} %, {SPLITS} splits by issuer:", RATE * 100.0)?;
    let splits: Vec<Vec<Half>> = (0..SPLITS).map(|seed| split(name, examples, seed)).collect();
    for (at, (_, rule)) in RULES.iter().enumerate() {
        let halves: Vec<&Half> = splits.iter().filter_map(|halves| halves.get(at)).collect();
        let accepting: Vec<&&Half> = halves.iter().filter(|half| half.accepted > 0).collect();
        let sum =
            |count: fn(&Half) -> u32| halves.iter().map(|half| f64::from(count(half))).sum::<f64>();
        let errors = spread(accepting.iter().map(|half| half.error()));
        let rates = spread(halves.iter().map(|half| half.acceptance()));
        let bounds = spread(
            accepting
                .iter()
                .map(|half| upper_bound(f64::from(half.wrong), f64::from(half.accepted), RISK)),
        );
        let over = halves.iter().filter(|half| half.error() > RATE).count();
        writeln!(
            report,
            "    {rule}: error {:.2} % (of a split: 5 % quantile {:.2} %, median {:.2} %, 95 % quantile {:.2} %; median \
             upper bound {:.2} %), acceptance rate {:.3} ({:.3}, {:.3}, {:.3}); {over} splits above {:.0} %, {} accept \
             nothing",
            sum(|half| half.wrong) / sum(|half| half.accepted).max(1.0) * 100.0,
            errors[0] * 100.0,
            errors[1] * 100.0,
            errors[2] * 100.0,
            bounds[1] * 100.0,
            sum(|half| half.accepted) / sum(|half| half.total).max(1.0),
            rates[0],
            rates[1],
            rates[2],
            RATE * 100.0,
            halves.len() - accepting.len(),
        )?;
    }
    let calibration_errors = spread(splits.iter().flatten().map(|half| half.calibration_error));
    writeln!(report, "    median expected calibration error {:.4}", calibration_errors[1])?;
    Ok(())
}

/// The 5 %, 50 % and 95 % quantiles; 0 without numbers.
fn spread(numbers: impl Iterator<Item = f64>) -> [f64; 3] {
    let mut sorted: Vec<f64> = numbers.collect();
    sorted.sort_by(f64::total_cmp);
    [5, 50, 95].map(|percent| {
        let last = sorted.len().saturating_sub(1);
        sorted.get(last * percent / 100).copied().unwrap_or(0.0)
    })
}

/// Calibrates on a random half of the issuers, and accepts fields of the other half by each rule.
fn split(name: &str, examples: &[Example], seed: u64) -> Vec<Half> {
    let groups: BTreeSet<&str> = examples.iter().map(|example| example.group.as_str()).collect();
    let mut groups: Vec<&str> = groups.into_iter().collect();
    shuffle(&mut groups, seed);
    let first: BTreeSet<&str> = groups.iter().take(groups.len() / 2).copied().collect();
    let is_first = |example: &&Example| first.contains(example.group.as_str());
    let known: Vec<Example> = examples.iter().filter(is_first).cloned().collect();
    let calibration = fit(&known, Provenance::default());
    let others: Vec<(&Example, f64)> = examples
        .iter()
        .filter(|example| !is_first(example))
        .map(|example| (example, confidence(&calibration, example)))
        .collect();
    let predicted: Vec<(f64, bool)> =
        others.iter().map(|(example, confidence)| (*confidence, example.is_correct)).collect();
    let calibration_error = expected_calibration_error(&reliability(&predicted, INTERVALS));
    let by_rule = |(rule, _): &(Rule, &str)| {
        let required = Required::by(*rule, name, &calibration);
        let mut half = Half { total: 0, accepted: 0, wrong: 0, calibration_error };
        for (example, confidence) in &others {
            half.total += 1;
            if required.of(example).is_some_and(|threshold| *confidence >= threshold) {
                half.accepted += 1;
                half.wrong += u32::from(!example.is_correct);
            }
        }
        half
    };
    RULES.iter().map(by_rule).collect()
}

/// The confidence that a field must reach.
enum Required {
    ByField(Support),
    ForAll(Option<f64>),
}

impl Required {
    fn by(rule: Rule, name: &str, calibration: &Calibration) -> Self {
        if rule == Rule::ConformalRiskControl {
            return Self::ByField(calibration.support(name, RATE));
        }
        let data = calibration.shipped.types.get(name).cloned().unwrap_or_default();
        let design_effect = if rule == Rule::Clustered { data.design_effect } else { 1.0 };
        let bounded = data
            .at_or_above()
            .iter()
            .rposition(|fields| clustered_upper_bound(*fields, design_effect) <= RATE);
        Self::ForAll(bounded.map(|step| STEPS[step]))
    }

    fn of(&self, example: &Example) -> Option<f64> {
        match self {
            Self::ByField(support) => support.threshold_for(&example.field, example.kind),
            Self::ForAll(threshold) => *threshold,
        }
    }
}

/// Fisher and Yates, with a linear congruential generator: the same for the same seed.
fn shuffle(items: &mut [&str], seed: u64) {
    let mut state = seed.wrapping_mul(2_862_933_555_777_941_757).wrapping_add(3_037_000_493);
    for last in (1..items.len()).rev() {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let drawn = usize::try_from(state >> 33).unwrap_or(0) % (last + 1);
        items.swap(last, drawn);
    }
}
