//! The first search after a start: a hundred thousand passages are read from the database into memory. Meanwhile
//! others ask for something else, and should notice nothing.

use std::fs;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::ensure;
use serde_json::json;
use tokio::sync::oneshot;

use crate::Bench;
use crate::bare_commits;
use crate::docket::{ADMIN, Docket, ask, request};
use crate::engine::percentile;
use crate::machine::{memory, peak};
use crate::report::{Figure, Unit, milliseconds};
use crate::searchable::time_to_find;

const NAME: &str = "index load";
/// Handed in; each is copied so many times.
const PAGES: usize = 20;
const COPIES: i32 = 5000;
/// A round takes a start, and the server's stop.
const MOST_ROUNDS: usize = 3;
/// Until what the start has left to do is done.
const SETTLING: Duration = Duration::from_secs(2);
const LONGEST: Duration = Duration::from_mins(3);

/// What a search needs, and no more: there are no runs behind the copies, and no originals.
const COPY: &str = "
    SET session_replication_role = replica;
    CREATE TEMP TABLE copies AS
        SELECT doc_id, run_id, uuidv7() AS new_doc, uuidv7() AS new_run
        FROM document_versions, generate_series(2, {COPIES}) WHERE is_active;
    INSERT INTO documents (doc_id, tenant_id, file_kind, source_uri, title, source, filename, mime, bytes_len,
                           status, created_at, updated_at)
        SELECT new_doc, tenant_id, file_kind, 'upload://' || new_doc, title, source, filename, mime, bytes_len,
               status, created_at, updated_at
        FROM documents JOIN copies USING (doc_id);
    INSERT INTO document_owners (tenant_id, owner, doc_id, created_at, title, filename, source, tags)
        SELECT tenant_id, owner, new_doc, created_at, title, filename, source, tags
        FROM document_owners JOIN copies USING (doc_id);
    INSERT INTO document_versions (tenant_id, doc_id, run_id, version_label, content_hash, content_sha256,
                                   is_active, created_at, chunks_run_id)
        SELECT tenant_id, new_doc, new_run, version_label, content_hash, content_sha256, true, created_at, new_run
        FROM document_versions JOIN copies USING (doc_id);
    CREATE TEMP TABLE copied AS
        SELECT chunks.*, new_doc, new_run, uuidv7() AS new_chunk FROM chunks JOIN copies USING (run_id);
    INSERT INTO chunks (chunk_id, tenant_id, doc_id, run_id, position, heading, text, tokens, first_page, last_page,
                        areas, terms, model, created_at)
        SELECT new_chunk, tenant_id, new_doc, new_run, position, heading, text, tokens, first_page, last_page,
               areas, terms, model, created_at
        FROM copied;
    INSERT INTO chunk_vectors (chunk_id, model, part, tenant_id, content_key, embedding)
        SELECT new_chunk, v.model, v.part, v.tenant_id, v.content_key, v.embedding
        FROM copied JOIN chunk_vectors AS v USING (chunk_id);
    VACUUM (ANALYZE);";

pub(crate) async fn run(bench: &Bench) -> anyhow::Result<Vec<Figure>> {
    let folder = bench.folder.path().join("index-load");
    let vectors = fill(bench, &folder).await?;
    let (mut first, mut others, mut second, mut risen) = (vec![], vec![], vec![], vec![]);
    for _ in 0..bench.rounds.min(MOST_ROUNDS) {
        let docket = Docket::start(&bench.docket, &folder)?;
        let token = docket.sign_in(ADMIN).await?;
        tokio::time::sleep(SETTLING).await;
        let (address, pid) = (docket.server.address, docket.server.pid());
        let before = memory(&[pid])?.rss;
        let (end, ended) = oneshot::channel();
        let bystander = tokio::spawn(keep_asking(address, token.clone(), ended));
        first.push(search(address, &token).await?);
        end.send(()).ok();
        others.push(bystander.await??);
        risen.push(peak(pid)? - before);
        second.push(search(address, &token).await?);
    }
    fs::remove_dir_all(&folder)?;
    let about = match vectors {
        0 => "first search, 100,000 passages without vectors",
        _ => "first search, 100,000 passages",
    };
    Ok(vec![
        Figure::alone(NAME, about, Unit::Milliseconds, &first),
        Figure::alone(NAME, "GET /v1/me meanwhile, worst", Unit::Milliseconds, &others),
        Figure::alone(NAME, "second search", Unit::Milliseconds, &second),
        Figure::alone(NAME, "peak over idle", Unit::Mebibytes, &risen),
    ])
}

/// Says how many vectors there are: none without an embedding model.
async fn fill(bench: &Bench, folder: &std::path::Path) -> anyhow::Result<i64> {
    let docket = Docket::start(&bench.docket, folder)?;
    let token = docket.sign_in(ADMIN).await?;
    for number in 0..PAGES {
        time_to_find(&docket, &token, number).await?;
    }
    let mut superuser = bare_commits::connect(&docket.cluster(), "docket").await?;
    let copy = COPY.replace("{COPIES}", &COPIES.to_string());
    for statement in copy.split_inclusive(';') {
        sqlx::raw_sql(sqlx::AssertSqlSafe(statement.to_owned())).execute(&mut superuser).await?;
    }
    Ok(sqlx::query_scalar("SELECT count(*) FROM chunk_vectors").fetch_one(&mut superuser).await?)
}

/// Milliseconds until it is answered; whoever is told to come again does.
async fn search(address: SocketAddr, token: &str) -> anyhow::Result<f64> {
    let query = json!({ "query": "when does the customer pay the invoice?" }).to_string();
    let search = request("POST", "/v1/search", Some(token), &query);
    let begun = Instant::now();
    while ask(address, &search).await.is_err() {
        ensure!(begun.elapsed() < LONGEST, "no search is answered after {LONGEST:?}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    Ok(milliseconds(begun.elapsed()))
}

/// Asks for something small again and again; gives the longest that an answer took, in milliseconds.
async fn keep_asking(
    address: SocketAddr,
    token: String,
    mut ended: oneshot::Receiver<()>,
) -> anyhow::Result<f64> {
    let me = request("GET", "/v1/me", Some(&token), "");
    let mut times = Vec::new();
    while ended.try_recv().is_err() {
        let begun = Instant::now();
        ask(address, &me).await?;
        times.push(milliseconds(begun.elapsed()));
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    Ok(percentile(&times, 100))
}
