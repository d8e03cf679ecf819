//! Pairs of names: the similarity of names alone, fitted and judged by five-fold cross-validation.

use std::fmt::Write as _;
use std::path::Path;

use domain::RecordFields;
use matching::names::{FEATURES, NameForm, SIGNS, features, probability};
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;

use crate::corpus::{Corpus, column};
use crate::score::{PairScore, say};

const FOLDS: usize = 5;
/// Repeated, since the folds of 330 pairs are small.
const SEEDS: u64 = 5;
/// The weight of the squared weights in the loss. Chosen once and not searched.
const PENALTY: f64 = 0.5;

pub(crate) struct Pair {
    pub(crate) left: String,
    pub(crate) right: String,
    pub(crate) is_match: bool,
    pub(crate) features: [f64; FEATURES],
}

pub(crate) fn pairs(corpus: &Corpus) -> anyhow::Result<Option<Vec<Pair>>> {
    let Some(rows) = corpus.csv("names/cases.csv")? else { return Ok(None) };
    let pair = |row: &RecordFields| {
        let (left, right) = (column(row, "name1")?, column(row, "name2")?);
        Ok(Pair {
            is_match: column(row, "is_match")? == "True",
            features: features(&NameForm::new(left), &NameForm::new(right)),
            left: left.to_owned(),
            right: right.to_owned(),
        })
    };
    Ok(Some(rows.iter().map(pair).collect::<anyhow::Result<_>>()?))
}

pub(crate) fn run(corpus: &Corpus, errors: bool) -> anyhow::Result<()> {
    let Some(pairs) = pairs(corpus)? else { return Ok(()) };
    let mut scores = Vec::new();
    for seed in 0..SEEDS {
        let judged = cross_validated(&pairs, seed);
        let mut score = PairScore::default();
        for (pair, probability) in pairs.iter().zip(&judged) {
            score.add(pair.is_match, *probability >= 0.5);
            if errors && seed == 0 && pair.is_match != (*probability >= 0.5) {
                let (left, right) = (&pair.left, &pair.right);
                say(format!("  {:<5} {probability:.2}  {left}  |  {right}", pair.is_match))?;
            }
        }
        scores.push(score);
    }
    #[expect(clippy::cast_precision_loss, reason = "five seeds")]
    let mean = scores.iter().map(PairScore::f1).sum::<f64>() / scores.len() as f64;
    let least = scores.iter().map(PairScore::f1).fold(1.0, f64::min);
    say(format!("names: {} pairs, {FOLDS} folds, {SEEDS} shuffles", pairs.len()))?;
    say(format!("  Docket, cross-validated: {}; mean F1 {mean:.3}, least {least:.3}", scores[0]))?;
    let weights = fitted(pairs.iter());
    let mut all = PairScore::default();
    for pair in &pairs {
        all.add(pair.is_match, probability(&pair.features, &weights) >= 0.5);
    }
    say(format!("  the same pairs that were fitted (no measure of quality): {all}"))
}

/// For each pair the probability by weights that were fitted without its fold.
pub(crate) fn cross_validated(pairs: &[Pair], seed: u64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..pairs.len()).collect();
    order.shuffle(&mut StdRng::seed_from_u64(seed));
    let mut judged = vec![0.0; pairs.len()];
    for fold in 0..FOLDS {
        let is_held_out = |at: &usize| at % FOLDS == fold;
        let training = (0..order.len()).filter(|at| !is_held_out(at)).map(|at| &pairs[order[at]]);
        let weights = fitted(training);
        for at in (0..order.len()).filter(is_held_out) {
            judged[order[at]] = probability(&pairs[order[at]].features, &weights);
        }
    }
    judged
}

/// Logistic regression with a penalty on large weights. Weights whose sign contradicts [`SIGNS`] become 0, the worst
/// first, and the others are fitted again.
fn fitted<'a>(pairs: impl Iterator<Item = &'a Pair>) -> [f64; FEATURES] {
    let pairs: Vec<&Pair> = pairs.collect();
    let mut is_used = [true; FEATURES];
    loop {
        let weights = newton(&pairs, &is_used);
        let wrong = |at: &usize| is_used[*at] && weights[*at] * f64::from(SIGNS[*at]) < 0.0;
        let worst = (0..FEATURES)
            .filter(wrong)
            .max_by(|a, b| weights[*a].abs().total_cmp(&weights[*b].abs()));
        match worst {
            Some(worst) => is_used[worst] = false,
            None => return weights,
        }
    }
}

/// Newton's method; features that are not used have the weight 0.
fn newton(pairs: &[&Pair], is_used: &[bool; FEATURES]) -> [f64; FEATURES] {
    let mut weights = [0.0; FEATURES];
    for _ in 0..30 {
        let mut gradient = [0.0; FEATURES];
        let mut hessian = [[0.0; FEATURES]; FEATURES];
        for pair in pairs {
            let p = probability(&pair.features, &weights);
            let expected = f64::from(u8::from(pair.is_match));
            for (i, x) in pair.features.iter().enumerate() {
                gradient[i] += (p - expected) * x;
                for (j, y) in pair.features.iter().enumerate() {
                    hessian[i][j] += p * (1.0 - p) * x * y;
                }
            }
        }
        for i in 0..FEATURES {
            // The constant is not penalised, only kept finite.
            let penalty = if i == 0 { 1e-6 } else { PENALTY };
            gradient[i] += penalty * weights[i];
            hessian[i][i] += penalty;
            if !is_used[i] {
                gradient[i] = 0.0;
                hessian[i] = [0.0; FEATURES];
                hessian[i][i] = 1.0;
            }
        }
        let step = solved(hessian, gradient);
        for (weight, step) in weights.iter_mut().zip(step) {
            *weight -= step;
        }
        if step.iter().all(|step| step.abs() < 1e-9) {
            break;
        }
    }
    weights
}

/// Solves a system of linear equations (Gauss with pivoting).
fn solved(mut matrix: [[f64; FEATURES]; FEATURES], mut right: [f64; FEATURES]) -> [f64; FEATURES] {
    for column in 0..FEATURES {
        let pivot = (column..FEATURES)
            .max_by(|a, b| matrix[*a][column].abs().total_cmp(&matrix[*b][column].abs()))
            .unwrap_or(column);
        matrix.swap(column, pivot);
        right.swap(column, pivot);
        let row = matrix[column];
        for below in column + 1..FEATURES {
            let factor = matrix[below][column] / row[column];
            for (entry, above) in matrix[below].iter_mut().zip(row).skip(column) {
                *entry -= factor * above;
            }
            right[below] -= factor * right[column];
        }
    }
    for column in (0..FEATURES).rev() {
        let known: f64 = (column + 1..FEATURES).map(|at| matrix[column][at] * right[at]).sum();
        right[column] = (right[column] - known) / matrix[column][column];
    }
    right
}

pub(crate) fn fit(corpus: &Corpus, to: &Path) -> anyhow::Result<()> {
    let Some(pairs) = pairs(corpus)? else { return Ok(()) };
    let weights = fitted(pairs.iter());
    let mut text = String::from(
        "//! Written by `bench-matching fit-names`.\n\n/// The weights of [`features`](super::features).\npub const WEIGHTS: [f64; super::FEATURES] = [\n",
    );
    for weight in weights {
        writeln!(text, "    {weight:.3},")?;
    }
    text.push_str("];\n");
    std::fs::write(to, text)?;
    say(format!("wrote {}", to.display()))
}
