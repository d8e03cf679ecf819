//! Puts every question of the corpus through what `POST /v1/ask` does between the database and its response: search,
//! snippets with highlights, answer, quote and span, all of which cut texts by bytes and characters. Fails when any
//! question makes any of them panic, or gives a place that is not in its text.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};

use anyhow::{Result, bail};

use crate::quality_asked::{Among, Indexed};
use crate::quality_corpus;
use crate::quality_vectors::Vectors;

#[derive(clap::Args)]
pub(crate) struct Arguments {}

pub(crate) fn run(_: &Arguments) -> Result<()> {
    let corpus = quality_corpus::folder()?;
    let vectors = Vectors::open()?;
    let mut report = String::from(
        "| questions | asked by | answered | abstained | without a place in the text | panics |\n|---|---|---|---|---|---|\n",
    );
    let mut failed = 0;
    for (name, set) in [
        ("qa_squad2", quality_corpus::squad(&corpus)?),
        ("contracts_cuad", quality_corpus::contracts(&corpus)?),
    ] {
        let indexed = Indexed::of(set, &vectors)?;
        for (how, vectors) in [("words and meaning", Some(&vectors)), ("words", None)] {
            let mut counts = Counts::default();
            for (number, _) in indexed.questions() {
                for among in [Among::All, Among::OtherGroups] {
                    let asked = || indexed.ask_in_full(number, vectors, among);
                    match catch_unwind(AssertUnwindSafe(asked)) {
                        Ok(Outcome::Answered) => counts.answered += 1,
                        Ok(Outcome::Abstained) => counts.abstained += 1,
                        Ok(Outcome::Misplaced) => counts.misplaced += 1,
                        Err(_) => counts.panics += 1,
                    }
                }
            }
            let Counts { answered, abstained, misplaced, panics } = counts;
            writeln!(
                report,
                "| {name}, {} twice | {how} | {answered} | {abstained} | {misplaced} | {panics} |",
                indexed.questions().count()
            )?;
            failed += misplaced + panics;
        }
    }
    io::stdout().write_all(report.as_bytes())?;
    if failed > 0 {
        bail!("{failed} questions failed");
    }
    Ok(())
}

#[derive(Default)]
struct Counts {
    answered: usize,
    abstained: usize,
    misplaced: usize,
    panics: usize,
}

/// What became of a question.
pub(crate) enum Outcome {
    Answered,
    Abstained,
    /// A quote, a span or a highlight is not where it should be.
    Misplaced,
}
