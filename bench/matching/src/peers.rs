//! Splink and rapidfuzz on the same pairs: this program writes the pairs, `bench/peers/match_records.py` judges them with both,
//! and this program scores all three alike.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, ensure};
use domain::RecordFields;
use matching::compare::Prepared;
use matching::names::{NameForm, features, probability};
use matching::weights::{EstimateOptions, estimate};
use serde::{Deserialize, Serialize};

use crate::corpus::Corpus;
use crate::linkage::{Index, by_search, probabilities};
use crate::score::{PairScore, cpu_seconds, say};
use crate::{febrl, names, transactions};

/// What the script is asked.
#[derive(Serialize)]
struct Task {
    /// Pairs of names for rapidfuzz.
    names: Vec<(String, String)>,
    /// The candidate pairs of a data set for Splink and rapidfuzz.
    sets: HashMap<&'static str, Set>,
}

#[derive(Serialize)]
struct Set {
    left: Vec<RecordFields>,
    right: Vec<RecordFields>,
    pairs: Vec<(usize, usize)>,
}

/// What one tool answers: a score for each pair, and its CPU time for all of them together.
#[derive(Deserialize)]
struct Answer {
    scores: Vec<f64>,
    cpu_seconds: f64,
}

pub(crate) fn run(corpus: &Corpus, python: &Path) -> anyhow::Result<()> {
    let (Some(names), Some((people, numbers)), Some(payments)) =
        (names::pairs(corpus)?, febrl::records(corpus)?, transactions::read(corpus)?)
    else {
        return Ok(());
    };
    let (person, payment) = (febrl::person(), transactions::payment());
    let people_pairs = Index::new(&person, &people).pairs(&people, true);
    let payment_pairs =
        Index::new(&payment, &payments.destinations).pairs(&payments.origins, false);
    let places =
        |pairs: &[(usize, usize, _)]| pairs.iter().map(|(a, b, _)| (*a, *b)).collect::<Vec<_>>();
    let task = Task {
        names: names.iter().map(|pair| (pair.left.clone(), pair.right.clone())).collect(),
        sets: HashMap::from([
            (
                "febrl1",
                Set { left: people.clone(), right: people.clone(), pairs: places(&people_pairs) },
            ),
            (
                "transactions",
                Set {
                    left: payments.origins.clone(),
                    right: payments.destinations.clone(),
                    pairs: places(&payment_pairs),
                },
            ),
        ]),
    };
    let answers = ask(python, &task)?;

    let labels: Vec<bool> = names.iter().map(|pair| pair.is_match).collect();
    let start = cpu_seconds();
    for pair in &names {
        probability(
            &features(&NameForm::new(&pair.left), &NameForm::new(&pair.right)),
            &matching::names::WEIGHTS,
        );
    }
    let cpu = cpu_seconds() - start;
    report(
        "names, Docket, cross-validated",
        &names::cross_validated(&names, 0),
        &labels,
        cpu,
        Some(0.5),
    )?;
    report_answer("names, rapidfuzz WRatio", &answers, "names rapidfuzz", &labels, None)?;

    for (set, definition, left, right, pairs) in [
        ("febrl1", &person, &people, &people, &people_pairs),
        ("transactions", &payment, &payments.origins, &payments.destinations, &payment_pairs),
    ] {
        let labels: Vec<bool> = pairs
            .iter()
            .map(|(a, b, _)| {
                if set == "febrl1" { numbers[*a] == numbers[*b] } else { payments.truth[*a] == *b }
            })
            .collect();
        let start = cpu_seconds();
        let prepare = |records: &[RecordFields]| {
            records.iter().map(|record| Prepared::new(definition, record)).collect::<Vec<_>>()
        };
        let (left, right) = (prepare(left), prepare(right));
        let pairs: Vec<_> =
            pairs.iter().map(|(a, b, _)| (*a, *b, left[*a].compare(&right[*b]))).collect();
        let model = estimate(definition, by_search(&pairs), EstimateOptions::default());
        let scores = probabilities(&pairs, &[model]);
        let cpu = cpu_seconds() - start;
        report(&format!("{set}, Docket, EM"), &scores, &labels, cpu, Some(0.5))?;
        report_answer(
            &format!("{set}, Splink, EM"),
            &answers,
            &format!("{set} splink"),
            &labels,
            Some(0.5),
        )?;
        report_answer(
            &format!("{set}, rapidfuzz WRatio"),
            &answers,
            &format!("{set} rapidfuzz"),
            &labels,
            None,
        )?;
    }
    Ok(())
}

fn ask(python: &Path, task: &Task) -> anyhow::Result<HashMap<String, Answer>> {
    let mut child = Command::new(python)
        .arg("bench/peers/match_records.py")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| {
            format!("{} does not start: run scripts/python-tool splink python", python.display())
        })?;
    let mut input = child.stdin.take().context("the script has no input")?;
    input.write_all(&serde_json::to_vec(task)?)?;
    drop(input);
    let output = child.wait_with_output()?;
    ensure!(output.status.success(), "bench/peers/match_records.py failed");
    serde_json::from_slice(&output.stdout).context("the script wrote no valid JSON")
}

fn report_answer(
    name: &str,
    answers: &HashMap<String, Answer>,
    key: &str,
    labels: &[bool],
    threshold: Option<f64>,
) -> anyhow::Result<()> {
    let answer = answers.get(key).with_context(|| format!("the script did not answer {key}"))?;
    ensure!(answer.scores.len() == labels.len(), "{key}: a score for each pair was expected");
    report(name, &answer.scores, labels, answer.cpu_seconds, threshold)
}

/// Without a threshold, a tool gets the best one for exactly these pairs: an advantage that Docket does not have.
fn report(
    name: &str,
    scores: &[f64],
    labels: &[bool],
    cpu: f64,
    threshold: Option<f64>,
) -> anyhow::Result<()> {
    let at = |threshold: f64| {
        let mut score = PairScore::default();
        for (one, label) in scores.iter().zip(labels) {
            score.add(*label, *one >= threshold);
        }
        score
    };
    let best =
        (0..=100).map(|step| at(f64::from(step) / 100.0)).max_by(|a, b| a.f1().total_cmp(&b.f1()));
    let score = threshold.map_or_else(|| best.unwrap_or_default(), at);
    let note = if threshold.is_none() { " at the best threshold for these pairs" } else { "" };
    #[expect(clippy::cast_precision_loss, reason = "counts are small")]
    let each = 1e6 * cpu / scores.len() as f64;
    say(format!(
        "{name}: {score}{note}; {each:.1} µs CPU a pair; best F1 at any threshold {:.3}",
        best.unwrap_or_default().f1()
    ))
}
