//! Keys of machines. Only the hash of a key's secret is kept.

use chrono::{DateTime, Utc};
use domain::{ApiKey, ApiKeyId, ApiKeyRecord, KeyCreator, Role, Scope, TenantId, UserId};
use serde_json::{Value, json};
use sqlx::FromRow;
use uuid::Uuid;

use crate::users::parse_role;
use crate::{AcrossTenants, Store, StoreError, Tx, Window, sql};

/// A key about to be added.
#[derive(Clone, Debug)]
pub struct NewApiKey {
    pub api_key_id: ApiKeyId,
    pub name: String,
    pub role: Role,
    pub prefix: String,
    pub secret_sha256: [u8; 32],
    pub expires_at: Option<DateTime<Utc>>,
    pub created_by: Option<KeyCreator>,
}

#[derive(FromRow)]
struct ApiKeyRow {
    api_key_id: Uuid,
    tenant_id: Uuid,
    name: String,
    role: String,
    prefix: String,
    created_at: DateTime<Utc>,
    expires_at: Option<DateTime<Utc>>,
    last_used_at: Option<DateTime<Utc>>,
    revoked_at: Option<DateTime<Utc>>,
    created_by_user: Option<Uuid>,
    created_by_email: Option<String>,
    creator_deactivated_at: Option<DateTime<Utc>>,
}

impl TryFrom<ApiKeyRow> for ApiKey {
    type Error = StoreError;

    fn try_from(row: ApiKeyRow) -> Result<Self, StoreError> {
        let creator = row.created_by_user.zip(row.created_by_email);
        Ok(Self {
            created_by: creator.map(|(id, email)| KeyCreator {
                user_id: UserId(id),
                email,
                is_active: row.creator_deactivated_at.is_none(),
            }),
            expires_at: row.expires_at,
            api_key_id: ApiKeyId(row.api_key_id),
            tenant_id: TenantId(row.tenant_id),
            name: row.name,
            role: parse_role(row.role)?,
            prefix: row.prefix,
            created_at: row.created_at,
            last_used_at: row.last_used_at,
            revoked_at: row.revoked_at,
        })
    }
}

#[derive(FromRow)]
struct CredentialRow {
    api_key_id: Uuid,
    tenant_id: Uuid,
    name: String,
    role: String,
    prefix: String,
    secret_sha256: Vec<u8>,
    expires_at: Option<DateTime<Utc>>,
    created_by_user: Option<Uuid>,
}

impl TryFrom<CredentialRow> for ApiKeyRecord {
    type Error = StoreError;

    fn try_from(row: CredentialRow) -> Result<Self, StoreError> {
        Ok(Self {
            api_key_id: ApiKeyId(row.api_key_id),
            tenant_id: TenantId(row.tenant_id),
            name: row.name,
            role: parse_role(row.role)?,
            secret_sha256: row.secret_sha256.try_into().map_err(|_| StoreError::NotUnderstood {
                what: "hash of a key",
                value: row.prefix.clone(),
            })?,
            prefix: row.prefix,
            expires_at: row.expires_at,
            created_by: row.created_by_user.map(UserId),
        })
    }
}

impl Store {
    /// Adds keys of one tenant, each asked for by its scope, with their rows in the log. This is a
    /// transaction of its own; none of the keys has been used or revoked yet.
    pub async fn add_api_keys(
        &self,
        new: Vec<(Scope, NewApiKey)>,
    ) -> Result<Vec<ApiKey>, StoreError> {
        let Some(tenant_id) = new.first().map(|(scope, _)| scope.tenant_id()) else {
            return Ok(Vec::new());
        };
        let now = self.clock.now();
        let mut columns = NewKeyColumns::default();
        let mut keys = Vec::with_capacity(new.len());
        for (scope, new) in new {
            let key = ApiKey {
                api_key_id: new.api_key_id,
                tenant_id,
                name: new.name,
                role: new.role,
                prefix: new.prefix,
                created_at: now,
                expires_at: new.expires_at,
                created_by: new.created_by,
                last_used_at: None,
                revoked_at: None,
            };
            columns.push(&key, new.secret_sha256, &scope, self.ids.next());
            keys.push(key);
        }
        sqlx::query(sql!("api_keys/insert"))
            .bind(tenant_id.0)
            .bind(columns.ids)
            .bind(columns.names)
            .bind(columns.roles)
            .bind(columns.prefixes)
            .bind(columns.hashes)
            .bind(columns.expiries)
            .bind(columns.creators)
            .bind(now)
            .bind(columns.audit_ids)
            .bind(columns.users)
            .bind(columns.actors)
            .bind(columns.details)
            .bind(columns.traces)
            .execute(&self.app)
            .await?;
        Ok(keys)
    }
}

/// New keys turned on their side, as the statement takes them.
#[derive(Default)]
struct NewKeyColumns {
    ids: Vec<Uuid>,
    names: Vec<String>,
    roles: Vec<&'static str>,
    prefixes: Vec<String>,
    hashes: Vec<[u8; 32]>,
    expiries: Vec<Option<DateTime<Utc>>>,
    creators: Vec<Option<Uuid>>,
    audit_ids: Vec<Uuid>,
    users: Vec<Option<Uuid>>,
    actors: Vec<String>,
    details: Vec<Value>,
    traces: Vec<Option<String>>,
}

impl NewKeyColumns {
    fn push(&mut self, key: &ApiKey, hash: [u8; 32], scope: &Scope, audit_id: Uuid) {
        self.ids.push(key.api_key_id.0);
        self.names.push(key.name.clone());
        self.roles.push(key.role.as_str());
        self.prefixes.push(key.prefix.clone());
        self.hashes.push(hash);
        self.expiries.push(key.expires_at);
        self.creators.push(key.created_by.as_ref().map(|creator| creator.user_id.0));
        self.audit_ids.push(audit_id);
        self.users.push(scope.actor().user_id().map(|id| id.0));
        self.actors.push(scope.actor().to_string());
        self.details.push(json!({
            "name": key.name,
            "role": key.role,
            "prefix": key.prefix,
            "expires_at": key.expires_at,
        }));
        self.traces.push(scope.trace_id().map(|trace| trace.to_string()));
    }
}

impl Tx {
    pub async fn find_api_key(&mut self, id: ApiKeyId) -> Result<Option<ApiKey>, StoreError> {
        let row: Option<ApiKeyRow> = sqlx::query_as(sql!("api_keys/find"))
            .bind(self.tenant_id().0)
            .bind(id.0)
            .fetch_optional(self.connection())
            .await?;
        row.map(ApiKey::try_from).transpose()
    }

    pub async fn list_api_keys(&mut self, window: &Window) -> Result<Vec<ApiKey>, StoreError> {
        let rows: Vec<ApiKeyRow> = sqlx::query_as(sql!("api_keys/page"))
            .bind(self.tenant_id().0)
            .bind(window.moment())
            .bind(window.id())
            .bind(window.skip)
            .bind(window.limit)
            .fetch_all(self.connection())
            .await?;
        rows.into_iter().map(ApiKey::try_from).collect()
    }

    /// Ends a key's access; `false` when it had ended before, or there is no such key.
    pub async fn revoke_api_key(&mut self, id: ApiKeyId) -> Result<bool, StoreError> {
        let revoked = sqlx::query(sql!("api_keys/revoke"))
            .bind(self.tenant_id().0)
            .bind(id.0)
            .bind(self.now())
            .execute(self.connection())
            .await?;
        if revoked.rows_affected() > 0 {
            self.announce_revocation().await?;
        }
        Ok(revoked.rows_affected() > 0)
    }
}

impl AcrossTenants {
    /// The live key with this public prefix.
    pub async fn find_api_key_by_prefix(
        &mut self,
        prefix: &str,
    ) -> Result<Option<ApiKeyRecord>, StoreError> {
        let row: Option<CredentialRow> = sqlx::query_as(sql!("api_keys/find_by_prefix"))
            .bind(prefix)
            .fetch_optional(self.connection())
            .await?;
        row.map(ApiKeyRecord::try_from).transpose()
    }

    /// Notes when keys were last used, many at once.
    pub async fn touch_api_keys(
        &mut self,
        used: &[(ApiKeyId, DateTime<Utc>)],
    ) -> Result<(), StoreError> {
        let (ids, moments): (Vec<Uuid>, Vec<DateTime<Utc>>) =
            used.iter().map(|(id, at)| (id.0, *at)).unzip();
        sqlx::query(sql!("api_keys/touch"))
            .bind(ids)
            .bind(moments)
            .execute(self.connection())
            .await?;
        Ok(())
    }
}
