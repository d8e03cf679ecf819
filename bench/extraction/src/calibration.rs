//! How well confidences are calibrated, and whether the accepted fields keep the chosen error rate.
//!
//! The input is held-out extractions (`held_out.rs`).

mod halves;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::io::{Write as _, stdout};
use std::path::Path;

use anyhow::Context;
use domain::FieldSource;
use extraction::acceptance::Support;
use extraction::calibration::fit::{Example, cross_fitted, fit};
use extraction::calibration::{Calibration, Provenance, scored_fields};
use extraction::statistics::{ReliabilityBin, expected_calibration_error, reliability};
use extraction::types::builtin;

use crate::held_out::HeldOut;

/// The rate that the targets name.
const RATE: f64 = 0.02;
const INTERVALS: u32 = 10;
/// Data of fewer issuers is not shipped, so that nothing is accepted because of it: the rules were written with these
/// issuers in view, and others can be worse.
const MIN_ISSUERS: usize = 20;

/// Fits the shipped calibration and writes it.
pub(crate) fn calibrate(held_out: &[HeldOut], data: &str, to: &Path) -> anyhow::Result<()> {
    let examples = examples(held_out);
    let provenance = Provenance {
        made_by: "bench-extraction calibrate".to_owned(),
        data: data.to_owned(),
        method:
            "logistic models with ridge penalties; calibration data from 5 times 5 folds by issuer, on \
                 extractions by weights that were fitted without the issuer"
                .to_owned(),
        documents: u32::try_from(held_out.len())?,
        fields: u32::try_from(examples.len())?,
    };
    let mut fitted = rounded(fit(&examples, provenance));
    let mut out = stdout().lock();
    fitted.shipped.types.retain(|name, _| {
        let of_type = examples.iter().filter(|example| example.document_type == *name);
        let issuers: BTreeSet<&str> = of_type.map(|example| example.group.as_str()).collect();
        issuers.len() >= MIN_ISSUERS
    });
    for name in fitted.models.keys().filter(|name| !name.is_empty()) {
        let has_data = fitted.shipped.types.contains_key(name);
        let what = if has_data { "model and data" } else { "model only: too few issuers" };
        writeln!(out, "{name}: {what}")?;
    }
    fs::write(to, with_inline_arrays(&serde_json::to_string_pretty(&fitted)?) + "\n")
        .with_context(|| format!("{} cannot be written", to.display()))?;
    Ok(())
}

/// The same JSON with each array on one line.
fn with_inline_arrays(json: &str) -> String {
    let mut inline = String::with_capacity(json.len());
    let (mut depth, mut in_string) = (0_u32, false);
    for character in json.chars() {
        match character {
            '"' => in_string = !in_string,
            '[' if !in_string => depth += 1,
            ']' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
        let is_layout = depth > 0 && !in_string && character.is_whitespace();
        if !is_layout {
            inline.push(character);
        }
        if depth > 0 && !in_string && character == ',' {
            inline.push(' ');
        }
    }
    inline
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

/// Measures and prints. With `errors`, also the wrong fields that the shipped calibration would accept.
pub(crate) fn measure(held_out: &[HeldOut], errors: bool) -> anyhow::Result<()> {
    let all = examples(held_out);
    let types: BTreeSet<&str> = all.iter().map(|example| example.document_type.as_str()).collect();
    let mut report = String::new();
    for name in types {
        let of_type: Vec<Example> =
            all.iter().filter(|example| example.document_type == name).cloned().collect();
        of_one_type(&mut report, name, &of_type, errors)?;
    }
    let bins = reliability(&predictions(&cross_fitted(&all)), INTERVALS);
    writeln!(report, "\nall types: {} fields", all.len())?;
    reliability_curve(&mut report, &bins)?;
    stdout().write_all(report.as_bytes())?;
    Ok(())
}

fn reliability_curve(report: &mut String, bins: &[ReliabilityBin]) -> anyhow::Result<()> {
    let error = expected_calibration_error(bins);
    writeln!(report, "  expected calibration error {error:.4}")?;
    writeln!(report, "\n| confidence | fields | mean confidence | correct |\n|---|---|---|---|")?;
    for bin in bins.iter().filter(|bin| bin.total > 0) {
        let (from, to, total) = (bin.from, bin.to, bin.total);
        let (mean, accuracy) = (bin.mean_confidence, bin.accuracy());
        writeln!(report, "| {from:.1}–{to:.1} | {total} | {mean:.3} | {accuracy:.3} |")?;
    }
    writeln!(report)?;
    Ok(())
}

fn of_one_type(
    report: &mut String,
    name: &str,
    examples: &[Example],
    errors: bool,
) -> anyhow::Result<()> {
    let whole = fit(examples, Provenance::default());
    let wrong = examples.iter().filter(|example| !example.is_correct).count();
    let count = examples.len();
    let groups: BTreeSet<&str> = examples.iter().map(|example| example.group.as_str()).collect();
    let data = whole.shipped.types.get(name).cloned().unwrap_or_default();
    writeln!(
        report,
        "\n{name}: {count} fields of {} documents and {} issuers, {wrong} wrong, design effect {:.2}",
        data.documents,
        groups.len(),
        data.design_effect
    )?;
    let predicted = cross_fitted(examples);
    reliability_curve(report, &reliability(&predictions(&predicted), INTERVALS))?;
    match whole.supported_rate(name) {
        Some(rate) => {
            writeln!(report, "  the data supports an error rate of {:.1} %", rate * 100.0)?;
        }
        None => writeln!(report, "  the data supports no error rate below 50 %")?,
    }
    for rate in [RATE, 0.03, 0.05] {
        let support = whole.support(name, rate);
        match &support.outcome {
            Ok(threshold) => writeln!(
                report,
                "  at {:.0} %: accepted from a confidence of {}, {} of {count} fields, {} wrong, bound {:.2} %, upper \
                 bound {:.2} %",
                rate * 100.0,
                threshold.confidence,
                threshold.fields.total,
                threshold.fields.wrong,
                threshold.bound * 100.0,
                threshold.upper_bound * 100.0
            )?,
            Err(shortfall) => {
                writeln!(report, "  at {:.0} %: nothing is accepted: {shortfall}", rate * 100.0)?;
            }
        }
    }
    let support = whole.support(name, RATE);
    by_field(report, &support, &predicted)?;
    if errors {
        for (example, confidence) in predicted {
            let threshold = support.threshold_for(&example.field, example.kind);
            if !example.is_correct && threshold.is_some_and(|threshold| confidence >= threshold) {
                let Example { document, field, .. } = example;
                writeln!(report, "  wrong: {confidence:.4} {document} {field}")?;
            }
        }
    }
    halves::report(report, name, examples)
}

/// Fields, accepted fields and wrong ones among them, for each field.
fn by_field(
    report: &mut String,
    support: &Support,
    predicted: &[(&Example, f64)],
) -> anyhow::Result<()> {
    let mut fields: BTreeMap<&str, [u32; 3]> = BTreeMap::new();
    for (example, confidence) in predicted {
        let threshold = support.threshold_for(&example.field, example.kind);
        let is_accepted = threshold.is_some_and(|threshold| *confidence >= threshold);
        let [total, accepted, wrong] = fields.entry(&example.field).or_default();
        *total += 1;
        *accepted += u32::from(is_accepted);
        *wrong += u32::from(is_accepted && !example.is_correct);
    }
    for (field, [total, accepted, wrong]) in fields {
        writeln!(report, "    {field:<24} {accepted:>4} of {total:>4} accepted, {wrong} wrong")?;
    }
    Ok(())
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
                document: document.document.clone(),
                group: document.group.clone(),
            });
        }
    }
    examples
}
