//! Measures retrieval: see `bench/README.md`.
//!
//! Prints Markdown tables. What needs the corpus or a model says loudly that it was skipped without.

use anyhow::Result;
use clap::{Parser, Subcommand};

mod embedding;
mod fit;
mod interference;
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
    /// Fits the model that decides whether to answer.
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
        What::Fit(arguments) => fit::run(&arguments),
        What::Interference(arguments) => interference::run(&arguments),
        What::Latency(arguments) => latency::run(&arguments),
        What::Quality(arguments) => quality::run(&arguments),
    }
}
