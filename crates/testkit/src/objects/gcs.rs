//! A server for Google Cloud Storage's XML protocol, as far as the product uses it: objects, ranges,
//! listings in pages, copies, uploads in parts, generations, signed URLs.
//!
//! The emulators that can be had speak the JSON protocol; `object_store` speaks this one.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::gcs_http;
use super::gcs_objects::Objects;
use crate::Steps;

/// The header that a request must have, unless its URL is signed.
pub(super) const TOKEN: &str = "token-of-the-test";
pub(super) const ACCOUNT: &str = "docket@test.example";
/// Made for this file; it opens nothing.
const KEY: &str = include_str!("gcs_test_key.pem");

/// Has an empty bucket. Ends when it is dropped.
#[derive(Debug)]
pub struct GcsServer {
    address: SocketAddr,
    objects: Arc<Mutex<Objects>>,
    serving: JoinHandle<()>,
}

impl GcsServer {
    pub async fn start() -> Self {
        Self::start_with(Steps::default()).await
    }

    /// Every request is a step.
    pub async fn start_with(steps: Steps) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("there is a free port");
        let address = listener.local_addr().expect("it is bound");
        let objects = Arc::<Mutex<Objects>>::default();
        let router = gcs_http::router(Arc::clone(&objects), steps);
        let serving = tokio::spawn(async move {
            axum::serve(listener, router).await.expect("the server serves");
        });
        Self { address, objects, serving }
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// All objects by their keys.
    pub fn contents(&self) -> BTreeMap<String, Bytes> {
        self.objects.lock().unwrap().contents()
    }

    /// Makes these all that there is.
    pub fn set_contents(&self, contents: &BTreeMap<String, Bytes>) {
        *self.objects.lock().unwrap() = Objects::of(contents);
    }

    /// Uploads in parts that were neither completed nor aborted.
    pub fn uploads_under_way(&self) -> usize {
        self.objects.lock().unwrap().uploads_under_way()
    }

    /// What a store is opened with that reaches the server at this address: its own, or a proxy's.
    pub fn environment(through: SocketAddr) -> Vec<(String, String)> {
        let account = json!({
            "type": "service_account",
            "private_key_id": "1",
            "private_key": KEY,
            "client_email": ACCOUNT,
        });
        let variables = [
            ("GOOGLE_BASE_URL", format!("http://{through}")),
            ("GOOGLE_BEARER_TOKEN", TOKEN.to_owned()),
            ("GOOGLE_SERVICE_ACCOUNT_KEY", account.to_string()),
        ];
        variables.map(|(name, value)| (name.to_owned(), value)).to_vec()
    }
}

impl Drop for GcsServer {
    fn drop(&mut self) {
        self.serving.abort();
    }
}
