//! Passwords of originals: encrypted at rest, compared by a keyed hash, deleted when they are no longer needed.
//!
//! The password of a submitted document is stored as a secret of its run (`secrets.rs`), because stages, page images and
//! reruns must open the original. A *check*, a keyed hash of content and password, is stored with the run and with each
//! owner who presented one: another uploader of the same document proves with it that they know the password.
//! `sql/passwords/delete_unneeded.sql` defines how long a sealed password is stored.

use chrono::{DateTime, Utc};
use domain::{ContentHash, DocId, RunId, Secret, TenantId};
use hmac::{Hmac, Mac};
use sha2::Sha256;
use sqlx::FromRow;
use uuid::Uuid;

use crate::documents::content_hash;
use crate::secrets::{KEY_LOCK, SecretBinding, SecretKey, SecretKeys};
use crate::{AcrossTenants, SecretPurpose, Store, StoreError, Tx, sql};

/// Identifies a password without revealing it.
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

fn binding_of(tenant_id: TenantId, run_id: RunId) -> SecretBinding<'static> {
    let purpose = SecretPurpose::DocumentPassword.as_str();
    SecretBinding { tenant_id, purpose, secret_id: run_id.0 }
}

/// A plaintext password, from before passwords were sealed.
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
    const SEAL_BATCH: i64 = 500;

    /// Seals plaintext passwords, from before passwords were sealed.
    pub(crate) async fn seal_clear_passwords(&self, key: &SecretKey) -> Result<(), StoreError> {
        loop {
            let mut across = self.across_tenants().await?;
            let sealed = across.seal_some_passwords(key, Self::SEAL_BATCH).await?;
            across.commit().await?;
            if sealed == 0 {
                return Ok(());
            }
            tracing::info!(passwords = sealed, "sealed plaintext document passwords");
        }
    }

    /// The password of a run; `None` when it has none or it cannot be decrypted, which is logged.
    pub(crate) fn opened_password(
        &self,
        (tenant, run): (TenantId, RunId),
        sealed: Option<&[u8]>,
    ) -> Option<Secret> {
        opened(self.secret_keys.as_deref(), binding_of(tenant, run), sealed)
    }
}

fn opened(
    keys: Option<&SecretKeys>,
    binding: SecretBinding<'_>,
    sealed: Option<&[u8]>,
) -> Option<Secret> {
    let sealed = sealed?;
    let opened = keys.and_then(|keys| keys.open(binding, sealed));
    if opened.is_none() {
        tracing::error!(run_id = %binding.secret_id, "the password of a run cannot be decrypted with this secrets_key");
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
        opened(self.secret_keys.as_deref(), binding_of(self.tenant_id(), run_id), sealed)
    }

    /// The stored password of a document's original: the latest one that opened it, otherwise the latest one.
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

    /// Whether this password, or none, opens the document.
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
    /// Deletes the passwords that are no longer needed; failed runs that ended before this moment are not retried.
    /// Returns how many.
    pub async fn delete_unneeded_passwords(
        &mut self,
        failed_before: DateTime<Utc>,
    ) -> Result<u64, StoreError> {
        let deleted = sqlx::query(sql!("passwords/delete_unneeded"))
            .bind(failed_before)
            .execute(self.connection())
            .await?;
        Ok(deleted.rows_affected())
    }

    async fn seal_some_passwords(
        &mut self,
        key: &SecretKey,
        max: i64,
    ) -> Result<usize, StoreError> {
        let hasher = self.store().secret_keys()?.checks().ok_or(StoreError::NoSecretsKey)?;
        sqlx::query("SELECT pg_advisory_xact_lock_shared($1)")
            .bind(KEY_LOCK)
            .execute(self.connection())
            .await?;
        // The key is being replaced: the next process that starts seals them.
        let is_current: bool = sqlx::query_scalar("SELECT docket_is_secrets_key($1)")
            .bind(key.id().as_slice())
            .fetch_one(self.connection())
            .await?;
        if !is_current {
            return Ok(0);
        }
        let clear: Vec<ClearPassword> = sqlx::query_as(sql!("passwords/in_the_clear"))
            .bind(max)
            .fetch_all(self.connection())
            .await?;
        for row in &clear {
            let (tenant, run) = (TenantId(row.tenant_id), RunId(row.run_id));
            let password = Secret::new(row.password.clone());
            let sealed = key.seal(binding_of(tenant, run), row.password.as_bytes());
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
