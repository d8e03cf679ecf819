//! How long a search takes: 100,000 chunks in one tenant, 1,000,000 over a hundred; beside Chroma and
//! pgvector with the same vectors.
//!
//! Vectors lie in clusters, as those of real texts do; words are as frequent as Zipf says.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;
use std::{env, fs};

use anyhow::{Context as _, Result, bail};
use chrono::DateTime;
use domain::{DocId, FileKind};
use retrieval::index::{Doc, DocFacts, IndexedChunk, Mode, Query, SearchScope, TenantIndex};
use retrieval::terms::{QueryTerms, Terms, pack};
use serde::Deserialize;
use uuid::Uuid;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Chunks of the large tenant.
    #[arg(long, default_value_t = 100_000)]
    chunks: usize,
    /// Tenants beside each other, and chunks of each.
    #[arg(long, default_value_t = 100)]
    tenants: usize,
    #[arg(long, default_value_t = 10_000)]
    chunks_of_each: usize,
    #[arg(long, default_value_t = 300)]
    queries: usize,
    /// Leave Chroma and pgvector out.
    #[arg(long)]
    alone: bool,
}

const DIMENSIONS: usize = 384;
const CLUSTERS: usize = 1_000;
const CHUNKS_OF_A_DOCUMENT: usize = 5;
const TOKENS_OF_A_CHUNK: usize = 180;
const WORDS: usize = 200_000;
const LIMIT: usize = 10;

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let mut report = String::new();
    let mut world = World::new(1);
    let began = Instant::now();
    let large = world.tenant(arguments.chunks)?;
    let queries: Vec<Asked> =
        (0..arguments.queries).map(|_| world.query(arguments.chunks)).collect();
    writeln!(
        report,
        "{} chunks in one tenant: made in {:.1} s, {:.0} MB\n",
        large.chunks(),
        began.elapsed().as_secs_f64(),
        as_float(large.bytes()) / 1e6
    )?;
    writeln!(report, "| search | p50 ms | p99 ms | recall@{LIMIT} |\n|---|---|---|---|")?;
    for (name, mode) in [
        ("Docket, vectors", Mode::Vector),
        ("Docket, words", Mode::Lexical),
        ("Docket, both", Mode::Hybrid),
    ] {
        let (p50, p99) = time(&large, &queries, mode);
        let recall = if mode == Mode::Vector { "1.000 (exact)" } else { "–" };
        writeln!(report, "| {name} | {p50:.2} | {p99:.2} | {recall} |")?;
    }
    if arguments.alone {
        writeln!(report, "\nCHROMA AND PGVECTOR: LEFT OUT, AS ASKED")?;
    } else {
        for peer in peers(&world.vectors, &queries)? {
            let Peer { name, p50, p99, recall, build } = peer;
            writeln!(
                report,
                "| {name} (built in {build:.0} s) | {p50:.2} | {p99:.2} | {recall:.3} |"
            )?;
        }
    }
    drop(large);
    io::stdout().write_all(report.as_bytes())?;
    let mut report = String::new();
    neighbours(arguments, &mut report)?;
    io::stdout().write_all(report.as_bytes())?;
    Ok(())
}

/// One tenant alone, then with all the others in memory and asked in between.
fn neighbours(arguments: &Arguments, report: &mut String) -> Result<()> {
    let mut world = World::new(2);
    let first = world.tenant(arguments.chunks_of_each)?;
    let queries: Vec<Asked> =
        (0..arguments.queries).map(|_| world.query(arguments.chunks_of_each)).collect();
    let alone = time(&first, &queries, Mode::Hybrid);
    let others = (1..arguments.tenants)
        .map(|_| world.tenant(arguments.chunks_of_each))
        .collect::<Result<Vec<_>>>()?;
    let mut took = Vec::new();
    for (number, query) in queries.iter().enumerate() {
        if let Some(other) = others.get(number % others.len().max(1)) {
            search(other, query, Mode::Hybrid);
        }
        let began = Instant::now();
        search(&first, query, Mode::Hybrid);
        took.push(began.elapsed().as_secs_f64() * 1e3);
    }
    let beside = percentiles(took);
    let chunks: usize = first.chunks() + others.iter().map(TenantIndex::chunks).sum::<usize>();
    writeln!(
        report,
        "\n| one tenant of {} chunks, both | p50 ms | p99 ms |\n|---|---|---|",
        first.chunks()
    )?;
    writeln!(report, "| alone | {:.2} | {:.2} |", alone.0, alone.1)?;
    writeln!(
        report,
        "| among {} tenants, {chunks} chunks | {:.2} | {:.2} |",
        others.len() + 1,
        beside.0,
        beside.1
    )?;
    Ok(())
}

struct Asked {
    terms: QueryTerms,
    vector: Vec<f32>,
}

fn search(index: &TenantIndex, asked: &Asked, mode: Mode) -> usize {
    let query = Query { terms: &asked.terms, vector: Some(&asked.vector), mode, limit: LIMIT };
    index.search(&query, SearchScope { visible: &|_| true, matching: &|_| true }).len()
}

fn time(index: &TenantIndex, queries: &[Asked], mode: Mode) -> (f64, f64) {
    for query in queries.iter().take(10) {
        search(index, query, mode);
    }
    let timed = |query| {
        let began = Instant::now();
        search(index, query, mode);
        began.elapsed().as_secs_f64() * 1e3
    };
    percentiles(queries.iter().map(timed).collect())
}

fn percentiles(mut took: Vec<f64>) -> (f64, f64) {
    took.sort_by(f64::total_cmp);
    (took[took.len() / 2], took[took.len() * 99 / 100])
}

/// Numbers that look random and follow from a seed, and what is made of them.
struct World {
    state: u64,
    centres: Vec<Vec<f32>>,
    /// All vectors so far of the latest tenant, one behind the other.
    vectors: Vec<f32>,
    documents: u128,
}

impl World {
    fn new(seed: u64) -> Self {
        let mut world =
            Self { state: seed, centres: Vec::new(), vectors: Vec::new(), documents: 0 };
        world.centres =
            (0..CLUSTERS).map(|_| (0..DIMENSIONS).map(|_| world.normal()).collect()).collect();
        world
    }

    /// From 0 to 1.
    fn even(&mut self) -> f32 {
        self.state = self
            .state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        f32::from(u16::try_from(self.state >> 48).unwrap_or(0)) / 65_536.0
    }

    /// About normal: the sum of four even numbers.
    fn normal(&mut self) -> f32 {
        (0..4).map(|_| self.even()).sum::<f32>() - 2.0
    }

    fn below(&mut self, limit: usize) -> usize {
        self.state = self
            .state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.state >> 33).unwrap_or(0) % limit
    }

    /// The n-th word is n times as rare as the first.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a number of a word"
    )]
    fn word(&mut self) -> String {
        let number = (f64::from(self.even()) * (as_float(WORDS)).ln()).exp() as usize;
        // So that no stemmer takes two for one.
        format!("w{number}q")
    }

    fn tenant(&mut self, chunks: usize) -> Result<TenantIndex> {
        let mut index = TenantIndex::new();
        self.vectors.clear();
        for _ in 0..chunks / CHUNKS_OF_A_DOCUMENT {
            self.documents += 1;
            let id = self.documents;
            let chunks = (0..CHUNKS_OF_A_DOCUMENT).map(|number| {
                let text: Vec<String> = (0..TOKENS_OF_A_CHUNK).map(|_| self.word()).collect();
                let centre = self.below(CLUSTERS);
                let vector = self.near(&self.centres[centre].clone());
                self.vectors.extend_from_slice(&vector);
                IndexedChunk {
                    chunk_id: Uuid::from_u128(id * 16 + number as u128),
                    terms: pack(&Terms::of(&text.join(" "))),
                    vectors: vec![vector],
                }
            });
            let chunks = chunks.collect();
            index.upsert(Doc { facts: facts(id), chunks })?;
        }
        Ok(index)
    }

    /// As far from `centre` as texts on one subject are from each other.
    fn near(&mut self, centre: &[f32]) -> Vec<f32> {
        let vector: Vec<f32> = centre.iter().map(|x| x + 0.9 * self.normal()).collect();
        let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
        vector.into_iter().map(|x| x / length).collect()
    }

    fn query(&mut self, chunks: usize) -> Asked {
        let words: Vec<String> = (0..6).map(|_| self.word()).collect();
        let row = self.below(chunks) * DIMENSIONS;
        let known: Vec<f32> =
            self.vectors[row..row + DIMENSIONS].iter().map(|x| x * 11.0).collect();
        Asked { terms: QueryTerms::of(&words.join(" ")), vector: self.near(&known) }
    }
}

fn facts(id: u128) -> DocFacts {
    DocFacts {
        doc_id: DocId(Uuid::from_u128(id)),
        version_id: Uuid::from_u128(id),
        owners: Vec::new(),
        kind: FileKind::Txt,
        created_at: DateTime::UNIX_EPOCH,
        batch_ids: Vec::new(),
        tags: Vec::new(),
    }
}

#[derive(Deserialize)]
struct Peer {
    name: String,
    p50: f64,
    p99: f64,
    recall: f64,
    build: f64,
}

fn peers(vectors: &[f32], queries: &[Asked]) -> Result<Vec<Peer>> {
    let folder = tempfile::tempdir()?;
    let write = |name: &str, numbers: &mut dyn Iterator<Item = f32>| {
        fs::write(folder.path().join(name), numbers.flat_map(f32::to_le_bytes).collect::<Vec<u8>>())
    };
    write("vectors", &mut vectors.iter().copied())?;
    write("queries", &mut queries.iter().flat_map(|asked| asked.vector.iter().copied()))?;
    let python = installed("vector-peers-python");
    let output = Command::new(&python)
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/peers/nearest.py"))
        .arg(folder.path())
        .args([DIMENSIONS.to_string(), LIMIT.to_string()])
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| {
            format!("{}: get it with scripts/python-tool vector-peers python", python.display())
        })?;
    if !output.status.success() {
        bail!("peers/nearest.py failed");
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// A program that `scripts/python-tool` installed.
fn installed(name: &str) -> PathBuf {
    let variable = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
    let usual = || {
        let home = variable("HOME").unwrap_or_default();
        let cache =
            variable("XDG_CACHE_HOME").map_or(Path::new(&home).join(".cache"), PathBuf::from);
        cache.join("docket/tools")
    };
    let tools = variable("DOCKET_TOOLS").map_or_else(usual, PathBuf::from);
    tools.join("bin").join(name)
}

#[expect(clippy::cast_precision_loss, reason = "counts of chunks and bytes")]
fn as_float(count: usize) -> f64 {
    count as f64
}
