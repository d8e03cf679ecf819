//! Two people with the same bytes: one document, and no rights in what the other sees of it.

mod model;
mod passwords;
mod renaming;
mod rights;
mod updates;

use axum::http::{Method, StatusCode};
use domain::{Role, User};
use serde_json::{Value, json};
use testkit::{Library, Response, TestTenant};

/// A tenant in which two users and an administrator have the same files.
pub(crate) struct Office {
    pub(crate) library: Library,
    pub(crate) acme: TestTenant,
    pub(crate) ada: String,
    pub(crate) bob: String,
    /// The same two.
    pub(crate) users: [User; 2],
}

const LEASE: &str = "The tenant pays 1,250 EUR on the first day of every month.";

impl Office {
    pub(crate) async fn open() -> Self {
        let library = Library::open().await;
        let acme = library.app.tenant("acme").await;
        let (first, ada) = library.app.user(&acme, Role::User).await;
        let (second, bob) = library.app.user(&acme, Role::User).await;
        Self { library, acme, ada, bob, users: [first, second] }
    }

    pub(crate) fn admin(&self) -> &str {
        &self.acme.admin_token
    }

    /// Hands in a file, and has everything worked off that follows from it.
    pub(crate) async fn bring(
        &self,
        token: &str,
        said: &[(&str, &str)],
        name: &str,
        text: &str,
    ) -> Response {
        let request = self.library.app.request(Method::POST, "/v1/ingest");
        let made = request.file_with(said, name, text).bearer(token).send().await;
        self.library.work_off().await;
        made
    }

    /// The same into a batch that wants something special; what became of the file.
    pub(crate) async fn bring_in_batch(
        &self,
        token: &str,
        batch: Value,
        name: &str,
        text: &str,
    ) -> Value {
        let made = self.library.app.post("/v1/batches", batch).bearer(token).send().await;
        let id = made.body["batch_id"].as_str().unwrap();
        let request =
            self.library.app.request(Method::POST, &format!("/v1/batches/{id}/documents"));
        let answer = request.file_with(&[], name, text).bearer(token).send().await;
        self.library.work_off().await;
        answer.body["files"][0].clone()
    }

    pub(crate) async fn get(&self, token: &str, path: &str) -> Response {
        self.library.app.get(path).bearer(token).send().await
    }

    pub(crate) async fn act(&self, token: &str, method: Method, path: &str) -> StatusCode {
        self.library.app.request(method, path).bearer(token).send().await.status
    }

    pub(crate) async fn search(&self, token: &str, body: Value) -> Value {
        let found = self.library.app.post("/v1/search", body).bearer(token).send().await;
        assert_eq!(found.status, StatusCode::OK, "{found:?}");
        found.body
    }

    pub(crate) async fn text(&self, token: &str, doc_id: &str) -> Response {
        self.get(token, &format!("/v1/documents/{doc_id}/text")).await
    }

    /// How often an action is in the audit log.
    pub(crate) async fn audited(&self, action: &str) -> usize {
        let log = self.get(self.admin(), &format!("/v1/audit?action={action}&limit=100")).await;
        log.body["items"].as_array().unwrap().len()
    }

    pub(crate) async fn mask(&self, name: &str) {
        // The third paragraph of a text and what comes after it.
        let mask = json!({ "box": [0.0, 0.13, 1.0, 1.0], "file_name_contains": name });
        let rules = self.library.app.put("/v1/tenant/rules", json!({ "masks": [mask] }));
        assert_eq!(rules.bearer(self.admin()).send().await.status, StatusCode::OK);
    }

    /// Everything that somebody sees, as bytes.
    pub(crate) async fn everything(&self, token: &str, doc_id: &str) -> Vec<String> {
        let document = format!("/v1/documents/{doc_id}");
        let mut seen = Vec::new();
        for path in [
            "/v1/documents?status=all",
            "/v1/documents?status=all&tag=rent",
            "/v1/documents?status=all&search=lease",
            "/v1/documents/facets",
            "/v1/documents/stats/summary",
            "/v1/knowledge-base",
            "/v1/ingestion-runs",
            &document,
        ] {
            seen.push(format!("{path}: {}", self.get(token, path).await.body));
        }
        seen.push(self.search(token, json!({ "query": "rent per month" })).await.to_string());
        let tagged = json!({ "query": "tenant pays", "filters": { "tags": ["rent"] } });
        seen.push(self.search(token, tagged).await.to_string());
        let ask = self.library.app.post("/v1/ask", json!({ "question": "what is the rent?" }));
        seen.push(ask.bearer(token).send().await.body.to_string());
        seen
    }
}

fn doc_id(made: &Response) -> String {
    made.body["doc_id"].as_str().unwrap_or_else(|| panic!("{made:?}")).to_owned()
}
