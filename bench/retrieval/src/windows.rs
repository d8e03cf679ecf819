//! What to do with a chunk that is longer than the embedding model reads at one time.
//!
//! Paragraphs of each article of `qa_squad2` become chunks of up to 500 tokens, and every question that
//! has an answer is asked of all of them by vectors alone. A question finds its chunk when the best one
//! has the answer's paragraph in it.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use retrieval::chunk::{Area, Block, BlockKind, Chunk, chunks};
use retrieval::embed::{Embedder, default_folder};
use serde::Deserialize;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The folder with the documents.
    #[arg(long, env = "DOCKET_CORPUS")]
    corpus: Option<PathBuf>,
    #[arg(long, default_value_t = 2)]
    threads: usize,
}

#[derive(Deserialize)]
struct Squad {
    data: Vec<Article>,
}

#[derive(Deserialize)]
struct Article {
    paragraphs: Vec<Paragraph>,
}

#[derive(Deserialize)]
struct Paragraph {
    context: String,
    qas: Vec<Question>,
}

#[derive(Deserialize)]
struct Question {
    question: String,
    is_impossible: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let mut out = io::stdout().lock();
    let file = arguments.corpus.as_ref().map(|corpus| corpus.join("qa_squad2/squad2_subset.json"));
    let (Some(file), Some(model)) = (file.filter(|file| file.is_file()), default_folder()) else {
        writeln!(
            out,
            "WINDOWS: LEFT OUT, DOCKET_CORPUS OR THE MODEL (scripts/embedding-model) IS NOT THERE"
        )?;
        return Ok(());
    };
    let squad: Squad = serde_json::from_slice(&std::fs::read(file)?)?;
    let embedder = Embedder::open(&model, arguments.threads)?;
    let passages = passages(&squad, &embedder);
    let questions: Vec<(&str, u32)> = questions(&squad);
    let asked: Vec<&str> = questions.iter().map(|(question, _)| *question).collect();
    let asked = embedder.embed(&asked)?;
    let longer =
        passages.iter().filter(|passage| whole_windows(&embedder, passage).len() > 1).count();
    writeln!(
        out,
        "{} questions, {} chunks, {longer} longer than the model reads\n",
        asked.len(),
        passages.len()
    )?;
    writeln!(out, "| of a long chunk | vectors | recall@1 | recall@5 |\n|---|---|---|---|")?;
    let wide = wide_model(&model)?;
    let wide = Embedder::open(wide.path(), arguments.threads)?;
    let ways: [(&str, &Embedder, Parts); 6] = [
        ("its beginning", &embedder, beginning),
        ("the mean of its windows", &embedder, all),
        ("all of it at one time, 512 tokens", &wide, all),
        ("each window of 254 tokens", &embedder, whole_windows),
        ("each window of 128 tokens", &embedder, half_windows),
        ("each window of 64 tokens", &embedder, quarter_windows),
    ];
    for (name, embedder, parts) in ways {
        let of_passages: Vec<Vec<String>> =
            passages.iter().map(|passage| parts(embedder, passage)).collect();
        let texts: Vec<&str> = of_passages.iter().flatten().map(String::as_str).collect();
        let mut vectors = embedder.embed(&texts)?.into_iter();
        let vectors: Vec<Vec<Vec<f32>>> =
            of_passages.iter().map(|parts| vectors.by_ref().take(parts.len()).collect()).collect();
        let ranks: Vec<usize> = questions
            .iter()
            .zip(&asked)
            .map(|((_, wanted), vector)| rank(&passages, &vectors, vector, *wanted))
            .collect();
        let within = |limit: usize| ranks.iter().filter(|rank| **rank < limit).count();
        writeln!(
            out,
            "| {name} | {} | {:.3} | {:.3} |",
            texts.len(),
            share(within(1), ranks.len()),
            share(within(5), ranks.len())
        )?;
    }
    Ok(())
}

/// The texts of a chunk that are embedded.
type Parts = fn(&Embedder, &Chunk) -> Vec<String>;

fn passages(squad: &Squad, embedder: &Embedder) -> Vec<Chunk> {
    let mut number = 0;
    let mut passages = Vec::new();
    for article in &squad.data {
        let blocks = article.paragraphs.iter().map(|paragraph| {
            // A page of its own for each paragraph tells afterwards which ones a chunk has.
            let area = Area { page: number, left: 0.0, top: 0.0, right: 1.0, bottom: 1.0 };
            let text = paragraph.context.clone();
            let block = Block { kind: BlockKind::Paragraph, text, page: number, areas: vec![area] };
            number += 1;
            block
        });
        let count = |text: &str| embedder.count_tokens(text);
        passages.extend(chunks(blocks, &count));
    }
    passages
}

/// Questions with the number of the paragraph that has the answer.
fn questions(squad: &Squad) -> Vec<(&str, u32)> {
    let paragraphs = squad.data.iter().flat_map(|article| &article.paragraphs).zip(0..);
    let answerable = paragraphs.flat_map(|(paragraph, number)| {
        let asked = paragraph.qas.iter().filter(|question| !question.is_impossible);
        asked.map(move |question| (question.question.as_str(), number))
    });
    answerable.collect()
}

fn beginning(embedder: &Embedder, chunk: &Chunk) -> Vec<String> {
    whole_windows(embedder, chunk).into_iter().take(1).collect()
}

fn all(_: &Embedder, chunk: &Chunk) -> Vec<String> {
    vec![chunk.embedding_text()]
}

fn whole_windows(embedder: &Embedder, chunk: &Chunk) -> Vec<String> {
    chunk.embedding_texts(embedder.token_limit() - 2, &|text| embedder.count_tokens(text))
}

fn half_windows(embedder: &Embedder, chunk: &Chunk) -> Vec<String> {
    chunk.embedding_texts(embedder.token_limit() / 2, &|text| embedder.count_tokens(text))
}

fn quarter_windows(embedder: &Embedder, chunk: &Chunk) -> Vec<String> {
    chunk.embedding_texts(embedder.token_limit() / 4, &|text| embedder.count_tokens(text))
}

/// How many chunks come before the right one.
fn rank(passages: &[Chunk], vectors: &[Vec<Vec<f32>>], asked: &[f32], wanted: u32) -> usize {
    let score = |parts: &[Vec<f32>]| {
        let scores =
            parts.iter().map(|part| part.iter().zip(asked).map(|(a, b)| a * b).sum::<f32>());
        scores.fold(f32::NEG_INFINITY, f32::max)
    };
    let scores: Vec<f32> = vectors.iter().map(|parts| score(parts)).collect();
    let right = passages.iter().zip(&scores).filter(|(passage, _)| passage.pages.contains(&wanted));
    let best = right.map(|(_, score)| *score).fold(f32::NEG_INFINITY, f32::max);
    scores.iter().filter(|score| **score > best).count()
}

/// The model with as many tokens as its positions allow.
fn wide_model(model: &Path) -> Result<tempfile::TempDir> {
    let folder = tempfile::tempdir()?;
    for file in ["config.json", "tokenizer.json", "model.safetensors"] {
        std::os::unix::fs::symlink(model.join(file), folder.path().join(file)).context(file)?;
    }
    Ok(folder)
}

#[expect(clippy::cast_precision_loss, reason = "some thousand questions")]
fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64
}
