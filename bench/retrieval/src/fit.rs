//! Fits the model that decides whether to answer: a logistic regression over the evidence.
//!
//! Prints the weights for `crates/retrieval/src/answer/model.rs`, and the curve that they reach on
//! articles that were left out of the fitting: each article in turn is tested by a model of the others.

use std::fmt::Write as _;
use std::io::{self, Write as _};

use anyhow::Result;
use retrieval::answer::{Evidence, FEATURES};

use crate::quality::curve;
use crate::quality_asked::Indexed;
use crate::quality_corpus;
use crate::quality_vectors::Vectors;

#[derive(clap::Args)]
pub(crate) struct Arguments {}

const FEATURE_COUNT: usize = FEATURES.len();
/// How strongly weights are drawn towards zero, against the sum over all questions.
const PENALTY: f64 = 3.0;
const STEPS: usize = 3_000;
/// Gradient descent on standardised features with the loss averaged: this settles well within `STEPS`.
const STEP: f64 = 0.5;

struct Example {
    group: usize,
    answerable: bool,
    evidence: [f64; FEATURE_COUNT],
}

struct Model {
    bias: f64,
    weights: [f64; FEATURE_COUNT],
}

pub(crate) fn run(_: &Arguments) -> Result<()> {
    let corpus = quality_corpus::folder()?;
    let vectors = Vectors::open()?;
    let indexed = Indexed::of(quality_corpus::squad(&corpus)?, &vectors)?;
    let examples: Vec<Example> = indexed
        .questions()
        .filter_map(|(number, question)| {
            let asked = indexed.ask(number, &vectors)?;
            Some(Example {
                group: question.group,
                answerable: question.answerable(),
                evidence: as_doubles(&asked.evidence),
            })
        })
        .collect();
    let mut report = String::from("Each article tested by a model of the others:\n\n");
    curve(&left_out_scores(&examples), &mut report)?;
    let model = Model::of(&examples.iter().collect::<Vec<_>>());
    writeln!(
        report,
        "\n```rust\nconst BIAS: f32 = {:.3};\nconst WEIGHTS: Evidence = [",
        model.bias
    )?;
    for (weight, name) in model.weights.iter().zip(FEATURES) {
        writeln!(report, "    {weight:.3}, // {name}")?;
    }
    writeln!(report, "];\n```")?;
    io::stdout().write_all(report.as_bytes())?;
    Ok(())
}

fn left_out_scores(examples: &[Example]) -> Vec<(bool, f32)> {
    let groups = examples.iter().map(|example| example.group).max().unwrap_or(0) + 1;
    let mut scores = Vec::new();
    for group in 0..groups {
        let (tested, fitted): (Vec<&Example>, Vec<&Example>) =
            examples.iter().partition(|example| example.group == group);
        let model = Model::of(&fitted);
        #[expect(clippy::cast_possible_truncation, reason = "a probability")]
        let score =
            |example: &&Example| (example.answerable, model.predict(&example.evidence) as f32);
        scores.extend(tested.iter().map(score));
    }
    scores
}

impl Model {
    fn predict(&self, evidence: &[f64; FEATURE_COUNT]) -> f64 {
        let sum: f64 =
            self.weights.iter().zip(evidence).map(|(weight, value)| weight * value).sum();
        1.0 / (1.0 + (-(self.bias + sum)).exp())
    }

    fn of(examples: &[&Example]) -> Self {
        let count = as_float(examples.len());
        let mut mean = [0.0; FEATURE_COUNT];
        let mut deviation = [0.0; FEATURE_COUNT];
        for feature in 0..FEATURE_COUNT {
            let values = || examples.iter().map(|example| example.evidence[feature]);
            mean[feature] = values().sum::<f64>() / count;
            let variance = values().map(|x| (x - mean[feature]).powi(2)).sum::<f64>() / count;
            deviation[feature] = variance.sqrt().max(1e-6);
        }
        let standard: Vec<[f64; FEATURE_COUNT]> = examples
            .iter()
            .map(|example| {
                std::array::from_fn(|at| (example.evidence[at] - mean[at]) / deviation[at])
            })
            .collect();
        let mut model = Self { bias: 0.0, weights: [0.0; FEATURE_COUNT] };
        for _ in 0..STEPS {
            let mut bias = 0.0;
            let mut slope = model.weights.map(|weight| weight * PENALTY);
            for (example, evidence) in examples.iter().zip(&standard) {
                let error = model.predict(evidence) - f64::from(u8::from(example.answerable));
                bias += error;
                for (sum, value) in slope.iter_mut().zip(evidence) {
                    *sum += error * value;
                }
            }
            model.bias -= STEP * bias / count;
            for (weight, sum) in model.weights.iter_mut().zip(slope) {
                *weight -= STEP * sum / count;
            }
        }
        // Back to the features as they are.
        for at in 0..FEATURE_COUNT {
            model.weights[at] /= deviation[at];
            model.bias -= model.weights[at] * mean[at];
        }
        model
    }
}

fn as_doubles(evidence: &Evidence) -> [f64; FEATURE_COUNT] {
    evidence.map(f64::from)
}

#[expect(clippy::cast_precision_loss, reason = "counts of questions")]
fn as_float(count: usize) -> f64 {
    count as f64
}
