//! Everything around Docket fails for a while, while documents come in: the object store answers anything but the truth,
//! a worker's clock is wrong and jumps, nobody reads a worker's log. Afterwards every document that was accepted is
//! processed, and nobody had to do anything.

use rustix::process::Signal;
use serde_json::Value;
use sqlx::{Connection, PgConnection};
use testkit::TestDatabase;
use testkit::objects::{BUCKET, Fault, FaultyProxy, GcsServer};

use crate::support::{Client, DataFolder, Docket, Server, WorkerProcess, eventually, kill};

/// Accepted under each fault, and as many before it.
const DOCUMENTS: usize = 6;

/// A server and two workers on one database and one bucket, with a proxy in front of the bucket.
struct Site {
    database: TestDatabase,
    proxy: FaultyProxy,
    _objects: GcsServer,
    _folders: Vec<DataFolder>,
    server: Server,
    workers: Vec<WorkerProcess>,
    admin: Client,
    accepted: Vec<String>,
    refused: Vec<Value>,
}

impl Site {
    async fn set_up(second_worker: impl FnOnce(Docket) -> Docket) -> Self {
        let objects = GcsServer::start().await;
        let proxy = FaultyProxy::before(objects.address()).await;
        let database = TestDatabase::create_bare().await;
        let folders: Vec<DataFolder> = (0..3).map(|_| DataFolder::new()).collect();
        let on_the_bucket = |docket: Docket| {
            let bucket = format!("gs://{BUCKET}");
            let docket = docket.database_url(database.url()).env("DOCKET_BLOB_URL", &bucket);
            let variables = GcsServer::environment(proxy.address());
            variables.iter().fold(docket, |docket, (name, value)| docket.env(name, value))
        };
        let server = Docket::serve(&folders[0]).env("DOCKET_NO_WORKERS", "true");
        let server = on_the_bucket(server).start().await;
        let worker = |folder| on_the_bucket(Docket::on(folder, ["worker"]));
        let workers = vec![
            worker(&folders[1]).start_worker().await,
            second_worker(worker(&folders[2])).start_worker().await,
        ];
        let admin = Client::admin(&server).await;
        Self {
            database,
            proxy,
            _objects: objects,
            _folders: folders,
            server,
            workers,
            admin,
            accepted: Vec::new(),
            refused: Vec::new(),
        }
    }

    /// Every answer is kept: a document's id, or the problem.
    async fn upload(&mut self, about: &str) {
        for number in 1..=DOCUMENTS {
            let text = format!("Letter {number} about {about}.\n");
            let name = format!("{about}-{number}.txt").replace(' ', "-");
            let answer = self.admin.try_upload(&name, &text).await.expect("the server answers");
            match answer.body["doc_id"].as_str() {
                Some(id) if answer.status < 300 => self.accepted.push(id.to_owned()),
                _ => {
                    assert_eq!(answer.status, 503, "{answer:?}");
                    self.refused.push(answer.body);
                }
            }
        }
    }

    fn signal_workers(&self, signal: Signal) {
        for worker in &self.workers {
            kill(worker.pid(), signal);
        }
    }

    async fn count(&self, from_and_condition: &str) -> i64 {
        let mut superuser: PgConnection = self.database.superuser().await;
        let statement = format!("SELECT count(*) FROM {from_and_condition}");
        let count =
            sqlx::query_scalar(sqlx::AssertSqlSafe(statement)).fetch_one(&mut superuser).await;
        superuser.close().await.unwrap();
        count.unwrap()
    }

    /// What was accepted waits for workers that find the object store like this.
    async fn suffer(&mut self, fault: Fault, about: &str) {
        self.signal_workers(Signal::STOP);
        self.upload(about).await;
        self.proxy.set(fault);
        self.signal_workers(Signal::CONT);
        let waits = "jobs WHERE status = 'PENDING' AND error IS NOT NULL";
        let is_tried = match fault {
            Fault::Hangs => "jobs WHERE status = 'PROCESSING'",
            _ => waits,
        };
        eventually("a worker finds out", async || self.count(is_tried).await > 0).await;
        self.upload(&format!("{about}, while it lasts")).await;
        self.proxy.set(Fault::None);
    }

    /// Waits until everything that was accepted is there to be read, and stops everybody.
    async fn finish(self) {
        let count = self.accepted.len();
        assert!(count > 0, "nothing was accepted");
        for id in &self.accepted {
            let is_active = async || {
                let document = self.admin.get(&format!("/v1/documents/{id}")).await.body;
                assert_ne!(document["status"], "failed", "{document}");
                document["status"] == "active"
            };
            eventually(&format!("the document {id} is processed"), is_active).await;
            let text = self.admin.get(&format!("/v1/documents/{id}/text")).await;
            assert_eq!(text.status, 200, "{text:?}");
        }
        assert_eq!(self.count("jobs WHERE status = 'DEAD'").await, 0);
        assert_eq!(self.count("documents").await, i64::try_from(count).unwrap());
        for worker in self.workers {
            assert_eq!(worker.stop_by(Signal::TERM).await.code, Some(0));
        }
        assert_eq!(self.server.stop().await.code, Some(0));
    }
}

#[tokio::test]
async fn whatever_the_object_store_answers_every_accepted_document_is_processed() {
    let mut site = Site::set_up(|worker| worker).await;
    site.suffer(Fault::Answers(404), "a store that knows nothing").await;
    site.suffer(Fault::Answers(403), "a store that trusts nobody").await;
    site.suffer(Fault::Answers(500), "a store that is broken").await;
    site.suffer(Fault::Refuses, "a store that is away").await;
    site.suffer(Fault::Hangs, "a store that says nothing").await;
    assert!(!site.refused.is_empty(), "uploads were accepted while the store was away");
    site.finish().await;
}
