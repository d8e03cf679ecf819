//! Tenants: made by the operator, seen only across tenants.

use chrono::{DateTime, Utc};
use domain::{Tenant, TenantId};
use uuid::Uuid;

use crate::{AcrossTenants, StoreError, sql};

impl AcrossTenants {
    /// Adds a tenant with an empty audit chain; `false` when the name is taken.
    pub async fn insert_tenant(&mut self, tenant: &Tenant) -> Result<bool, StoreError> {
        let added = sqlx::query(sql!("tenants/insert_with_lanes"))
            .bind(tenant.tenant_id.0)
            .bind(&tenant.name)
            .bind(tenant.created_at)
            .execute(self.connection())
            .await?;
        Ok(added.rows_affected() > 0)
    }

    pub async fn list_tenants(&mut self) -> Result<Vec<Tenant>, StoreError> {
        let rows: Vec<(Uuid, String, DateTime<Utc>)> = sqlx::query_as(
            "SELECT tenant_id, name, created_at FROM tenants ORDER BY created_at, name",
        )
        .fetch_all(self.connection())
        .await?;
        let tenant = |(id, name, created_at)| Tenant { tenant_id: TenantId(id), name, created_at };
        Ok(rows.into_iter().map(tenant).collect())
    }
}
