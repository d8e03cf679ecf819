//! The whole application on a database of its own, called without a socket.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use api::{Api, ApiSettings, Metrics, TrustedProxies};
use api_types::ConfigView;
use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Method, StatusCode};
use blob::{BlobUrl, Blobs};
use domain::{
    Caller, Environment, FileKind, Pipeline, Role, Secret, StageName, Tenant, TraceContext, User,
};
use engine::{Stages, Worker, WorkerSettings};
use http_body_util::BodyExt;
use ops::{
    AuditKey, AuditSettings, IntakeSettings, Ops, RequestedTenant, RequestedUser, SearchSettings,
    Settings, TokenKey,
};
use retrieval::embedding::EmbeddingSource;
use serde_json::{Value, json};
use stages::Ingest;
use store::Store;
use tempfile::TempDir;
use tower::ServiceExt;

use crate::{CountedIds, FakeClock, TestDatabase, fake_environment};

/// An application whose clock the test holds.
#[derive(Debug)]
pub struct TestApp {
    pub database: TestDatabase,
    /// Where originals are kept.
    pub blobs: Blobs,
    _folder: Option<TempDir>,
    pub clock: Arc<FakeClock>,
    pub ops: Arc<Ops>,
    router: Router,
    users_made: AtomicU32,
    /// Apart from those of the application, which they must not meet.
    worker_ids: Arc<CountedIds>,
    chunk_ids: Arc<CountedIds>,
}

/// What a test may decide about its application.
#[derive(Debug)]
pub struct TestSettings {
    pub api: ApiSettings,
    pub ops: Settings,
}

impl Default for TestSettings {
    /// As in production, but for limits that a test would run into and the cost of a password.
    fn default() -> Self {
        Self {
            api: ApiSettings {
                rate_limit_per_second: NonZeroU32::new(10_000).unwrap(),
                rate_limit_burst: NonZeroU32::new(10_000).unwrap(),
                request_timeout: Duration::from_secs(30),
                max_json_bytes: 64 * 1024,
                metrics: Metrics::new(false, String::new),
                trusted_proxies: TrustedProxies::default(),
                configuration: ConfigView::default(),
                everybody_is: None,
            },
            ops: Settings {
                token_key: TokenKey::new(*b"a key of thirty-two bytes, known"),
                token_lifetime: chrono::Duration::hours(24),
                bcrypt_cost: 4,
                login_attempts_per_minute: 1000,
                unknown_keys_per_minute: NonZeroU32::new(60).unwrap(),
                reader: None,
                sandbox: None,
                search: SearchSettings {
                    embedding: EmbeddingSource::none(),
                    reranker: None,
                    language_model: None,
                    memory: 64 << 20,
                    index_timeout: Duration::from_secs(20),
                },
                audit: AuditSettings {
                    key: AuditKey::new(&Secret::new("a secret of the tests"), &[]),
                    checkpoint_every: chrono::Duration::minutes(15),
                },
                intake: IntakeSettings {
                    max_bytes: 1024 * 1024,
                    accepted: FileKind::ALL.iter().copied().collect(),
                    queue_quota: 1000,
                    concurrent_uploads: 1000,
                    storage_quota: None,
                    pipeline: Some(Pipeline::try_from(vec![ingest_stage()]).unwrap()),
                    stages: vec![ingest_stage()],
                },
            },
        }
    }
}

fn ingest_stage() -> StageName {
    "ingest".parse().unwrap()
}

/// A tenant with an administrator.
#[derive(Debug)]
pub struct TestTenant {
    pub tenant: Tenant,
    pub admin: User,
    pub admin_token: String,
}

impl TestApp {
    pub const PASSWORD: &str = "correct horse";

    pub async fn start() -> Self {
        Self::start_with(TestSettings::default()).await
    }

    pub async fn start_with(settings: TestSettings) -> Self {
        let folder = tempfile::tempdir().expect("a folder for originals");
        let url = BlobUrl::Folder(folder.path().to_owned());
        let blobs = Blobs::open(&url).expect("the folder for originals opens");
        Self { _folder: Some(folder), ..Self::start_on(blobs, settings).await }
    }

    /// With originals somewhere else than in a folder.
    pub async fn start_on(blobs: Blobs, settings: TestSettings) -> Self {
        let database = TestDatabase::create().await;
        let clock = Arc::new(FakeClock::default());
        let ops = process_on(&database, &blobs, &clock, &settings.ops).await;
        let router = api::router(&Api::new(Arc::clone(&ops), settings.api));
        Self {
            database,
            blobs,
            _folder: None,
            clock,
            ops,
            router,
            users_made: AtomicU32::new(0),
            worker_ids: Arc::new(CountedIds::after(1 << 44)),
            chunk_ids: Arc::new(CountedIds::after(1 << 46)),
        }
    }

    /// The use cases as a second process on the same database would have them.
    pub async fn another_process(&self) -> Arc<Ops> {
        self.another_process_with(&TestSettings::default()).await
    }

    /// The same with settings of its own.
    pub async fn another_process_with(&self, settings: &TestSettings) -> Arc<Ops> {
        process_on(&self.database, &self.blobs, &self.clock, &settings.ops).await
    }

    pub async fn tenant(&self, name: &str) -> TestTenant {
        let email = format!("admin@{name}.test");
        let created = self.ops.tenants.create_tenant(RequestedTenant {
            name: name.to_owned(),
            admin_email: email.clone(),
            admin_password: Secret::new(Self::PASSWORD),
        });
        let (tenant, admin) = created.await.expect("a tenant is made");
        let admin_token = self.login(&email).await;
        TestTenant { tenant, admin, admin_token }
    }

    /// A user of the tenant, with their token.
    pub async fn user(&self, tenant: &TestTenant, role: Role) -> (User, String) {
        let number = self.users_made.fetch_add(1, Ordering::Relaxed);
        let email = format!("{role}{number}@{}.test", tenant.tenant.name);
        let requested =
            RequestedUser { email: email.clone(), password: Secret::new(Self::PASSWORD), role };
        let caller = Caller::system(tenant.tenant.tenant_id);
        let created = self.ops.access.create_user(&caller, requested, None).await;
        (created.expect("a user is made").value, self.login(&email).await)
    }

    pub async fn login(&self, email: &str) -> String {
        let client = std::net::Ipv4Addr::LOCALHOST.into();
        let signed_in = self
            .ops
            .access
            .login(email, Secret::new(Self::PASSWORD), client, TraceContext::new(1))
            .await;
        signed_in.expect("the user signs in").token.reveal().to_owned()
    }

    /// To be served at a socket.
    pub fn router(&self) -> Router {
        self.router.clone()
    }

    pub fn get(&self, path: &str) -> Request {
        self.request(Method::GET, path)
    }

    pub fn post(&self, path: &str, body: Value) -> Request {
        self.request(Method::POST, path).json(body)
    }

    pub fn put(&self, path: &str, body: Value) -> Request {
        self.request(Method::PUT, path).json(body)
    }

    pub fn request(&self, method: Method, path: &str) -> Request {
        let inner = axum::http::Request::builder().method(method).uri(path);
        Request { router: self.router.clone(), inner, body: Body::empty() }
    }

    /// Hands in a text file.
    pub fn upload(&self, name: &str, content: &str) -> Request {
        self.request(Method::POST, "/v1/ingest").files([(name, content.as_bytes())])
    }

    /// For chunks: no two of one application are alike.
    pub fn chunk_ids(&self) -> Arc<CountedIds> {
        Arc::clone(&self.chunk_ids)
    }

    /// Does all the work that waits, with the stages of the product.
    pub async fn work_off(&self) {
        let ingest = Ingest::new(self.blobs.clone());
        self.work_off_with(Stages::default().with(ingest)).await;
    }

    /// What waits, by a worker that cannot open passwords of documents.
    pub async fn work_off_without_key(&self) {
        let fake = fake_environment(&self.clock);
        let url = self.database.url().parse().expect("our own URL is one");
        let store = Store::open(&url, 5, fake.clock, fake.ids).await.expect("the database opens");
        let ingest = Ingest::new(self.blobs.clone());
        self.work_off_on(store, Stages::default().with(ingest)).await;
    }

    /// The same with stages of the test's own.
    pub async fn work_off_with(&self, stages: Stages) {
        self.work_off_on(self.ops.store().clone(), stages).await;
    }

    async fn work_off_on(&self, store: Store, stages: Stages) {
        let ids = Arc::clone(&self.worker_ids);
        let environment = Environment { ids, ..fake_environment(&self.clock) };
        let settings = WorkerSettings::named("w");
        let worker = Worker::new(store, stages, environment, settings).expect("a worker starts");
        worker.run_until_idle().await.expect("the work gets done");
    }
}

async fn process_on(
    database: &TestDatabase,
    blobs: &Blobs,
    clock: &Arc<FakeClock>,
    settings: &Settings,
) -> Arc<Ops> {
    let environment = fake_environment(clock);
    let store = database.store(environment.clock, environment.ids).await;
    let ops = Arc::new(Ops::new(store, blobs.clone(), settings, environment.random));
    ops.operations.do_housekeeping().await.expect("the first round of housekeeping");
    ops
}

/// What separates the parts of a form.
pub const BOUNDARY: &str = "docket-test-boundary";

/// A request in the making.
#[derive(Debug)]
pub struct Request {
    router: Router,
    inner: axum::http::request::Builder,
    body: Body,
}

impl Request {
    /// Presents a token or a key.
    #[must_use]
    pub fn bearer(self, credential: &str) -> Self {
        self.header("authorization", &format!("Bearer {credential}"))
    }

    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.inner = self.inner.header(name, value);
        self
    }

    /// As if it came from this address, and not from this machine.
    #[must_use]
    pub fn from_address(mut self, address: std::net::IpAddr) -> Self {
        self.inner = self.inner.extension(std::net::SocketAddr::new(address, 50_000));
        self
    }

    #[must_use]
    pub fn json(mut self, body: Value) -> Self {
        self.body = Body::from(body.to_string());
        self.header("content-type", "application/json")
    }

    /// A body as it is.
    #[must_use]
    pub fn body(mut self, body: impl Into<Body>) -> Self {
        self.body = body.into();
        self
    }

    /// A form with these files, each by its name.
    #[must_use]
    pub fn files<'a>(self, files: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Self {
        self.fields_and_files(&[], files)
    }

    /// The same with fields before the files.
    #[must_use]
    pub fn fields_and_files<'a>(
        self,
        fields: &[(&str, &str)],
        files: impl IntoIterator<Item = (&'a str, &'a [u8])>,
    ) -> Self {
        let mut form = Vec::new();
        for (name, value) in fields {
            let field = format!(
                "--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n"
            );
            form.extend_from_slice(field.as_bytes());
        }
        for (name, content) in files {
            let head = format!(
                "--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n"
            );
            form.extend_from_slice(head.as_bytes());
            form.extend_from_slice(content);
            form.extend_from_slice(b"\r\n");
        }
        form.extend_from_slice(format!("--{BOUNDARY}--\r\n").as_bytes());
        self.form(Body::from(form))
    }

    /// A form with one file and what is said of it: `title`, `tag`, `password`.
    #[must_use]
    pub fn file_with(self, said: &[(&str, &str)], name: &str, content: &str) -> Self {
        let mut form = Vec::new();
        let mut part = |head: String, content: &str| {
            let head = format!("--{BOUNDARY}\r\ncontent-disposition: form-data; {head}\r\n\r\n");
            form.extend_from_slice(head.as_bytes());
            form.extend_from_slice(content.as_bytes());
            form.extend_from_slice(b"\r\n");
        };
        for (field, value) in said {
            part(format!("name=\"{field}\""), value);
        }
        part(format!("name=\"file\"; filename=\"{name}\""), content);
        form.extend_from_slice(format!("--{BOUNDARY}--\r\n").as_bytes());
        self.form(Body::from(form))
    }

    /// A form as it comes, however it comes.
    #[must_use]
    pub fn form(mut self, body: Body) -> Self {
        self.body = body;
        self.header("content-type", &format!("multipart/form-data; boundary={BOUNDARY}"))
    }

    /// Only how it begins: for answers that never end.
    pub async fn status(self) -> StatusCode {
        let request = self.inner.body(self.body).expect("the request is well-formed");
        self.router.oneshot(request).await.unwrap().status()
    }

    pub async fn send(self) -> Response {
        let request = self.inner.body(self.body).expect("the request is well-formed");
        let response = self.router.oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.expect("the body arrives").to_bytes();
        Response {
            status: parts.status,
            headers: parts.headers,
            body: serde_json::from_slice(&bytes)
                .unwrap_or_else(|_| json!(String::from_utf8_lossy(&bytes))),
        }
    }
}

/// What came back. A body that is not JSON is a JSON string here.
#[derive(Debug)]
pub struct Response {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Value,
}

impl Response {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// The `code` of a problem document.
    pub fn code(&self) -> &str {
        self.body["code"].as_str().unwrap_or("")
    }
}
