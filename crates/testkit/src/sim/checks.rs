//! The rows, held against each other when a seed is over.

use uuid::Uuid;

use super::seed::Seed;
use super::worker::refused;

const PROBLEMS: &str = include_str!("problems.sql");

impl Seed<'_> {
    fn tenant_ids(&self) -> Vec<Uuid> {
        self.tenants.iter().map(|tenant| tenant.0).collect()
    }

    pub(crate) async fn count_unfinished(&mut self) -> Result<i64, String> {
        let tenants = self.tenant_ids();
        sqlx::query_scalar(
            "SELECT count(*) FROM ingestion_runs
             WHERE tenant_id = ANY($1) AND status IN ('queued', 'running')",
        )
        .bind(tenants)
        .fetch_one(&mut self.database.superuser)
        .await
        .map_err(|error| error.to_string())
    }

    pub(crate) async fn check(&mut self) -> Result<(), String> {
        let tenants = self.tenant_ids();
        let problems: Vec<String> = sqlx::query_scalar(PROBLEMS)
            .bind(tenants)
            .bind(i64::try_from(self.runs.len()).unwrap())
            .fetch_all(&mut self.database.superuser)
            .await
            .map_err(|error| error.to_string())?;
        if !problems.is_empty() {
            return Err(problems.join("; "));
        }
        let mut across = self.store().across_tenants().await.map_err(refused)?;
        across.use_one_snapshot().await.map_err(refused)?;
        for tenant in &self.tenants {
            let faults = across.find_chain_faults(*tenant).await.map_err(refused)?;
            if let Some(fault) = faults.first() {
                return Err(format!("the audit chain is broken: {fault}"));
            }
        }
        across.commit().await.map_err(refused)
    }
}
