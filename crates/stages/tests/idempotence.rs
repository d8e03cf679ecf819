//! Every stage is idempotent: a worker may die or lose its lease, so a stage may run any number of times for the same
//! job. Whatever happened to one attempt, the next gives the same result and stores the same objects as a single
//! undisturbed run.
//!
//! The test loops over all registered stages, with small documents that give each of them work: it runs a stage twice,
//! and makes it fail and kills it at each of its steps. A *step* is any external effect: a request to the object
//! store, a submitted file, a lookup of known vectors.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may do what a test may")]

#[path = "idempotence/harness.rs"]
mod harness;

use std::collections::BTreeSet;

use domain::{FailureClass, RetryPolicy, StageName};
use harness::{Attempt, Harness, SampleDocument};
use pages::Part;
use testkit::Disturbance;
use testkit::samples::{samples, scan_of};

fn sample(ending: &str) -> Vec<u8> {
    let found = samples().into_iter().find(|sample| sample.ending == ending);
    found.unwrap().form.to_bytes()
}

/// A mail with an attachment that is only stored, and one that becomes a document.
fn mail() -> Vec<u8> {
    let attached = "--b1\r\nContent-Type: text/plain; name=\"note.txt\"\r\n\
                    Content-Disposition: attachment; filename=\"note.txt\"\r\n\r\nA note.\r\n--b1--";
    let mail = String::from_utf8(sample("eml")).unwrap();
    mail.replace("--b1--", attached).into_bytes()
}

fn documents() -> [SampleDocument; 6] {
    [
        SampleDocument::new("note.txt", b"Note\n\nISIN US0378331005\n".to_vec()).of_type("note"),
        SampleDocument::new("letter.txt", sample("txt")),
        SampleDocument::new("table.pdf", sample("pdf")),
        SampleDocument::new("scan.pdf", scan_of(&["CONTRACT AND ORDER"])),
        SampleDocument::new("mail.eml", mail()),
        SampleDocument::new("invoice.xml", sample("xml")),
    ]
}

#[tokio::test]
async fn every_stage_is_idempotent_after_failures_and_kills_at_every_step() {
    let harness = Harness::open().await;
    let mut covered = BTreeSet::new();
    for document in documents() {
        let mut run = harness.begin(&document).await;
        for stage in harness.stages() {
            let before = run.outside_state();
            let first = run.attempt(&stage, None).await.unwrap();
            let steps = run.steps();
            let again = run.attempt(&stage, None).await;
            assert_eq!(again, Attempt::Done(first.clone()), "{stage} of {}, again", document.name);
            for (disturbance, step) in each(steps) {
                let what = format!("{stage} of {}, {disturbance:?} at {step}", document.name);
                run.restore(&before);
                match run.attempt(&stage, Some((disturbance, step))).await {
                    // The stage tolerates a failure of this step.
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
            run.advance(stage, first);
        }
    }
    let all: BTreeSet<StageName> = harness.stages().into_iter().collect();
    assert_eq!(covered, all, "some stage has no work for any of these documents");
    assert_eq!(all, BTreeSet::from(stages::NAMES), "every stage is registered under its name");
}

/// `extraction` reads the last pages only.
#[tokio::test]
async fn the_xml_of_an_invoice_is_among_the_pages_and_is_no_file_of_its_own() {
    let harness = Harness::open().await;
    let xml = sample("xml");
    let mut run = harness.begin(&SampleDocument::new("invoice.xml", xml.clone())).await;
    for stage in [StageName::INGEST, StageName::PREPROCESS, StageName::OCR, StageName::LAYOUT] {
        let outcome = run.attempt(&stage, None).await.unwrap();
        run.advance(stage, outcome);
    }
    let parts = run.pages_of(&StageName::LAYOUT);
    let attached: Vec<&[u8]> = parts
        .iter()
        .filter_map(
            |part| if let Part::Attachment(file) = part { Some(&*file.bytes) } else { None },
        )
        .collect();
    assert_eq!(attached, [xml.as_slice()]);
    assert!(parts.iter().any(|part| matches!(part, Part::Page(page) if !page.tables.is_empty())));
    assert_eq!(run.attachments(), 0, "the original is not stored a second time");
}

#[tokio::test]
async fn a_worker_without_reading_runs_the_other_stages() {
    let remaining = Harness::open().await.stages_without(&stages::READING);
    assert_eq!(remaining, [StageName::INGEST, StageName::INDEX, StageName::PACKAGE]);
}

#[tokio::test]
async fn only_index_has_the_knowledge_retry_policy() {
    for (name, policy) in Harness::open().await.policies() {
        let is_index = name == StageName::INDEX;
        let expected = if is_index { RetryPolicy::KNOWLEDGE } else { RetryPolicy::PIPELINE };
        assert_eq!(policy, expected, "{name}");
    }
}

fn each(steps: usize) -> impl Iterator<Item = (Disturbance, usize)> {
    let at = move |disturbance| (1..=steps).map(move |step| (disturbance, step));
    Disturbance::ALL.into_iter().flat_map(at)
}
