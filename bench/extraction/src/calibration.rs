//! How well confidences are calibrated, and whether the accepted fields keep the chosen error rate.
//!
//! The input is held-out extractions (`held_out.rs`).

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::io::{Write as _, stdout};
use std::path::Path;

use anyhow::Context;
use domain::FieldSource;
use extraction::acceptance::threshold::RISK;
use extraction::calibration::fit::{Example, confidence, cross_fitted, fit};
use extraction::calibration::{Calibration, Provenance, scored_fields};
use extraction::statistics::{expected_calibration_error, reliability, upper_bound};
use extraction::types::builtin;

use crate::held_out::HeldOut;

/// The rate that the targets name.
const RATE: f64 = 0.02;
const SPLITS: u64 = 100;
const INTERVALS: u32 = 10;

/// Fits the shipped calibration and writes it.
pub(crate) fn calibrate(held_out: &[HeldOut], data: &str, to: &Path) -> anyhow::Result<()> {
    let examples = examples(held_out);
    let provenance = Provenance {
        made_by: "bench-extraction calibrate".to_owned(),
        data: data.to_owned(),
        method:
            "logistic models with ridge penalties; calibration data from 5 folds by issuer, on \
                 extractions by weights that were fitted without the issuer"
                .to_owned(),
        documents: u32::try_from(held_out.len())?,
        fields: u32::try_from(examples.len())?,
    };
    let fitted = rounded(fit(&examples, provenance));
    fs::write(to, serde_json::to_string_pretty(&fitted)? + "\n")
        .with_context(|| format!("{} cannot be written", to.display()))?;
    Ok(())
}

/// Weights with six digits: a file that people can compare.
fn rounded(mut calibration: Calibration) -> Calibration {
    let round = |number: &mut f64| *number = (*number * 1e6).round() / 1e6;
    for model in calibration.models.values_mut() {
        round(&mut model.intercept);
        model.weights.iter_mut().for_each(round);
        model.kinds.values_mut().chain(model.fields.values_mut()).for_each(round);
    }
    for data in calibration.shipped.types.values_mut() {
        round(&mut data.design_effect);
    }
    calibration
}

/// Measures and prints.
pub(crate) fn measure(held_out: &[HeldOut]) -> anyhow::Result<()> {
    let all = examples(held_out);
    let types: BTreeSet<&str> = all.iter().map(|example| example.document_type.as_str()).collect();
    let mut report = String::new();
    for name in types {
        let of_type: Vec<Example> =
            all.iter().filter(|example| example.document_type == name).cloned().collect();
        of_one_type(&mut report, name, &of_type)?;
    }
    let predictions = predictions(&cross_fitted(&all));
    let bins = reliability(&predictions, INTERVALS);
    let error = expected_calibration_error(&bins);
    writeln!(report, "\nall types: {} fields, expected calibration error {error:.4}", all.len())?;
    writeln!(report, "\n| confidence | fields | mean confidence | correct |\n|---|---|---|---|")?;
    for bin in bins.iter().filter(|bin| bin.total > 0) {
        let (from, to, total) = (bin.from, bin.to, bin.total);
        let (mean, accuracy) = (bin.mean_confidence, bin.accuracy());
        writeln!(report, "| {from:.1}–{to:.1} | {total} | {mean:.3} | {accuracy:.3} |")?;
    }
    stdout().write_all(report.as_bytes())?;
    Ok(())
}

fn of_one_type(report: &mut String, name: &str, examples: &[Example]) -> anyhow::Result<()> {
    let whole = fit(examples, Provenance::default());
    let wrong = examples.iter().filter(|example| !example.is_correct).count();
    let count = examples.len();
    let of_all = whole.shipped.types.get(name).map_or(0.0, |data| data.design_effect);
    writeln!(report, "\n{name}: {count} fields, {wrong} of them wrong, design effect {of_all:.2}")?;
    let error =
        expected_calibration_error(&reliability(&predictions(&cross_fitted(examples)), INTERVALS));
    writeln!(report, "  expected calibration error {error:.4}")?;
    match whole.supported_rate(name) {
        Some(rate) => {
            writeln!(report, "  the data supports an error rate of {:.1} %", rate * 100.0)?;
        }
        None => writeln!(report, "  the data supports no error rate below 50 %")?,
    }
    let support = whole.support(name, RATE);
    match &support.outcome {
        Ok(threshold) => writeln!(
            report,
            "  at {:.0} %: accepted from a confidence of {}, {} of {count} fields, {} wrong, upper bound {:.2} %",
            RATE * 100.0,
            threshold.confidence,
            threshold.fields.total,
            threshold.fields.wrong,
            threshold.bound * 100.0
        )?,
        Err(shortfall) => {
            writeln!(report, "  at {:.0} %: nothing is accepted: {shortfall}", RATE * 100.0)?;
        }
    }
    let halves: Vec<Half> = (0..SPLITS).map(|seed| split_half(name, examples, seed)).collect();
    let sum = Half::sum(&halves);
    let over = halves.iter().filter(|half| half.error() > RATE).count();
    let none = halves.iter().filter(|half| half.accepted == 0).count();
    writeln!(
        report,
        "  split-half, {SPLITS} splits by issuer: error among accepted {:.2} % (mean upper bound {:.2} %), acceptance \
         rate {:.3}; {over} splits above {:.0} %, {none} accept nothing; expected calibration error {:.4}",
        sum.error() * 100.0,
        mean(halves.iter().filter(|half| half.accepted > 0).map(Half::bound)) * 100.0,
        f64::from(sum.accepted) / f64::from(sum.total.max(1)),
        RATE * 100.0,
        mean(halves.iter().map(|half| half.calibration_error)),
    )?;
    Ok(())
}

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

    fn bound(&self) -> f64 {
        upper_bound(f64::from(self.wrong), f64::from(self.accepted), RISK)
    }

    fn sum(halves: &[Self]) -> Self {
        let add = |count: fn(&Self) -> u32| halves.iter().map(count).sum();
        Self {
            total: add(|half| half.total),
            accepted: add(|half| half.accepted),
            wrong: add(|half| half.wrong),
            calibration_error: 0.0,
        }
    }
}

fn mean(numbers: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = numbers.fold((0.0, 0.0), |(sum, count), number| (sum + number, count + 1.0));
    if count > 0.0 { sum / count } else { 0.0 }
}

/// Calibrates on a random half of the issuers, and accepts fields of the other half.
fn split_half(name: &str, examples: &[Example], seed: u64) -> Half {
    let groups: BTreeSet<&str> = examples.iter().map(|example| example.group.as_str()).collect();
    let mut groups: Vec<&str> = groups.into_iter().collect();
    shuffle(&mut groups, seed);
    let first: BTreeSet<&str> = groups.iter().take(groups.len() / 2).copied().collect();
    let is_first = |example: &&Example| first.contains(example.group.as_str());
    let known: Vec<Example> = examples.iter().filter(is_first).cloned().collect();
    let others = examples.iter().filter(|example| !is_first(example));
    let calibration = fit(&known, Provenance::default());
    let support = calibration.support(name, RATE);
    let mut half = Half { total: 0, accepted: 0, wrong: 0, calibration_error: 0.0 };
    let mut predicted = Vec::new();
    for example in others {
        let confidence = confidence(&calibration, example);
        predicted.push((confidence, example.is_correct));
        half.total += 1;
        if support.threshold_for(example.kind).is_some_and(|threshold| confidence >= threshold) {
            half.accepted += 1;
            half.wrong += u32::from(!example.is_correct);
        }
    }
    half.calibration_error = expected_calibration_error(&reliability(&predicted, INTERVALS));
    half
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

fn predictions(predicted: &[(&Example, f64)]) -> Vec<(f64, bool)> {
    predicted.iter().map(|(example, confidence)| (*confidence, example.is_correct)).collect()
}

fn examples(held_out: &[HeldOut]) -> Vec<Example> {
    let mut examples = Vec::new();
    for document in held_out {
        let name = &document.extraction.document_type;
        let Some(document_type) = builtin().iter().find(|found| found.name == *name) else {
            continue;
        };
        for scored in scored_fields(document_type, &document.extraction) {
            let Some(is_correct) = document.correct.get(&scored.path) else { continue };
            if scored.field.source == Some(FieldSource::EInvoice) {
                continue;
            }
            examples.push(Example {
                document_type: name.clone(),
                field: scored.name.to_owned(),
                kind: scored.kind,
                features: scored.features,
                is_correct: *is_correct,
                group: document.group.clone(),
            });
        }
    }
    examples
}
