//! A change of the embedding model does not interrupt search.

use std::collections::BTreeSet;
use std::fs;

use domain::Caller;
use ops::{Filters, Mode, Ops, SearchRequest, SearchResult};
use retrieval::embed::tiny;
use tempfile::TempDir;
use testkit::{Library, TestTenant};

async fn open() -> (Library, TestTenant) {
    let library = Library::open().await;
    let acme = library.app.tenant("acme").await;
    (library, acme)
}

fn another_model() -> TempDir {
    let model = tempfile::tempdir().unwrap();
    tiny::write_embedder(model.path(), 2).unwrap();
    model
}

async fn upload(library: &Library, acme: &TestTenant, name: &str, text: &str, worker: &Ops) {
    let made = library.app.upload(name, text).bearer(&acme.admin_token).send().await;
    assert!(made.status.is_success(), "{made:?}");
    library.work_off_as(worker).await;
}

/// Searches by embeddings only, so documents without a vector of the right model are not found.
async fn find(process: &Ops, acme: &TestTenant) -> SearchResult {
    find_by(Mode::Vector, process, acme).await
}

async fn find_by(mode: Mode, process: &Ops, acme: &TestTenant) -> SearchResult {
    let request = SearchRequest {
        query: "the payment of the insurance".to_owned(),
        mode,
        limit: 10,
        filters: Filters::default(),
    };
    process.search.search(&Caller::system(acme.tenant.tenant_id), &request).await.unwrap()
}

fn names(found: &SearchResult) -> BTreeSet<&str> {
    found.hits.iter().map(|hit| hit.passage.filename.as_str()).collect()
}

fn scores(found: &SearchResult) -> Vec<u32> {
    found.hits.iter().map(|hit| hit.score.to_bits()).collect()
}

#[tokio::test]
async fn the_old_model_is_used_until_every_chunk_has_new_vectors() {
    let (library, acme) = open().await;
    let old = &library.app.ops;
    upload(&library, &acme, "first.txt", "The insurance costs 90 EUR.", old).await;
    let before = find(old, &acme).await;
    assert_eq!(names(&before), BTreeSet::from(["first.txt"]));

    let new_model = another_model();
    let new = library.app.another_process_with(&Library::settings_with(new_model.path())).await;
    let during = find(&new, &acme).await;
    assert_eq!(scores(&during), scores(&before), "the old vectors are used");
    assert!(during.warnings.is_empty(), "{during:?}");
    upload(&library, &acme, "second.txt", "Payment is due in May.", &new).await;
    for process in [&new, old] {
        let during = find(process, &acme).await;
        assert_eq!(names(&during), BTreeSet::from(["first.txt", "second.txt"]));
        assert!(during.warnings.is_empty(), "{during:?}");
    }
    let during = find(&new, &acme).await;

    while new.search.embeddings().embed_missing().await.unwrap() {}
    let after = find(&new, &acme).await;
    assert_eq!(names(&after), BTreeSet::from(["first.txt", "second.txt"]));
    assert_ne!(scores(&after), scores(&during), "the new vectors are used");
    assert!(after.warnings.is_empty(), "{after:?}");
    // A process that still runs with the old model has opened the new one.
    let elsewhere = find(old, &acme).await;
    assert_eq!((scores(&elsewhere), elsewhere.warnings.len()), (scores(&after), 0));
}

#[tokio::test]
async fn without_the_old_model_search_is_by_keywords_with_a_warning() {
    let (library, acme) = open().await;
    let old = &library.app.ops;
    upload(&library, &acme, "first.txt", "The insurance costs 90 EUR.", old).await;
    tiny::write_embedder(library.model(), 3).unwrap();
    let new_model = another_model();
    let new = library.app.another_process_with(&Library::settings_with(new_model.path())).await;
    let during = find_by(Mode::Hybrid, &new, &acme).await;
    assert_eq!(names(&during), BTreeSet::from(["first.txt"]));
    let [warning] = during.warnings.as_slice() else { panic!("{during:?}") };
    assert!(warning.contains("cannot be opened: the model there is now "), "{warning}");

    while new.search.embeddings().embed_missing().await.unwrap() {}
    let after = find(&new, &acme).await;
    assert_eq!((names(&after).len(), after.warnings.len()), (1, 0), "{after:?}");
}

#[tokio::test]
async fn the_old_model_is_closed_when_no_tenant_needs_it() {
    let (library, acme) = open().await;
    upload(&library, &acme, "first.txt", "The insurance costs 90 EUR.", &library.app.ops).await;
    let new_model = another_model();
    let new = library.app.another_process_with(&Library::settings_with(new_model.path())).await;
    let during = find(&new, &acme).await;
    assert!(during.warnings.is_empty(), "{during:?}");
    let mut database = library.app.database.superuser().await;
    let old_model: String =
        sqlx::query_scalar("SELECT search_model FROM tenants WHERE name = 'acme'")
            .fetch_one(&mut database)
            .await
            .unwrap();
    while new.search.embeddings().embed_missing().await.unwrap() {}
    // If it were still open, deleting its files would not matter.
    fs::remove_dir_all(library.model()).unwrap();
    sqlx::query("UPDATE tenants SET search_model = $1 WHERE name = 'acme'")
        .bind(old_model)
        .execute(&mut database)
        .await
        .unwrap();
    let again = find_by(Mode::Hybrid, &new, &acme).await;
    assert!(again.warnings[0].contains("cannot be opened"), "{again:?}");
}

#[tokio::test]
async fn documents_added_by_a_process_with_the_old_model_get_new_vectors() {
    let (library, acme) = open().await;
    upload(&library, &acme, "first.txt", "The insurance costs 90 EUR.", &library.app.ops).await;
    let new_model = another_model();
    let new = library.app.another_process_with(&Library::settings_with(new_model.path())).await;
    while new.search.embeddings().embed_missing().await.unwrap() {}
    fs::remove_dir_all(new_model.path()).unwrap();
    let late = library.app.another_process_with(&library.settings()).await;
    upload(&library, &acme, "late.txt", "Payment is due in May.", &late).await;
    assert_eq!(names(&find(&new, &acme).await), BTreeSet::from(["first.txt"]));
    let by_words = find_by(Mode::Hybrid, &new, &acme).await;
    assert!(
        by_words.warnings[0].starts_with("Some documents are not embedded yet"),
        "{by_words:?}"
    );
    while new.search.embeddings().embed_missing().await.unwrap() {}
    assert_eq!(names(&find(&new, &acme).await), BTreeSet::from(["first.txt", "late.txt"]));
}
