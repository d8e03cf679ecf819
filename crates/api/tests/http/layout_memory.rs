//! Listing and deleting what the layout memory of a tenant consists of.

use std::sync::atomic::{AtomicU32, Ordering};

use axum::http::{Method, StatusCode};
use serde_json::{Value, json};
use testkit::{Response, TestApp, TestTenant};
use uuid::Uuid;

/// Uploads a document of the tenant, and lets it have taught two fields of an invoice.
pub(crate) async fn insert_layout_memory(app: &TestApp, tenant: &TestTenant) -> Uuid {
    static LAST: AtomicU32 = AtomicU32::new(0);
    let name = format!("learnt {}.txt", LAST.fetch_add(1, Ordering::Relaxed));
    let made = app.upload(&name, &name).bearer(&tenant.admin_token).send().await.body;
    insert(app, made["doc_id"].as_str().unwrap().parse().unwrap(), "invoice", 0).await
}

/// What a document taught this many minutes ago.
async fn insert(app: &TestApp, doc_id: Uuid, document_type: &str, minutes: i32) -> Uuid {
    let mut superuser = app.database.superuser().await;
    sqlx::query_scalar(
        "WITH memory AS (
             INSERT INTO layout_memory (memory_id, tenant_id, doc_id, document_type, entry, learnt_at, last_used_at)
             SELECT gen_random_uuid(), tenant_id, doc_id, $2,
                    '{\"version\": 2, \"fields\": [{\"field\": \"issue_date\"}, {\"field\": \"grand_total\"}]}',
                    created_at - make_interval(mins => $3), created_at
             FROM documents WHERE doc_id = $1
             RETURNING *),
         counts AS (
             INSERT INTO layout_memory_counts (tenant_id, memory_id, field, right_count, wrong_count)
             SELECT tenant_id, memory_id, 'grand_total', 3, 1 FROM memory)
         SELECT memory_id FROM memory",
    )
    .bind(doc_id)
    .bind(document_type)
    .bind(minutes)
    .fetch_one(&mut superuser)
    .await
    .unwrap()
}

struct Story {
    app: TestApp,
    acme: TestTenant,
    doc_id: Uuid,
}

impl Story {
    async fn begin() -> Self {
        let app = TestApp::start().await;
        let acme = app.tenant("acme").await;
        let made = app.upload("note.txt", "A note").bearer(&acme.admin_token).send().await.body;
        let doc_id = made["doc_id"].as_str().unwrap().parse().unwrap();
        Self { app, acme, doc_id }
    }

    async fn list(&self, query: &str) -> Value {
        let path = format!("/v1/layout-memory{query}");
        let answer = self.app.get(&path).bearer(&self.acme.admin_token).send().await;
        assert_eq!(answer.status, StatusCode::OK, "{answer:?}");
        answer.body
    }

    async fn ids(&self, query: &str) -> Vec<Uuid> {
        let items = self.list(query).await["items"].as_array().unwrap().clone();
        items.iter().map(|item| item["memory_id"].as_str().unwrap().parse().unwrap()).collect()
    }

    async fn delete(&self, path: &str) -> Response {
        let request = self.app.request(Method::DELETE, &format!("/v1/layout-memory{path}"));
        request.bearer(&self.acme.admin_token).send().await
    }

    async fn audited(&self) -> Vec<Value> {
        let path = "/v1/audit?action=LAYOUT_MEMORY_DELETED";
        let rows = self.app.get(path).bearer(&self.acme.admin_token).send().await.body;
        rows["items"].as_array().unwrap().iter().map(|row| row["detail"].clone()).collect()
    }
}

#[tokio::test]
async fn the_list_says_what_was_learnt_from_which_document_and_how_often_it_was_right() {
    let story = Story::begin().await;
    let id = insert(&story.app, story.doc_id, "invoice", 0).await;
    let listed = story.list("").await;
    let entry = &listed["items"][0];
    assert_eq!(entry["memory_id"], json!(id));
    assert_eq!(entry["document_type"], "invoice");
    assert_eq!(entry["document_id"], json!(story.doc_id));
    assert_eq!(entry["document_title"], "note.txt");
    assert_eq!((&entry["right"], &entry["wrong"]), (&json!(3), &json!(1)));
    assert_eq!(
        entry["fields"],
        json!([
            {"field": "issue_date", "right": 0, "wrong": 0},
            {"field": "grand_total", "right": 3, "wrong": 1},
        ])
    );
    assert_eq!(entry.get("entry"), None);
    assert_eq!(listed["next_cursor"], Value::Null);
}

#[tokio::test]
async fn the_list_has_pages_and_can_be_limited_to_a_type() {
    let story = Story::begin().await;
    let old = insert(&story.app, story.doc_id, "invoice", 20).await;
    let middle = insert(&story.app, story.doc_id, "contract_note", 10).await;
    let new = insert(&story.app, story.doc_id, "receipt", 0).await;
    assert_eq!(story.ids("").await, [new, middle, old]);
    assert_eq!(story.ids("?document_type=contract_note").await, [middle]);
    let first = story.list("?limit=2").await;
    let cursor = first["next_cursor"].as_str().unwrap();
    assert_eq!(story.ids(&format!("?limit=2&cursor={cursor}")).await, [old]);
}

#[tokio::test]
async fn an_entry_is_deleted_once_and_only_by_its_tenant() {
    let story = Story::begin().await;
    let id = insert(&story.app, story.doc_id, "invoice", 0).await;
    let other = story.app.tenant("other").await;
    let path = format!("/v1/layout-memory/{id}");
    let request = story.app.request(Method::DELETE, &path).bearer(&other.admin_token);
    assert_eq!(request.status().await, StatusCode::NOT_FOUND);
    assert_eq!(story.ids("").await, [id]);

    assert_eq!(story.delete(&format!("/{id}")).await.status, StatusCode::NO_CONTENT);
    assert!(story.ids("").await.is_empty());
    assert_eq!(story.delete(&format!("/{id}")).await.status, StatusCode::NOT_FOUND);
    let expected = json!({ "memory_id": id, "document_type": "invoice" });
    assert_eq!(story.audited().await, [expected]);
}

#[tokio::test]
async fn the_entries_of_a_type_are_deleted_together() {
    let story = Story::begin().await;
    insert(&story.app, story.doc_id, "invoice", 0).await;
    insert_layout_memory(&story.app, &story.acme).await;
    let kept = insert(&story.app, story.doc_id, "receipt", 0).await;
    let other = story.app.tenant("other").await;
    insert_layout_memory(&story.app, &other).await;

    assert_eq!(story.delete("").await.status, StatusCode::BAD_REQUEST);
    let deleted = story.delete("?document_type=invoice").await;
    assert_eq!((deleted.status, &deleted.body), (StatusCode::OK, &json!({ "deleted": 2 })));
    assert_eq!(story.ids("").await, [kept]);
    let theirs = story.app.get("/v1/layout-memory").bearer(&other.admin_token).send().await.body;
    assert_eq!(theirs["items"].as_array().unwrap().len(), 1);
    assert_eq!(story.audited().await, [json!({ "document_type": "invoice", "entries": 2 })]);
    // Nothing happened, so nothing is audited.
    assert_eq!(story.delete("?document_type=invoice").await.body, json!({ "deleted": 0 }));
    assert_eq!(story.audited().await.len(), 1);
}
