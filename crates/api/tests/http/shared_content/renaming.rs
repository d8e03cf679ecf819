//! Who sees a new title of a document that several people own.

use axum::http::StatusCode;
use domain::Caller;
use ops::EventId;
use serde_json::{Value, json};
use testkit::Response;

use super::{LEASE, Office, doc_id};

impl Office {
    async fn rename(&self, token: &str, id: &str, title: &str) -> Response {
        let path = format!("/v1/documents/{id}/title");
        self.library.app.put(&path, json!({ "title": title })).bearer(token).send().await
    }

    /// The titles that somebody sees: of the document, in the list, by searching, in the knowledge base.
    async fn titles(&self, token: &str, id: &str) -> Vec<Value> {
        let found = self.search(token, json!({ "query": "rent per month" })).await;
        vec![
            self.get(token, &format!("/v1/documents/{id}")).await.body["title"].clone(),
            self.get(token, "/v1/documents").await.body["items"][0]["title"].clone(),
            found["hits"][0]["title"].clone(),
            self.get(token, "/v1/knowledge-base").await.body["items"][0]["title"].clone(),
        ]
    }
}

#[tokio::test]
async fn an_owner_renames_a_document_for_themselves_only() {
    let office = Office::open().await;
    let (ada, bob) = (office.ada.as_str(), office.bob.as_str());
    let id = doc_id(&office.bring(ada, &[("title", "Lease")], "a.txt", LEASE).await);
    office.bring(bob, &[("title", "Bobs")], "b.txt", LEASE).await;
    let before = [office.everything(ada, &id).await, office.everything(office.admin(), &id).await];

    let renamed = office.rename(bob, &id, "  Flat in Elm Street ").await;
    assert_eq!(renamed.body, json!({ "title": "Flat in Elm Street" }), "{renamed:?}");
    assert_eq!(office.titles(bob, &id).await, ["Flat in Elm Street"; 4]);
    let found = office.get(bob, "/v1/documents?search=elm").await.body;
    assert_eq!(found["items"][0]["doc_id"], json!(id));
    let after = [office.everything(ada, &id).await, office.everything(office.admin(), &id).await];
    assert_eq!(after, before);
    let log = office.get(office.admin(), "/v1/audit?action=DOCUMENT_RENAMED").await.body;
    let entry = json!({ "title": "Flat in Elm Street", "owner": office.users[1].user_id });
    assert_eq!(log["items"][0]["detail"], entry, "{log}");

    // An upload that says no title leaves the one that was chosen; one that does replaces it.
    office.bring(bob, &[], "c.txt", LEASE).await;
    let bobs = office.get(bob, &format!("/v1/documents/{id}")).await.body;
    assert_eq!(
        (&bobs["title"], &bobs["filename"]),
        (&json!("Flat in Elm Street"), &json!("c.txt"))
    );
    office.bring(bob, &[("title", "Rent")], "c.txt", LEASE).await;
    assert_eq!(office.titles(bob, &id).await, ["Rent"; 4]);
}

#[tokio::test]
async fn an_editor_renames_a_document_for_everyone() {
    let office = Office::open().await;
    let id = doc_id(&office.bring(&office.ada, &[("title", "Lease")], "a.txt", LEASE).await);
    office.bring(&office.bob, &[("title", "Bobs")], "b.txt", LEASE).await;
    assert_eq!(office.rename(office.admin(), &id, "Elm Street").await.status, StatusCode::OK);
    for token in [&office.ada, &office.bob, office.admin()] {
        assert_eq!(office.titles(token, &id).await, ["Elm Street"; 4]);
    }
    let file = office.get(&office.bob, &format!("/v1/documents/{id}")).await.body;
    assert_eq!(file["filename"], "b.txt");
}

#[tokio::test]
async fn a_wrong_title_is_refused_and_a_deleted_document_is_not_found() {
    let office = Office::open().await;
    let id = doc_id(&office.bring(&office.ada, &[("title", "Lease")], "a.txt", LEASE).await);
    for wrong in [" ", "two\nlines", &"a".repeat(301)] {
        let refused = office.rename(&office.ada, &id, wrong).await;
        assert_eq!(
            (refused.status, &refused.body["field"]),
            (StatusCode::BAD_REQUEST, &json!("title"))
        );
    }
    assert_eq!(office.titles(&office.ada, &id).await, ["Lease"; 4]);
    assert_eq!(office.rename(&office.bob, &id, "mine").await.status, StatusCode::NOT_FOUND);
    office.act(office.admin(), axum::http::Method::DELETE, &format!("/v1/documents/{id}")).await;
    for token in [&office.ada, office.admin()] {
        assert_eq!(office.rename(token, &id, "mine").await.status, StatusCode::NOT_FOUND);
    }
    assert_eq!(office.audited("DOCUMENT_RENAMED").await, 0);
}

#[tokio::test]
async fn followers_hear_of_a_new_title_only_when_it_is_theirs() {
    let office = Office::open().await;
    let id = doc_id(&office.bring(&office.ada, &[("title", "Lease")], "a.txt", LEASE).await);
    office.bring(&office.bob, &[("title", "Bobs")], "b.txt", LEASE).await;
    office.rename(&office.bob, &id, "Only Bobs").await;
    office.rename(office.admin(), &id, "Everyones").await;
    let beginning: EventId = format!("p0-{}", uuid::Uuid::nil().simple()).parse().unwrap();
    let callers = [&office.users[0], &office.users[1], &office.acme.admin].map(Caller::of_user);
    for (caller, expected) in callers.iter().zip([1, 2, 1]) {
        let events = &office.library.app.ops.events;
        let mut following = events.follow_events(caller, Some(beginning.clone())).await.unwrap();
        // Everyone has the same title by now.
        for _ in 0..expected {
            let renamed = loop {
                let event = following.next().await.unwrap();
                if event.topic == "document.renamed" {
                    break event.payload;
                }
            };
            let everyones = json!({ "doc_id": id, "title": "Everyones", "version": 1 });
            let own = json!({ "doc_id": id, "title": "Only Bobs", "version": 1 });
            assert!(renamed == everyones || (expected == 2 && renamed == own), "{renamed}");
        }
    }
}
