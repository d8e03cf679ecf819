//! Reads the results from the server's database.

use std::collections::HashMap;
use std::time::Duration;

use sqlx::PgConnection;
use uuid::Uuid;

/// What became of a run.
#[derive(Clone, Debug, sqlx::FromRow)]
pub(super) struct RunEnd {
    pub(super) run_id: Uuid,
    pub(super) status: String,
    pub(super) error: String,
    /// The error class of the failed job: `permanent`, `poison`, …
    pub(super) error_class: String,
    pub(super) guidance: String,
    /// Pages that can be read of it, and words on them.
    pub(super) pages: i32,
    pub(super) words: i64,
    /// The last try of the stage that took the longest.
    pub(super) longest_stage: String,
    pub(super) longest_seconds: f64,
}

impl RunEnd {
    pub(super) fn is_over(&self) -> bool {
        matches!(self.status.as_str(), "succeeded" | "failed")
    }

    pub(super) fn longest(&self) -> Duration {
        Duration::try_from_secs_f64(self.longest_seconds).unwrap_or_default()
    }

    /// The error without its particulars; of one that is not the file's alone, a little more.
    pub(super) fn reason(&self) -> &str {
        let parts = if self.is_the_files() { 1 } else { 3 };
        let end = self.error.match_indices(": ").nth(parts - 1).map(|(at, _)| at);
        end.map_or(self.error.as_str(), |at| &self.error[..at])
    }

    /// An error that says what is wrong with the file, and is not tried again.
    pub(super) fn is_the_files(&self) -> bool {
        self.error_class == "permanent"
    }
}

/// How far the server is.
#[derive(Clone, Copy, Debug, Default, PartialEq, sqlx::FromRow)]
pub(super) struct Standing {
    /// Runs of the tenant that are not over.
    pub(super) unfinished: i64,
    /// For how long the oldest of the jobs under way has been worked on.
    pub(super) oldest_seconds: f64,
}

const STANDING: &str = "
    SELECT (SELECT count(*) FROM ingestion_runs JOIN tenants USING (tenant_id)
            WHERE tenants.name = $1 AND status IN ('queued', 'running')) AS unfinished,
           (SELECT coalesce(max(extract(epoch FROM now() - started_at)), 0)::float8
            FROM jobs WHERE status = 'PROCESSING') AS oldest_seconds";

const ENDS: &str = "
    SELECT run.run_id, run.status, coalesce(run.error, '') AS error,
           coalesce(job.error_class, '') AS error_class, coalesce(job.guidance, '') AS guidance,
           coalesce(layout.pages, 0) AS pages, coalesce((run.stats->>'words')::bigint, 0) AS words,
           coalesce(longest.name, '') AS longest_stage,
           coalesce(longest.seconds, 0)::float8 AS longest_seconds
    FROM ingestion_runs run
    JOIN tenants USING (tenant_id)
    LEFT JOIN LATERAL (
        SELECT error_class, guidance FROM jobs
        WHERE jobs.run_id = run.run_id AND jobs.status = 'DEAD' LIMIT 1) job ON true
    LEFT JOIN LATERAL (
        SELECT (artifact->>'pages')::int AS pages
        FROM stages, jsonb_array_elements(artifacts) artifact
        WHERE stages.run_id = run.run_id AND stages.name = 'layout'
          AND artifact->>'name' = 'pages.dkt' LIMIT 1) layout ON true
    LEFT JOIN LATERAL (
        SELECT name, extract(epoch FROM ended_at - started_at) AS seconds
        FROM stages WHERE stages.run_id = run.run_id ORDER BY 2 DESC LIMIT 1) longest ON true
    WHERE tenants.name = $1";

pub(super) async fn standing(
    superuser: &mut PgConnection,
    tenant: &str,
) -> anyhow::Result<Standing> {
    Ok(sqlx::query_as(STANDING).bind(tenant).fetch_one(superuser).await?)
}

/// Every run of the tenant, those of attachments too.
pub(super) async fn ends(
    superuser: &mut PgConnection,
    tenant: &str,
) -> anyhow::Result<HashMap<Uuid, RunEnd>> {
    let ends: Vec<RunEnd> = sqlx::query_as(ENDS).bind(tenant).fetch_all(superuser).await?;
    Ok(ends.into_iter().map(|end| (end.run_id, end)).collect())
}
