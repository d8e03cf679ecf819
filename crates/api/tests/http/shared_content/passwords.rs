//! Documents with a password: owners who have not presented it can neither read nor find them, and it is not stored longer
//! than needed.

use axum::http::{Method, StatusCode};
use domain::Secret;
use ops::PasswordCleanup;
use serde_json::{Value, json};
use sqlx::Connection;
use store::{DatabaseUrl, SecretKeys, Store, StoreError};

use super::{Office, doc_id};

const PLAN: &str = "locked by sesame\n\nThe plan is to buy the house on the hill.";

async fn stored(office: &Office, columns: &str) -> Vec<Value> {
    let mut superuser = office.library.app.database.superuser().await;
    let statement = format!(
        "SELECT to_jsonb(r) FROM (SELECT {columns} FROM ingestion_runs AS run
             LEFT JOIN secrets ON secret_id = run_id AND purpose = 'document_password'
             ORDER BY run.created_at, run_id) AS r"
    );
    let rows = sqlx::query_scalar(sqlx::AssertSqlSafe(statement)).fetch_all(&mut superuser).await;
    superuser.close().await.unwrap();
    rows.unwrap()
}

async fn finds(office: &Office, token: &str) -> bool {
    let found = office.search(token, json!({ "query": "house on the hill" })).await;
    let known = office.get(token, "/v1/knowledge-base").await.body;
    let asked = office.library.app.post("/v1/ask", json!({ "question": "what is the plan?" }));
    let answer = asked.bearer(token).send().await.body.to_string();
    let found = found["hits"] != json!([]);
    assert_eq!(found, known["items"] != json!([]));
    assert_eq!(found, answer.contains("hill"), "{answer}");
    found
}

#[tokio::test]
async fn an_upload_without_the_password_gives_no_access() {
    let office = Office::open().await;
    let id = doc_id(&office.upload(&office.ada, &[("password", "sesame")], "plan.txt", PLAN).await);
    assert!(finds(&office, &office.ada).await);
    for (said, code) in
        [(&[("password", "WRONG")][..], "wrong_password"), (&[][..], "password_required")]
    {
        let refused = office.upload(&office.bob, said, "b.txt", PLAN).await;
        assert_eq!((refused.status, refused.code()), (StatusCode::CONFLICT, code));
        assert_eq!(office.text(&office.bob, &id).await.status, StatusCode::NOT_FOUND);
        assert!(!finds(&office, &office.bob).await);
    }
    let right = office.upload(&office.bob, &[("password", "sesame")], "b.txt", PLAN).await;
    assert_eq!(right.body["status"], "skipped", "{right:?}");
    assert_eq!(office.text(&office.bob, &id).await.status, StatusCode::OK);
    assert!(finds(&office, &office.bob).await);
    // A password has to be presented only once.
    assert_eq!(office.upload(&office.ada, &[], "c.txt", PLAN).await.status, StatusCode::OK);
}

#[tokio::test]
async fn an_owner_who_never_presented_the_password_cannot_read_the_document() {
    let office = Office::open().await;
    let id = doc_id(&office.upload(&office.ada, &[], "plan.txt", PLAN).await);
    let path = format!("/v1/documents/{id}");
    assert_eq!(office.get(&office.ada, &path).await.body["status"], "failed");
    let opened = office.upload(&office.bob, &[("password", "sesame")], "b.txt", PLAN).await;
    assert_eq!(opened.body["dedup_result"], "new", "{opened:?}");
    assert!(finds(&office, &office.bob).await && finds(&office, office.admin()).await);

    let seen = office.get(&office.ada, &path).await.body;
    assert_eq!((&seen["status"], &seen["content_locked"]), (&json!("active"), &json!(true)));
    let locked = office.text(&office.ada, &id).await;
    assert_eq!((locked.status, locked.code()), (StatusCode::FORBIDDEN, "password_required"));
    assert!(!finds(&office, &office.ada).await);
    let run = opened.body["run_id"].as_str().unwrap();
    let artifact = format!("/v1/ingestion-runs/{run}/artifacts/layout/text.txt");
    assert_ne!(office.get(&office.ada, &artifact).await.status, StatusCode::OK);

    office.upload(&office.ada, &[("password", "sesame")], "plan.txt", PLAN).await;
    assert_eq!(office.text(&office.ada, &id).await.status, StatusCode::OK);
    assert!(finds(&office, &office.ada).await);
    assert_eq!(office.get(&office.ada, &path).await.body["content_locked"], false);
}

#[tokio::test]
async fn an_unneeded_password_locks_no_owner_out() {
    let office = Office::open().await;
    office.upload(&office.ada, &[("password", "needless")], "a.txt", "An open house.").await;
    let same = office.upload(&office.bob, &[], "b.txt", "An open house.").await;
    assert_eq!(same.body["status"], "skipped", "{same:?}");
    let found = office.search(&office.bob, json!({ "query": "open house" })).await;
    assert_eq!(found["hits"].as_array().unwrap().len(), 1);
    // Nor if no password ever opened the file.
    let batch = json!({ "pipeline": ["ingest"] });
    office.upload_in_batch(&office.ada, batch, "c.txt", "Another open house.").await;
    assert_eq!(
        office.upload(&office.bob, &[], "d.txt", "Another open house.").await.status,
        StatusCode::OK
    );
}

#[tokio::test]
async fn a_password_is_encrypted_at_rest_and_deleted_when_not_needed() {
    let office = Office::open().await;
    let app = &office.library.app;
    let cleanup = PasswordCleanup { store: app.ops.store().clone(), clock: app.clock.clone() };
    let id = doc_id(&office.upload(&office.ada, &[("password", "sesame")], "plan.txt", PLAN).await);
    let path = format!("/v1/documents/{id}");
    let kept = "encode(sealed, 'escape') AS sealed, key_id <> '' AS kept";
    let [row]: [Value; 1] = stored(&office, kept).await.try_into().unwrap();
    assert_eq!(row["kept"], true);
    assert!(!row["sealed"].as_str().unwrap().contains("sesame"));
    assert_eq!(cleanup.delete_unneeded().await.unwrap(), 0, "pictures of its pages need it");

    // A rerun has the password, so the earlier run no longer needs it.
    let rerun = app.post(&format!("{path}/rerun"), json!({})).bearer(office.admin()).send().await;
    assert_eq!(rerun.status, StatusCode::ACCEPTED);
    app.clock.advance(chrono::Duration::seconds(1));
    office.library.work_off().await;
    assert_eq!(office.get(&office.ada, &path).await.body["version_label"], "v2");
    assert_eq!(cleanup.delete_unneeded().await.unwrap(), 1);
    let kept = stored(&office, "sealed IS NOT NULL AS kept").await;
    assert_eq!(kept.iter().filter(|row| row["kept"] == true).count(), 1);
    assert_eq!(office.text(&office.ada, &id).await.status, StatusCode::OK);

    office.act(office.admin(), Method::DELETE, &path).await;
    let kept = stored(&office, "sealed IS NOT NULL AS kept").await;
    assert!(kept.iter().all(|row| row["kept"] == false), "deleted with the document");

    // An unneeded password is deleted at once.
    office.upload(&office.ada, &[("password", "no")], "c.txt", "Open words.").await;
    assert_eq!(cleanup.delete_unneeded().await.unwrap(), 1);
    // A failed run keeps its password for a day, for a retry.
    office.upload(&office.ada, &[("password", "no")], "b.txt", "locked by x\n\nOther words.").await;
    assert_eq!(cleanup.delete_unneeded().await.unwrap(), 0);
    app.clock.advance(chrono::Duration::hours(25));
    assert_eq!(cleanup.delete_unneeded().await.unwrap(), 1);
}

#[tokio::test]
async fn a_rerun_asks_for_a_deleted_password() {
    let office = Office::open().await;
    let id = doc_id(&office.upload(&office.ada, &[("password", "sesame")], "plan.txt", PLAN).await);
    let path = format!("/v1/documents/{id}");
    let mut superuser = office.library.app.database.superuser().await;
    sqlx::query("DELETE FROM secrets").execute(&mut superuser).await.unwrap();
    let rerun = async |body: Value| {
        office.library.app.post(&format!("{path}/rerun"), body).bearer(office.admin()).send().await
    };
    assert_eq!(rerun(json!({})).await.code(), "password_required");
    let later = json!({ "password": "WRONG", "from_stage": "index" });
    assert_eq!(rerun(later).await.code(), "wrong_password", "it would become a proof");
    assert_eq!(rerun(json!({ "password": "sesame" })).await.status, StatusCode::ACCEPTED);
}

#[tokio::test]
async fn plain_passwords_are_encrypted_at_the_next_start_and_another_key_is_refused() {
    let office = Office::open().await;
    let app = &office.library.app;
    let id = doc_id(&office.upload(&office.ada, &[("password", "sesame")], "plan.txt", PLAN).await);
    let mut superuser = app.database.superuser().await;
    for statement in [
        // As the migration leaves a plain-text password.
        "UPDATE secrets SET sealed = 'sesame', key_id = ''",
        "UPDATE ingestion_runs SET password_check = NULL, stats = '{}'",
        "UPDATE stages SET stats = NULL",
        "UPDATE document_owners SET password_check = NULL",
    ] {
        sqlx::query(statement).execute(&mut superuser).await.unwrap();
    }
    app.another_process().await;
    let rows = stored(&office, "sealed = 'sesame' AS is_clear, key_id <> '' AS kept").await;
    assert_eq!(rows, [json!({ "is_clear": false, "kept": true })]);
    assert_eq!(office.text(&office.ada, &id).await.status, StatusCode::OK, "who gave it knows it");
    assert_eq!(office.upload(&office.bob, &[], "b.txt", PLAN).await.code(), "password_required");

    let url: DatabaseUrl = app.database.url().parse().unwrap();
    let environment = testkit::fake_environment(&app.clock);
    let store = Store::open(&url, 2, environment.clock, environment.ids).await.unwrap();
    let other = SecretKeys::of(Secret::new("a key that somebody else made"));
    let refused = store.with_secret_keys(other).await.unwrap_err();
    assert!(matches!(refused, StoreError::OtherSecretsKey), "{refused}");
    assert!(refused.to_string().contains("secrets_key"), "{refused}");
}

#[tokio::test]
async fn a_worker_without_the_key_leaves_the_document_to_another() {
    let office = Office::open().await;
    let app = &office.library.app;
    let request = app.request(Method::POST, "/v1/ingest");
    let said = [("password", "sesame")];
    let id = doc_id(&request.file_with(&said, "plan.txt", PLAN).bearer(&office.ada).send().await);
    app.work_off_without_key().await;
    let waiting = office.get(&office.ada, &format!("/v1/documents/{id}")).await.body;
    assert_ne!(waiting["status"], "failed", "{waiting}");

    app.clock.advance(chrono::Duration::minutes(5));
    app.ops.operations.do_housekeeping().await.unwrap();
    office.library.work_off().await;
    assert!(finds(&office, &office.ada).await, "another worker reads it");
}
