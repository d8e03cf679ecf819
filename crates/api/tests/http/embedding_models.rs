//! Another embedding model takes over, and nobody who searches notices.

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

async fn hand_in(library: &Library, acme: &TestTenant, name: &str, text: &str, worker: &Ops) {
    let made = library.app.upload(name, text).bearer(&acme.admin_token).send().await;
    assert!(made.status.is_success(), "{made:?}");
    library.work_off_as(worker).await;
}

/// By meaning alone: a document without a vector of the right model is not found.
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
async fn the_old_model_answers_until_the_new_one_has_been_through_everything() {
    let (library, acme) = open().await;
    let old = &library.app.ops;
    hand_in(&library, &acme, "first.txt", "The insurance costs 90 EUR.", old).await;
    let before = find(old, &acme).await;
    assert_eq!(names(&before), BTreeSet::from(["first.txt"]));

    let new_model = another_model();
    let new = library.app.another_process_with(&Library::settings_with(new_model.path())).await;
    let during = find(&new, &acme).await;
    assert_eq!(scores(&during), scores(&before), "the old vectors answer");
    assert!(during.warnings.is_empty(), "{during:?}");
    hand_in(&library, &acme, "second.txt", "Payment is due in May.", &new).await;
    for process in [&new, old] {
        let during = find(process, &acme).await;
        assert_eq!(names(&during), BTreeSet::from(["first.txt", "second.txt"]));
        assert!(during.warnings.is_empty(), "{during:?}");
    }
    let during = find(&new, &acme).await;

    while new.search.vectors().fill_in().await.unwrap() {}
    let after = find(&new, &acme).await;
    assert_eq!(names(&after), BTreeSet::from(["first.txt", "second.txt"]));
    assert_ne!(scores(&after), scores(&during), "the new vectors answer");
    assert!(after.warnings.is_empty(), "{after:?}");
    // A process that still runs with the old model has opened the new one.
    let elsewhere = find(old, &acme).await;
    assert_eq!((scores(&elsewhere), elsewhere.warnings.len()), (scores(&after), 0));
}

#[tokio::test]
async fn an_old_model_that_is_gone_leaves_the_words_and_a_reason() {
    let (library, acme) = open().await;
    let old = &library.app.ops;
    hand_in(&library, &acme, "first.txt", "The insurance costs 90 EUR.", old).await;
    tiny::write_embedder(library.model(), 3).unwrap();
    let new_model = another_model();
    let new = library.app.another_process_with(&Library::settings_with(new_model.path())).await;
    let during = find_by(Mode::Hybrid, &new, &acme).await;
    assert_eq!(names(&during), BTreeSet::from(["first.txt"]));
    let [warning] = during.warnings.as_slice() else { panic!("{during:?}") };
    assert!(warning.contains("cannot be opened: the model there is now "), "{warning}");

    while new.search.vectors().fill_in().await.unwrap() {}
    let after = find(&new, &acme).await;
    assert_eq!((names(&after).len(), after.warnings.len()), (1, 0), "{after:?}");
}

#[tokio::test]
async fn the_old_model_is_let_go_of_when_nobody_needs_it() {
    let (library, acme) = open().await;
    hand_in(&library, &acme, "first.txt", "The insurance costs 90 EUR.", &library.app.ops).await;
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
    while new.search.vectors().fill_in().await.unwrap() {}
    // Were it open still, it would not have to be opened.
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
async fn what_a_process_with_the_old_model_adds_later_is_moved_too() {
    let (library, acme) = open().await;
    hand_in(&library, &acme, "first.txt", "The insurance costs 90 EUR.", &library.app.ops).await;
    let new_model = another_model();
    let new = library.app.another_process_with(&Library::settings_with(new_model.path())).await;
    while new.search.vectors().fill_in().await.unwrap() {}
    fs::remove_dir_all(new_model.path()).unwrap();
    let late = library.app.another_process_with(&library.settings()).await;
    hand_in(&library, &acme, "late.txt", "Payment is due in May.", &late).await;
    assert_eq!(names(&find(&new, &acme).await), BTreeSet::from(["first.txt"]));
    let by_words = find_by(Mode::Hybrid, &new, &acme).await;
    assert!(by_words.warnings[0].starts_with("some documents wait"), "{by_words:?}");
    while new.search.vectors().fill_in().await.unwrap() {}
    assert_eq!(names(&find(&new, &acme).await), BTreeSet::from(["first.txt", "late.txt"]));
}
