//! Extraction in sandboxed children, on page artifacts that no reader would store.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may do what a test may")]

use std::collections::BTreeMap;
use std::path::PathBuf;

use domain::{Failure, FailureClass, FieldStatus, FileKind, TenantId};
use extraction::parse::ParseRequest;
use extraction::parsed::Parsed;
use extraction::sandboxed::{ExtractionError, ExtractionFailure, Extractor};
use extraction::types::DocumentType;
use pages::artifact::{PackedPart, Writer, write_frame};
use pages::{
    Area, Block, BlockKind, Cell, Head, KeyValue, Line, Page, Part, Size, Span, Table, Tail, Word,
};
use reading::pool::{Document, PoolSettings};
use reading::sandbox::SandboxPolicy;
use reading::sandbox::pool::{ChildFailure, Pool};
use serde_json::json;
use uuid::Uuid;

const TENANT: TenantId = TenantId(Uuid::from_u128(1));
const ISIN: &str = "US0378331005";

/// Cargo builds it with the tests, but gives no path to it.
fn child() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let program = test.ancestors().nth(2).unwrap().join("examples/reading_child");
    assert!(program.exists(), "run `cargo build -p stages --examples` first");
    program
}

fn extractor_with(change: impl FnOnce(&mut PoolSettings)) -> Extractor {
    let mut settings = PoolSettings::new(child(), &["read-worker"]);
    settings.children = 1;
    settings.spares = 0;
    settings.sandbox = SandboxPolicy::BestEffort;
    change(&mut settings);
    Extractor::new(Pool::new(settings))
}

fn note() -> DocumentType {
    let json = json!({
        "name": "note", "title": "Note", "schema": { "type": "object" },
        "fields": [{ "name": "isin", "kind": "isin", "labels": { "en": ["ISIN"] } }],
    });
    serde_json::from_value(json).unwrap()
}

fn request() -> ParseRequest {
    ParseRequest { types: vec![note()], wanted: Some("note".to_owned()), ..ParseRequest::default() }
}

/// A page with two words in each row, each of them a line.
fn page(number: u32, words: &[&str]) -> Page {
    let word = |(at, text): (u16, &&str)| {
        let (left, top) = (72.0 + f32::from(at % 2) * 128.0, f32::from(at / 2) * 10.0);
        let area = Area { left, top, right: left + 100.0, bottom: top + 9.0 };
        Word { text: (*text).to_owned(), area: Some(area), ..Word::default() }
    };
    let words: Vec<Word> = (0..).zip(words).map(word).collect();
    let line = |at: usize| Line { words: Span::new(at..at + 1), area: words[at].area };
    let lines = (0..words.len()).map(line).collect();
    Page {
        number,
        size: Some(Size { width: 595.0, height: 842.0 }),
        lines,
        words,
        ..Page::default()
    }
}

fn artifact(pages: impl IntoIterator<Item = Page>) -> Document {
    let mut writer = Writer::new(Vec::new()).unwrap();
    writer.write(&Part::Head(head())).unwrap();
    let mut count = 0;
    for page in pages {
        writer.write(&Part::Page(page)).unwrap();
        count += 1;
    }
    writer.write(&Part::Tail(Tail { pages: count, remarks: Vec::new() })).unwrap();
    Document::from_bytes(&writer.finish().unwrap()).unwrap()
}

fn head() -> Head {
    Head { kind: FileKind::Pdf, title: None, properties: BTreeMap::new(), pages: None }
}

async fn parse(pages: &Document) -> Result<Parsed, ExtractionFailure> {
    extractor_with(|_| {}).parse(TENANT, request(), pages).await
}

#[tokio::test]
async fn fields_are_extracted_in_a_child_with_their_place() {
    let extractor = extractor_with(|_| {});
    let pages = artifact([page(1, &["Note"]), page(2, &["ISIN", ISIN])]);
    let parsed = extractor.parse(TENANT, request(), &pages).await.unwrap();
    assert_eq!(parsed.document_type, "note");
    let extraction = extractor.reconcile(TENANT, note(), &parsed).await.unwrap();
    let isin = &extraction.fields["isin"];
    assert_eq!(
        (isin.value.as_deref(), isin.raw.as_deref(), isin.page),
        (Some(ISIN), Some(ISIN), Some(2))
    );
    let [left, top, ..] = isin.area.unwrap();
    assert_eq!((left, top), (200.0, 0.0));
}

#[tokio::test]
async fn a_document_without_words_has_missing_fields() {
    for pages in [artifact([]), artifact([page(1, &[]), page(2, &[])])] {
        let extractor = extractor_with(|_| {});
        let parsed = extractor.parse(TENANT, request(), &pages).await.unwrap();
        let extraction = extractor.reconcile(TENANT, note(), &parsed).await.unwrap();
        assert_eq!(extraction.fields["isin"].status, FieldStatus::Missing);
        assert_eq!(extraction.document_type, "note");
    }
}

#[tokio::test]
async fn a_classifier_without_types_abstains() {
    let pages = artifact([page(1, &["ISIN", ISIN])]);
    let nothing = ParseRequest::default();
    let parsed = extractor_with(|_| {}).parse(TENANT, nothing, &pages).await.unwrap();
    assert_eq!(parsed.document_type, "");
}

/// 3,000 pages need more memory than the child has, if it keeps them.
#[tokio::test]
async fn a_document_of_3_000_pages_is_extracted_in_constant_memory() {
    const PAGES: u32 = 3_000;
    let words: Vec<&str> = std::iter::repeat_n("Lorem-ipsum-dolor-sit-amet", 600).collect();
    let mut frame = Vec::new();
    write_frame(&mut frame, &Part::Page(page(1, &words))).unwrap();
    let packed = PackedPart::new(true, false, frame.into());
    let mut writer = Writer::new(Vec::new()).unwrap();
    writer.write(&Part::Head(head())).unwrap();
    for _ in 1..PAGES {
        writer.write_packed(&packed).unwrap();
    }
    writer.write(&Part::Page(page(PAGES, &["ISIN", ISIN]))).unwrap();
    writer.write(&Part::Tail(Tail { pages: PAGES, remarks: Vec::new() })).unwrap();
    let pages = Document::from_bytes(&writer.finish().unwrap()).unwrap();
    let extractor = extractor_with(|settings| settings.memory = 192 << 20);
    let parsed = extractor.parse(TENANT, request(), &pages).await.unwrap();
    let isin = parsed.fields.iter().find(|field| field.name == "isin").unwrap();
    assert_eq!(isin.candidates[0].page, Some(PAGES));
}

/// Spans that point nowhere, cells outside of their table, contradictory sizes.
fn page_with_garbage() -> Page {
    let nowhere = Span::new(7..1_000_000);
    let area = Area { left: f32::NAN, top: f32::INFINITY, right: -1.0, bottom: f32::MIN };
    let cell =
        Cell { row: u32::MAX, column: 0, row_span: 0, column_span: u32::MAX, words: nowhere };
    let mut page = page(1, &["Total", "€", "", "\u{0}\u{202e}", ISIN]);
    page.words[1].area = Some(area);
    page.words[2].area = None;
    page.lines.push(Line { words: nowhere, area: Some(area) });
    let kind = BlockKind::Table { table: 99 };
    page.blocks.push(Block { kind, lines: nowhere, area: Some(area) });
    page.tables.push(Table {
        rows: 0,
        columns: u32::MAX,
        cells: vec![cell, cell],
        ..Table::default()
    });
    page.key_values.push(KeyValue { key: nowhere, value: nowhere });
    page
}

#[tokio::test]
async fn garbage_in_the_layout_of_a_page_crashes_nothing() {
    let parsed = parse(&artifact([page_with_garbage(), page_with_garbage()])).await.unwrap();
    assert_eq!(parsed.document_type, "note");
}

#[tokio::test]
async fn a_damaged_artifact_is_a_permanent_failure_that_says_what_to_do() {
    for bytes in [b"".as_slice(), b"no pages", b"DKTPAGES\x02\x00\xff\xff"] {
        let failure = parse(&Document::from_bytes(bytes).unwrap()).await.unwrap_err();
        assert!(
            matches!(failure, ExtractionFailure::Typed(ExtractionError::Pages(_))),
            "{failure:?}"
        );
        let failure = Failure::from(failure);
        assert_eq!(failure.class, FailureClass::Permanent);
        assert_eq!(failure.guidance, "Rerun the document from its first stage.");
    }
}

#[tokio::test]
async fn a_limit_is_poison_and_the_next_document_is_extracted() {
    let words: Vec<&str> = std::iter::repeat_n("word", 30_000).collect();
    let large = artifact([page(1, &words)]);
    let extractor = extractor_with(|settings| settings.wall = std::time::Duration::ZERO);
    let failure = extractor.parse(TENANT, request(), &large).await.unwrap_err();
    assert!(
        matches!(failure, ExtractionFailure::Child(ChildFailure::TimedOut { .. })),
        "{failure:?}"
    );
    let failure = Failure::from(failure);
    assert_eq!(failure.class, FailureClass::Poison);
    assert!(failure.guidance.contains("'parse'"), "{}", failure.guidance);
    let pages = artifact([page(1, &[ISIN])]);
    parse(&pages).await.unwrap();
}
