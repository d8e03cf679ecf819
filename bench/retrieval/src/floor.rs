//! How near a passage has to be to a query with which it shares no word.
//!
//! For each floor: how many queries that nothing answers still find something by meaning alone (words that do not exist,
//! and questions of one set asked of the other), and how many passages that hold an answer are lost (were their words
//! not in them).

use std::fmt::Write as _;
use std::io::{self, Write as _};

use anyhow::Result;
use retrieval::cosine;

use crate::judged::as_float;
use crate::quality_corpus::{self, QuestionSet};
use crate::quality_vectors::Vectors;

#[derive(clap::Args)]
pub(crate) struct Arguments {}

const FLOORS: [f32; 9] = [0.15, 0.2, 0.25, 0.275, 0.3, 0.325, 0.35, 0.4, 0.45];
const NONSENSE: usize = 300;

pub(crate) fn run(_: &Arguments) -> Result<()> {
    let corpus = quality_corpus::folder()?;
    let vectors = Vectors::open()?;
    let (squad, contracts) = (quality_corpus::squad(&corpus)?, quality_corpus::contracts(&corpus)?);
    let (of_squad, of_contracts) = (passages(&squad, &vectors)?, passages(&contracts, &vectors)?);
    let nonsense = nonsense();
    let nonsense: Vec<&str> = nonsense.iter().map(String::as_str).collect();
    let rows = [
        ("words that do not exist, paragraphs", best(&nonsense, &of_squad, &vectors)?),
        ("words that do not exist, contracts", best(&nonsense, &of_contracts, &vectors)?),
        ("questions about articles, contracts", best(&texts(&squad), &of_contracts, &vectors)?),
        ("questions about clauses, paragraphs", best(&texts(&contracts), &of_squad, &vectors)?),
        ("the passage with the answer, paragraphs", right(&squad, &of_squad, &vectors)?),
        ("the passage with the answer, contracts", right(&contracts, &of_contracts, &vectors)?),
    ];
    let mut report = String::from("| share that is at least as near as |");
    for floor in FLOORS {
        write!(report, " {floor} |")?;
    }
    writeln!(report, "\n|---|{}", "---|".repeat(FLOORS.len()))?;
    for (name, cosines) in rows {
        write!(report, "| {name} |")?;
        for floor in FLOORS {
            let kept = cosines.iter().filter(|cosine| **cosine >= floor).count();
            write!(report, " {:.3} |", as_float(kept) / as_float(cosines.len()))?;
        }
        writeln!(report)?;
    }
    io::stdout().write_all(report.as_bytes())?;
    Ok(())
}

fn passages(set: &QuestionSet, vectors: &Vectors) -> Result<Vec<Vec<f32>>> {
    vectors.of(&set.passages.iter().map(String::as_str).collect::<Vec<_>>())
}

fn texts(set: &QuestionSet) -> Vec<&str> {
    set.questions.iter().map(|question| question.text.as_str()).collect()
}

/// The cosine of each query's nearest passage.
fn best(queries: &[&str], passages: &[Vec<f32>], vectors: &Vectors) -> Result<Vec<f32>> {
    let nearest = |query: &Vec<f32>| {
        passages.iter().map(|passage| cosine(query, passage)).fold(f32::NEG_INFINITY, f32::max)
    };
    Ok(vectors.of(queries)?.iter().map(nearest).collect())
}

/// The cosine of the passage that holds the answer.
fn right(set: &QuestionSet, passages: &[Vec<f32>], vectors: &Vectors) -> Result<Vec<f32>> {
    let asked = vectors.of(&texts(set))?;
    let answerable = set.questions.iter().zip(&asked).filter(|(question, _)| question.answerable());
    let cosines = answerable.filter_map(|(question, vector)| {
        let right = question.passages.iter().map(|passage| cosine(vector, &passages[*passage]));
        right.reduce(f32::max)
    });
    Ok(cosines.collect())
}

/// One to three words of letters that follow from a seed.
fn nonsense() -> Vec<String> {
    let mut state = 7_u64;
    let mut roll = |sides: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % sides
    };
    let mut word = || -> String {
        let length = 4 + roll(7);
        (0..length).filter_map(|_| char::from_u32(97 + u32::try_from(roll(26)).ok()?)).collect()
    };
    (0..NONSENSE)
        .map(|number| (0..=number % 3).map(|_| word()).collect::<Vec<_>>().join(" "))
        .collect()
}
