//! Compares the artifacts of the stages with files in `golden/`. A change of a format fails here.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may do what a test may")]

use extraction::stored::{ExtractionArtifact, ParsedArtifact, UnreadableArtifact};
use serde_json::Value;

const PARSED: &str = include_str!("golden/parsed.json");
const EXTRACTION: &str = include_str!("golden/extraction.json");

fn json(text: &[u8]) -> Value {
    serde_json::from_slice(text).unwrap()
}

#[test]
fn candidates_read_back_and_write_the_same() {
    let read = ParsedArtifact::read(PARSED.as_bytes()).unwrap();
    assert_eq!((read.type_version, read.content.document_type.as_str()), (3, "contract_note"));
    assert_eq!(json(&read.to_json()), json(PARSED.as_bytes()));
}

#[test]
fn fields_read_back_and_write_the_same() {
    let read = ExtractionArtifact::read(EXTRACTION.as_bytes()).unwrap();
    assert_eq!((read.type_version, read.content.fields["invoice_number"].page), (0, Some(1)));
    assert_eq!(json(&read.to_json()), json(EXTRACTION.as_bytes()));
}

#[test]
fn a_newer_or_damaged_artifact_is_refused() {
    let newer = PARSED.replace("\"version\": 1", "\"version\": 2");
    assert_eq!(ParsedArtifact::read(newer.as_bytes()), Err(UnreadableArtifact::TooNew(2)));
    for damaged in ["", "{}", "{\"version\": 1}", &PARSED[..200]] {
        let read = ParsedArtifact::read(damaged.as_bytes());
        assert_eq!(read, Err(UnreadableArtifact::Malformed), "{damaged}");
    }
}
