//! Tenants, their rules, limits and usage.

use chrono::{DateTime, Utc};
use domain::{Tenant, TenantId, TenantLimits, TenantRules};
use sqlx::FromRow;
use sqlx::types::Json;
use uuid::Uuid;

use crate::{AcrossTenants, StoreError, Tx, sql};

/// A tenant as its administrators see it.
#[derive(Clone, Debug)]
pub struct TenantRecord {
    pub tenant: Tenant,
    pub rules: TenantRules,
    pub limits: TenantLimits,
}

/// What a tenant stores, counted.
#[derive(Clone, Copy, Debug, FromRow)]
pub struct TenantUsage {
    pub documents: i64,
    /// The bytes of originals that count against the storage quota.
    #[sqlx(default)]
    pub bytes: i64,
    pub waiting_runs: i64,
    pub users: i64,
}

impl Tx {
    pub async fn find_tenant(&mut self) -> Result<TenantRecord, StoreError> {
        type Row = (String, DateTime<Utc>, Json<TenantRules>, Json<TenantLimits>);
        let (name, created_at, Json(rules), Json(limits)): Row = sqlx::query_as(
            "SELECT name, created_at, rules, limits FROM tenants WHERE tenant_id = $1",
        )
        .bind(self.tenant_id().0)
        .fetch_one(self.connection())
        .await?;
        let tenant = Tenant { tenant_id: self.tenant_id(), name, created_at };
        Ok(TenantRecord { tenant, rules, limits })
    }

    pub async fn measure_usage(&mut self) -> Result<TenantUsage, StoreError> {
        let usage: TenantUsage = sqlx::query_as(sql!("tenants/usage"))
            .bind(self.tenant_id().0)
            .fetch_one(self.connection())
            .await?;
        let bytes = i64::try_from(self.sum_stored_bytes().await?).unwrap_or(i64::MAX);
        Ok(TenantUsage { bytes, ..usage })
    }

    /// The bytes that count against the tenant's storage quota.
    pub async fn sum_stored_bytes(&mut self) -> Result<u64, StoreError> {
        let bytes: i64 = sqlx::query_scalar(sql!("tenants/stored_bytes"))
            .bind(self.tenant_id().0)
            .fetch_one(self.connection())
            .await?;
        Ok(u64::try_from(bytes).unwrap_or(0))
    }

    /// Whether the tenant has a document with this identity that is not deleted.
    pub async fn stores(&mut self, source_uri: &str) -> Result<bool, StoreError> {
        Ok(sqlx::query_scalar(sql!("tenants/stores"))
            .bind(self.tenant_id().0)
            .bind(source_uri)
            .fetch_one(self.connection())
            .await?)
    }

    /// The rules, locked until the end of the transaction, so that a change of one part keeps the others.
    pub async fn lock_rules(&mut self) -> Result<TenantRules, StoreError> {
        let Json(rules) =
            sqlx::query_scalar("SELECT rules FROM tenants WHERE tenant_id = $1 FOR UPDATE")
                .bind(self.tenant_id().0)
                .fetch_one(self.connection())
                .await?;
        Ok(rules)
    }

    pub async fn set_rules(&mut self, rules: &TenantRules) -> Result<(), StoreError> {
        sqlx::query("UPDATE tenants SET rules = $2 WHERE tenant_id = $1")
            .bind(self.tenant_id().0)
            .bind(Json(rules))
            .execute(self.connection())
            .await?;
        Ok(())
    }

    /// Sets the limits and notifies all servers.
    pub async fn set_limits(&mut self, limits: &TenantLimits) -> Result<(), StoreError> {
        sqlx::query("UPDATE tenants SET limits = $2 WHERE tenant_id = $1")
            .bind(self.tenant_id().0)
            .bind(Json(limits))
            .execute(self.connection())
            .await?;
        self.notify_revocation().await
    }
}

impl AcrossTenants {
    /// Inserts a tenant with an empty audit chain; `false` when the name is taken.
    pub async fn insert_tenant(&mut self, tenant: &Tenant) -> Result<bool, StoreError> {
        let added = sqlx::query(sql!("tenants/insert_with_shards"))
            .bind(tenant.tenant_id.0)
            .bind(&tenant.name)
            .bind(tenant.created_at)
            .execute(self.connection())
            .await?;
        Ok(added.rows_affected() > 0)
    }

    /// The limits of tenants that differ from the defaults.
    pub async fn special_limits(&mut self) -> Result<Vec<(TenantId, TenantLimits)>, StoreError> {
        let rows: Vec<(Uuid, Json<TenantLimits>)> =
            sqlx::query_as("SELECT tenant_id, limits FROM tenants WHERE limits <> '{}'")
                .fetch_all(self.connection())
                .await?;
        Ok(rows.into_iter().map(|(id, Json(limits))| (TenantId(id), limits)).collect())
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
