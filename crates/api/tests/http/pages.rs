//! What was read of a document, as clients see it. Reading itself is told elsewhere.

use axum::http::StatusCode;
use blob::ArtifactPlace;
use domain::{DocId, RunId, TenantId};
use pages::artifact::Writer;
use pages::{
    Area, Block, BlockKind, Confidence, Head, KeyValue, Line, Origin, Page, Part, Reading, Size,
    Span, Tail, TextSource, Word,
};
use serde_json::json;
use sqlx::Row;
use testkit::TestApp;
use testkit::samples::TINY_PNG;
use uuid::Uuid;

fn word(text: &str, left: f32) -> Word {
    let area = Area { left, top: 72.0, right: left + 40.0, bottom: 84.0 };
    Word { text: text.to_owned(), area: Some(area), ..Word::default() }
}

fn invoice() -> Page {
    let mut total = word("12.50", 150.0);
    total.confidence = Confidence(71);
    total.origin = Origin::PpOcr;
    let other =
        Reading { text: "l2.50".to_owned(), confidence: Confidence(40), origin: Origin::Tesseract };
    total.other = Some(Box::new(other));
    Page {
        number: 1,
        size: Some(Size { width: 595.0, height: 842.0 }),
        text: TextSource::Recognised,
        quality: Confidence(80),
        words: vec![word("Total:", 72.0), total],
        lines: vec![Line { words: Span::new(0..2), area: None }],
        blocks: vec![Block { kind: BlockKind::Paragraph, lines: Span::new(0..1), area: None }],
        key_values: vec![KeyValue { key: Span::new(0..1), value: Span::new(1..2) }],
        ..Page::default()
    }
}

/// Leaves what the last stage of reading would have left: one page, its picture, its text.
pub(crate) async fn pretend_it_was_read(app: &TestApp, run_id: Uuid) {
    let mut superuser = app.database.superuser().await;
    let run = sqlx::query("SELECT tenant_id, doc_id FROM ingestion_runs WHERE run_id = $1")
        .bind(run_id)
        .fetch_one(&mut superuser)
        .await
        .unwrap();
    let place = |stage: &str, name: &str| ArtifactPlace {
        tenant: TenantId(run.get(0)),
        doc: DocId(run.get(1)),
        run: RunId(run_id),
        stage: stage.parse().unwrap(),
        name: name.parse().unwrap(),
    };
    let mut pages = Writer::new(Vec::new()).unwrap();
    let head = Head {
        kind: domain::FileKind::Txt,
        title: None,
        properties: std::collections::BTreeMap::new(),
        pages: Some(1),
    };
    pages.write(&Part::Head(head)).unwrap();
    pages.write(&Part::Page(invoice())).unwrap();
    pages.write(&Part::Tail(Tail { pages: 1, remarks: Vec::new() })).unwrap();
    let files = [
        ("pages.dkt", pages.finish().unwrap()),
        ("text.txt", b"Total: 12.50\n".to_vec()),
        ("document.md", b"**Total:** 12.50\n".to_vec()),
    ];
    let mut artifacts = Vec::new();
    for (name, bytes) in files {
        let kept = app.blobs.put_artifact(&place("layout", name), bytes.into()).await.unwrap();
        let (key, size, sha256) = (kept.key, kept.size_bytes, kept.sha256);
        artifacts.push(json!({ "name": name, "key": key, "size_bytes": size, "sha256": sha256 }));
    }
    let picture = place("pictures", "page-1-800.png");
    app.blobs.put_artifact(&picture, TINY_PNG.into()).await.unwrap();
    sqlx::query(
        "INSERT INTO stages (run_id, name, tenant_id, status, started_at, ended_at, worker_id, retries, artifacts)
         SELECT run_id, 'layout', tenant_id, 'succeeded', created_at, created_at, 'w', 0, $2
         FROM ingestion_runs WHERE run_id = $1",
    )
    .bind(run_id)
    .bind(json!(artifacts))
    .execute(&mut superuser)
    .await
    .unwrap();
}

async fn read_document(app: &TestApp, token: &str) -> String {
    let made = app.upload("a.txt", "any text").bearer(token).send().await.body;
    pretend_it_was_read(app, made["run_id"].as_str().unwrap().parse().unwrap()).await;
    made["doc_id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_page_shows_words_places_and_what_the_engines_disagree_on() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let doc_id = read_document(&app, &acme.admin_token).await;
    let page = app.get(&format!("/v1/documents/{doc_id}/pages/1")).bearer(&acme.admin_token);
    let page = page.send().await;
    assert_eq!(page.status, StatusCode::OK);
    assert_eq!(page.body["pages"], 1);
    assert_eq!(page.body["text_source"], "recognised");
    assert_eq!(
        page.body["words"][1],
        json!({
            "text": "12.50", "box": [150.0, 72.0, 190.0, 84.0], "confidence": 71, "origin": "pp_ocr",
            "other": { "text": "l2.50", "confidence": 40, "origin": "tesseract" },
        })
    );
    assert_eq!(page.body["blocks"][0]["text"], "Total: 12.50");
    assert_eq!(page.body["key_values"][0]["key"], "Total:");
    assert_eq!(page.body["key_values"][0]["value"], "12.50");
}

#[tokio::test]
async fn a_browser_that_has_a_picture_is_told_so_if_it_may_still_see_it() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let doc_id = read_document(&app, &acme.admin_token).await;
    let path = format!("/v1/documents/{doc_id}/pages/1.png");
    let first = app.get(&path).bearer(&acme.admin_token).send().await;
    assert_eq!(first.status, StatusCode::OK);
    let tag = first.header("etag").unwrap().to_owned();
    let with_tag = |token: &str| app.get(&path).bearer(token).header("if-none-match", &tag);
    assert_eq!(with_tag(&acme.admin_token).status().await, StatusCode::NOT_MODIFIED);
    let other = app.get(&path).bearer(&acme.admin_token).header("if-none-match", "\"other\"");
    assert_eq!(other.status().await, StatusCode::OK);
    let stranger = app.tenant("other").await;
    assert_eq!(with_tag(&stranger.admin_token).status().await, StatusCode::NOT_FOUND);
    let deleted = app.request(axum::http::Method::DELETE, &format!("/v1/documents/{doc_id}"));
    assert_eq!(deleted.bearer(&acme.admin_token).status().await, StatusCode::NO_CONTENT);
    assert_eq!(with_tag(&acme.admin_token).status().await, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn what_is_not_there_is_said() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let doc_id = read_document(&app, &acme.admin_token).await;
    let unread = app.upload("b.txt", "another").bearer(&acme.admin_token).send().await.body;
    let unread = unread["doc_id"].as_str().unwrap();
    let cases = [
        (format!("{doc_id}/pages/2"), StatusCode::NOT_FOUND, "not_found"),
        (format!("{doc_id}/pages/0"), StatusCode::BAD_REQUEST, "invalid_request"),
        (format!("{doc_id}/pages/one"), StatusCode::BAD_REQUEST, "invalid_request"),
        (format!("{doc_id}/pages/1?width=800"), StatusCode::BAD_REQUEST, "invalid_request"),
        (format!("{doc_id}/pages/1.png?width=801"), StatusCode::BAD_REQUEST, "invalid_request"),
        (format!("{unread}/pages/1"), StatusCode::CONFLICT, "not_read_yet"),
        (format!("{unread}/text"), StatusCode::CONFLICT, "not_read_yet"),
    ];
    for (path, status, code) in cases {
        let path = format!("/v1/documents/{path}");
        let answer = app.get(&path).bearer(&acme.admin_token).send().await;
        assert_eq!((answer.status, answer.body["code"].as_str()), (status, Some(code)), "{path}");
    }
}
