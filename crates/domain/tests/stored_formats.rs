//! Compares the JSON that the database stores with files in `golden/`. A change of a format fails here, and the formats of
//! earlier versions must stay readable.

use domain::{
    Alternative, Artifact, ArtifactEntry, AttachmentArtifact, AttachmentContent, Check,
    ContentHash, DocId, EarlierArtifacts, Extraction, Field, FieldGroup, FieldSource, FieldStatus,
    PagesArtifact, RunStats, StageName, StoredFile, UnreadableExtraction,
};
use serde_json::{Value, json};
use uuid::Uuid;

const ARTIFACTS: &str = include_str!("golden/artifacts.json");
const ARTIFACTS_OF_EXTRACTION: &str = include_str!("golden/artifacts_of_extraction.json");
const ARTIFACTS_WITHOUT_VERSION: &str = include_str!("golden/artifacts_without_version.json");
const EXTRACTION: &str = include_str!("golden/extraction.json");
const STATS: &str = include_str!("golden/stats.json");

fn file(stage: &StageName, name: &str, size_bytes: u64) -> StoredFile {
    let [tenant, doc, run] = [1, 2, 3].map(Uuid::from_u128);
    let key = format!("artifacts/{tenant}/{doc}/{run}/{stage}/{name}");
    StoredFile { key, size_bytes, sha256: ContentHash([0xab; 32]) }
}

fn pages(stage: &StageName, pages: Option<u32>, wanting_ocr: Option<u32>) -> Artifact {
    let file = file(stage, Artifact::PAGES, 4096);
    Artifact::Pages(PagesArtifact { file, pages, wanting_ocr })
}

fn attachment(
    number: usize,
    names: (&str, Option<&str>),
    content: impl FnOnce(&str) -> AttachmentContent,
) -> Artifact {
    let name = AttachmentArtifact::name_of(number);
    let (file_name, media_type) = (Some(names.0.to_owned()), names.1.map(str::to_owned));
    let content = content(&name);
    Artifact::Attachment(AttachmentArtifact { name, file_name, media_type, content })
}

/// The artifacts of every stage, of every kind.
fn artifacts() -> EarlierArtifacts {
    let (ingest, preprocess) = (StageName::INGEST, StageName::PREPROCESS);
    let (ocr, layout) = (StageName::OCR, StageName::LAYOUT);
    let stored = |name: &str| AttachmentContent::Stored(file(&StageName::PREPROCESS, name, 8));
    let document = |_: &str| AttachmentContent::Document(DocId(Uuid::from_u128(4)));
    EarlierArtifacts::from([
        (ingest.clone(), vec![Artifact::Original(file(&ingest, Artifact::ORIGINAL, 102))]),
        (
            preprocess.clone(),
            vec![
                pages(&preprocess, Some(3), Some(1)),
                attachment(1, ("sums.csv", Some("text/csv")), stored),
                attachment(2, ("letter.pdf", None), document),
            ],
        ),
        (ocr.clone(), vec![pages(&ocr, None, None)]),
        (
            layout.clone(),
            vec![
                pages(&layout, Some(3), None),
                Artifact::Text(file(&layout, Artifact::TEXT, 12)),
                Artifact::Markdown(file(&layout, Artifact::MARKDOWN, 16)),
            ],
        ),
        (StageName::INDEX, Vec::new()),
    ])
}

/// The artifacts that later stages added.
fn artifacts_of_extraction() -> EarlierArtifacts {
    let (parse, reconcile) = (StageName::PARSE, StageName::RECONCILE);
    EarlierArtifacts::from([
        (parse.clone(), vec![Artifact::Parsed(file(&parse, Artifact::PARSED, 640))]),
        (
            reconcile.clone(),
            vec![Artifact::Extraction(file(&reconcile, Artifact::EXTRACTION, 320))],
        ),
    ])
}

fn stats() -> RunStats {
    RunStats {
        pages: Some(3),
        pages_wanting_ocr: Some(2),
        password_used: Some(true),
        attachments: Some(2),
        remarks: vec!["A font is missing.".to_owned()],
        ocr_pages: Some(1),
        ocr_words: Some(200),
        ocr_words_agreed: Some(190),
        ocr_words_disputed: Some(4),
        ocr_unavailable_pages: Some(1),
        pages_failed: Some(1),
        ocr_trouble: Some("the reader crashed (signal 11)".to_owned()),
        words: Some(700),
        tables: Some(2),
        key_values: Some(5),
        docs_processed: Some(1),
        chunks_created: Some(9),
        tokens_total: Some(1200),
        chunks: Some(9),
        texts_embedded: Some(8),
        fields_extracted: Some(12),
        fields_accepted: Some(10),
    }
}

#[test]
fn artifacts_are_written_as_in_the_golden_file_and_read_back() {
    let golden: Value = serde_json::from_str(ARTIFACTS).unwrap();
    assert_eq!(serde_json::to_value(artifacts()).unwrap(), golden);
    assert_eq!(serde_json::from_value::<EarlierArtifacts>(golden).unwrap(), artifacts());
}

#[test]
fn artifacts_of_extraction_are_written_as_in_the_golden_file_and_read_back() {
    let golden: Value = serde_json::from_str(ARTIFACTS_OF_EXTRACTION).unwrap();
    assert_eq!(serde_json::to_value(artifacts_of_extraction()).unwrap(), golden);
    let read = serde_json::from_value::<EarlierArtifacts>(golden).unwrap();
    assert_eq!(read, artifacts_of_extraction());
}

#[test]
fn artifacts_without_a_version_are_read() {
    let read: EarlierArtifacts = serde_json::from_str(ARTIFACTS_WITHOUT_VERSION).unwrap();
    assert_eq!(read, artifacts());
}

#[test]
fn an_artifact_of_a_later_version_keeps_its_known_fields() {
    let hash = ContentHash([1; 32]).to_string();
    let later = json!({
        "version": 7, "name": "fields.json", "key": "k", "size_bytes": 2, "sha256": hash, "fields": 3,
    });
    let read: Artifact = serde_json::from_value(later.clone()).unwrap();
    assert_eq!((read.name(), read.file().unwrap().key.as_str()), ("fields.json", "k"));
    assert_eq!(ArtifactEntry::from(read).version, Some(7));
    // Pages in another format, without the fields that this version needs, do not count as pages.
    let strange: Artifact = serde_json::from_value(json!({ "name": "pages.dkt" })).unwrap();
    assert_eq!((Artifact::pages_in(std::slice::from_ref(&strange)), strange.file()), (None, None));
    // Entries that never were artifacts do not stop a worker from reading the rest.
    serde_json::from_value::<Vec<Artifact>>(json!([{ "ms": 12 }, {}])).unwrap();
}

#[test]
fn statistics_are_written_as_in_the_golden_file_and_read_back() {
    let golden: Value = serde_json::from_str(STATS).unwrap();
    assert_eq!(serde_json::to_value(stats().stored()).unwrap(), golden);
    assert_eq!(serde_json::from_value::<RunStats>(golden).unwrap(), stats());
    let nothing = serde_json::to_value(RunStats::default().stored()).unwrap();
    assert_eq!(nothing, json!({ "version": 1 }));
}

#[test]
fn statistics_without_a_version_are_read() {
    let mut old: Value = serde_json::from_str(STATS).unwrap();
    old.as_object_mut().unwrap().remove("version");
    assert_eq!(serde_json::from_value::<RunStats>(old).unwrap(), stats());
    assert_eq!(serde_json::from_value::<RunStats>(json!({})).unwrap(), RunStats::default());
}

fn extraction() -> Extraction {
    let area = Some([72.0, 40.5, 180.0, 52.5]);
    let broker = Field {
        value: Some("Nordbank".to_owned()),
        raw: Some("NORDBANK AG".to_owned()),
        confidence: 0.968_75,
        status: FieldStatus::Accepted,
        page: Some(1),
        area,
        source: Some(FieldSource::Page),
        alternatives: vec![Alternative {
            value: "Nordhank".to_owned(),
            raw: "NORDHANK AG".to_owned(),
            confidence: 0.031_25,
            page: Some(1),
            area,
            source: FieldSource::OcrAlternative,
        }],
        checks: Vec::new(),
    };
    let quantity = Field {
        value: Some("3".to_owned()),
        raw: Some("3".to_owned()),
        confidence: 0.5,
        status: FieldStatus::NeedsReview,
        source: Some(FieldSource::Derived),
        checks: vec!["line_total".to_owned()],
        ..Field::missing()
    };
    let check =
        Check { name: "line_total".to_owned(), passed: None, detail: "3 × ? = 12.00".to_owned() };
    Extraction {
        document_type: "contract_note".to_owned(),
        fields: FieldGroup::from([("broker".to_owned(), broker)]),
        trades: vec![FieldGroup::from([("isin".to_owned(), Field::missing())])],
        lines: vec![FieldGroup::from([("quantity".to_owned(), quantity)])],
        checks: vec![check],
        warnings: vec!["The day and month of 02/03/2026 are ambiguous.".to_owned()],
    }
}

#[test]
fn an_extraction_is_written_as_in_the_golden_file_and_read_back() {
    let golden: Value = serde_json::from_str(EXTRACTION).unwrap();
    assert_eq!(extraction().to_json(), golden);
    assert_eq!(Extraction::read(golden).unwrap(), extraction());
}

#[test]
fn an_extraction_of_a_later_version_is_refused() {
    let mut later: Value = serde_json::from_str(EXTRACTION).unwrap();
    later["version"] = json!(2);
    assert_eq!(Extraction::read(later), Err(UnreadableExtraction::TooNew { found: 2 }));
}
