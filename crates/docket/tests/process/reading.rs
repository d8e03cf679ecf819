//! Reading from end to end: a file goes in, and its pages come out.
//!
//! What reading uses is where `scripts/reading-tools` put it; a machine without it fails here.

use serde_json::{Value, json};

use crate::support::{Client, DataFolder, Docket, Papers, Person, Server, eventually};

/// A PDF that says this, on one page.
pub(crate) fn pdf_saying(text: &str) -> String {
    let content = format!("BT /F1 18 Tf 72 720 Td ({text}) Tj ET");
    format!(
        "%PDF-1.4\n\
         1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj\n\
         2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 >> endobj\n\
         3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R \
         /Resources << /Font << /F1 5 0 R >> >> >> endobj\n\
         4 0 obj << /Length {} >> stream\n{content}\nendstream endobj\n\
         5 0 obj << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> endobj\n\
         trailer << /Root 1 0 R >>\n%%EOF\n",
        content.len()
    )
}

/// The tools of this machine, for a process that is told nothing else of it.
pub(crate) fn with_tools(docket: Docket) -> Docket {
    ["DOCKET_TOOLS", "HOME"].into_iter().fold(docket, |docket, name| match std::env::var(name) {
        Ok(value) => docket.env(name, &value),
        Err(_) => docket,
    })
}

async fn library(folder: &DataFolder) -> (Server, Person, Client) {
    library_of(with_tools(Docket::serve(folder))).await
}

/// A server, somebody who types, and the administrator as a client.
pub(crate) async fn library_of(docket: Docket) -> (Server, Person, Client) {
    let server = docket.start().await;
    let ada = Person::new();
    ada.signs_in(&server).await;
    let client = Client::admin(&server).await;
    (server, ada, client)
}

pub(crate) async fn only_document(client: &Client) -> Value {
    client.get("/v1/documents").await.body["items"][0].clone()
}

#[tokio::test]
async fn a_pdf_is_read_and_its_page_can_be_looked_at() {
    let folder = DataFolder::new();
    let (server, ada, client) = library(&folder).await;
    let papers = Papers::new();
    papers.with("letter.pdf", pdf_saying("Invoice 4711 of Acme"));
    ada.sees(["ingest", papers.folder(), "--wait"]).await;
    let document = only_document(&client).await;
    let id = document["doc_id"].as_str().unwrap();
    assert_eq!(document["status"], "active");

    let page = client.get(&format!("/v1/documents/{id}/pages/1")).await;
    assert_eq!(page.status, 200, "{page:?}");
    let words = page.body["words"].as_array().unwrap();
    let texts: Vec<&str> = words.iter().map(|word| word["text"].as_str().unwrap()).collect();
    assert_eq!(texts, ["Invoice", "4711", "of", "Acme"]);
    assert_eq!(page.body["text_source"], "layer");
    let left = words[0]["box"][0].as_f64().unwrap();
    assert!((70.0..76.0).contains(&left), "{left}");

    let picture = client.get(&format!("/v1/documents/{id}/pages/1.png?width=320")).await;
    assert_eq!((picture.status, picture.content_type.as_str()), (200, "image/png"));
    let again = client.get(&format!("/v1/documents/{id}/pages/1.png?width=320")).await;
    assert_eq!(again.status, 200);
    let beyond = client.get(&format!("/v1/documents/{id}/pages/2.png")).await;
    assert_eq!(beyond.body["code"], "cannot_be_drawn", "{beyond:?}");

    let run = client.get(&format!("/v1/documents/{id}")).await.body["runs"][0].clone();
    assert_eq!(run["stats"]["pages"], 1, "{run}");
    assert_eq!(run["stats"]["words"], 4, "{run}");
    server.stop().await.succeeded();
}

#[tokio::test]
async fn only_the_last_stage_is_run_again_when_that_is_asked() {
    let folder = DataFolder::new();
    let (server, ada, client) = library(&folder).await;
    let papers = Papers::texts(1);
    ada.sees(["ingest", papers.folder(), "--wait"]).await;
    let document = only_document(&client).await;
    let id = document["doc_id"].as_str().unwrap();
    ada.sees(["rerun", id, "--from", "layout", "--wait"]).await;
    let runs = client.get(&format!("/v1/documents/{id}")).await.body["runs"].clone();
    let begun = |run: &Value, stage: &str| {
        let stages = run["stages"].as_array().unwrap().iter();
        let found = stages.clone().find(|found| found["name"] == stage).cloned();
        found.unwrap_or_default()["started_at"].clone()
    };
    assert_eq!(begun(&runs[0], "preprocess"), begun(&runs[1], "preprocess"), "{runs}");
    assert_ne!(begun(&runs[0], "layout"), begun(&runs[1], "layout"), "{runs}");
    let refused = ada.types(["rerun", id, "--from", "magic"]).finish().await;
    assert!(refused.stderr.contains("there is no stage 'magic'"), "{refused:?}");
    server.stop().await.succeeded();
}

#[tokio::test]
async fn a_damaged_file_fails_with_what_to_do() {
    let folder = DataFolder::new();
    let (server, ada, client) = library(&folder).await;
    let papers = Papers::new();
    papers.with("broken.pdf", "%PDF-1.7\nand then nothing of the kind");
    let said = ada.types(["ingest", papers.folder(), "--wait"]).finish().await;
    assert_eq!(said.code, Some(1), "{said:?}");
    let document = client.get("/v1/documents?status=failed").await.body["items"][0].clone();
    let error = document["error"].as_str().unwrap();
    assert!(error.starts_with("the file is damaged"), "{error}");
    let dead = client.get("/v1/jobs/dead").await.body["items"][0].clone();
    assert_eq!(dead["stage"], "preprocess");
    assert!(dead["guidance"].as_str().unwrap().contains("save it again"), "{dead}");
    server.stop().await.succeeded();
}

#[tokio::test]
async fn without_its_tools_docket_says_what_is_missing_and_reads_the_rest() {
    let folder = DataFolder::new();
    let server = Docket::serve(&folder).env("DOCKET_TESSERACT", "").start().await;
    let ada = Person::new();
    ada.signs_in(&server).await;
    let papers = Papers::texts(1);
    papers.with("letter.pdf", pdf_saying("Hello"));
    ada.types(["ingest", papers.folder()]).finish().await;
    let client = Client::admin(&server).await;
    let paused = async || {
        let jobs = client.get("/v1/jobs").await.body["items"].clone();
        jobs.as_array().unwrap().iter().find(|job| job["waiting_for"] == "reader").cloned()
    };
    eventually("the letter waits for pdfium", async || paused().await.is_some()).await;
    let job = paused().await.unwrap();
    assert_eq!((&job["error"], &job["attempts"]), (&json!("pdfium is not installed"), &json!(0)));
    assert!(job["guidance"].as_str().unwrap().contains("docket doctor"), "{job}");
    let listed = async |status: &str| {
        let listed = client.get(&format!("/v1/documents?status={status}")).await.body;
        listed["items"][0]["filename"].clone()
    };
    eventually("the text is read", async || listed("active").await == "1.txt").await;
    assert_eq!(listed("processing").await, "letter.pdf");
    let status = ada.types(["status"]).finish().await;
    assert!(status.stdout.contains("1 job waits for a working reader since"), "{status:?}");
    let found = Docket::run(["doctor", "--json"]).env("DOCKET_TESSERACT", "").finish().await;
    assert_eq!(found.code, Some(1));
    let found: Value = serde_json::from_str(&found.stdout).unwrap();
    let pdfium = &found["findings"][0];
    assert_eq!((&pdfium["what"], &pdfium["found"]), (&json!("pdfium"), &Value::Null));
    assert_eq!(pdfium["command"], "scripts/pdfium");
    server.stop().await.succeeded();
}

#[tokio::test]
async fn a_file_is_read_without_a_server() {
    let papers = Papers::new();
    papers.with("letter.pdf", pdf_saying("Dear Reader"));
    papers
        .with("table.html", "<h1>Prices</h1><table><tr><th>a</th></tr><tr><td>1</td></tr></table>");
    let read = |name: &str, format: &str| {
        let file = papers.file(name);
        with_tools(Docket::run(["read", &file, "--format", format]))
    };
    assert_eq!(read("letter.pdf", "text").finish().await.succeeded().trim(), "Dear Reader");
    let markdown = read("table.html", "markdown").finish().await.succeeded();
    assert_eq!(markdown.trim(), "# Prices\n\n| a |\n| --- |\n| 1 |");
    let pages = read("letter.pdf", "json").finish().await.succeeded();
    let pages: Value = serde_json::from_str(&pages).unwrap();
    assert!(pages.to_string().contains("Reader"), "{pages}");

    papers.with("archive.pdf", "PK\u{3}\u{4} not what it says");
    let refused = read("archive.pdf", "text").finish().await.failed_with(1);
    assert!(refused.contains("is application/zip; Docket reads pdf, docx"), "{refused}");
    papers.with("broken.pdf", "%PDF-1.7\nnothing");
    let refused = read("broken.pdf", "text").finish().await.failed_with(1);
    assert!(refused.starts_with("the file is damaged"), "{refused}");
}

#[tokio::test]
async fn no_reader_is_left_behind() {
    let folder = DataFolder::new();
    let (server, ada, _) = library(&folder).await;
    let papers = Papers::texts(2);
    ada.sees(["ingest", papers.folder(), "--wait"]).await;
    let pid = server.pid();
    let readers = readers_of(pid);
    assert!(!readers.is_empty(), "a reader waits for the next document");
    server.stop().await.succeeded();
    eventually("the readers end", async || readers.iter().all(|pid| !is_reader(*pid))).await;
}

fn is_reader(pid: u32) -> bool {
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&line).contains("read-worker")
}

/// The reading children of a process.
pub(crate) fn readers_of(parent: u32) -> Vec<u32> {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.filter(|pid| parent_of(*pid) == Some(parent) && is_reader(*pid)).collect()
}

fn parent_of(pid: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

/// A mail with a text, a letter and something nobody takes in.
pub(crate) fn mail_with(letter: &str) -> String {
    format!(
        "From: ada@acme.test\r\nTo: bob@acme.test\r\nSubject: The lease\r\nMIME-Version: 1.0\r\n\
         Content-Type: multipart/mixed; boundary=cut\r\n\r\n\
         --cut\r\nContent-Type: text/plain\r\n\r\nPlease find it attached.\r\n\
         --cut\r\nContent-Type: application/pdf; name=lease.pdf\r\n\
         Content-Disposition: attachment; filename=lease.pdf\r\n\r\n{letter}\r\n\
         --cut\r\nContent-Type: application/octet-stream; name=blob.bin\r\n\
         Content-Transfer-Encoding: base64\r\n\
         Content-Disposition: attachment; filename=blob.bin\r\n\r\nAQIDBA==\r\n\
         --cut--\r\n"
    )
}

#[tokio::test]
async fn what_was_attached_to_a_mail_is_a_document_of_its_own() {
    let folder = DataFolder::new();
    let (server, ada, client) = library(&folder).await;
    let papers = Papers::new();
    papers.with("mail.eml", mail_with(&pdf_saying("Lease of Acme")));
    ada.sees(["ingest", papers.folder(), "--wait"]).await;
    let find = async |title: &str| {
        let found = client.get(&format!("/v1/documents?status=active&search={title}")).await;
        found.body["items"][0].clone()
    };
    eventually("the attachment to be served", async || {
        find("lease.pdf").await["status"] == "active"
    })
    .await;
    let lease = find("lease.pdf").await;
    assert_eq!(lease["source"], "attachment", "{lease}");
    let id = lease["doc_id"].as_str().unwrap();
    let text = client.get(&format!("/v1/documents/{id}/text")).await;
    assert!(text.body.as_str().unwrap().contains("Lease of Acme"), "{text:?}");
    let mail = find("mail.eml").await;
    let mail_id = mail["doc_id"].as_str().unwrap();
    let mail = client.get(&format!("/v1/documents/{mail_id}")).await.body;
    assert_eq!(mail["parts"][0]["doc_id"], lease["doc_id"], "{mail}");
    assert_eq!(mail["parts"][0]["place"], "within");
    let artifacts = &mail["runs"][0]["stages"][1]["artifacts"];
    let kept = artifacts.as_array().unwrap().iter().find(|kept| kept["file_name"] == "blob.bin");
    assert!(kept.unwrap()["key"].is_string(), "{artifacts}");

    ada.sees(["rerun", mail_id, "--wait"]).await;
    let all = client.get("/v1/documents?status=all").await.body;
    assert_eq!(all["items"].as_array().unwrap().len(), 2, "no attachment twice: {all}");
    server.stop().await.succeeded();
}

#[tokio::test]
async fn what_a_rule_masks_is_read_by_nobody() {
    let folder = DataFolder::new();
    let (server, ada, client) = library(&folder).await;
    // The text stands at the top of the page.
    let rules = json!({"masks": [{"box": [0.0, 0.0, 1.0, 0.3], "kinds": ["pdf"]}]});
    let changed = client.put("/v1/tenant/rules", &rules).await;
    assert_eq!(changed.status, 200, "{changed:?}");
    let papers = Papers::new();
    papers.with("secret.pdf", pdf_saying("Salary 4711"));
    ada.sees(["ingest", papers.folder(), "--wait"]).await;
    let document = only_document(&client).await;
    let id = document["doc_id"].as_str().unwrap();
    let page = client.get(&format!("/v1/documents/{id}/pages/1")).await;
    assert_eq!(page.body["words"], json!([]), "{page:?}");
    let text = client.get(&format!("/v1/documents/{id}/text")).await;
    assert!(!text.body.to_string().contains("4711"), "{text:?}");
    server.stop().await.succeeded();
}

/// Its key check fails for every password: there is none that opens it.
const LOCKED: &str = "%PDF-1.4\n\
     1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj\n\
     2 0 obj << /Type /Pages /Kids [] /Count 0 >> endobj\n\
     trailer << /Root 1 0 R /ID [<00> <00>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 \
     /O <0000000000000000000000000000000000000000000000000000000000000000> \
     /U <0000000000000000000000000000000000000000000000000000000000000000> >> >>\n%%EOF\n";

#[tokio::test]
async fn a_password_comes_with_the_file_and_is_shown_to_nobody() {
    let folder = DataFolder::new();
    let (server, ada, client) = library(&folder).await;
    let papers = Papers::new();
    papers.with("locked.pdf", LOCKED);
    let refused = ada.types(["ingest", papers.folder(), "--wait"]).finish().await;
    assert!(refused.stderr.contains("needs a password"), "{refused:?}");
    let given = ["ingest", papers.folder(), "--wait", "--again", "--password", "guess-4711"];
    let refused = ada.types(given).finish().await;
    assert!(refused.stderr.contains("the password does not open the file"), "{refused:?}");
    let document = client.get("/v1/documents?status=failed").await.body["items"][0].clone();
    let id = document["doc_id"].as_str().unwrap();
    let all = client.get(&format!("/v1/documents/{id}")).await.body.to_string();
    let audit = client.get("/v1/audit?limit=100").await.body.to_string();
    assert!(!all.contains("guess-4711") && !audit.contains("guess-4711"));
    server.stop().await.succeeded();
}

#[tokio::test]
async fn what_was_read_is_found_by_words_and_by_meaning() {
    let folder = DataFolder::new();
    let (server, ada, _) = library(&folder).await;
    let papers = Papers::new();
    papers.with("lease.pdf", pdf_saying("The tenant pays the rent on the first day of a month."));
    papers.with("zoo.txt", "Zebras and giraffes live on the savannah and eat grass and leaves.");
    ada.sees(["ingest", papers.folder(), "--wait"]).await;
    let by_words = ada.reads(["search", "tenant", "--json"]).await;
    assert_eq!(by_words["warnings"], json!([]), "the model is there: {by_words}");
    assert_eq!(by_words["hits"][0]["filename"], "lease.pdf");
    assert_eq!(by_words["hits"][0]["areas"][0]["page"], 1, "{by_words}");
    let meaning = ["search", "African", "wildlife", "--mode", "vector", "--json"];
    assert_eq!(ada.reads(meaning).await["hits"][0]["filename"], "zoo.txt");
    let unknown = ada.types(["ask", "Who wrote the opera Aida?"]).finish().await;
    assert_eq!(unknown.code, Some(1), "{unknown:?}");
    assert!(unknown.stdout.starts_with("I don't know."), "{unknown:?}");
    server.stop().await.succeeded();
}
