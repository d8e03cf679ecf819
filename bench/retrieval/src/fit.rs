//! Fits the models that say how likely a quoted sentence holds the answer: logistic regressions over the evidence.
//!
//! The examples are all questions of `qa_squad2`, those that its paragraphs do not answer among them, and each of them
//! once more asked where nothing answers it; and the clause questions of `contracts_cuad`. Prints how good the
//! confidence is on articles and contracts that were left out of the fitting: each in turn is judged by a model of the
//! others. `--write` puts the numbers of the model of them all into `crates/retrieval/src/answer/calibration.rs`.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use retrieval::answer::{Evidence, FEATURES};

use crate::judged::{Judged, calibration, curve};
use crate::quality_asked::{Among, Indexed};
use crate::quality_corpus;
use crate::quality_vectors::Vectors;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Write the numbers into this file, as Rust.
    #[arg(long)]
    write: Option<PathBuf>,
    /// Write every example into this file, as tab separated values.
    #[arg(long)]
    examples: Option<PathBuf>,
}

const FEATURE_COUNT: usize = FEATURES.len();
/// How strongly weights are drawn towards zero, against the sum over all questions.
const PENALTY: f64 = 3.0;
/// Newton's method settles well within this many.
const STEPS: usize = 12;
/// A weight for each feature, and the bias.
const UNKNOWNS: usize = FEATURE_COUNT + 1;

struct Example {
    set: &'static str,
    among: Among,
    group: usize,
    answerable: bool,
    right: bool,
    has_kind: bool,
    evidence: [f64; FEATURE_COUNT],
}

struct Model {
    bias: f64,
    weights: [f64; FEATURE_COUNT],
}

/// Groups of the second set are numbered from here on.
const NEXT_SET: usize = 1_000;

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let corpus = quality_corpus::folder()?;
    let vectors = Vectors::open()?;
    let sets = [
        ("qa_squad2", Indexed::of(quality_corpus::squad(&corpus)?, &vectors)?, 0),
        ("contracts_cuad", Indexed::of(quality_corpus::contracts(&corpus)?, &vectors)?, NEXT_SET),
    ];
    let mut report = String::new();
    let mut rust = String::from(HEAD);
    let mut lines = String::new();
    for (name, vectors) in [("BY_MEANING", Some(&vectors)), ("BY_WORDS", None)] {
        let mut examples = Vec::new();
        for (set, indexed, first) in &sets {
            examples.extend(examples_of(set, indexed, *first, vectors, Among::All));
            if *first == 0 {
                examples.extend(examples_of(set, indexed, *first, vectors, Among::OtherGroups));
            }
        }
        write_lines(name, &examples, &mut lines)?;
        if let Some(path) = &arguments.examples {
            fs::write(path, &lines).with_context(|| format!("writing {}", path.display()))?;
        }
        writeln!(
            report,
            "\n## {name}\n\nEach article and contract judged by a model of the others:"
        )?;
        let judged = left_out(&examples);
        for (set, among) in [
            ("qa_squad2", Among::All),
            ("qa_squad2", Among::OtherGroups),
            ("contracts_cuad", Among::All),
        ] {
            let of_set: Vec<Judged> = judged
                .iter()
                .zip(&examples)
                .filter(|(_, example)| {
                    example.set == set && (example.among == Among::All || example.among == among)
                })
                .map(|(judged, _)| *judged)
                .collect();
            let asked = match among {
                Among::All => "as it is",
                Among::OtherGroups => "and each question once more where nothing answers it",
            };
            writeln!(report, "\n{set}, {asked}: {} questions\n", of_set.len())?;
            if among == Among::All {
                curve(&of_set, &mut report)?;
            }
            calibration(&of_set, &mut report)?;
        }
        let model =
            Model::of(&examples.iter().filter(|example| is_fitted(example)).collect::<Vec<_>>());
        model.write_rust(name, &mut rust)?;
    }
    if let Some(path) = &arguments.write {
        fs::write(path, rust).with_context(|| format!("writing {}", path.display()))?;
    }
    io::stdout().write_all(report.as_bytes())?;
    Ok(())
}

const HEAD: &str = "//! The numbers of the models of [`super::model`].
//!
//! Written by `bench-retrieval fit --write crates/retrieval/src/answer/calibration.rs`; not edited by hand.

use super::model::Calibration;
";

fn examples_of(
    set: &'static str,
    indexed: &Indexed,
    first_group: usize,
    vectors: Option<&Vectors>,
    among: Among,
) -> Vec<Example> {
    let example = |number: usize, question: &quality_corpus::Question| {
        let asked = indexed.ask(number, vectors, among)?;
        let is_here = among == Among::All;
        Some(Example {
            set,
            among,
            group: first_group + question.group,
            answerable: is_here && question.answerable(),
            right: is_here && indexed.is_right(question, &asked),
            has_kind: asked.has_kind,
            evidence: as_doubles(&asked.evidence),
        })
    };
    indexed.questions().filter_map(|(number, question)| example(number, question)).collect()
}

/// Sentences without what is asked for are never given as an answer, so that no model is needed for them.
fn is_fitted(example: &Example) -> bool {
    example.has_kind
}

/// What the answerer shows no more confidence than, without the kind of thing that is asked for.
const WITHOUT_THE_KIND: f64 = 0.2;

fn left_out(examples: &[Example]) -> Vec<Judged> {
    let mut groups: Vec<usize> = examples.iter().map(|example| example.group).collect();
    groups.sort_unstable();
    groups.dedup();
    let mut judged: Vec<Option<Judged>> = vec![None; examples.len()];
    for group in groups {
        let fitted: Vec<&Example> = examples
            .iter()
            .filter(|example| example.group != group && is_fitted(example))
            .collect();
        let model = Model::of(&fitted);
        for (example, judged) in examples.iter().zip(&mut judged) {
            if example.group == group {
                let likely = model.predict(&example.evidence);
                let likely = if example.has_kind { likely } else { likely.min(WITHOUT_THE_KIND) };
                #[expect(clippy::cast_possible_truncation, reason = "a probability")]
                let confidence = likely as f32;
                *judged = Some(Judged {
                    answerable: example.answerable,
                    right: example.right,
                    confidence,
                });
            }
        }
    }
    judged.into_iter().flatten().collect()
}

fn write_lines(basis: &str, examples: &[Example], lines: &mut String) -> Result<()> {
    for example in examples {
        let Example { set, among, group, answerable, right, has_kind, evidence } = example;
        write!(lines, "{basis}\t{set}\t{among:?}\t{group}\t{answerable}\t{right}\t{has_kind}")?;
        for value in evidence {
            write!(lines, "\t{value:.5}")?;
        }
        writeln!(lines)?;
    }
    Ok(())
}

impl Model {
    fn predict(&self, evidence: &[f64; FEATURE_COUNT]) -> f64 {
        let sum: f64 =
            self.weights.iter().zip(evidence).map(|(weight, value)| weight * value).sum();
        1.0 / (1.0 + (-(self.bias + sum)).exp())
    }

    fn from_solution(solution: &[f64; UNKNOWNS]) -> Self {
        Self { bias: solution[FEATURE_COUNT], weights: std::array::from_fn(|at| solution[at]) }
    }

    fn write_rust(&self, name: &str, rust: &mut String) -> Result<()> {
        writeln!(rust, "\npub(super) const {name}: Calibration = Calibration {{")?;
        writeln!(rust, "    bias: {:.3},\n    weights: [", self.bias)?;
        for (weight, feature) in self.weights.iter().zip(FEATURES) {
            writeln!(rust, "        {weight:.3}, // {feature}")?;
        }
        writeln!(rust, "    ],\n}};")?;
        Ok(())
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
        let mut solution = [0.0; UNKNOWNS];
        for _ in 0..STEPS {
            let model = Self::from_solution(&solution);
            // Newton's method: the slope and the curvature of the loss, the bias last.
            let mut system = [[0.0; UNKNOWNS + 1]; UNKNOWNS];
            for (example, evidence) in examples.iter().zip(&standard) {
                let likely = model.predict(evidence);
                let error = likely - f64::from(u8::from(example.right));
                let bend = likely * (1.0 - likely);
                let values: [f64; UNKNOWNS] =
                    std::array::from_fn(|at| evidence.get(at).copied().unwrap_or(1.0));
                for (row, value) in system.iter_mut().zip(values) {
                    for (cell, other) in row.iter_mut().zip(values) {
                        *cell += bend * value * other;
                    }
                    row[UNKNOWNS] += error * value;
                }
            }
            for at in 0..FEATURE_COUNT {
                system[at][at] += PENALTY;
                system[at][UNKNOWNS] += PENALTY * solution[at];
            }
            system[FEATURE_COUNT][FEATURE_COUNT] += 1e-9;
            for (value, step) in solution.iter_mut().zip(solved(system)) {
                *value -= step;
            }
        }
        let mut model = Self::from_solution(&solution);
        // Back to the features as they are.
        for at in 0..FEATURE_COUNT {
            model.weights[at] /= deviation[at];
            model.bias -= model.weights[at] * mean[at];
        }
        model
    }
}

/// The solution of linear equations whose right sides are in the last column, by elimination. The matrix is positive
/// definite, so that no pivot is zero.
fn solved(mut system: [[f64; UNKNOWNS + 1]; UNKNOWNS]) -> [f64; UNKNOWNS] {
    for pivot in 0..UNKNOWNS {
        let above = system[pivot];
        for row in &mut system[pivot + 1..] {
            let factor = row[pivot] / above[pivot];
            for (cell, value) in row.iter_mut().zip(above) {
                *cell -= factor * value;
            }
        }
    }
    let mut solution = [0.0; UNKNOWNS];
    for at in (0..UNKNOWNS).rev() {
        let known: f64 = (at + 1..UNKNOWNS).map(|other| system[at][other] * solution[other]).sum();
        solution[at] = (system[at][UNKNOWNS] - known) / system[at][at];
    }
    solution
}

fn as_doubles(evidence: &Evidence) -> [f64; FEATURE_COUNT] {
    evidence.map(f64::from)
}

#[expect(clippy::cast_precision_loss, reason = "counts of questions")]
fn as_float(count: usize) -> f64 {
    count as f64
}
