//! The queue under faults, replayable from a number.
//!
//! A *seed* decides everything: how many tenants, runs and workers there are, what each worker does
//! next, how each stage ends, and what goes wrong. Workers are stepped one operation at a time on a
//! real store, with a clock that only the simulation moves; nothing here waits for a timer.
//!
//! Time goes wrong too (`clocks.rs`): every machine has a time of day of its own, up to days off and set at any moment,
//! and the database's clock jumps. Meanwhile no lease may be taken back before its time has really passed, no original
//! may be old enough to be deleted, and a periodic task must go on (`periodic.rs`).
//!
//! While it runs, every answer of the store is held against a model of who holds which lease
//! (`model.rs`). When the faults stop, the rest is worked off, and the rows are held against each
//! other (`checks.rs`): nothing lost, nothing done twice, audit log and outbox in step.
//!
//! What it does not cover: the worker's own tasks and threads (stories in `engine`), and processes
//! that really die (chaos).

mod checks;
mod clocks;
mod model;
mod people;
mod periodic;
mod seed;
mod sim_database;
mod worker;

use std::ops::Range;

use thiserror::Error;

pub use sim_database::SimDatabase;

/// A promise that did not hold, or a store that failed where it must not.
#[derive(Debug, Error)]
#[error("{what}")]
pub struct Violation {
    pub what: String,
    /// What was done, step by step.
    pub steps: Vec<String>,
}

/// A seed that found something.
#[derive(Debug, Error)]
#[error("seed {seed}: {} · replay: cargo run -p testkit --bin docket-sim -- --seed {seed}", .violation.what)]
pub struct FailedSeed {
    pub seed: u64,
    #[source]
    pub violation: Violation,
}

/// What a number of seeds did.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    pub seeds: u64,
    pub steps: u64,
    pub runs: u64,
}

/// Which store the seeds are run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fence {
    Enabled,
    /// With the lease token left out of the settling statement: must be found.
    Disabled,
}

/// Runs seeds on several databases at once, one thread each; the first that finds something counts.
pub async fn run_seeds(
    seeds: Range<u64>,
    databases: usize,
    fence: Fence,
) -> Result<Tally, FailedSeed> {
    let mut threads = tokio::task::JoinSet::new();
    for number in 0..databases {
        let mine: Vec<u64> = seeds.clone().skip(number).step_by(databases).collect();
        threads.spawn_blocking(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("a runtime starts").block_on(run_thread(mine, fence))
        });
    }
    let mut sum = Tally::default();
    while let Some(ended) = threads.join_next().await {
        sum.add(ended.expect("running seeds does not panic")?);
    }
    Ok(sum)
}

async fn run_thread(seeds: Vec<u64>, fence: Fence) -> Result<Tally, FailedSeed> {
    let mut database = SimDatabase::open(fence).await;
    let mut tally = Tally::default();
    for seed in seeds {
        let done = database.run(seed).await.map_err(|violation| FailedSeed { seed, violation })?;
        tally.add(done);
    }
    Ok(tally)
}

impl Tally {
    pub(crate) fn add(&mut self, other: Self) {
        self.seeds += other.seeds;
        self.steps += other.steps;
        self.runs += other.runs;
    }
}
