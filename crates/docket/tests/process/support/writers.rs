//! Clients that write at once, and remember what was acknowledged.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use domain::Random;
use serde_json::json;
use testkit::SeededRandom;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::{Answer, Client, TIMEOUT};

const CLIENTS: usize = 8;

/// Eight clients that together make a thousand API keys, each of them an audited write.
#[derive(Debug)]
pub(crate) struct Writers {
    acknowledged: watch::Receiver<Vec<String>>,
    clients: JoinSet<Vec<Answer>>,
}

/// What the clients went through.
#[derive(Debug)]
pub(crate) struct Written {
    /// The ids of the keys that the server said it had made.
    pub(crate) acknowledged: Vec<String>,
    /// Answers other than "made".
    pub(crate) refusals: Vec<Answer>,
}

impl Writers {
    pub(crate) const WRITES: usize = 1000;

    pub(crate) fn start(client: &Client) -> Self {
        let (made, acknowledged) = watch::channel(Vec::new());
        let (made, started) = (Arc::new(made), Arc::new(AtomicUsize::new(0)));
        let mut clients = JoinSet::new();
        for _ in 0..CLIENTS {
            clients.spawn(write(client.clone(), Arc::clone(&made), Arc::clone(&started)));
        }
        Self { acknowledged, clients }
    }

    /// Waits for a moment in the middle of the work.
    pub(crate) async fn until_somewhere_in_the_middle(&mut self) {
        let seed = std::env::var("DOCKET_TEST_SEED").ok().and_then(|seed| seed.parse().ok());
        let seed = seed.unwrap_or_else(|| u64::from(std::process::id()));
        let mut bytes = [0; 8];
        SeededRandom::new(seed).fill(&mut bytes);
        let count = Self::WRITES / 10
            + usize::from(u16::from_le_bytes([bytes[6], bytes[7]])) % (Self::WRITES * 8 / 10);
        println!("after {count} acknowledged writes (DOCKET_TEST_SEED={seed})");
        let reached = self.acknowledged.wait_for(|ids| ids.len() >= count);
        timeout(TIMEOUT, reached).await.expect("writes in time").expect("clients that write");
    }

    /// Waits until every client has ended: its work done, or its server gone.
    pub(crate) async fn finish(self) -> Written {
        let refusals = timeout(TIMEOUT, self.clients.join_all()).await.expect("an end in time");
        let acknowledged = self.acknowledged.borrow().clone();
        Written { acknowledged, refusals: refusals.into_iter().flatten().collect() }
    }
}

/// A refused write is tried again; a client whose server is gone gives up.
async fn write(
    client: Client,
    made: Arc<watch::Sender<Vec<String>>>,
    started: Arc<AtomicUsize>,
) -> Vec<Answer> {
    let mut refusals = Vec::new();
    while made.borrow().len() < Writers::WRITES {
        let number = started.fetch_add(1, Ordering::Relaxed);
        let wanted = json!({ "name": format!("key {number}"), "role": "viewer" });
        let Ok(answer) = client.try_post("/v1/api-keys", wanted).await else { break };
        if answer.status == 201 {
            let id = answer.body["api_key_id"].as_str().expect("a key has an id").to_owned();
            made.send_modify(|ids| ids.push(id));
        } else {
            refusals.push(answer);
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
    refusals
}
