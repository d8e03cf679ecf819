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
use testkit::samples::{pdf_of_objects, samples, scan_of};

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

/// The attached files among the last pages, and the number of those that are stored as files.
async fn attached_after_layout(
    harness: &Harness,
    document: &SampleDocument,
) -> (Vec<Vec<u8>>, usize) {
    let mut run = harness.begin(document).await;
    for stage in [StageName::INGEST, StageName::PREPROCESS, StageName::OCR, StageName::LAYOUT] {
        let outcome = run.attempt(&stage, None).await.unwrap();
        run.advance(stage, outcome);
    }
    let parts = run.pages_of(&StageName::LAYOUT).into_iter();
    let attached = parts
        .filter_map(|part| if let Part::Attachment(file) = part { Some(file.bytes) } else { None });
    (attached.collect(), run.attachments())
}

/// A PDF with attached files.
fn pdf_with(files: &[&[u8]]) -> Vec<u8> {
    let names: Vec<String> =
        (0..files.len()).map(|at| format!("(file{at}) {} 0 R", 5 + 2 * at)).collect();
    let catalog = format!(
        "<< /Type /Catalog /Pages 2 0 R /Names << /EmbeddedFiles << /Names [{}] >> >> >>",
        names.join(" ")
    );
    let content = "BT /F1 12 Tf 50 170 Td (An invoice with its XML) Tj ET";
    let mut objects = vec![
        catalog.into_bytes(),
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_vec(),
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 4 0 R /Resources << /Font \
          << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>"
            .to_vec(),
        format!("<< /Length {} >> stream\n{content}\nendstream", content.len()).into_bytes(),
    ];
    for (at, file) in files.iter().enumerate() {
        let spec = format!(
            "<< /Type /Filespec /F (file{at}) /UF (file{at}) /EF << /F {} 0 R >> >>",
            6 + 2 * at
        );
        objects.push(spec.into_bytes());
        let head = format!("<< /Type /EmbeddedFile /Length {} >> stream\n", file.len());
        objects.push([head.as_bytes(), file, b"\nendstream"].concat());
    }
    pdf_of_objects(&objects)
}

/// `extraction` reads the last pages only.
#[tokio::test]
async fn the_xml_of_an_invoice_is_among_the_pages() {
    let harness = Harness::open().await;
    let xml = sample("xml");
    let alone = SampleDocument::new("invoice.xml", xml.clone());
    let (attached, stored) = attached_after_layout(&harness, &alone).await;
    assert_eq!(attached, [xml.as_slice()]);
    assert_eq!(stored, 0, "the original is not stored a second time");
    let pdf = pdf_with(&[b"terms of delivery", &xml]);
    let within = SampleDocument::new("invoice.pdf", pdf.clone());
    let (attached, stored) = attached_after_layout(&harness, &within).await;
    assert_eq!(attached, [xml.as_slice()], "of the attached files only the invoice");
    assert_eq!(stored, 2);
    let masked = SampleDocument::new("invoice.pdf", pdf).masked();
    let (attached, _) = attached_after_layout(&harness, &masked).await;
    assert!(attached.is_empty(), "the XML contains what the mask hides");
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
