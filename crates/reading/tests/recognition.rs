//! OCR fails on some pages, and the others are read.
//!
//! The children are those of `examples/hostile_reader`, which do to a page what the document's name says; the
//! first engine is any program that takes whatever it is given.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may do what a test may")]

mod hostile;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use domain::FileKind;
use hostile::{program, tenant};
use pages::artifact;
use pages::{Head, Page, Part, Preparation, Tail, TextSource, Word};
use reading::Limits;
use reading::pool::{Document, ReadFailure, Subject};
use reading::reader::{Reader, ReaderSettings};
use reading::sandbox::SandboxPolicy;
use reading::tools::{InstalledTesseract, Tools};

/// Says nothing of a picture, and says it well.
const READS_NOTHING: &str = "/bin/echo";
/// Fails on every picture.
const FAILS: &str = "/bin/false";

fn reader(first: Option<&str>, second: bool) -> Reader {
    let first = first.map(|program| PathBuf::from(program).canonicalize().unwrap());
    let tesseract =
        first.map(|program| InstalledTesseract { program, ..InstalledTesseract::default() });
    let models = second.then(|| PathBuf::from("/"));
    Reader::new(ReaderSettings {
        program: program(),
        children: 2,
        tools: Tools { pdfium: None, models, tesseract },
        sandbox: SandboxPolicy::Required,
        languages: Vec::new(),
        longest_job: Duration::from_secs(2),
    })
}

/// A document whose pages all want OCR, each with a word that its text layer says.
fn scan(pages: u32) -> artifact::Reader<std::io::Cursor<Vec<u8>>> {
    let mut writer = artifact::Writer::new(Vec::new()).unwrap();
    let properties = BTreeMap::new();
    let head = Head { kind: FileKind::Pdf, title: None, properties, pages: Some(pages) };
    writer.write(&Part::Head(head)).unwrap();
    for number in 1..=pages {
        let words = vec![Word { text: "layer".into(), ..Word::default() }];
        let (text, preparation) = (TextSource::Wanted, Some(Preparation::default()));
        let page = Page { number, text, preparation, words, ..Page::default() };
        writer.write(&Part::Page(page)).unwrap();
    }
    writer.write(&Part::Tail(Tail { pages, remarks: Vec::new() })).unwrap();
    artifact::Reader::new(std::io::Cursor::new(writer.finish().unwrap())).unwrap()
}

struct Read {
    pages: Vec<Page>,
    remarks: Vec<String>,
}

impl Read {
    /// The pages that OCR failed on.
    fn lost(&self) -> Vec<u32> {
        let lost = self.pages.iter().filter(|page| page.text == TextSource::Unavailable);
        lost.map(|page| page.number).collect()
    }

    fn page(&self, number: usize) -> (&str, Option<&str>) {
        let page = &self.pages[number - 1];
        (page.words[0].text.as_str(), page.trouble.as_deref())
    }
}

async fn recognised(reader: &Reader, orders: &str, pages: u32) -> Result<Read, ReadFailure> {
    let subject = Subject {
        kind: FileKind::Pdf,
        file_name: orders.to_owned(),
        password: None,
        limits: Limits::default(),
    };
    let document = Document::from_bytes(b"").unwrap();
    let mut parts = reader.recognise(tenant(1), &subject, &document, scan(pages));
    let mut read = Read { pages: Vec::new(), remarks: Vec::new() };
    while let Some(part) = parts.next().await? {
        match part {
            Part::Page(page) => read.pages.push(page),
            Part::Tail(tail) => read.remarks = tail.remarks,
            _ => {}
        }
    }
    assert!(read.pages.iter().map(|page| page.number).eq(1..=pages), "none missing, none twice");
    Ok(read)
}

#[tokio::test]
async fn a_page_that_crashes_the_reader_costs_only_itself() {
    let reader = reader(Some(READS_NOTHING), true);
    let read = recognised(&reader, "draw:2=abort draw:7=abort", 9).await.unwrap();
    assert_eq!(read.lost(), [2, 7]);
    assert_eq!(read.page(1), ("second", None));
    // It keeps what its text layer says, and says what happened.
    assert_eq!(read.page(2), ("layer", Some("the reader crashed (signal 6)")));
    assert_eq!(read.pages[1].quality.0, 0);
    assert_eq!(
        read.remarks,
        [
            "OCR failed on page 2: the reader crashed (signal 6).",
            "OCR failed on page 7: the reader crashed (signal 6)."
        ]
    );
}

#[tokio::test]
async fn a_page_that_hangs_costs_its_time_and_nothing_else() {
    let reader = reader(Some(READS_NOTHING), false);
    let read = recognised(&reader, "draw:3=hang", 5).await.unwrap();
    assert_eq!(read.lost(), [3]);
    assert_eq!(read.page(3), ("layer", Some("reading took longer than 2 s")));
    assert_eq!(read.page(4), ("first", None));
}

#[tokio::test]
async fn what_the_second_engine_crashes_on_the_first_has_read() {
    let reader = reader(Some(READS_NOTHING), true);
    let read = recognised(&reader, "second:2=abort", 4).await.unwrap();
    assert!(read.lost().is_empty());
    let trouble = "the second OCR engine failed here: the reader crashed (signal 6)";
    assert_eq!(read.page(2), ("first", Some(trouble)));
    assert_eq!(read.page(3), ("second", None));
    // Alone, it has nobody to help it out.
    let alone = self::reader(None, true);
    assert_eq!(recognised(&alone, "second:2=abort", 4).await.unwrap().lost(), [2]);
}

#[tokio::test]
async fn what_the_first_engine_fails_on_the_second_reads() {
    let read = recognised(&reader(Some(FAILS), true), "", 3).await.unwrap();
    assert!(read.lost().is_empty());
    let (by, trouble) = read.page(1);
    assert_eq!(by, "second");
    assert!(trouble.unwrap().starts_with("the first OCR engine failed here"), "{trouble:?}");
    let read = recognised(&reader(Some(FAILS), false), "", 3).await.unwrap();
    assert_eq!(read.lost(), [1, 2, 3]);
}

#[tokio::test]
async fn a_document_that_crashes_every_reader_is_stopped_early() {
    let reader = reader(Some(READS_NOTHING), true);
    let read = recognised(&reader, "draw:*=abort", 3000).await.unwrap();
    assert_eq!(read.lost().len(), 3000);
    let tried = |page: &&Page| page.trouble.as_deref() == Some("the reader crashed (signal 6)");
    let tried = read.pages.iter().filter(tried).count();
    assert!((8..20).contains(&tried), "{tried} pages were tried");
    let (_, trouble) = read.page(3000);
    assert_eq!(
        trouble.unwrap(),
        "OCR was stopped after it failed on too many pages, the last time because the reader crashed (signal 6)"
    );
    assert_eq!(read.remarks.last().unwrap(), "OCR failed on 3000 pages in all.");
}

#[tokio::test]
async fn an_engine_that_crashes_on_every_page_is_asked_a_few_times_only() {
    let reader = reader(Some(READS_NOTHING), true);
    let read = recognised(&reader, "second:*=abort", 100).await.unwrap();
    assert!(read.lost().is_empty());
    let asked = read.pages.iter().filter(|page| page.trouble.is_some()).count();
    assert!((8..20).contains(&asked), "it was asked {asked} times");
}

#[tokio::test]
async fn with_no_engine_every_page_says_that_there_is_none() {
    let read = recognised(&reader(None, false), "", 3).await.unwrap();
    assert_eq!(read.lost(), [1, 2, 3]);
    assert_eq!(read.page(1), ("layer", None));
}

#[tokio::test]
async fn what_is_not_installed_is_no_pages_fault() {
    let gone = Tools {
        tesseract: Some(InstalledTesseract {
            program: "/nowhere/tesseract".into(),
            ..InstalledTesseract::default()
        }),
        ..Tools::default()
    };
    let reader = Reader::new(ReaderSettings {
        program: program(),
        children: 1,
        tools: gone,
        sandbox: SandboxPolicy::Required,
        languages: Vec::new(),
        longest_job: Duration::from_secs(2),
    });
    let failure = recognised(&reader, "", 3).await.err().unwrap();
    assert_eq!(failure.to_string(), "tesseract is not installed");
}
