//! Passwords of originals: sealed at rest, compared without being kept, deleted when nobody needs them.
//!
//! A run keeps the password that came with its document *sealed* (XChaCha20-Poly1305), because stages, pictures of
//! pages and reruns have to open the original. A *check*, a keyed hash of content and password, is kept beside it and with
//! each owner who presented one: whoever brings the same document proves with it that they know the password.
//! `sql/passwords/forget.sql` says how long a sealed password is kept. The keys are derived from one secret that
//! is not in the database.

use std::fmt;
use std::sync::Arc;

use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use chrono::{DateTime, Utc};
use domain::{ContentHash, DocId, RunId, Secret, TenantId};
use hkdf::Hkdf;
use hmac::{Hmac, KeyInit as _, Mac};
use sha2::Sha256;
use sqlx::FromRow;
use uuid::Uuid;

use crate::documents::content_hash;
use crate::{AcrossTenants, Store, StoreError, Tx, sql};

/// The keys for passwords of originals.
pub struct PasswordSeal {
    cipher: XChaCha20Poly1305,
    nonces: Hmac<Sha256>,
    checks: Hmac<Sha256>,
}

/// Tells a password from another one without telling which it is.
pub(crate) type PasswordCheck = [u8; 32];

const VERSION: u8 = 1;
const NONCE_LENGTH: usize = 24;

impl PasswordSeal {
    /// Derives the keys from one secret.
    pub fn new(master: &Secret) -> Self {
        let derived = Hkdf::<Sha256>::new(Some(b"docket"), master.reveal().as_bytes());
        let key = |purpose: &[u8]| {
            let mut key = [0; 32];
            // Fails for more than 8160 bytes only.
            if derived.expand(purpose, &mut key).is_err() {
                unreachable!("32 bytes can be derived");
            }
            key
        };
        let mac = |purpose: &[u8]| {
            let mut block = [0; 64];
            block[..32].copy_from_slice(&key(purpose));
            Hmac::<Sha256>::new(&block.into())
        };
        Self {
            cipher: XChaCha20Poly1305::new(&key(b"document password: encryption, v1").into()),
            nonces: mac(b"document password: nonce, v1"),
            checks: mac(b"document password: check, v1"),
        }
    }

    /// Bound to its run: moved to another one it cannot be opened.
    fn seal(&self, (tenant, run): (TenantId, RunId), password: &Secret) -> Option<Vec<u8>> {
        let place = place(tenant, run);
        let text = password.reveal().as_bytes();
        // Made from what is sealed and where: the same nonce never comes with two texts.
        let nonce = self.nonces.clone().chain_update(place).chain_update(text).finalize();
        let nonce: [u8; NONCE_LENGTH] = nonce.into_bytes()[..NONCE_LENGTH].try_into().ok()?;
        let payload = Payload { msg: text, aad: &place };
        let sealed = self.cipher.encrypt(&XNonce::from(nonce), payload).ok()?;
        Some([&[VERSION][..], &nonce, &sealed].concat())
    }

    fn open(&self, (tenant, run): (TenantId, RunId), sealed: &[u8]) -> Option<Secret> {
        let (version, rest) = sealed.split_first()?;
        if *version != VERSION || rest.len() < NONCE_LENGTH {
            return None;
        }
        let (nonce, sealed) = rest.split_at(NONCE_LENGTH);
        let nonce: [u8; NONCE_LENGTH] = nonce.try_into().ok()?;
        let payload = Payload { msg: sealed, aad: &place(tenant, run) };
        let text = self.cipher.decrypt(&XNonce::from(nonce), payload).ok()?;
        String::from_utf8(text).ok().map(Secret::new)
    }

    fn check(&self, tenant: TenantId, content: &ContentHash, password: &Secret) -> PasswordCheck {
        let check = self.checks.clone().chain_update(tenant.0.as_bytes());
        let check = check.chain_update(content.as_bytes());
        check.chain_update(password.reveal().as_bytes()).finalize().into_bytes().into()
    }

    /// Tells this key from another one.
    fn key_check(&self) -> PasswordCheck {
        self.checks.clone().chain_update(b"the key itself").finalize().into_bytes().into()
    }
}

fn place(tenant: TenantId, run: RunId) -> [u8; 32] {
    let mut place = [0; 32];
    place[..16].copy_from_slice(tenant.0.as_bytes());
    place[16..].copy_from_slice(run.0.as_bytes());
    place
}

impl fmt::Debug for PasswordSeal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PasswordSeal(hidden)")
    }
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

    /// Seals passwords with this key from now on, and those that are there in the clear. Refuses a key that is
    /// not the one that what is there was sealed with.
    pub async fn seal_passwords_with(self, seal: PasswordSeal) -> Result<Self, StoreError> {
        let mut across = self.across_tenants().await?;
        let known: bool = sqlx::query_scalar(sql!("passwords/know_key"))
            .bind(seal.key_check().as_slice())
            .fetch_one(across.connection())
            .await?;
        across.commit().await?;
        if !known {
            return Err(StoreError::OtherSecretsKey);
        }
        let mut store = self;
        store.seal = Some(Arc::new(seal));
        store.seal_clear_passwords().await?;
        Ok(store)
    }

    /// Seals passwords that are there in the clear: from before they were sealed, or from a process of that time.
    pub async fn seal_clear_passwords(&self) -> Result<(), StoreError> {
        loop {
            let mut across = self.across_tenants().await?;
            let sealed = across.seal_some_passwords(Self::SEALED_AT_ONCE).await?;
            across.commit().await?;
            if sealed == 0 {
                return Ok(());
            }
            tracing::info!(passwords = sealed, "sealed document passwords that were in the clear");
        }
    }

    pub(crate) fn seal(&self) -> Result<&Arc<PasswordSeal>, StoreError> {
        self.seal.as_ref().ok_or(StoreError::NoSecretsKey)
    }

    /// The password that a run keeps; `None` when it keeps none or it cannot be opened, which is logged.
    pub(crate) fn opened_password(
        &self,
        place: (TenantId, RunId),
        sealed: Option<&[u8]>,
    ) -> Option<Secret> {
        opened(self.seal.as_deref(), place, sealed)
    }
}

fn opened(
    seal: Option<&PasswordSeal>,
    place: (TenantId, RunId),
    sealed: Option<&[u8]>,
) -> Option<Secret> {
    let sealed = sealed?;
    let opened = seal.and_then(|seal| seal.open(place, sealed));
    if opened.is_none() {
        tracing::error!(run_id = %place.1, "the password of a run cannot be opened with this secrets_key");
    }
    opened
}

/// What is stored of a run's password.
pub(crate) struct StoredPassword {
    pub(crate) sealed: Vec<u8>,
    pub(crate) check: Option<PasswordCheck>,
}

impl Tx {
    fn password_seal(&self) -> Result<&PasswordSeal, StoreError> {
        self.seal.as_deref().ok_or(StoreError::NoSecretsKey)
    }

    pub(crate) fn stored_password(
        &self,
        run_id: RunId,
        content: Option<&ContentHash>,
        password: Option<&Secret>,
    ) -> Result<Option<StoredPassword>, StoreError> {
        let Some(password) = password else { return Ok(None) };
        let (seal, tenant) = (self.password_seal()?, self.tenant_id());
        let sealed = seal.seal((tenant, run_id), password).ok_or(StoreError::NoSecretsKey)?;
        let check = content.map(|content| seal.check(tenant, content, password));
        Ok(Some(StoredPassword { sealed, check }))
    }

    pub(crate) fn password_check(
        &self,
        content: &ContentHash,
        password: Option<&Secret>,
    ) -> Result<Option<PasswordCheck>, StoreError> {
        let Some(password) = password else { return Ok(None) };
        Ok(Some(self.password_seal()?.check(self.tenant_id(), content, password)))
    }

    pub(crate) fn opened_password(&self, run_id: RunId, sealed: Option<&[u8]>) -> Option<Secret> {
        opened(self.seal.as_deref(), (self.tenant_id(), run_id), sealed)
    }

    /// The password of a document's original, as far as it is kept: the latest one that opened it, else the latest.
    pub async fn password_of(&mut self, doc_id: DocId) -> Result<Option<Secret>, StoreError> {
        let found: Option<(Uuid, Vec<u8>)> = sqlx::query_as(sql!("passwords/of_document"))
            .bind(self.tenant_id().0)
            .bind(doc_id.0)
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

    async fn seal_some_passwords(&mut self, most: i64) -> Result<usize, StoreError> {
        let clear: Vec<ClearPassword> = sqlx::query_as(sql!("passwords/in_the_clear"))
            .bind(most)
            .fetch_all(self.connection())
            .await?;
        for row in &clear {
            let (tenant, run) = (TenantId(row.tenant_id), RunId(row.run_id));
            let password = Secret::new(row.password.clone());
            let seal = Arc::clone(self.store().seal()?);
            let sealed = seal.seal((tenant, run), &password).ok_or(StoreError::NoSecretsKey)?;
            let content = row.content_sha256.as_deref().map(content_hash).transpose()?;
            let check = content.map(|content| seal.check(tenant, &content, &password));
            sqlx::query(sql!("passwords/seal"))
                .bind(row.run_id)
                .bind(sealed)
                .bind(check.as_ref().map(<[u8; 32]>::as_slice))
                .bind(row.doc_id)
                .bind(&row.created_by)
                .execute(self.connection())
                .await?;
        }
        Ok(clear.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places() -> [(TenantId, RunId); 2] {
        [1, 2].map(|id| (TenantId(Uuid::from_u128(7)), RunId(Uuid::from_u128(id))))
    }

    #[test]
    fn a_sealed_password_opens_in_its_place_with_its_key() {
        let seal = PasswordSeal::new(&Secret::new("a master key"));
        let [here, elsewhere] = places();
        let sealed = seal.seal(here, &Secret::new("open sesame")).unwrap();
        assert!(!sealed.windows(6).any(|part| part == b"sesame"));
        assert_eq!(seal.open(here, &sealed), Some(Secret::new("open sesame")));
        assert_eq!(seal.open(elsewhere, &sealed), None, "moved to another run");
        let other = PasswordSeal::new(&Secret::new("another key"));
        assert_eq!(other.open(here, &sealed), None);
        for cut in 0..sealed.len() {
            assert_eq!(seal.open(here, &sealed[..cut]), None, "{cut} bytes of it");
        }
        let mut changed = sealed;
        changed[30] ^= 1;
        assert_eq!(seal.open(here, &changed), None);
    }

    #[test]
    fn a_check_depends_on_tenant_content_and_password() {
        let seal = PasswordSeal::new(&Secret::new("a master key"));
        let tenants = [1, 2].map(|id| TenantId(Uuid::from_u128(id)));
        let contents = [ContentHash([1; 32]), ContentHash([2; 32])];
        let check = |tenant: usize, content: usize, password: &str| {
            seal.check(tenants[tenant], &contents[content], &Secret::new(password))
        };
        let one = check(0, 0, "a");
        assert_eq!(one, check(0, 0, "a"));
        for other in [check(1, 0, "a"), check(0, 1, "a"), check(0, 0, "b"), seal.key_check()] {
            assert_ne!(one, other);
        }
    }
}
