//! Embeddings in a second and CPU time for each, against Python's onnxruntime on the same model, texts
//! and threads, in turns; and how near the vectors are to a reference in double precision.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use retrieval::cosine;
use retrieval::embed::tiny::{self, Size};
use retrieval::embed::{Embedder, default_folder};
use serde::Deserialize;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Threads of each.
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// Each embeds the texts this often; its best round counts.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    #[arg(long, default_value_t = 64)]
    texts: usize,
}

/// The sizes of bge-base-en-v1.5.
const BGE_BASE: Size = Size {
    hidden: 768,
    layers: 12,
    heads: 12,
    wide: 3072,
    positions: 512,
    token_limit: 512,
    vocabulary: 30_522,
};
/// The reference is slow.
const TEXTS_OF_REFERENCE: usize = 6;

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "| model | texts | Docket /s | onnxruntime /s | ratio | CPU ms each | theirs | ratio | least cosine |"
    )?;
    writeln!(out, "|---|---|---|---|---|---|---|---|---|")?;
    match default_folder() {
        Some(folder) => {
            for (name, shortest, longest) in
                [("256 tokens", 300, 300), ("10–250 words", 10, 250), ("10–30 words", 10, 30)]
            {
                let texts = texts(arguments.texts, shortest, longest);
                let row = compare(arguments, scratch.path(), &folder, &texts)?;
                writeln!(out, "| all-MiniLM-L6-v2 | {name} | {row} |")?;
            }
        }
        None => writeln!(
            out,
            "ALL-MINILM-L6-V2: LEFT OUT, IT IS NOT INSTALLED (scripts/embedding-model)"
        )?,
    }
    let folder = scratch.path().join("bge-base");
    tiny::write_embedder_of(BGE_BASE, &folder, 1)?;
    let texts = texts(arguments.texts / 8, 70, 70);
    let row = compare(arguments, scratch.path(), &folder, &texts)?;
    writeln!(out, "| the shape of bge-base, random weights | 70 words | {row} |")?;
    if let Some(peak) = peak_memory() {
        writeln!(out, "\npeak memory of this process: {} MB", peak / 1024)?;
    }
    Ok(())
}

/// Texts of words that every English vocabulary has.
fn texts(count: usize, shortest: usize, longest: usize) -> Vec<String> {
    const WORDS: &str = "the contract names every party and its address before any payment is due while \
        a court may order delivery of goods when notice was given in writing within thirty days after \
        renewal although insurance covers only part of what was lost during transport by sea";
    let words: Vec<&str> = WORDS.split_whitespace().collect();
    let mut state = 1_u64;
    let mut below = |limit: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap_or(0) % limit
    };
    let mut text = || {
        let length = shortest + below(longest - shortest + 1);
        (0..length).map(|_| words[below(words.len())]).collect::<Vec<_>>().join(" ")
    };
    (0..count).map(|_| text()).collect()
}

/// One row of the table.
fn compare(
    arguments: &Arguments,
    scratch: &Path,
    model: &Path,
    texts: &[String],
) -> Result<String> {
    let embedder = Embedder::open(model, arguments.threads)?;
    // The reference cuts at the model's limit, and ours reads on: compare what both read.
    let texts: Vec<String> = texts.iter().map(|text| cut(&embedder, text)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let peer = Peer::new(scratch, model, &texts, arguments.threads)?;
    let (mut ours, mut theirs) = (Cost::MAX, Cost::MAX);
    let mut vectors = embedder.embed(&texts)?;
    for _ in 0..arguments.rounds {
        let before = (Instant::now(), cpu_time());
        vectors = embedder.embed(&texts)?;
        ours = ours.least(before.0.elapsed(), cpu_time().saturating_sub(before.1));
        let cost = peer.run(&[])?;
        theirs = theirs.least(cost.wall, cost.cpu);
    }
    let few = Peer::new(scratch, model, &texts[..texts.len().min(TEXTS_OF_REFERENCE)], 1)?;
    few.run(&["--reference"])?;
    let reference = few.vectors(embedder.dimension())?;
    let cosines = reference.iter().zip(&vectors).map(|(a, b)| cosine(a, b));
    let least = cosines.fold(f32::INFINITY, f32::min);
    let count = f64::from(u32::try_from(texts.len())?);
    let rate = |cost: &Cost| count / cost.wall.as_secs_f64();
    let each = |cost: &Cost| cost.cpu.as_secs_f64() * 1000.0 / count;
    Ok(format!(
        "{:.1} | {:.1} | {:.2} | {:.1} | {:.1} | {:.2} | {least:.7}",
        rate(&ours),
        rate(&theirs),
        rate(&ours) / rate(&theirs),
        each(&ours),
        each(&theirs),
        each(&theirs) / each(&ours),
    ))
}

/// As many words of the text as the model reads at one time.
fn cut(embedder: &Embedder, text: &str) -> String {
    let mut words: Vec<&str> = text.split(' ').collect();
    while embedder.count_tokens(&words.join(" ")) + 2 > embedder.token_limit() {
        words.pop();
    }
    words.join(" ")
}

struct Cost {
    wall: Duration,
    cpu: Duration,
}

impl Cost {
    const MAX: Self = Self { wall: Duration::MAX, cpu: Duration::MAX };

    fn least(self, wall: Duration, cpu: Duration) -> Self {
        Self { wall: self.wall.min(wall), cpu: self.cpu.min(cpu) }
    }
}

/// `peers/embed.py`, with the texts in a file.
struct Peer {
    model: PathBuf,
    texts: PathBuf,
    vectors: PathBuf,
    threads: usize,
}

#[derive(Deserialize)]
struct Report {
    seconds: f64,
    cpu: f64,
}

impl Peer {
    fn new(scratch: &Path, model: &Path, texts: &[&str], threads: usize) -> Result<Self> {
        let file = scratch.join(format!("texts-{}.json", texts.len()));
        std::fs::write(&file, serde_json::to_vec(texts)?)?;
        let vectors = file.with_extension("vectors");
        Ok(Self { model: model.to_owned(), texts: file, vectors, threads })
    }

    /// Two rounds, of which the better counts: the first is to warm up.
    fn run(&self, options: &[&str]) -> Result<Cost> {
        let python = tool("onnxruntime-python");
        let rounds = if options.is_empty() { "2" } else { "1" };
        let output = Command::new(&python)
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/peers/embed.py"))
            .args([&self.model, &self.texts, &self.vectors])
            .args(["--threads", &self.threads.to_string(), "--rounds", rounds])
            .args(options)
            .stdin(Stdio::null())
            .stderr(Stdio::inherit())
            .output()
            .with_context(|| {
                format!("{}: get it with scripts/python-tool onnxruntime python", python.display())
            })?;
        if !output.status.success() {
            bail!("peers/embed.py failed");
        }
        let report: Report = serde_json::from_slice(&output.stdout)?;
        Ok(Cost {
            wall: Duration::from_secs_f64(report.seconds),
            cpu: Duration::from_secs_f64(report.cpu),
        })
    }

    fn vectors(&self, dimension: usize) -> Result<Vec<Vec<f32>>> {
        let bytes = std::fs::read(&self.vectors)?;
        let numbers: Vec<f32> =
            bytes.as_chunks().0.iter().map(|four| f32::from_le_bytes(*four)).collect();
        Ok(numbers.chunks_exact(dimension).map(<[f32]>::to_vec).collect())
    }
}

/// A program that `scripts/python-tool` installed.
fn tool(name: &str) -> PathBuf {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let cache = || {
        let home = || variable("HOME").map(|home| Path::new(&home).join(".cache"));
        let cache = variable("XDG_CACHE_HOME").map(PathBuf::from).or_else(home)?;
        Some(cache.join("docket/tools"))
    };
    let tools = variable("DOCKET_TOOLS").map(PathBuf::from).or_else(cache);
    tools.map_or_else(|| name.into(), |tools| tools.join("bin").join(name))
}

/// What all threads of this process have used of the processor, in the kernel's hundredths.
fn cpu_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the program is in brackets and may have spaces; user and system time are the 12th
    // and 13th of what follows.
    let after = stat.rsplit(')').next().unwrap_or_default();
    let ticks =
        after.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<u64>().ok());
    Duration::from_millis(ticks.sum::<u64>() * 10)
}

/// In KiB.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
