//! What keeps finding going: what cannot be found any more is forgotten, memory is kept to, and who helps may fail.

use std::sync::Arc;

use axum::Router;
use axum::http::StatusCode;
use chrono::Duration;
use connect::rerank::RemoteReranker;
use connect::{Limits, Retries, Service};
use ops::Reranker;
use retrieval::embed::tiny;
use serde_json::{Value, json};
use testkit::{Library, SeededRandom, TestTenant};

const LEASE: &str = "# Rent\n\nThe tenant pays 1,250 EUR on the first day of every month.\n\n\
    # Insurance\n\nThe landlord insures the building against fire.";

async fn hand_in(library: &Library, tenant: &TestTenant, name: &str, text: &str) -> String {
    let made = library.app.upload(name, text).bearer(&tenant.admin_token).send().await;
    assert!(made.status.is_success(), "{made:?}");
    library.work_off().await;
    made.body["doc_id"].as_str().unwrap().to_owned()
}

async fn search(library: &Library, tenant: &TestTenant, query: &str) -> Value {
    let asked = library.app.post("/v1/search", json!({ "query": query }));
    let found = asked.bearer(&tenant.admin_token).send().await;
    assert_eq!(found.status, StatusCode::OK, "{found:?}");
    found.body
}

fn titles(found: &Value) -> Vec<&str> {
    found["hits"].as_array().unwrap().iter().map(|hit| hit["title"].as_str().unwrap()).collect()
}

/// Rows that a statement counts, of all tenants.
async fn count(library: &Library, statement: &'static str) -> i64 {
    let mut database = library.app.database.superuser().await;
    sqlx::query_scalar(statement).fetch_one(&mut database).await.unwrap()
}

const CHUNKS: &str = "SELECT count(*) FROM chunks";
const VECTORS: &str = "SELECT count(*) FROM chunk_vectors";
const MODELS: &str = "SELECT count(DISTINCT model) FROM chunk_vectors";

#[tokio::test]
async fn what_is_not_served_any_more_is_forgotten_after_a_day() {
    let library = Library::open().await;
    let acme = library.app.tenant("acme").await;
    hand_in(&library, &acme, "kept.txt", "The order of the goods.").await;
    let kept = (count(&library, CHUNKS).await, count(&library, VECTORS).await);
    let id = hand_in(&library, &acme, "lease.txt", LEASE).await;
    let path = format!("/v1/documents/{id}/deactivate");
    let deactivated = library.app.post(&path, json!({})).bearer(&acme.admin_token);
    assert_eq!(deactivated.status().await, 204);

    library.app.clock.advance(Duration::hours(23));
    library.app.ops.search.vectors().sweep().await.unwrap();
    assert!(count(&library, CHUNKS).await > kept.0, "for a day they are lent to a rerun");
    library.app.clock.advance(Duration::hours(2));
    library.app.ops.search.vectors().sweep().await.unwrap();
    assert_eq!((count(&library, CHUNKS).await, count(&library, VECTORS).await), kept);
}

#[tokio::test]
async fn vectors_of_a_model_that_nobody_searches_by_are_forgotten() {
    let library = Library::open().await;
    let acme = library.app.tenant("acme").await;
    hand_in(&library, &acme, "lease.txt", LEASE).await;
    let model = tempfile::tempdir().unwrap();
    tiny::write_embedder(model.path(), 2).unwrap();
    let new = library.app.another_process_with(&Library::settings_with(model.path())).await;
    new.search.vectors().sweep().await.unwrap();
    assert_eq!(count(&library, MODELS).await, 1, "the one by which everything is found stays");
    while new.search.vectors().fill_in().await.unwrap() {}
    assert_eq!(count(&library, MODELS).await, 2);
    new.search.vectors().sweep().await.unwrap();
    assert_eq!(count(&library, MODELS).await, 1);
    assert_eq!(search(&library, &acme, "fire").await["warnings"], json!([]));
}

#[tokio::test]
async fn indexes_that_do_not_fit_into_memory_are_made_again() {
    let library = Library::open_with(|settings| settings.ops.search.memory = 1).await;
    let (acme, other) = (library.app.tenant("acme").await, library.app.tenant("other").await);
    hand_in(&library, &acme, "acme.txt", "The rent is due.").await;
    hand_in(&library, &other, "other.txt", "The rent is due.").await;
    for _ in 0..2 {
        assert_eq!(titles(&search(&library, &acme, "rent").await), ["acme.txt"]);
        assert_eq!(titles(&search(&library, &other, "rent").await), ["other.txt"]);
    }
    hand_in(&library, &acme, "more.txt", "More rent is due.").await;
    assert_eq!(titles(&search(&library, &acme, "rent").await).len(), 2);
}

/// A service that answers everything with an error.
async fn broken_service() -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let broken = Router::new().fallback(|| async { StatusCode::INTERNAL_SERVER_ERROR });
    tokio::spawn(async move { axum::serve(listener, broken).await });
    address
}

#[tokio::test]
async fn a_reranker_that_fails_leaves_the_order_as_it_was_and_a_warning() {
    let service = Service::new(broken_service().await.parse().unwrap(), "m", Limits::RERANKING);
    let retries = Retries::new(Arc::new(SeededRandom::new(1))).with_max_attempts(1);
    let opinion = Reranker::Remote(Arc::new(RemoteReranker::new(service, retries).unwrap()));
    let library = Library::open_with(|settings| settings.ops.search.reranker = Some(opinion)).await;
    let acme = library.app.tenant("acme").await;
    hand_in(&library, &acme, "lease.txt", LEASE).await;
    hand_in(&library, &acme, "letter.txt", "About the fire insurance of the building.").await;
    let found = search(&library, &acme, "fire insurance of the building").await;
    let [warning] = found["warnings"].as_array().unwrap().as_slice() else { panic!("{found}") };
    assert!(warning.as_str().unwrap().starts_with("the order is that of the first search: "));
    let hits = found["hits"].as_array().unwrap();
    assert!(hits.len() > 1, "{found}");
    let scores: Vec<f64> = hits.iter().map(|hit| hit["score"].as_f64().unwrap()).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");

    let question = json!({ "question": "Who insures the building against fire?" });
    let answered = library.app.post("/v1/ask", question).bearer(&acme.admin_token).send().await;
    assert!(answered.body["warnings"].to_string().contains("the first search"), "{answered:?}");
}
