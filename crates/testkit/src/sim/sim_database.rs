//! A database on which many seeds run, one after the other.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use domain::{Clock, IdGen};
use sqlx::PgConnection;
use store::Store;
use uuid::Uuid;

use super::seed::Seed;
use super::{Fence, Tally, Violation};
use crate::{FakeClock, TestDatabase};

/// Ids that rise within a seed and from seed to seed. The ids of a seed have
/// the same order whatever ran before, so the seed does the same things.
#[derive(Debug, Default)]
struct SeedIds {
    seeds: AtomicU64,
    last: AtomicU64,
}

impl IdGen for SeedIds {
    fn next(&self) -> Uuid {
        let seed = u128::from(self.seeds.load(Ordering::Relaxed));
        Uuid::from_u128(seed << 64 | u128::from(self.last.fetch_add(1, Ordering::Relaxed) + 1))
    }
}

#[derive(Debug)]
pub struct SimDatabase {
    pub(super) clock: Arc<FakeClock>,
    pub(super) store: Store,
    pub(super) ids: Arc<dyn IdGen>,
    pub(super) superuser: PgConnection,
    counter: Arc<SeedIds>,
    _database: TestDatabase,
}

impl SimDatabase {
    pub async fn open(fence: Fence) -> Self {
        let database = TestDatabase::create().await;
        let clock = Arc::new(FakeClock::default());
        let counter = Arc::new(SeedIds::default());
        let ids = Arc::clone(&counter) as Arc<dyn IdGen>;
        let store = database.store(Arc::clone(&clock) as Arc<dyn Clock>, Arc::clone(&ids)).await;
        let store = match fence {
            Fence::Enabled => store,
            Fence::Disabled => store.unfenced(),
        };
        let superuser = database.superuser().await;
        Self { clock, store, ids, superuser, counter, _database: database }
    }

    pub async fn run(&mut self, seed: u64) -> Result<Tally, Violation> {
        self.steps_of(seed).await.map(|(tally, _)| tally)
    }

    /// The same, with a list of all steps.
    pub async fn steps_of(&mut self, seed: u64) -> Result<(Tally, Vec<String>), Violation> {
        self.counter.seeds.fetch_add(1, Ordering::Relaxed);
        self.counter.last.store(0, Ordering::Relaxed);
        let mut played = Seed::new(self, seed);
        let ended = played.play().await;
        let (tally, steps) = played.into_record();
        match ended {
            Ok(()) => Ok((tally, steps)),
            Err(what) => Err(Violation { what, steps }),
        }
    }
}
