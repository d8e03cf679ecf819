//! What everybody writes first: each worker takes one job after the other with
//! `SELECT … FOR UPDATE SKIP LOCKED` and marks it done in the same transaction. No leases, no audit.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use futures_util::future::try_join_all;
use sqlx::{Connection, PgConnection};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::CONNECTIONS;
use crate::bare_commits::connect;
use crate::report::milliseconds;

const DATABASE: &str = "peers";
/// How long a worker that found nothing waits before it looks again.
const PAUSE: Duration = Duration::from_millis(100);
const TABLE: &str = "
    CREATE TABLE naive_jobs (
        id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        payload jsonb NOT NULL,
        done_at timestamptz
    );
    CREATE INDEX naive_jobs_waiting ON naive_jobs (id) WHERE done_at IS NULL";
const TAKE: &str = "
    SELECT id FROM naive_jobs WHERE done_at IS NULL ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED";

pub(super) struct Naive {
    client: PgConnection,
    workers: Vec<PgConnection>,
}

impl Naive {
    pub(super) async fn prepare(cluster: &Path) -> anyhow::Result<Self> {
        let mut client = connect(cluster, DATABASE).await?;
        sqlx::raw_sql(TABLE).execute(&mut client).await?;
        let workers = (0..CONNECTIONS).map(|_| connect(cluster, DATABASE));
        Ok(Self { client, workers: try_join_all(workers).await? })
    }

    pub(super) async fn fill(&mut self, jobs: i32) -> anyhow::Result<()> {
        sqlx::raw_sql("TRUNCATE naive_jobs").execute(&mut self.client).await?;
        sqlx::query(
            "INSERT INTO naive_jobs (payload) SELECT jsonb_build_object('id', i) FROM generate_series(1, $1) AS i",
        )
        .bind(jobs)
        .execute(&mut self.client)
        .await?;
        sqlx::raw_sql("VACUUM (ANALYZE) naive_jobs").execute(&mut self.client).await?;
        Ok(())
    }

    /// How many seconds it takes to do everything.
    pub(super) async fn work_off(&mut self) -> anyhow::Result<f64> {
        let begun = Instant::now();
        let working = self.workers.drain(..).map(|mut connection| {
            tokio::spawn(async move {
                while take_one(&mut connection, None).await? {}
                anyhow::Ok(connection)
            })
        });
        for worker in try_join_all(working).await? {
            self.workers.push(worker?);
        }
        Ok(begun.elapsed().as_secs_f64())
    }

    /// How many milliseconds each of single jobs waits for a worker.
    pub(super) async fn pick_up(&mut self, gaps: &[u64]) -> anyhow::Result<Vec<f64>> {
        let over = Arc::new(AtomicBool::new(false));
        let (begun, mut seen) = unbounded_channel();
        let working: Vec<_> = self
            .workers
            .drain(..)
            .map(|connection| {
                tokio::spawn(look_for_work(connection, Arc::clone(&over), begun.clone()))
            })
            .collect();
        let waits = self.send_singly(gaps, &mut seen).await;
        over.store(true, Ordering::Relaxed);
        for worker in try_join_all(working).await? {
            self.workers.push(worker?);
        }
        waits
    }

    async fn send_singly(
        &mut self,
        gaps: &[u64],
        seen: &mut UnboundedReceiver<Instant>,
    ) -> anyhow::Result<Vec<f64>> {
        let mut waits = Vec::new();
        for gap in gaps {
            tokio::time::sleep(Duration::from_millis(*gap)).await;
            sqlx::query("INSERT INTO naive_jobs (payload) VALUES ('{}')")
                .execute(&mut self.client)
                .await?;
            let committed = Instant::now();
            let begun = seen.recv().await.unwrap_or(committed);
            waits.push(milliseconds(begun.saturating_duration_since(committed)));
        }
        Ok(waits)
    }
}

async fn look_for_work(
    mut connection: PgConnection,
    over: Arc<AtomicBool>,
    begun: UnboundedSender<Instant>,
) -> anyhow::Result<PgConnection> {
    while !over.load(Ordering::Relaxed) {
        if !take_one(&mut connection, Some(&begun)).await? {
            tokio::time::sleep(PAUSE).await;
        }
    }
    Ok(connection)
}

async fn take_one(
    connection: &mut PgConnection,
    begun: Option<&UnboundedSender<Instant>>,
) -> anyhow::Result<bool> {
    let mut transaction = connection.begin().await?;
    let taken: Option<i64> = sqlx::query_scalar(TAKE).fetch_optional(&mut *transaction).await?;
    let Some(id) = taken else {
        // Now, and not when the connection is next used.
        transaction.rollback().await?;
        return Ok(false);
    };
    if let Some(begun) = begun {
        begun.send(Instant::now()).ok();
    }
    sqlx::query("UPDATE naive_jobs SET done_at = now() WHERE id = $1")
        .bind(id)
        .execute(&mut *transaction)
        .await?;
    transaction.commit().await?;
    Ok(true)
}
