//! Measures retrieval: see `bench/README.md`.
//!
//! Prints Markdown tables. What needs the corpus or a model says loudly that it was skipped without.

use anyhow::Result;
use clap::{Parser, Subcommand};

mod embedding;
mod every_question;
mod fit;
mod floor;
mod interference;
mod judged;
mod latency;
mod quality;
mod quality_asked;
mod quality_corpus;
mod quality_vectors;
mod windows;

#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// How fast texts become vectors, against onnxruntime, and how exact these are.
    Embedding(embedding::Arguments),
    /// What to do with a chunk that is longer than the model reads.
    Windows(windows::Arguments),
    /// Asks every question of the corpus, and fails when one of them makes the answerer panic.
    Ask(every_question::Arguments),
    /// How near a passage that shares no word with a query has to be.
    Floor(floor::Arguments),
    /// Fits the models that say how sure an answer is.
    Fit(fit::Arguments),
    /// Whether hidden documents change anything, in any number of pairs.
    Interference(interference::Arguments),
    /// How long a search takes, beside Chroma and pgvector.
    Latency(latency::Arguments),
    /// How often the right passage is found, and the right answer given.
    Quality(quality::Arguments),
}

fn main() -> Result<()> {
    match Arguments::parse().what {
        What::Embedding(arguments) => embedding::run(&arguments),
        What::Windows(arguments) => windows::run(&arguments),
        What::Ask(arguments) => every_question::run(&arguments),
        What::Floor(arguments) => floor::run(&arguments),
        What::Fit(arguments) => fit::run(&arguments),
        What::Interference(arguments) => interference::run(&arguments),
        What::Latency(arguments) => latency::run(&arguments),
        What::Quality(arguments) => quality::run(&arguments),
    }
}
