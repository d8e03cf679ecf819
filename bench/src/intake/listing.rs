//! Lists of a million documents beside the same lists of a thousand, over HTTP, one request at a time.

use std::fs;
use std::time::Instant;

use anyhow::{Context, ensure};
use serde_json::Value;
use sqlx::PgConnection;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::WITHOUT_WORKERS;
use crate::Bench;
use crate::bare_commits;
use crate::docket::{ADMIN, Docket, ask, request};
use crate::engine::percentile;
use crate::load::read_answer;
use crate::report::{Figure, Target, Unit, milliseconds};

const NAME: &str = "intake listing";
const FEW: i32 = 1000;
const MANY: i32 = 1_000_000;
/// Added by one statement.
const PORTION: i32 = 100_000;
/// Of each list in one round.
const REQUESTS: usize = 60;
/// When the newest document came; the others came a second apart before it.
const NEWEST: &str = "2026-01-01T00:00:00Z";

/// Nine of ten are served, one of twenty failed. Runs and originals are left out, which no list looks
/// at.
const FILL: [&str; 3] = [
    "INSERT INTO documents (doc_id, tenant_id, file_kind, source_uri, title, source, filename, mime, bytes_len,
                            status, error, created_at, updated_at)
     SELECT uuidv7(), (SELECT tenant_id FROM tenants), 'txt',
            'upload://' || encode(sha256(n::text::bytea), 'hex'), 'Document ' || n, 'manual', 'document-' || n || '.txt',
            'text/plain', 20000, kind.status, CASE WHEN kind.status = 'failed' THEN 'the original is damaged' END,
            moment, moment
     FROM generate_series($1, $2) AS n,
          LATERAL (SELECT CASE WHEN n % 20 = 0 THEN 'failed' WHEN n % 20 = 1 THEN 'uploaded' ELSE 'active' END,
                          $3::timestamptz - make_interval(secs => n)) AS kind (status, moment)",
    "INSERT INTO document_owners (tenant_id, owner, doc_id, created_at, title, filename, source)
     SELECT d.tenant_id, 'user:' || u.user_id, d.doc_id, d.created_at, d.title, d.filename, d.source
     FROM documents AS d, (SELECT user_id FROM users LIMIT 1) AS u
     WHERE d.created_at BETWEEN $3::timestamptz - make_interval(secs => $2)
                            AND $3::timestamptz - make_interval(secs => $1)",
    "INSERT INTO document_versions (tenant_id, doc_id, run_id, version_label, content_hash, content_sha256,
                                    is_active, created_at)
     SELECT tenant_id, doc_id, uuidv7(), 'v1', 'sha256:' || encode(sha256(title::bytea), 'hex'),
            sha256(title::bytea), true, created_at
     FROM documents
     WHERE status = 'active' AND created_at BETWEEN $3::timestamptz - make_interval(secs => $2)
                                                AND $3::timestamptz - make_interval(secs => $1)",
];

/// A server whose only tenant has so many documents.
#[derive(Debug)]
struct Library {
    docket: Docket,
    token: String,
}

/// A library, and a connection that is kept.
#[derive(Debug)]
struct Reader {
    library: Library,
    stream: TcpStream,
    answer: Vec<u8>,
}

/// One kind of list, with where it begins.
#[derive(Debug)]
struct List {
    what: &'static str,
    of_few: String,
    of_many: String,
}

pub(crate) async fn run(bench: &Bench) -> anyhow::Result<Vec<Figure>> {
    let folder = bench.folder.path().join("intake-listing");
    let few = Library::open(bench, &folder.join("few"), FEW).await?;
    let many = Library::open(bench, &folder.join("many"), MANY).await?;
    let lists = lists(&few, &many).await?;
    let (mut few, mut many) = (few.connect().await?, many.connect().await?);

    let mut figures = Vec::new();
    for list in &lists {
        let (mut with_few, mut with_many) = (Vec::new(), Vec::new());
        for round in 0..=bench.rounds {
            let (mut few_now, mut many_now) = (Vec::new(), Vec::new());
            for _ in 0..REQUESTS {
                few_now.push(few.time_of(&list.of_few).await?);
                many_now.push(many.time_of(&list.of_many).await?);
            }
            if round > 0 {
                with_few.push(percentile(&few_now, 50));
                with_many.push(percentile(&many_now, 50));
            }
        }
        figures.push(
            Figure::alone(NAME, list.what, Unit::Milliseconds, &with_many)
                .beside("of a thousand", &with_many, &with_few)
                .with_target(Target::AtMost(2.0)),
        );
    }
    drop((few, many));
    fs::remove_dir_all(&folder)?;
    Ok(figures)
}

async fn lists(few: &Library, many: &Library) -> anyhow::Result<Vec<List>> {
    let middle = |documents: i32| {
        let newest: chrono::DateTime<chrono::Utc> = NEWEST.parse()?;
        let middle = newest - chrono::TimeDelta::seconds((documents / 2).into());
        anyhow::Ok(middle.format("%Y-%m-%dT%H:%M:%SZ").to_string())
    };
    let same = |what, path: &str| List { what, of_few: path.to_owned(), of_many: path.to_owned() };
    let (first, failed) = ("/v1/documents?limit=20", "/v1/documents?limit=20&status=failed");
    let (few_older, many_older) =
        (format!("{first}&to={}", middle(FEW)?), format!("{first}&to={}", middle(MANY)?));
    Ok(vec![
        same("page 1", first),
        same("page 1, any status", "/v1/documents?limit=20&status=all"),
        same("page 1, status failed", failed),
        List {
            what: "page after a cursor",
            of_few: few.page_after(first).await?,
            of_many: many.page_after(first).await?,
        },
        List {
            what: "page after a cursor in the middle",
            of_few: format!("{first}&cursor={}", few.cursor_after(&few_older).await?),
            of_many: format!("{first}&cursor={}", many.cursor_after(&many_older).await?),
        },
        List { what: "page up to a day", of_few: few_older, of_many: many_older },
    ])
}

impl Library {
    async fn open(bench: &Bench, folder: &std::path::Path, documents: i32) -> anyhow::Result<Self> {
        let docket = Docket::start_set(&bench.docket, folder, &WITHOUT_WORKERS)?;
        let mut superuser = bare_commits::connect(&docket.cluster(), "docket").await?;
        fill(&mut superuser, documents).await?;
        let token = docket.sign_in(ADMIN).await?;
        Ok(Self { docket, token })
    }

    /// Only when it is used: a server does not wait long on a connection that says nothing.
    async fn connect(self) -> anyhow::Result<Reader> {
        let stream = TcpStream::connect(self.docket.server.address).await?;
        stream.set_nodelay(true)?;
        Ok(Reader { library: self, stream, answer: Vec::new() })
    }

    async fn page_after(&self, path: &str) -> anyhow::Result<String> {
        Ok(format!("{path}&cursor={}", self.cursor_after(path).await?))
    }

    async fn cursor_after(&self, path: &str) -> anyhow::Result<String> {
        let request = request("GET", path, Some(&self.token), "");
        let page: Value = serde_json::from_str(&ask(self.docket.server.address, &request).await?)?;
        let items = page["items"].as_array().map_or(0, Vec::len);
        ensure!(items == 20, "{path} gave {items} documents");
        Ok(page["next_cursor"].as_str().context("no next page")?.to_owned())
    }
}

impl Reader {
    /// Milliseconds until the whole answer is here.
    async fn time_of(&mut self, path: &str) -> anyhow::Result<f64> {
        let request = request("GET", path, Some(&self.library.token), "");
        self.answer.clear();
        let begun = Instant::now();
        self.stream.write_all(&request).await?;
        read_answer(&mut self.stream, &mut self.answer).await?;
        Ok(milliseconds(begun.elapsed()))
    }
}

async fn fill(superuser: &mut PgConnection, documents: i32) -> anyhow::Result<()> {
    // Without foreign keys, whose rows no list looks at.
    sqlx::raw_sql("SET session_replication_role = replica").execute(&mut *superuser).await?;
    let mut first = 1;
    while first <= documents {
        let last = documents.min(first + PORTION - 1);
        for statement in FILL {
            sqlx::query(statement)
                .bind(first)
                .bind(last)
                .bind(NEWEST.parse::<chrono::DateTime<chrono::Utc>>()?)
                .execute(&mut *superuser)
                .await?;
        }
        first = last + 1;
    }
    sqlx::raw_sql("VACUUM (ANALYZE) documents, document_owners, document_versions")
        .execute(&mut *superuser)
        .await?;
    sqlx::raw_sql("CHECKPOINT").execute(&mut *superuser).await?;
    Ok(())
}
