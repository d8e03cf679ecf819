//! An updated original: the document stays what it is to its owners, and nobody else gets to see it.

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
async fn a_document_gets_a_version_with_other_content_and_its_owner_sees_it() {
    let office = Office::open().await;
    let said = [("title", "Our lease"), ("tag", "rent")];
    let id = doc_id(&office.bring(&office.ada, &said, "lease.txt", LEASE).await);
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

/// Having the old or the new bytes gives no part in the document that had them and has them now.
#[tokio::test]
async fn whoever_uploads_one_of_its_contents_has_a_document_of_their_own() {
    let office = Office::open().await;
    let id = doc_id(&office.bring(&office.ada, &[], "lease.txt", LEASE).await);
    office.update(office.admin(), &id, &[], ("lease.txt", RAISED)).await;
    let seen_by_ada = office.everything(&office.ada, &id).await;
    for text in [LEASE, RAISED] {
        let made = office.bring(&office.bob, &[], "mine.txt", text).await;
        assert_eq!(made.body["dedup_result"], "new", "{made:?}");
        assert_ne!(doc_id(&made), id);
        assert_eq!(office.original(&office.bob, &doc_id(&made)).await, text);
        assert_eq!(office.text(&office.bob, &id).await.status, StatusCode::NOT_FOUND);
    }
    assert_eq!(office.everything(&office.ada, &id).await, seen_by_ada);
}

/// What came within a mail and was updated since is not what whoever has the mail has.
#[tokio::test]
async fn whoever_has_the_mail_around_it_does_not_get_the_updated_attachment() {
    let office = Office::open().await;
    let mail = office.bring(&office.ada, &[], "mail.txt", "Please find it.").await.body;
    let uuid = |name: &str| mail[name].as_str().unwrap().parse::<uuid::Uuid>().unwrap();
    let part = AttachedFile {
        tenant_id: office.acme.tenant.tenant_id,
        parent: DocId(uuid("doc_id")),
        run_id: RunId(uuid("run_id")),
        name: "lease.txt".to_owned(),
        content: Bytes::from_static(LEASE.as_bytes()),
        depth: 1,
    };
    let taken_in = office.library.app.ops.intake().take_in_part(part).await.unwrap();
    office.library.work_off().await;
    let id = taken_in.unwrap().0.to_string();
    let updated = office.update(office.admin(), &id, &[], ("lease.txt", RAISED)).await;
    assert_eq!(updated.status, StatusCode::ACCEPTED, "{updated:?}");
    office.bring(&office.bob, &[], "mail.txt", "Please find it.").await;
    let path = format!("/v1/documents/{id}");
    assert_eq!(office.get(&office.bob, &path).await.status, StatusCode::NOT_FOUND);
    assert_eq!(office.original(&office.ada, &id).await, RAISED);
}

/// A rerun while an update is under way is one of the update.
#[tokio::test]
async fn a_rerun_does_not_undo_an_update_that_is_under_way() {
    let office = Office::open().await;
    let id = doc_id(&office.bring(&office.ada, &[], "lease.txt", LEASE).await);
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
    let id = doc_id(&office.bring(&office.ada, &[], "lease.txt", LEASE).await);
    let again = office.update(office.admin(), &id, &[], ("other name.txt", LEASE)).await;
    assert_eq!(again.status, StatusCode::ACCEPTED, "{again:?}");
    let document = office.document(office.admin(), &id).await;
    assert!(document["source_uri"].as_str().unwrap().starts_with("upload://sha256:"));
    assert_eq!(document["runs"][0]["config"]["source_type"], "rerun");
    let known = office.bring(&office.bob, &[], "lease.txt", LEASE).await;
    assert_eq!((doc_id(&known), &known.body["status"]), (id, &json!("skipped")));
}

#[tokio::test]
async fn content_that_is_another_document_is_refused_while_that_one_is_there() {
    let office = Office::open().await;
    let id = doc_id(&office.bring(&office.ada, &[], "lease.txt", LEASE).await);
    let other = doc_id(&office.bring(&office.bob, &[], "raised.txt", RAISED).await);
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
async fn only_who_may_rerun_updates_and_only_with_a_file_of_the_same_kind() {
    let office = Office::open().await;
    let id = doc_id(&office.bring(&office.ada, &[], "lease.txt", LEASE).await);
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
async fn under_one_key_an_update_happens_once() {
    let office = Office::open().await;
    let id = doc_id(&office.bring(&office.ada, &[], "lease.txt", LEASE).await);
    let path = format!("/v1/documents/{id}/rerun");
    let send = async |text: &str| {
        let request = office.library.app.request(Method::POST, &path);
        let request = request.file_with(&[], "lease.txt", text).header("idempotency-key", "one");
        request.bearer(office.admin()).send().await
    };
    let first = send(RAISED).await;
    assert_eq!(first.status, StatusCode::ACCEPTED, "{first:?}");
    // While the new content is not served yet, and when it is.
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

/// A password belongs to a content: the old one proves nothing of the new one.
#[tokio::test]
async fn an_owner_of_the_old_password_does_not_read_what_a_new_one_locks() {
    let office = Office::open().await;
    let old = "locked by sesame\n\nThe old plan.";
    let id = doc_id(&office.bring(&office.ada, &[("password", "sesame")], "a.txt", old).await);
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
