//! API keys. Only the hash of a key's secret is stored.

use chrono::{DateTime, Utc};
use domain::{ApiKey, ApiKeyId, ApiKeyRecord, KeyCreator, Role, TenantId, UserId};
use sqlx::FromRow;
use uuid::Uuid;

use crate::users::parse_role;
use crate::{AcrossTenants, StoreError, Tx, Window, sql};

/// A key to be inserted.
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
            secret_sha256: row.secret_sha256.try_into().map_err(|_| StoreError::Unreadable {
                what: "hash of a key",
                value: row.prefix.clone(),
            })?,
            prefix: row.prefix,
            expires_at: row.expires_at,
            created_by: row.created_by_user.map(UserId),
        })
    }
}

impl Tx {
    /// Inserts a key that the scope's actor creates.
    pub async fn insert_api_key(&mut self, new: NewApiKey) -> Result<ApiKey, StoreError> {
        let key = ApiKey {
            api_key_id: new.api_key_id,
            tenant_id: self.tenant_id(),
            name: new.name,
            role: new.role,
            prefix: new.prefix,
            created_at: self.now(),
            expires_at: new.expires_at,
            created_by: new.created_by,
            last_used_at: None,
            revoked_at: None,
        };
        sqlx::query(sql!("api_keys/insert"))
            .bind(key.api_key_id.0)
            .bind(key.tenant_id.0)
            .bind(&key.name)
            .bind(key.role.as_str())
            .bind(&key.prefix)
            .bind(new.secret_sha256)
            .bind(key.expires_at)
            .bind(self.scope().actor().to_string())
            .bind(key.created_by.as_ref().map(|creator| creator.user_id.0))
            .bind(key.created_at)
            .execute(self.connection())
            .await?;
        Ok(key)
    }

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

    /// Revokes a key; `false` when it was revoked before or does not exist.
    pub async fn revoke_api_key(&mut self, id: ApiKeyId) -> Result<bool, StoreError> {
        let revoked = sqlx::query(sql!("api_keys/revoke"))
            .bind(self.tenant_id().0)
            .bind(id.0)
            .bind(self.now())
            .execute(self.connection())
            .await?;
        if revoked.rows_affected() > 0 {
            self.notify_revocation().await?;
        }
        Ok(revoked.rows_affected() > 0)
    }
}

impl AcrossTenants {
    /// The valid key with this public prefix.
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

    /// Records when keys were last used, many at once.
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
