//! Passwords of originals: sealed at rest, compared without being kept, deleted when nobody needs them.
//!
//! The password that came with a document is kept as a secret of its run (`secrets.rs`), because stages, pictures of
//! pages and reruns have to open the original. A *check*, a keyed hash of content and password, is kept with the run and
//! with each owner who presented one: whoever brings the same document proves with it that they know the password.
//! `sql/passwords/forget.sql` says how long a sealed password is kept.

use chrono::{DateTime, Utc};
use domain::{ContentHash, DocId, RunId, Secret, TenantId};
use hmac::{Hmac, Mac};
use sha2::Sha256;
use sqlx::FromRow;
use uuid::Uuid;

use crate::documents::content_hash;
use crate::secrets::{KEY_LOCK, SecretKey, SecretKeys, SecretPlace};
use crate::{AcrossTenants, SecretPurpose, Store, StoreError, Tx, sql};

/// Tells a password from another one without telling which it is.
pub(crate) type PasswordCheck = [u8; 32];

fn check(
    hasher: Hmac<Sha256>,
    tenant: TenantId,
    content: &ContentHash,
    password: &Secret,
) -> PasswordCheck {
    let check = hasher.chain_update(tenant.0.as_bytes()).chain_update(content.as_bytes());
    check.chain_update(password.reveal().as_bytes()).finalize().into_bytes().into()
}

fn place(tenant_id: TenantId, run_id: RunId) -> SecretPlace<'static> {
    let purpose = SecretPurpose::DocumentPassword.as_str();
    SecretPlace { tenant_id, purpose, secret_id: run_id.0 }
}

/// A password from before passwords were sealed.
#[derive(FromRow)]
struct ClearPassword {
    run_id: Uuid,
    tenant_id: Uuid,
    doc_id: Uuid,
    content_sha256: Option<Vec<u8>>,
    created_by: Option<String>,
    password: String,
}

impl Store {
    const SEALED_AT_ONCE: i64 = 500;

    /// Seals passwords that are there in the clear, from before they were sealed.
    pub(crate) async fn seal_clear_passwords(&self, key: &SecretKey) -> Result<(), StoreError> {
        loop {
            let mut across = self.across_tenants().await?;
            let sealed = across.seal_some_passwords(key, Self::SEALED_AT_ONCE).await?;
            across.commit().await?;
            if sealed == 0 {
                return Ok(());
            }
            tracing::info!(passwords = sealed, "sealed document passwords that were in the clear");
        }
    }

    /// The password that a run keeps; `None` when it keeps none or it cannot be opened, which is logged.
    pub(crate) fn opened_password(
        &self,
        (tenant, run): (TenantId, RunId),
        sealed: Option<&[u8]>,
    ) -> Option<Secret> {
        opened(self.secret_keys.as_deref(), place(tenant, run), sealed)
    }
}

fn opened(
    keys: Option<&SecretKeys>,
    place: SecretPlace<'_>,
    sealed: Option<&[u8]>,
) -> Option<Secret> {
    let sealed = sealed?;
    let opened = keys.and_then(|keys| keys.open(place, sealed));
    if opened.is_none() {
        tracing::error!(run_id = %place.secret_id, "the password of a run cannot be opened with this secrets_key");
    }
    opened
}

impl Tx {
    pub(crate) fn password_check(
        &self,
        content: &ContentHash,
        password: Option<&Secret>,
    ) -> Result<Option<PasswordCheck>, StoreError> {
        let Some(password) = password else { return Ok(None) };
        let hasher = self.secret_keys()?.checks().ok_or(StoreError::NoSecretsKey)?;
        Ok(Some(check(hasher, self.tenant_id(), content, password)))
    }

    pub(crate) fn opened_password(&self, run_id: RunId, sealed: Option<&[u8]>) -> Option<Secret> {
        opened(self.secret_keys.as_deref(), place(self.tenant_id(), run_id), sealed)
    }

    /// The password of a document's original, as far as it is kept: the latest one that opened it, else the latest.
    pub async fn password_of(
        &mut self,
        doc_id: DocId,
        content: &ContentHash,
    ) -> Result<Option<Secret>, StoreError> {
        let found: Option<(Uuid, Vec<u8>)> = sqlx::query_as(sql!("passwords/of_document"))
            .bind(self.tenant_id().0)
            .bind(doc_id.0)
            .bind(content.as_bytes().as_slice())
            .fetch_optional(self.connection())
            .await?;
        Ok(found.and_then(|(run_id, sealed)| self.opened_password(RunId(run_id), Some(&sealed))))
    }

    /// Whether a document can be opened with this password, or without one: it has none, or this is it.
    pub async fn password_opens(
        &mut self,
        doc_id: DocId,
        content: &ContentHash,
        password: Option<&Secret>,
    ) -> Result<bool, StoreError> {
        let check = self.password_check(content, password)?;
        Ok(sqlx::query_scalar("SELECT NOT docket_content_locked($1, $2)")
            .bind(doc_id.0)
            .bind(check.as_ref().map(<[u8; 32]>::as_slice))
            .fetch_one(self.connection())
            .await?)
    }
}

impl AcrossTenants {
    /// Deletes the passwords that nobody needs any more; failed runs that ended before a moment are not retried.
    /// Returns how many.
    pub async fn forget_passwords(
        &mut self,
        failed_before: DateTime<Utc>,
    ) -> Result<u64, StoreError> {
        let forgotten = sqlx::query(sql!("passwords/forget"))
            .bind(failed_before)
            .execute(self.connection())
            .await?;
        Ok(forgotten.rows_affected())
    }

    async fn seal_some_passwords(
        &mut self,
        key: &SecretKey,
        most: i64,
    ) -> Result<usize, StoreError> {
        let hasher = self.store().secret_keys()?.checks().ok_or(StoreError::NoSecretsKey)?;
        sqlx::query("SELECT pg_advisory_xact_lock_shared($1)")
            .bind(KEY_LOCK)
            .execute(self.connection())
            .await?;
        // The key is being replaced: whoever starts next seals them.
        let is_current: bool = sqlx::query_scalar("SELECT docket_is_secrets_key($1)")
            .bind(key.id().as_slice())
            .fetch_one(self.connection())
            .await?;
        if !is_current {
            return Ok(0);
        }
        let clear: Vec<ClearPassword> = sqlx::query_as(sql!("passwords/in_the_clear"))
            .bind(most)
            .fetch_all(self.connection())
            .await?;
        for row in &clear {
            let (tenant, run) = (TenantId(row.tenant_id), RunId(row.run_id));
            let password = Secret::new(row.password.clone());
            let sealed = key.seal(place(tenant, run), row.password.as_bytes());
            let content = row.content_sha256.as_deref().map(content_hash).transpose()?;
            let check = content.map(|content| check(hasher.clone(), tenant, &content, &password));
            sqlx::query(sql!("passwords/seal"))
                .bind(row.run_id)
                .bind(sealed.ok_or(StoreError::NoSecretsKey)?)
                .bind(check.as_ref().map(<[u8; 32]>::as_slice))
                .bind(row.doc_id)
                .bind(&row.created_by)
                .bind(key.id().as_slice())
                .execute(self.connection())
                .await?;
        }
        Ok(clear.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secrets::keyed;

    #[test]
    fn a_check_depends_on_key_tenant_content_and_password() {
        let tenants = [1, 2].map(|id| TenantId(Uuid::from_u128(id)));
        let contents = [ContentHash([1; 32]), ContentHash([2; 32])];
        let check = |key: u8, tenant: usize, content: usize, password: &str| {
            check(keyed(&[key; 32]), tenants[tenant], &contents[content], &Secret::new(password))
        };
        let one = check(0, 0, 0, "a");
        assert_eq!(one, check(0, 0, 0, "a"));
        for other in
            [check(1, 0, 0, "a"), check(0, 1, 0, "a"), check(0, 0, 1, "a"), check(0, 0, 0, "b")]
        {
            assert_ne!(one, other);
        }
    }
}
