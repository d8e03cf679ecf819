//! Updated originals: the document keeps its id and owners, and other users get no access to it.

use axum::body::Bytes;
use axum::http::{Method, StatusCode};
use domain::{AttachedFile, DocId, RunId};
use serde_json::{Value, json};
use testkit::Response;

use super::{LEASE, Office, doc_id};

const RAISED: &str = "The tenant pays 1,400 EUR on the first day of every month.\u{c}Second page.";

impl Office {
    async fn update(
        &self,
        token: &str,
        id: &str,
        said: &[(&str, &str)],
        file: (&str, &str),
    ) -> Response {
        let path = format!("/v1/documents/{id}/rerun");
        let request = self.library.app.request(Method::POST, &path);
        let updated = request.file_with(said, file.0, file.1).bearer(token).send().await;
        self.library.work_off().await;
        updated
    }

    async fn document(&self, token: &str, id: &str) -> Value {
        self.get(token, &format!("/v1/documents/{id}")).await.body
    }

    async fn original(&self, token: &str, id: &str) -> String {
        let link = self.get(token, &format!("/v1/documents/{id}/original")).await.body;
        self.get(token, link["url"].as_str().unwrap()).await.body.as_str().unwrap().to_owned()
    }
}

#[tokio::test]
async fn an_update_adds_a_version_that_the_owner_sees() {
    let office = Office::open().await;
    let said = [("title", "Our lease"), ("tag", "rent")];
    let id = doc_id(&office.upload(&office.ada, &said, "lease.txt", LEASE).await);
    let before = office.document(&office.ada, &id).await;
    let said = [("reason", "the rent was raised")];
    let updated = office.update(office.admin(), &id, &said, ("lease-2027.txt", RAISED)).await;
    assert_eq!((updated.status, &updated.body["doc_id"]), (StatusCode::ACCEPTED, &json!(id)));

    for token in [&office.ada, office.admin()] {
        let after = office.document(token, &id).await;
        for same in ["title", "filename", "tags", "created_at", "status"] {
            assert_eq!(after[same], before[same], "{same}");
        }
        assert_ne!(after["content_hash"], before["content_hash"]);
        assert_eq!((&after["size_bytes"], &after["pages"]), (&json!(RAISED.len()), &json!(2)));
        assert_eq!(after["versions"].as_array().unwrap().len(), 2);
        assert_eq!(office.original(token, &id).await, RAISED);
        let text = office.text(token, &id).await.body.to_string();
        assert!(text.contains("1,400") && !text.contains("1,250"), "{text}");
        let found = office.search(token, json!({ "query": "tenant pays" })).await.to_string();
        assert!(found.contains("1,400") && !found.contains("1,250"), "{found}");
    }
    let run = format!("/v1/ingestion-runs/{}", updated.body["run_id"].as_str().unwrap());
    let run = office.get(office.admin(), &run).await.body;
    assert_eq!(run["run_type"], "rerun");
    assert_eq!(run["reason"], "the rent was raised");
    assert_eq!(run["config"]["original_filename"], "lease-2027.txt");
    assert_eq!(run["config"]["title"], "Our lease");
    assert_eq!(run["parent_run_id"], before["runs"][0]["run_id"]);
    assert_eq!(office.audited("DOCUMENT_RERUN_QUEUED").await, 1);
    let usage = office.get(office.admin(), "/v1/tenant").await.body["usage"].clone();
    assert_eq!(usage["bytes"], LEASE.len() + RAISED.len(), "both originals are kept");
}

/// The old or new content gives no access to the updated document.
#[tokio::test]
async fn an_upload_of_the_old_or_new_content_is_a_document_of_its_own() {
    let office = Office::open().await;
    let id = doc_id(&office.upload(&office.ada, &[], "lease.txt", LEASE).await);
    office.update(office.admin(), &id, &[], ("lease.txt", RAISED)).await;
    let seen_by_ada = office.everything(&office.ada, &id).await;
    for text in [LEASE, RAISED] {
        let made = office.upload(&office.bob, &[], "mine.txt", text).await;
        assert_eq!(made.body["dedup_result"], "new", "{made:?}");
        assert_ne!(doc_id(&made), id);
        assert_eq!(office.original(&office.bob, &doc_id(&made)).await, text);
        assert_eq!(office.text(&office.bob, &id).await.status, StatusCode::NOT_FOUND);
    }
    assert_eq!(office.everything(&office.ada, &id).await, seen_by_ada);
}

/// An owner of the mail owns the attachment as it was, not its updated version.
#[tokio::test]
async fn another_owner_of_the_mail_does_not_get_the_updated_attachment() {
    let office = Office::open().await;
    let mail = office.upload(&office.ada, &[], "mail.txt", "Please find it.").await.body;
    let uuid = |name: &str| mail[name].as_str().unwrap().parse::<uuid::Uuid>().unwrap();
    let part = AttachedFile {
        tenant_id: office.acme.tenant.tenant_id,
        parent: DocId(uuid("doc_id")),
        run_id: RunId(uuid("run_id")),
        name: "lease.txt".to_owned(),
        content: Bytes::from_static(LEASE.as_bytes()),
        depth: 1,
    };
    let taken_in = office.library.app.ops.intake().accept_attachment(part).await.unwrap();
    office.library.work_off().await;
    let id = taken_in.unwrap().0.to_string();
    let updated = office.update(office.admin(), &id, &[], ("lease.txt", RAISED)).await;
    assert_eq!(updated.status, StatusCode::ACCEPTED, "{updated:?}");
    office.upload(&office.bob, &[], "mail.txt", "Please find it.").await;
    let path = format!("/v1/documents/{id}");
    assert_eq!(office.get(&office.bob, &path).await.status, StatusCode::NOT_FOUND);
    assert_eq!(office.original(&office.ada, &id).await, RAISED);
}

/// A rerun while an update is in progress processes the updated content.
#[tokio::test]
async fn a_rerun_does_not_undo_an_update_in_progress() {
    let office = Office::open().await;
    let id = doc_id(&office.upload(&office.ada, &[], "lease.txt", LEASE).await);
    let path = format!("/v1/documents/{id}/rerun");
    let request = office.library.app.request(Method::POST, &path);
    let request = request.file_with(&[], "lease.txt", RAISED).bearer(office.admin());
    assert_eq!(request.send().await.status, StatusCode::ACCEPTED);
    office.library.app.clock.advance(chrono::Duration::seconds(1));
    let again = office.library.app.post(&path, json!({})).bearer(office.admin()).send().await;
    assert_eq!(again.status, StatusCode::ACCEPTED, "{again:?}");
    office.library.work_off().await;
    assert_eq!(office.original(&office.ada, &id).await, RAISED);
}

#[tokio::test]
async fn the_same_content_is_a_plain_rerun() {
    let office = Office::open().await;
    let id = doc_id(&office.upload(&office.ada, &[], "lease.txt", LEASE).await);
    let again = office.update(office.admin(), &id, &[], ("other name.txt", LEASE)).await;
    assert_eq!(again.status, StatusCode::ACCEPTED, "{again:?}");
    let document = office.document(office.admin(), &id).await;
    assert!(document["source_uri"].as_str().unwrap().starts_with("upload://sha256:"));
    assert_eq!(document["runs"][0]["config"]["source_type"], "rerun");
    let known = office.upload(&office.bob, &[], "lease.txt", LEASE).await;
    assert_eq!((doc_id(&known), &known.body["status"]), (id, &json!("skipped")));
}

#[tokio::test]
async fn content_of_another_document_is_refused_until_that_one_is_deleted() {
    let office = Office::open().await;
    let id = doc_id(&office.upload(&office.ada, &[], "lease.txt", LEASE).await);
    let other = doc_id(&office.upload(&office.bob, &[], "raised.txt", RAISED).await);
    let refused = office.update(office.admin(), &id, &[], ("lease.txt", RAISED)).await;
    assert_eq!(
        (refused.status, refused.code()),
        (StatusCode::CONFLICT, "content_is_another_document")
    );
    assert!(refused.body["detail"].as_str().unwrap().contains(&other), "{refused:?}");
    assert_eq!(office.original(&office.ada, &id).await, LEASE);
    office.act(office.admin(), Method::DELETE, &format!("/v1/documents/{other}")).await;
    let updated = office.update(office.admin(), &id, &[], ("lease.txt", RAISED)).await;
    assert_eq!(updated.status, StatusCode::ACCEPTED, "{updated:?}");
    assert_eq!(office.original(&office.ada, &id).await, RAISED);
}

#[tokio::test]
async fn an_update_needs_the_rerun_permission_and_the_same_file_kind() {
    let office = Office::open().await;
    let id = doc_id(&office.upload(&office.ada, &[], "lease.txt", LEASE).await);
    let own = office.update(&office.ada, &id, &[], ("lease.txt", RAISED)).await;
    assert_eq!(own.status, StatusCode::FORBIDDEN);
    let missing = uuid::Uuid::nil().to_string();
    let nobodys = office.update(office.admin(), &missing, &[], ("lease.txt", RAISED)).await;
    assert_eq!(nobodys.status, StatusCode::NOT_FOUND);
    for (said, file, code) in [
        (&[][..], ("lease.html", "<html><p>other</p></html>"), "unsupported_type"),
        (&[("title", "mine")][..], ("lease.txt", RAISED), "invalid_request"),
    ] {
        let refused = office.update(office.admin(), &id, said, file).await;
        assert_eq!((refused.status, refused.code()), (StatusCode::BAD_REQUEST, code));
    }
    let document = office.document(office.admin(), &id).await;
    assert_eq!(document["runs"].as_array().unwrap().len(), 1, "{document}");
    assert!(document["source_uri"].as_str().unwrap().starts_with("upload://sha256:"));
}

#[tokio::test]
async fn an_update_with_an_idempotency_key_takes_effect_once() {
    let office = Office::open().await;
    let id = doc_id(&office.upload(&office.ada, &[], "lease.txt", LEASE).await);
    let path = format!("/v1/documents/{id}/rerun");
    let send = async |text: &str| {
        let request = office.library.app.request(Method::POST, &path);
        let request = request.file_with(&[], "lease.txt", text).header("idempotency-key", "one");
        request.bearer(office.admin()).send().await
    };
    let first = send(RAISED).await;
    assert_eq!(first.status, StatusCode::ACCEPTED, "{first:?}");
    // Before and after the new content is active.
    for _ in 0..2 {
        let again = send(RAISED).await;
        assert_eq!(again.body, first.body);
        assert_eq!(again.header("idempotent-replayed"), Some("true"));
        office.library.work_off().await;
    }
    assert_eq!(send("something else").await.status, StatusCode::UNPROCESSABLE_ENTITY);
    let plain = || {
        let again = office.library.app.post(&path, json!({}));
        again.header("idempotency-key", "two").bearer(office.admin()).send()
    };
    assert_eq!(plain().await.body, plain().await.body);
}

/// A password belongs to one content: the old one does not open the new one.
#[tokio::test]
async fn the_old_password_does_not_give_access_to_the_new_content() {
    let office = Office::open().await;
    let old = "locked by sesame\n\nThe old plan.";
    let id = doc_id(&office.upload(&office.ada, &[("password", "sesame")], "a.txt", old).await);
    assert_eq!(office.text(&office.ada, &id).await.status, StatusCode::OK);
    let new = "locked by abracadabra\n\nThe new plan.";
    let said = [("password", "abracadabra")];
    let updated = office.update(office.admin(), &id, &said, ("a.txt", new)).await;
    assert_eq!(updated.status, StatusCode::ACCEPTED, "{updated:?}");
    let text = office.text(office.admin(), &id).await.body.to_string();
    assert!(text.contains("The new plan"), "{text}");
    let refused = office.text(&office.ada, &id).await;
    assert_eq!((refused.status, refused.code()), (StatusCode::FORBIDDEN, "password_required"));
    let open = "An open plan.";
    office.update(office.admin(), &id, &[], ("a.txt", open)).await;
    assert_eq!(office.text(&office.ada, &id).await.status, StatusCode::OK);
}

/// Old and new content of a deleted document are deleted content, as for a document that was never updated.
#[tokio::test]
async fn both_contents_of_a_deleted_document_are_refused_until_an_administrator_restores_it() {
    let office = Office::open().await;
    let id = doc_id(&office.upload(&office.ada, &[], "lease.txt", LEASE).await);
    office.update(office.admin(), &id, &[], ("lease.txt", RAISED)).await;
    office.act(office.admin(), Method::DELETE, &format!("/v1/documents/{id}")).await;
    for token in [&office.ada, &office.bob] {
        for text in [LEASE, RAISED] {
            let refused = office.upload(token, &[], "mine.txt", text).await;
            let answer = (refused.status, refused.code());
            assert_eq!(answer, (StatusCode::CONFLICT, "document_deleted"), "{text}");
        }
    }
    let all = office.get(office.admin(), "/v1/documents?status=all").await.body;
    assert_eq!(all["items"], json!([]), "no document was created");

    let restored = office.upload(office.admin(), &[], "lease.txt", RAISED).await;
    assert_eq!((restored.status, doc_id(&restored)), (StatusCode::ACCEPTED, id.clone()));
    assert_eq!(office.original(&office.ada, &id).await, RAISED);
    // It is active again, so the content is no longer deleted, and it still belongs to its owners only.
    let own = office.upload(&office.bob, &[], "mine.txt", LEASE).await;
    assert_eq!((own.status, &own.body["dedup_result"]), (StatusCode::ACCEPTED, &json!("new")));
    assert_ne!(doc_id(&own), id);
}

#[tokio::test]
async fn an_update_with_the_same_content_applies_the_masks_of_its_new_name() {
    let office = Office::open().await;
    let text = "Name\n\nDepartment\n\nThe salary is 5,000 EUR.";
    let id = doc_id(&office.upload(&office.ada, &[], "note.txt", text).await);
    office.mask("payslip").await;
    let updated = office.update(office.admin(), &id, &[], ("payslip.txt", text)).await;
    assert_eq!(updated.status, StatusCode::ACCEPTED, "{updated:?}");
    let run = &office.document(office.admin(), &id).await["runs"][0]["config"];
    assert_eq!(run["original_filename"], "payslip.txt");
    assert_eq!(run["masks"].as_array().map(Vec::len), Some(1), "{run}");
    let shown = office.text(&office.ada, &id).await.body.to_string();
    assert!(!shown.contains("5,000"), "{shown}");
    // The name stays known: later runs are masked too.
    office.library.app.clock.advance(chrono::Duration::seconds(1));
    let path = format!("/v1/documents/{id}/rerun");
    office.library.app.post(&path, json!({})).bearer(office.admin()).send().await;
    office.library.work_off().await;
    let again = &office.document(office.admin(), &id).await["runs"][0]["config"];
    assert_eq!(again["masks"].as_array().map(Vec::len), Some(1), "{again}");
}

/// The deletion is not committed when the rerun begins: the rerun must wait for it.
#[tokio::test]
async fn a_rerun_waits_for_a_concurrent_deletion_and_is_refused() {
    let office = Office::open().await;
    let id = doc_id(&office.upload(&office.ada, &[], "lease.txt", LEASE).await);
    let app = &office.library.app;
    let mut deleting = app.database.superuser().await;
    let delete = format!("BEGIN; UPDATE documents SET deleted_at = now() WHERE doc_id = '{id}'");
    sqlx::raw_sql(sqlx::AssertSqlSafe(delete)).execute(&mut deleting).await.unwrap();
    let mut observer = app.database.superuser().await;
    let path = format!("/v1/documents/{id}/rerun");
    let rerun = app.post(&path, json!({})).bearer(office.admin()).send();
    let commit_once_it_waits = async {
        // Without the lock the rerun ends first, and the loop with it.
        while !is_waiting_for_a_lock(&mut observer).await {
            tokio::task::yield_now().await;
        }
        sqlx::raw_sql("COMMIT").execute(&mut deleting).await.unwrap();
    };
    tokio::pin!(rerun, commit_once_it_waits);
    let refused = tokio::select! {
        biased;
        ended = &mut rerun => ended,
        () = &mut commit_once_it_waits => rerun.await,
    };
    assert_eq!(refused.status, StatusCode::NOT_FOUND, "{refused:?}");
}

async fn is_waiting_for_a_lock(observer: &mut sqlx::PgConnection) -> bool {
    let waiting = "SELECT EXISTS (SELECT FROM pg_stat_activity
                                  WHERE datname = current_database() AND wait_event_type = 'Lock')";
    sqlx::query_scalar(waiting).fetch_one(observer).await.unwrap()
}
