//! The other tenant: small good documents, one at a time, each waited for and read back.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::ensure;

use crate::client::{Client, File};

/// A document that is not served by then is lost.
const LONGEST: Duration = Duration::from_mins(5);
/// Between two documents: the other tenant measures, and is no load of its own.
const PAUSE: Duration = Duration::from_millis(200);
const LOOK_EVERY: Duration = Duration::from_millis(10);

pub(super) struct Neighbour {
    client: Client,
    submitted: u32,
}

/// What became of the documents.
#[derive(Debug, Default)]
pub(super) struct Diary {
    times: Vec<Duration>,
    /// Those that were not served as they should be, and what was said instead.
    pub(super) harmed: Vec<String>,
}

impl Diary {
    pub(super) fn documents(&self) -> usize {
        self.times.len() + self.harmed.len()
    }

    /// From upload to ready, in ms: the median, the 99th percentile, and the longest.
    pub(super) fn times(&self) -> [u128; 3] {
        let mut times = self.times.clone();
        times.sort_unstable();
        let last = times.len().saturating_sub(1);
        [times.len() / 2, times.len() * 99 / 100, last]
            .map(|at| times.get(at.min(last)).map_or(0, Duration::as_millis))
    }
}

impl Neighbour {
    pub(super) fn new(client: Client) -> Self {
        Self { client, submitted: 0 }
    }

    pub(super) async fn submit_several(&mut self, documents: u32) -> Diary {
        let mut diary = Diary::default();
        for _ in 0..documents {
            self.submit_file(&mut diary).await;
        }
        diary
    }

    pub(super) async fn submit_until(mut self, over: Arc<AtomicBool>) -> Diary {
        let mut diary = Diary::default();
        while !over.load(Ordering::Relaxed) {
            self.submit_file(&mut diary).await;
        }
        diary
    }

    async fn submit_file(&mut self, diary: &mut Diary) {
        self.submitted += 1;
        match self.time_to_served().await {
            Ok(time) => diary.times.push(time),
            Err(error) => diary.harmed.push(format!("document {}: {error:#}", self.submitted)),
        }
        tokio::time::sleep(PAUSE).await;
    }

    async fn time_to_served(&self) -> anyhow::Result<Duration> {
        let word = format!("zebra{}x", self.submitted);
        let (name, bytes) = (format!("{word}.txt"), page(&word).into_bytes());
        let begun = Instant::now();
        let answer = self.client.submit_file(File { name, bytes, password: None }).await?;
        ensure!(answer.status == 202, "not taken: {answer:?}");
        let (run, document) = (answer.text("run_id"), answer.text("doc_id"));
        let run = format!("/v1/ingestion-runs/{run}");
        loop {
            let answer = self.client.get(&run).await?;
            match answer.text("status").as_str() {
                "succeeded" => break,
                "queued" | "running" => {}
                _ => anyhow::bail!("{answer:?}"),
            }
            ensure!(begun.elapsed() < LONGEST, "not served after {LONGEST:?}");
            tokio::time::sleep(LOOK_EVERY).await;
        }
        let time = begun.elapsed();
        let text = self.client.get(&format!("/v1/documents/{document}/text")).await?;
        let text = text.body.as_str().unwrap_or_default().to_owned();
        let ours = text.contains(&word) && text.matches("zebra").count() == 1;
        ensure!(ours, "its text is not its own: {text:?}");
        Ok(time)
    }
}

/// A page of about three hundred words.
fn page(word: &str) -> String {
    let sentence = "The supplier delivers the goods within thirty days of the order, and the customer \
                    pays the invoice on the first day of the following month.\n";
    format!("ProgramRequest {word}\n\n{}", sentence.repeat(12))
}
