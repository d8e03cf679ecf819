//! Scans from end to end: pages that are pictures, the engines that read them, and what happens when one fails or
//! somebody pulls the plug.
//!
//! Where a test says nothing else, tesseract reads alone: the second engine takes seconds a page and has tests of
//! its own.

use std::time::Duration;

use rustix::process::Signal;
use serde_json::{Value, json};
use testkit::samples::{Paper, ScanWriter, samples, scan_of};

use crate::reading::{library_of, only_document, readers_of, with_tools};
use crate::support::{
    Client, DataFolder, Docket, Papers, WorkerProcess, eventually, jobs_where, lives,
};

const WORDS: [&str; 4] =
    ["CONTRACT AND ORDER", "THE TENANT PAYS", "FIRST OF MAY", "HOUSE AND GARDEN"];

/// A server with this machine's tools, but for the second engine.
fn with_tesseract(docket: Docket) -> Docket {
    with_tools(docket).env("DOCKET_OCR_MODELS", "/none")
}

/// One that ends badly whenever it is asked: the order it gets is none that Docket knows.
fn with_broken_tesseract(docket: Docket) -> Docket {
    with_tesseract(docket).env("DOCKET_TESSERACT", env!("CARGO_BIN_EXE_docket"))
}

fn pages(count: usize) -> Vec<u8> {
    let lines: Vec<&str> = WORDS.iter().copied().cycle().take(count).collect();
    scan_of(&lines)
}

async fn text_of(client: &Client, document: &Value) -> String {
    let id = document["doc_id"].as_str().unwrap();
    let text = client.get(&format!("/v1/documents/{id}/text")).await;
    text.body.as_str().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn whoever_follows_a_scan_hears_how_many_of_its_pages_are_read() {
    // It is reported about once a second: enough for several seconds.
    const PAGES: u64 = 64;
    let folder = DataFolder::new();
    let (server, ada, client) = library_of(with_tesseract(Docket::serve(&folder))).await;
    let mut events = client.follow_events().await;
    let papers = Papers::new();
    papers.with("scan.pdf", pages(64));
    ada.sees(["ingest", papers.folder()]).await;
    let mut reported = Vec::new();
    loop {
        let (topic, event) = events.next().await;
        match topic.as_str() {
            "document.progress" if event["stage"] == "ocr" => {
                assert_eq!(event["total"], PAGES, "{event}");
                reported.push(event["done"].as_u64().unwrap());
            }
            "document.completed" | "document.failed" => {
                break assert_eq!(topic, "document.completed");
            }
            _ => {}
        }
    }
    assert!(!reported.is_empty(), "nothing was reported while it was read");
    assert!(
        reported.is_sorted() && reported.iter().all(|done| (1..=PAGES).contains(done)),
        "{reported:?}"
    );
    server.stop().await.succeeded();
}

#[tokio::test]
async fn either_engine_reads_a_scan_by_itself() {
    for (docket, origin) in [
        (with_tesseract as fn(Docket) -> Docket, "tesseract"),
        (|docket| with_tools(docket).env("DOCKET_TESSERACT", ""), "pp_ocr"),
    ] {
        let folder = DataFolder::new();
        let (server, ada, client) = library_of(docket(Docket::serve(&folder))).await;
        let papers = Papers::new();
        papers.with("scan.pdf", scan_of(&[WORDS[0]]));
        ada.sees(["ingest", papers.folder(), "--wait"]).await;
        let document = only_document(&client).await;
        let id = document["doc_id"].as_str().unwrap();
        let page = client.get(&format!("/v1/documents/{id}/pages/1")).await.body;
        assert_eq!(page["text_source"], "recognised", "{page}");
        let words = page["words"].as_array().unwrap();
        assert!(words.iter().all(|word| word["origin"] == origin), "{page}");
        let text = text_of(&client, &document).await;
        assert!(text.contains("CONTRACT"), "{origin}: {text}");
        server.stop().await.succeeded();
    }
}

#[tokio::test]
async fn without_an_engine_a_scan_fails_and_says_what_to_install() {
    let folder = DataFolder::new();
    let docket = with_tesseract(Docket::serve(&folder)).env("DOCKET_TESSERACT", "");
    let (server, ada, client) = library_of(docket).await;
    let papers = Papers::new();
    papers.with("scan.pdf", scan_of(&[WORDS[0]]));
    papers.with("mixed.pdf", mixed());
    ada.types(["ingest", papers.folder(), "--wait"]).finish().await;
    let failed = client.get("/v1/documents?status=failed").await.body["items"][0].clone();
    assert_eq!(failed["filename"], "scan.pdf");
    let dead = client.get("/v1/jobs/dead").await.body["items"][0].clone();
    assert_eq!(dead["error"], "the document is a scan, and no OCR engine is installed");
    assert!(dead["guidance"].as_str().unwrap().contains("docket doctor"), "{dead}");
    // What is not a picture is served, and the picture says that nobody read it.
    let document = client.get("/v1/documents?status=active").await.body["items"][0].clone();
    assert_eq!(document["filename"], "mixed.pdf");
    let id = document["doc_id"].as_str().unwrap();
    let page = client.get(&format!("/v1/documents/{id}/pages/2")).await.body;
    assert_eq!((&page["text_source"], &page["quality"]), (&json!("unavailable"), &json!(0)));
    server.stop().await.succeeded();
}

/// Whatever a parser says is wrong with a file is wrong with it the next time too.
#[tokio::test]
async fn a_damaged_file_fails_at_its_first_attempt_and_says_so() {
    let folder = DataFolder::new();
    let (server, ada, client) = library_of(with_tesseract(Docket::serve(&folder))).await;
    let papers = Papers::new();
    for (number, sample) in samples().iter().enumerate() {
        let (mut bytes, ending) = (sample.form.to_bytes(), sample.ending);
        let middle = bytes.len() / 2;
        papers.with(&format!("half{number}.{ending}"), &bytes[..middle]);
        bytes[middle] ^= 0x10;
        papers.with(&format!("flipped{number}.{ending}"), bytes);
    }
    ada.types(["ingest", papers.folder(), "--wait"]).finish().await;
    let dead = client.get("/v1/jobs/dead?limit=100").await.body["items"].clone();
    for job in dead.as_array().unwrap() {
        // Attempts that were repeated are counted.
        let reported = (&job["attempts"], &job["error_class"]);
        assert_eq!(reported, (&json!(0), &json!("permanent")), "{job}");
    }
    let failed = client.get("/v1/documents?status=failed&limit=100").await.body["items"].clone();
    let failed: Vec<&str> = failed
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|document| document["filename"].as_str())
        .collect();
    for (start, ending) in [("half", ".png"), ("flipped", ".png"), ("half", ".tiff")] {
        let is_there = failed.iter().any(|name| name.starts_with(start) && name.ends_with(ending));
        assert!(is_there, "no {start}{ending} among {failed:?}");
    }
    let error = |job: &Value| job["error"].as_str().unwrap_or_default().to_owned();
    let of_ocr = dead.as_array().unwrap().iter().filter(|job| job["stage"] == "ocr").map(error);
    let of_ocr: Vec<String> = of_ocr.collect();
    assert!(of_ocr.len() >= 2, "the pixels of a picture are looked at only here: {dead}");
    assert!(of_ocr.iter().all(|error| error.starts_with("the file is damaged: ")), "{of_ocr:?}");
    server.stop().await.succeeded();
}

/// Text, a picture, text.
fn mixed() -> Vec<u8> {
    let mut scan = ScanWriter::new(Vec::new(), Paper::A6).unwrap();
    scan.text_page("The first page is text.").unwrap();
    scan.page(&[WORDS[0]]).unwrap();
    scan.text_page("The last page is text.").unwrap();
    scan.finish().unwrap()
}

#[tokio::test]
async fn a_page_that_ocr_crashes_on_costs_only_itself() {
    let folder = DataFolder::new();
    let (server, ada, client) = library_of(with_broken_tesseract(Docket::serve(&folder))).await;
    let papers = Papers::new();
    papers.with("mixed.pdf", mixed());
    ada.sees(["ingest", papers.folder(), "--wait"]).await;
    let document = only_document(&client).await;
    assert_eq!(document["status"], "active");
    let text = text_of(&client, &document).await;
    assert!(text.contains("first page") && text.contains("last page"), "{text}");
    let id = document["doc_id"].as_str().unwrap();
    let run = client.get(&format!("/v1/documents/{id}")).await.body["runs"][0].clone();
    assert_eq!(run["stats"]["pages_failed"], 1, "{run}");
    let page = client.get(&format!("/v1/documents/{id}/pages/2")).await.body;
    assert_eq!((&page["text_source"], &page["quality"]), (&json!("unavailable"), &json!(0)));
    let trouble = page["trouble"].as_str().unwrap();
    assert!(trouble.starts_with("the reader crashed"), "{trouble}");
    assert_eq!(
        client.get(&format!("/v1/documents/{id}/pages/3")).await.body["trouble"],
        Value::Null
    );
    server.stop().await.succeeded();
}

#[tokio::test]
async fn a_scan_that_ocr_crashes_on_everywhere_fails_with_the_reason() {
    let folder = DataFolder::new();
    let (server, ada, client) = library_of(with_broken_tesseract(Docket::serve(&folder))).await;
    let papers = Papers::new();
    papers.with("scan.pdf", pages(2));
    // It is tried three times, as everything that crashes.
    let ingest = ada.types(["ingest", papers.folder(), "--wait"]);
    let said = ingest.finish_within(Duration::from_mins(3)).await;
    assert_eq!(said.code, Some(1), "{said:?}");
    let dead = client.get("/v1/jobs/dead").await.body["items"][0].clone();
    let error = dead["error"].as_str().unwrap();
    let expected = "OCR failed on all 2 scanned pages: the reader crashed";
    assert!(error.starts_with(expected), "{error}");
    assert!(dead["guidance"].as_str().unwrap().contains("upload"), "{dead}");
    server.stop().await.succeeded();
}

async fn worker(folder: &DataFolder) -> WorkerProcess {
    with_tesseract(Docket::on(folder, ["worker"])).start_worker().await
}

async fn jobs(folder: &DataFolder, condition: &str) -> i64 {
    jobs_where(folder.superuser().await, condition).await
}

#[tokio::test]
async fn a_worker_killed_while_it_reads_leaves_nothing_behind_and_another_finishes() {
    let folder = DataFolder::new();
    let serve = with_tesseract(Docket::serve(&folder)).env("DOCKET_NO_WORKERS", "true");
    let (server, ada, client) = library_of(serve).await;
    let victim = worker(&folder).await;
    let mut events = client.follow_events().await;
    let papers = Papers::new();
    papers.with("scan.pdf", pages(12));
    ada.sees(["ingest", papers.folder()]).await;
    // In the middle of it.
    while events.next().await.1["stage"] != "ocr" {}
    let readers = readers_of(victim.pid());
    assert!(!readers.is_empty(), "nobody reads");
    victim.kill().await;
    assert_eq!(
        jobs(&folder, "status = 'PROCESSING' AND stage = 'ocr'").await,
        1,
        "killed too late"
    );
    eventually("its readers end", async || readers.iter().all(|pid| !lives(*pid))).await;

    let heir = worker(&folder).await;
    eventually("the document is served", async || {
        only_document(&client).await["status"] == "active"
    })
    .await;
    assert_read_once(&folder, &client, 12).await;
    assert_eq!(heir.stop_by(Signal::TERM).await.code, Some(0));
    server.stop().await.succeeded();
}

/// One version of so many pages, by one run whose stages each ended once.
async fn assert_read_once(folder: &DataFolder, client: &Client, pages: u64) {
    let document = only_document(client).await;
    let id = document["doc_id"].as_str().unwrap();
    // The document is active before its fields are extracted.
    eventually("its run ends", async || {
        let detail = client.get(&format!("/v1/documents/{id}")).await.body;
        detail["runs"][0]["status"] == "succeeded"
    })
    .await;
    let detail = client.get(&format!("/v1/documents/{id}")).await.body;
    assert_eq!(detail["runs"].as_array().unwrap().len(), 1, "{detail}");
    let run = &detail["runs"][0];
    assert_eq!(
        (&run["stats"]["pages"], &run["stats"]["ocr_pages"]),
        (&json!(pages), &json!(pages))
    );
    let stages: Vec<&str> = run["stages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|stage| stage["name"].as_str().unwrap())
        .collect();
    let all = ["ingest", "preprocess", "ocr", "layout", "index", "parse", "reconcile", "package"];
    assert_eq!(stages, all);
    let last = client.get(&format!("/v1/documents/{id}/pages/{pages}")).await;
    assert_eq!(last.body["pages"], pages);
    assert_eq!(jobs(folder, "stage = 'ocr' AND expiries = 1 AND status = 'COMPLETED'").await, 1);
    assert_eq!(jobs(folder, "status IN ('PENDING', 'PROCESSING', 'DEAD')").await, 0);
}
