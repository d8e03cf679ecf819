//! The peers that run on Node.js: installed here, at pinned versions, and driven by `bench/peers`.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, ensure};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::Bench;

const FILES: [(&str, &str); 4] = [
    ("package.json", include_str!("../../peers/package.json")),
    ("drive.mjs", include_str!("../../peers/drive.mjs")),
    ("graphile.mjs", include_str!("../../peers/graphile.mjs")),
    ("boss.mjs", include_str!("../../peers/boss.mjs")),
];

/// The name it goes by in the report, and in `drive.mjs`.
pub(super) const PEERS: [(&str, &str); 3] = [
    ("graphile-worker", "graphile"),
    ("graphile-worker, batched", "graphile-batched"),
    ("pg-boss", "pg-boss"),
];

/// One peer process that waits for commands.
pub(super) struct Peer {
    pub(super) name: &'static str,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
    child: Child,
}

/// Starts all of them, or says which figures will be missing and why.
pub(super) async fn start(bench: &Bench, cluster: &Path) -> anyhow::Result<Vec<Peer>> {
    let folder = match install(bench).await {
        Ok(folder) => folder,
        Err(reason) => {
            writeln!(
                io::stderr(),
                "SKIPPED: graphile-worker and pg-boss, and the targets that compare with them: {reason:#}"
            )?;
            return Ok(Vec::new());
        }
    };
    let mut peers = Vec::new();
    for (name, argument) in PEERS {
        peers.push(Peer::start(&folder, cluster, name, argument).await?);
    }
    Ok(peers)
}

/// Kept with the other tools, so that it happens once.
async fn install(bench: &Bench) -> anyhow::Result<PathBuf> {
    let tools = env::var_os("DOCKET_TOOLS").map(PathBuf::from);
    let folder = tools.unwrap_or_else(|| bench.folder.path().to_owned()).join("bench-peers");
    fs::create_dir_all(&folder)?;
    let installed = folder.join("installed.json");
    let wanted = FILES[0].1;
    for (name, text) in FILES {
        fs::write(folder.join(name), text)?;
    }
    if fs::read_to_string(&installed).is_ok_and(|have| have == wanted) {
        return Ok(folder);
    }
    let done = Command::new("npm")
        .args(["install", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts"])
        .current_dir(&folder)
        .output()
        .await
        .context("npm cannot be started; it comes with Node.js")?;
    let complaint = String::from_utf8_lossy(&done.stderr);
    ensure!(done.status.success(), "npm install failed: {}", complaint.trim());
    fs::write(installed, wanted)?;
    Ok(folder)
}

impl Peer {
    async fn start(
        folder: &Path,
        cluster: &Path,
        name: &'static str,
        argument: &str,
    ) -> anyhow::Result<Self> {
        let mut child = Command::new("node")
            .args(["drive.mjs", argument])
            .current_dir(folder)
            .env("PGHOST", cluster)
            .env("PGPORT", "5432")
            .env("PGUSER", "docket")
            .env("PGDATABASE", "peers")
            .env("NODE_ENV", "production")
            .env("NO_LOG_SUCCESS", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .context("node cannot be started")?;
        let input = child.stdin.take().context("no standard input")?;
        let output = child.stdout.take().context("no standard output")?;
        let output = BufReader::new(output).lines();
        let mut peer = Self { name, input, output, child };
        peer.answer().await?;
        Ok(peer)
    }

    pub(super) async fn fill(&mut self, jobs: i32) -> anyhow::Result<()> {
        self.ask(json!({ "do": "fill", "jobs": jobs })).await.map(drop)
    }

    /// How many seconds it takes to do everything.
    pub(super) async fn work_off(&mut self, jobs: i32) -> anyhow::Result<f64> {
        let answer = self.ask(json!({ "do": "work_off", "jobs": jobs })).await?;
        answer["seconds"].as_f64().context("no seconds")
    }

    /// How many milliseconds each of single jobs waits for a worker.
    pub(super) async fn pick_up(&mut self, gaps: &[u64]) -> anyhow::Result<Vec<f64>> {
        let answer = self.ask(json!({ "do": "pick_up", "gaps": gaps })).await?;
        Ok(serde_json::from_value(answer["ms"].clone())?)
    }

    /// Lets go of the database.
    pub(super) async fn stop(self) -> anyhow::Result<()> {
        let Self { input, mut child, .. } = self;
        drop(input);
        child.wait().await?;
        Ok(())
    }

    async fn ask(&mut self, order: Value) -> anyhow::Result<Value> {
        self.input.write_all(format!("{order}\n").as_bytes()).await?;
        self.input.flush().await?;
        self.answer().await
    }

    async fn answer(&mut self) -> anyhow::Result<Value> {
        let line = self.output.next_line().await?;
        let line = line.with_context(|| format!("{} ended in the middle", self.name))?;
        serde_json::from_str(&line).with_context(|| format!("{} said {line:?}", self.name))
    }
}
