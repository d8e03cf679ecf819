//! The peer of taking in small documents: a file that lasts and a row that lasts, and nothing else.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use futures_util::future::try_join_all;
use tokio::task::spawn_blocking;

use super::upload::text;
use crate::bare_commits::{BareCommits, Client};
use crate::load::Rates;

#[derive(Debug)]
pub(super) struct BareFiles {
    writers: Vec<Writer>,
}

#[derive(Debug)]
struct Writer {
    client: Client,
    folder: PathBuf,
    content: Vec<u8>,
    files: u64,
}

impl BareFiles {
    pub(super) async fn prepare(
        cluster: &Path,
        folder: &Path,
        clients: usize,
        bytes: usize,
    ) -> anyhow::Result<Self> {
        let commits = BareCommits::prepare(cluster, clients).await?;
        let mut writers = Vec::new();
        for (number, client) in commits.into_clients().into_iter().enumerate() {
            let folder = folder.join(number.to_string());
            fs::create_dir_all(&folder)?;
            writers.push(Writer { client, folder, content: text(bytes), files: 0 });
        }
        Ok(Self { writers })
    }

    pub(super) async fn load(&mut self, duration: Duration) -> anyhow::Result<Rates> {
        let until = Instant::now() + duration;
        let working = self.writers.drain(..).map(|writer| tokio::spawn(writer.write_until(until)));
        let mut latencies = Vec::new();
        for done in try_join_all(working).await? {
            let (writer, own) = done?;
            self.writers.push(writer);
            latencies.extend(own);
        }
        Ok(Rates::of(latencies, duration))
    }
}

impl Writer {
    async fn write_until(mut self, until: Instant) -> anyhow::Result<(Self, Vec<Duration>)> {
        let mut latencies = Vec::new();
        let mut begun = Instant::now();
        while begun < until {
            self = spawn_blocking(|| self.write_file()).await??;
            self.client.insert().await?;
            let done = Instant::now();
            latencies.push(done - begun);
            begun = done;
        }
        Ok((self, latencies))
    }

    /// Lasts when it returns.
    fn write_file(mut self) -> anyhow::Result<Self> {
        self.files += 1;
        let staged = self.folder.join("staged");
        let mut file = File::create(&staged)?;
        file.write_all(&self.content)?;
        file.sync_all()?;
        fs::rename(&staged, self.folder.join(self.files.to_string()))?;
        File::open(&self.folder)?.sync_all()?;
        Ok(self)
    }
}
