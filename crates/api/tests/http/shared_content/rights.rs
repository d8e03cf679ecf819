//! Names, versions, pipelines, restoring, masks and runs of content that several users own.

use axum::body::Bytes;
use axum::http::{Method, StatusCode};
use domain::{AttachedFile, Caller, DocId, RunId};
use ops::EventId;
use serde_json::json;

use super::{LEASE, Office, doc_id};

#[tokio::test]
async fn an_upload_of_known_content_changes_nothing_for_its_other_owners() {
    let office = Office::open().await;
    let (ada, bob) = (office.ada.as_str(), office.bob.as_str());
    let said = [("title", "My lease"), ("tag", "rent")];
    let id = doc_id(&office.upload(ada, &said, "lease.txt", LEASE).await);
    let before = office.everything(ada, &id).await;
    let before_for_all = office.everything(office.admin(), &id).await;

    let said = [("title", "PWNED"), ("tag", "b-tag")];
    let same = office.upload(bob, &said, "other.txt", LEASE).await;
    assert_eq!((same.status, &same.body["doc_id"]), (StatusCode::OK, &json!(id)));
    assert_eq!(office.everything(ada, &id).await, before);
    assert_eq!(office.everything(office.admin(), &id).await, before_for_all);
    assert_eq!(office.audited("OWNER_ADDED").await, 1);

    let bobs = office.get(bob, &format!("/v1/documents/{id}")).await.body;
    assert_eq!(
        (&bobs["title"], &bobs["filename"], &bobs["tags"]),
        (&json!("PWNED"), &json!("other.txt"), &json!(["b-tag"]))
    );
    for path in ["/v1/documents?tag=b-tag", "/v1/documents?search=pwned"] {
        assert_eq!(office.get(bob, path).await.body["items"][0]["title"], "PWNED", "{path}");
    }
    assert_eq!(office.get(bob, "/v1/documents?tag=rent").await.body["items"], json!([]));
    let tags = office.get(bob, "/v1/documents/facets").await.body["tag"].to_string();
    assert!(tags.contains("b-tag") && !tags.contains("rent"), "{tags}");
    let found = office.search(bob, json!({ "query": "rent per month" })).await;
    assert_eq!(found["hits"][0]["title"], "PWNED");
    let asked = json!({ "query": "tenant pays", "filters": { "tags": ["rent"] } });
    assert_eq!(office.search(bob, asked).await["hits"], json!([]), "that is Ada's tag");

    // A later upload of the same owner renames it for them, and the log says so.
    office.upload(bob, &[("title", "Mine")], "other.txt", LEASE).await;
    assert_eq!(office.audited("DOCUMENT_RENAMED").await, 1);
    let bobs = office.get(bob, &format!("/v1/documents/{id}")).await.body;
    assert_eq!((&bobs["title"], &bobs["tags"]), (&json!("Mine"), &json!(["b-tag"])));
    assert_eq!(office.everything(ada, &id).await, before);
}

#[tokio::test]
async fn an_editor_tags_a_document_for_all_owners() {
    let office = Office::open().await;
    let id = doc_id(&office.upload(&office.ada, &[("tag", "rent")], "a.txt", LEASE).await);
    office.upload(&office.bob, &[("tag", "bob")], "b.txt", LEASE).await;
    let tagged =
        office.library.app.put(&format!("/v1/documents/{id}/tags"), json!({"tags": ["x"]}));
    assert_eq!(tagged.bearer(office.admin()).send().await.status, StatusCode::OK);
    for token in [&office.ada, &office.bob, office.admin()] {
        let seen = office.get(token, &format!("/v1/documents/{id}")).await.body;
        assert_eq!(seen["tags"], json!(["x"]));
        let asked = json!({ "query": "tenant pays", "filters": { "tags": ["x"] } });
        assert_eq!(office.search(token, asked).await["hits"].as_array().unwrap().len(), 1);
    }
}

#[tokio::test]
async fn a_user_can_neither_add_a_version_nor_choose_the_pipeline_of_known_content() {
    let office = Office::open().await;
    let id = doc_id(&office.upload(&office.ada, &[], "a.txt", LEASE).await);
    let before = office.everything(&office.ada, &id).await;
    let wishes = [
        json!({"dedupe": false}),
        json!({"pipeline": ["ingest"]}),
        json!({"dedupe": false, "pipeline": ["ingest"]}),
    ];
    for wish in &wishes {
        let file = office.upload_in_batch(&office.bob, wish.clone(), "b.txt", LEASE).await;
        assert_eq!(file["problem"]["code"], "forbidden", "{wish}: {file}");
        let why = file["problem"]["detail"].as_str().unwrap();
        assert!(why.contains("exists already"), "{why}");
    }
    assert_eq!(office.everything(&office.ada, &id).await, before);
    let bobs = office.get(&office.bob, &format!("/v1/documents/{id}")).await;
    assert_eq!(bobs.status, StatusCode::NOT_FOUND, "what is refused gives nothing");
    // The refused file counts, so the batch does not wait for it.
    let batches = office.get(&office.bob, "/v1/batches").await.body;
    assert_eq!(batches["items"][0]["counts"]["refused"], 1, "{batches}");
    // Without these options it is accepted, and an administrator may use them.
    assert_eq!(office.upload(&office.bob, &[], "b.txt", LEASE).await.status, StatusCode::OK);
    let file = office.upload_in_batch(office.admin(), wishes[0].clone(), "b.txt", LEASE).await;
    assert_eq!(file["accepted"]["dedup_result"], "new_version");
}

#[tokio::test]
async fn only_an_administrator_restores_deleted_or_withdrawn_documents() {
    let office = Office::open().await;
    let id = doc_id(&office.upload(&office.ada, &[("title", "Lease")], "a.txt", LEASE).await);
    let path = format!("/v1/documents/{id}");
    let ways = [
        (Method::POST, format!("{path}/deactivate"), "document_withdrawn"),
        (Method::DELETE, path.clone(), "document_deleted"),
    ];
    for (restored, (method, taken_out, code)) in (1..).zip(ways) {
        assert_eq!(office.act(office.admin(), method, &taken_out).await, StatusCode::NO_CONTENT);
        for token in [&office.ada, &office.bob] {
            let refused = office.upload(token, &[("title", "mine")], "b.txt", LEASE).await;
            assert_eq!((refused.status, refused.code()), (StatusCode::CONFLICT, code));
            let file =
                office.upload_in_batch(token, json!({"dedupe": false}), "b.txt", LEASE).await;
            assert_eq!(file["problem"]["code"], code, "{file}");
            let found = office.search(token, json!({ "query": "rent per month" })).await;
            assert_eq!(found["hits"], json!([]));
        }
        let back = office.upload(office.admin(), &[("title", "new")], "c.txt", LEASE).await;
        assert_eq!((back.status, &back.body["doc_id"]), (StatusCode::ACCEPTED, &json!(id)));
        assert_eq!(office.audited("DOCUMENT_RESTORED").await, restored);
        assert_eq!(office.get(&office.ada, &path).await.body["title"], "Lease");
        assert_eq!(office.get(office.admin(), &path).await.body["title"], "Lease");
        assert_eq!(office.get(&office.bob, &path).await.status, StatusCode::NOT_FOUND);
    }
}

/// A failed rerun of a withdrawn document does not let users restore it by an upload.
#[tokio::test]
async fn a_withdrawn_document_stays_withdrawn_when_a_rerun_fails() {
    let office = Office::open().await;
    let id = doc_id(&office.upload(&office.ada, &[], "a.txt", LEASE).await);
    let path = format!("/v1/documents/{id}");
    office.act(office.admin(), Method::POST, &format!("{path}/deactivate")).await;
    let rerun = office.library.app.post(&format!("{path}/rerun"), json!({}));
    assert_eq!(rerun.bearer(office.admin()).send().await.status, StatusCode::ACCEPTED);
    crate::intake::fail_waiting_jobs(&office.library.app).await;
    assert_eq!(office.get(&office.ada, &path).await.body["status"], "failed");
    let refused = office.upload(&office.bob, &[], "b.txt", LEASE).await;
    assert_eq!(refused.code(), "document_withdrawn");
}

#[tokio::test]
async fn any_user_may_upload_failed_content_again() {
    let office = Office::open().await;
    let app = &office.library.app;
    app.upload("a.txt", LEASE).bearer(&office.ada).send().await;
    crate::intake::fail_waiting_jobs(app).await;
    let again = office.upload(&office.bob, &[], "b.txt", LEASE).await;
    assert_eq!(again.body["dedup_result"], "new", "{again:?}");
    let found = office.search(&office.ada, json!({ "query": "rent per month" })).await;
    assert_eq!(found["hits"][0]["title"], "a.txt");
}

#[tokio::test]
async fn a_run_does_not_reveal_the_other_owner_who_started_it() {
    let office = Office::open().await;
    let made = office.upload(&office.ada, &[("title", "Adas plan")], "plan.txt", LEASE).await;
    let run = format!("/v1/ingestion-runs/{}", made.body["run_id"].as_str().unwrap());
    office.upload(&office.bob, &[("title", "Bobs")], "bob.txt", LEASE).await;
    let own = office.get(&office.ada, &run).await.body;
    assert_eq!(own["config"]["title"], "Adas plan");
    let seen = office.get(&office.bob, &run).await;
    assert_eq!(seen.body["config"]["title"], "Bobs");
    assert_eq!(seen.body["config"]["original_filename"], "bob.txt");
    let detail = office.get(&office.bob, &format!("/v1/documents/{}", doc_id(&made))).await;
    let list = office.get(&office.bob, "/v1/ingestion-runs").await;
    for seen in [&seen, &detail, &list] {
        let seen = seen.body.to_string();
        for word in ["Adas", "plan.txt", "created_by"] {
            assert!(!seen.contains(word), "{word} in {seen}");
        }
    }
}

#[tokio::test]
async fn a_batch_shows_the_titles_of_its_owner() {
    let office = Office::open().await;
    office.upload(&office.ada, &[("title", "Adas plan")], "plan.txt", LEASE).await;
    office.upload_in_batch(&office.bob, json!({}), "bob.txt", LEASE).await;
    let batches = office.get(&office.bob, "/v1/batches").await.body;
    let batch = batches["items"][0]["batch_id"].as_str().unwrap();
    let results = format!("/v1/batches/{batch}/results");
    assert_eq!(office.get(&office.bob, &results).await.body["items"][0]["filename"], "bob.txt");
    let seen = office.get(office.admin(), &results).await.body;
    assert_eq!(
        seen["items"][0]["filename"], "plan.txt",
        "who sees all sees the document's own name"
    );
}

#[tokio::test]
async fn masks_apply_by_every_name_of_the_content() {
    const SLIP: &str = "The payslip\n\nof Ada.\n\nsecret: DE02 1203 0000";
    let office = Office::open().await;
    office.mask("payslip").await;
    let id = doc_id(&office.upload(&office.ada, &[], "payslip.txt", SLIP).await);
    let secret = async |token: &str| {
        office.text(token, &id).await.body.to_string().contains("DE02")
            || office
                .search(token, json!({ "query": "DE02 1203" }))
                .await
                .to_string()
                .contains("DE02")
    };
    assert!(!secret(&office.ada).await);
    // A new version under another name is masked too.
    let other = office.upload_in_batch(office.admin(), json!({"dedupe": false}), "other.txt", SLIP);
    assert_eq!(other.await["accepted"]["dedup_result"], "new_version");
    assert!(!secret(&office.ada).await && !secret(office.admin()).await);
    let rerun = office.library.app.post(&format!("/v1/documents/{id}/rerun"), json!({}));
    rerun.bearer(office.admin()).send().await;
    office.library.work_off().await;
    assert!(!secret(office.admin()).await);
}

#[tokio::test]
async fn known_content_is_masked_when_uploaded_under_a_masked_name() {
    const SLIP: &str = "The payslip\n\nof Bob.\n\nsecret: DE02 1203 0000";
    let office = Office::open().await;
    office.mask("payslip").await;
    let id = doc_id(&office.upload(&office.ada, &[], "scan.txt", SLIP).await);
    assert!(office.text(&office.ada, &id).await.body.to_string().contains("DE02"));
    let named = office.upload(&office.bob, &[], "Payslip.txt", SLIP).await;
    assert_eq!(named.body["dedup_result"], "new_version", "{named:?}");
    for token in [&office.ada, &office.bob, office.admin()] {
        let text = office.text(token, &id).await.body.to_string();
        assert!(text.contains("Bob") && !text.contains("DE02"), "{text}");
    }
    assert_eq!(
        office.upload(&office.ada, &[], "scan.txt", SLIP).await.status,
        StatusCode::OK,
        "once"
    );
}

#[tokio::test]
async fn an_attachment_neither_renames_nor_restores() {
    let office = Office::open().await;
    let id = doc_id(&office.upload(&office.ada, &[("title", "Lease")], "a.txt", LEASE).await);
    let mail = office.upload(&office.bob, &[], "mail.txt", "Please find it.").await.body;
    let uuid = |name: &str| mail[name].as_str().unwrap().parse::<uuid::Uuid>().unwrap();
    let part = || AttachedFile {
        tenant_id: office.acme.tenant.tenant_id,
        parent: DocId(uuid("doc_id")),
        run_id: RunId(uuid("run_id")),
        name: "attached.txt".to_owned(),
        content: Bytes::from_static(LEASE.as_bytes()),
        depth: 1,
    };
    let before = office.everything(&office.ada, &id).await;
    office.library.app.ops.intake().accept_attachment(part()).await.unwrap();
    office.library.work_off().await;
    assert_eq!(office.everything(&office.ada, &id).await, before);
    let path = format!("/v1/documents/{id}");
    assert_eq!(office.get(&office.bob, &path).await.body["title"], "attached.txt");
    assert_eq!(office.audited("OWNER_ADDED").await, 1);
    // Another owner of the same mail owns its attachments too.
    let (_, carl) = office.library.app.user(&office.acme, domain::Role::ApiClient).await;
    office.upload(&carl, &[], "mail.txt", "Please find it.").await;
    assert_eq!(office.get(&carl, &path).await.body["title"], "attached.txt");

    office.act(office.admin(), Method::DELETE, &path).await;
    office.library.app.ops.intake().accept_attachment(part()).await.unwrap();
    office.library.work_off().await;
    assert_eq!(office.get(office.admin(), &path).await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn events_have_the_title_of_the_follower() {
    let office = Office::open().await;
    let app = &office.library.app;
    app.request(Method::POST, "/v1/ingest")
        .file_with(&[("title", "Adas plan")], "plan.txt", LEASE)
        .bearer(&office.ada)
        .send()
        .await;
    office.upload(&office.bob, &[("title", "Bobs")], "bob.txt", LEASE).await;
    let beginning: EventId = format!("p0-{}", uuid::Uuid::nil().simple()).parse().unwrap();
    for (user, title) in [(&office.users[0], "Adas plan"), (&office.users[1], "Bobs")] {
        let caller = Caller::of_user(user);
        let mut following =
            app.ops.events.follow_events(&caller, Some(beginning.clone())).await.unwrap();
        let queued = following.next().await.unwrap();
        assert_eq!(
            (queued.topic.as_str(), &queued.payload["title"]),
            ("document.queued", &json!(title))
        );
    }
}
