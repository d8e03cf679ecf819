//! Jobs for the workers, inserted into the queue directly.

use sqlx::{Connection, PgConnection};

/// Queues runs that pass the drill's stages, for the one tenant there is.
pub(crate) async fn queue_drills(mut superuser: PgConnection, count: i32, stages: &[&str]) {
    let queued = sqlx::query(
        "WITH made AS (
             INSERT INTO ingestion_runs (run_id, tenant_id, doc_id, status, pipeline, created_at, updated_at)
             SELECT gen_random_uuid(), tenant_id, gen_random_uuid(), 'queued', $2, now(), now()
             FROM tenants, generate_series(1, $1) RETURNING run_id, tenant_id, doc_id)
         INSERT INTO jobs (job_id, tenant_id, run_id, doc_id, stage, status, max_attempts, next_run_at,
                           created_at, updated_at)
         SELECT gen_random_uuid(), tenant_id, run_id, doc_id, $2[1], 'PENDING', 4, now(), now(), now() FROM made",
    );
    queued.bind(count).bind(stages).execute(&mut superuser).await.unwrap();
    superuser.close().await.unwrap();
}
