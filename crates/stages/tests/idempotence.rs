//! A stage may be run any number of times for the same work: a worker died, a lease was lost. Whatever an attempt came
//! to, the next one gives what a single undisturbed one would have given, and leaves the same objects.
//!
//! Every stage that is registered is tried, on small documents that give each of them something to do: it is run
//! twice, and it fails and is killed at each of its steps. A *step* is whatever it does outside of itself: a request to
//! the object store, a file that is handed in, a look at the vectors that are known.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may do what a test may")]

#[path = "idempotence/harness.rs"]
mod harness;

use std::collections::BTreeSet;

use domain::{FailureClass, RetryPolicy, StageName};
use harness::{Attempt, Bench, Paper};
use testkit::Disturbance;
use testkit::samples::{samples, scan_of};

fn sample(ending: &str) -> Vec<u8> {
    let found = samples().into_iter().find(|sample| sample.ending == ending);
    found.unwrap().form.to_bytes()
}

/// A mail with a file that is only kept, and one that becomes a document.
fn mail() -> Vec<u8> {
    let attached = "--b1\r\nContent-Type: text/plain; name=\"note.txt\"\r\n\
                    Content-Disposition: attachment; filename=\"note.txt\"\r\n\r\nA note.\r\n--b1--";
    let mail = String::from_utf8(sample("eml")).unwrap();
    mail.replace("--b1--", attached).into_bytes()
}

fn papers() -> [Paper; 4] {
    [
        Paper::new("letter.txt", sample("txt")),
        Paper::new("table.pdf", sample("pdf")),
        Paper::new("scan.pdf", scan_of(&["CONTRACT AND ORDER"])),
        Paper::new("mail.eml", mail()),
    ]
}

#[tokio::test]
async fn every_stage_gives_the_same_again_whatever_an_attempt_came_to() {
    let bench = Bench::open().await;
    let mut covered = BTreeSet::new();
    for paper in papers() {
        let mut run = bench.begin(&paper).await;
        for stage in bench.stages() {
            let before = run.left();
            let first = run.attempt(&stage, None).await.unwrap();
            let steps = run.steps();
            let again = run.attempt(&stage, None).await;
            assert_eq!(again, Attempt::Done(first.clone()), "{stage} of {}, again", paper.name);
            for (disturbance, step) in each(steps) {
                let what = format!("{stage} of {}, {disturbance:?} at {step}", paper.name);
                run.restore(&before);
                match run.attempt(&stage, Some((disturbance, step))).await {
                    // It could do without that step.
                    Attempt::Done(done) => assert_eq!(done, first, "{what}"),
                    Attempt::Killed => assert_eq!(disturbance, Disturbance::Hangs, "{what}"),
                    Attempt::Failed(failure) => {
                        let is_unavailable = matches!(failure.class, FailureClass::Unavailable(_));
                        assert!(is_unavailable, "{what}: no document's fault, but {failure:?}");
                    }
                }
                let recovered = run.attempt(&stage, None).await;
                assert_eq!(recovered, Attempt::Done(first.clone()), "{what}, then again");
            }
            if steps > 0 {
                covered.insert(stage.clone());
            }
            run.go_on(stage, first);
        }
    }
    let all: BTreeSet<StageName> = bench.stages().into_iter().collect();
    assert_eq!(covered, all, "a stage that no document gives something to do is not tried");
    assert_eq!(all, BTreeSet::from(stages::NAMES), "every stage is registered under its name");
}

#[tokio::test]
async fn a_worker_that_reads_no_documents_has_the_other_stages() {
    let left = Bench::open().await.stages_without(&stages::READING);
    assert_eq!(left, [StageName::INGEST, StageName::INDEX]);
}

#[tokio::test]
async fn the_knowledge_base_has_a_retry_policy_of_its_own() {
    for (name, policy) in Bench::open().await.policies() {
        let is_index = name == StageName::INDEX;
        let expected = if is_index { RetryPolicy::KNOWLEDGE } else { RetryPolicy::PIPELINE };
        assert_eq!(policy, expected, "{name}");
    }
}

fn each(steps: usize) -> impl Iterator<Item = (Disturbance, usize)> {
    let at = move |disturbance| (1..=steps).map(move |step| (disturbance, step));
    Disturbance::ALL.into_iter().flat_map(at)
}
