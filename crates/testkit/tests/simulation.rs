//! The queue keeps its promises under faults, and the simulation would notice if it did not.

use testkit::sim::{Fence, SimDatabase, run_seeds};

const THREADS: usize = 3;

#[tokio::test]
async fn a_thousand_seeds_find_nothing() {
    let tally = run_seeds(0..1000, THREADS, Fence::Enabled).await;
    let tally = tally.unwrap_or_else(|found| panic!("{found}"));
    assert_eq!(tally.seeds, 1000);
    assert!(tally.runs > 2000 && tally.steps > 40_000, "{tally:?}");
}

#[tokio::test]
async fn without_the_fence_something_is_found_within_five_hundred_seeds() {
    let found = run_seeds(0..500, THREADS, Fence::Disabled).await.expect_err("a bug was planted");
    assert!(found.to_string().contains("docket-sim -- --seed"), "{found}");
    // The one line replays it.
    let mut database = SimDatabase::open(Fence::Disabled).await;
    let again = database.run(found.seed).await.expect_err("the same seed finds it again");
    assert_eq!(again.steps.len(), found.violation.steps.len());
    // And it was the fence.
    SimDatabase::open(Fence::Enabled).await.run(found.seed).await.expect("with the fence it holds");
}

#[tokio::test]
async fn a_seed_does_the_same_whatever_ran_before_it() {
    let without_ids = |steps: Vec<String>| -> Vec<String> {
        steps.into_iter().map(|step| step.replace(|c: char| c.is_ascii_hexdigit(), "")).collect()
    };
    let (mut fresh, mut used) =
        (SimDatabase::open(Fence::Enabled).await, SimDatabase::open(Fence::Enabled).await);
    for seed in 100..110 {
        used.run(seed).await.unwrap();
    }
    for seed in 0..5 {
        let (_, first) = fresh.steps_of(seed).await.unwrap();
        let (_, second) = used.steps_of(seed).await.unwrap();
        assert_eq!(without_ids(first), without_ids(second), "seed {seed}");
    }
}
