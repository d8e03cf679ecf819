//! Measures retrieval: see `bench/README.md`.
//!
//! Prints Markdown tables. What needs the corpus or a model says loudly that it was skipped without.

use anyhow::Result;
use clap::{Parser, Subcommand};

mod embedding;

#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// How fast texts become vectors, against onnxruntime, and how exact these are.
    Embedding(embedding::Arguments),
}

fn main() -> Result<()> {
    match Arguments::parse().what {
        What::Embedding(arguments) => embedding::run(&arguments),
    }
}
