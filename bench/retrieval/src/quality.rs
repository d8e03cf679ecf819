//! How often the right passage is found, and what the extractive answerer makes of it.

use std::fmt::Write as _;
use std::io::{self, Write as _};

use anyhow::Result;
use retrieval::index::Mode;

use crate::judged::{Judged, as_float, calibration, curve};
use crate::quality_asked::{Among, Asked, Indexed, passage_of};
use crate::quality_corpus::{self, Question};
use crate::quality_vectors::Vectors;

#[derive(clap::Args)]
pub(crate) struct Arguments {}

/// Ranks are counted up to this one.
const DEEPEST: usize = 10;
/// The usual constant of reciprocal rank fusion.
const RRF: f64 = 60.0;

pub(crate) fn run(_: &Arguments) -> Result<()> {
    let corpus = quality_corpus::folder()?;
    let vectors = Vectors::open()?;
    let mut report = String::new();
    for (name, set) in [
        ("qa_squad2", quality_corpus::squad(&corpus)?),
        ("contracts_cuad", quality_corpus::contracts(&corpus)?),
    ] {
        let indexed = Indexed::of(set, &vectors)?;
        recall(name, &indexed, &mut report)?;
        answers(name, &indexed, &vectors, &mut report)?;
    }
    io::stdout().write_all(report.as_bytes())?;
    Ok(())
}

fn recall(name: &str, indexed: &Indexed, report: &mut String) -> Result<()> {
    writeln!(report, "\n{name}, {} passages\n", indexed.set.passages.len())?;
    writeln!(
        report,
        "| found by | questions | recall@1 | recall@5 | recall@10 |\n|---|---|---|---|---|"
    )?;
    let of_mode = |mode| move |number: usize| indexed.find(number, mode, DEEPEST);
    row("words (BM25)", indexed, &of_mode(Mode::Lexical), report)?;
    row("meaning (vectors)", indexed, &of_mode(Mode::Vector), report)?;
    row("both (weighted sum, as served)", indexed, &of_mode(Mode::Hybrid), report)?;
    row("both (reciprocal ranks)", indexed, &|number| by_ranks(indexed, number), report)
}

/// What is compared with the weighted sum.
fn by_ranks(indexed: &Indexed, number: usize) -> Vec<usize> {
    let mut scores: Vec<(f64, usize)> = Vec::new();
    for mode in [Mode::Lexical, Mode::Vector] {
        for (rank, passage) in indexed.find(number, mode, 200).into_iter().enumerate() {
            let score = 1.0 / (RRF + as_float(rank) + 1.0);
            match scores.iter_mut().find(|(_, known)| *known == passage) {
                Some((sum, _)) => *sum += score,
                None => scores.push((score, passage)),
            }
        }
    }
    scores.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    scores.into_iter().map(|(_, passage)| passage).take(DEEPEST).collect()
}

fn row(
    name: &str,
    indexed: &Indexed,
    find: &dyn Fn(usize) -> Vec<usize>,
    report: &mut String,
) -> Result<()> {
    let ranks: Vec<Option<usize>> = indexed
        .questions()
        .filter(|(_, question)| question.answerable() && !question.passages.is_empty())
        .map(|(number, question)| {
            find(number).iter().position(|passage| question.passages.contains(passage))
        })
        .collect();
    write!(report, "| {name} | {} |", ranks.len())?;
    for deepest in [1, 5, DEEPEST] {
        let within = ranks.iter().filter(|rank| rank.is_some_and(|rank| rank < deepest)).count();
        write!(report, " {:.3} |", as_float(within) / as_float(ranks.len()))?;
    }
    writeln!(report)?;
    Ok(())
}

fn answers(name: &str, indexed: &Indexed, vectors: &Vectors, report: &mut String) -> Result<()> {
    let ask = |among: Among| -> Vec<(&Question, Asked)> {
        let answered = indexed.questions().filter_map(|(number, question)| {
            Some((question, indexed.ask(number, Some(vectors), among)?))
        });
        answered.collect()
    };
    let asked = ask(Among::All);
    let answerable: Vec<_> = asked.iter().filter(|(question, _)| question.answerable()).collect();
    let mean = |score: &dyn Fn(&Question, &Asked) -> f64| {
        answerable.iter().map(|(question, asked)| score(question, asked)).sum::<f64>()
            / as_float(answerable.len())
    };
    let span = |asked: &Asked| {
        let text = &indexed.set.passages[passage_of(asked.quote.chunk_id)];
        asked.quote.span.clone().map_or(String::new(), |span| text[span].to_owned())
    };
    let has_answer =
        |question: &Question, asked: &Asked| f64::from(u8::from(indexed.is_right(question, asked)));
    let best = |question: &Question, asked: &Asked, score: fn(&str, &str) -> f64| {
        let given = span(asked);
        question.answers.iter().map(|answer| score(answer, &given)).fold(0.0, f64::max)
    };
    writeln!(
        report,
        "\n{name}, answerable questions: {:.3} of the quoted sentences hold the answer; its span alone: EM {:.3}, F1 {:.3}\n",
        mean(&has_answer),
        mean(&|question, asked| best(question, asked, exact)),
        mean(&|question, asked| best(question, asked, f1))
    )?;
    let judge = |asked: &[(&Question, Asked)], among: Among| -> Vec<Judged> {
        let judged = |(question, asked): &(&Question, Asked)| Judged {
            answerable: among == Among::All && question.answerable(),
            right: among == Among::All && indexed.is_right(question, asked),
            confidence: asked.confidence,
        };
        asked.iter().map(judged).collect()
    };
    let mut judged = judge(&asked, Among::All);
    curve(&judged, report)?;
    calibration(&judged, report)?;
    writeln!(report, "\nthe same, and each question asked once more where nothing answers it:")?;
    judged.extend(judge(&ask(Among::OtherGroups), Among::OtherGroups));
    calibration(&judged, report)
}

/// Words as SQuAD compares them: no case, punctuation or articles.
fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let words = lower.split(|letter: char| !letter.is_alphanumeric());
    words.filter(|word| !["", "a", "an", "the"].contains(word)).map(str::to_owned).collect()
}

fn exact(expected: &str, given: &str) -> f64 {
    f64::from(u8::from(words(expected) == words(given)))
}

fn f1(expected: &str, given: &str) -> f64 {
    let (expected, mut given) = (words(expected), words(given));
    let all = expected.len() + given.len();
    let mut common = 0;
    for word in &expected {
        if let Some(at) = given.iter().position(|other| other == word) {
            given.remove(at);
            common += 2;
        }
    }
    if all == 0 { 0.0 } else { f64::from(common) / as_float(all) }
}
