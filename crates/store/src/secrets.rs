//! Secrets at rest, such as passwords of originals.
//!
//! A secret is *sealed* (encrypted with XChaCha20-Poly1305) with a key that is not in the database, and bound to its
//! tenant, purpose and id. The row says which key sealed it. To *rotate* the key is to seal everything with another one
//! while servers run: they read with any key they have, and write only with the key that the database names.

use std::fmt;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use domain::{Secret, TenantId};
use hkdf::Hkdf;
use hmac::{Hmac, KeyInit as _, Mac};
use sha2::Sha256;
use sqlx::FromRow;
use uuid::Uuid;

use crate::{Store, StoreError, Tx, sql};

/// The purpose of a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecretPurpose {
    /// Opens the original of a run; its id is the run's.
    DocumentPassword,
}

impl SecretPurpose {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::DocumentPassword => "document_password",
        }
    }
}

/// The tenant, purpose and id that a secret is bound to: it cannot be decrypted under another binding.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SecretBinding<'a> {
    pub(crate) tenant_id: TenantId,
    pub(crate) purpose: &'a str,
    pub(crate) secret_id: Uuid,
}

impl SecretBinding<'_> {
    fn bytes(self, version: u8) -> Vec<u8> {
        let ids = [*self.tenant_id.0.as_bytes(), *self.secret_id.as_bytes()].concat();
        // The first version had one purpose only.
        if version == FIRST_VERSION {
            ids
        } else {
            [ids.as_slice(), self.purpose.as_bytes()].concat()
        }
    }
}

const FIRST_VERSION: u8 = 1;
const VERSION: u8 = 2;
const NONCE_LENGTH: usize = 24;
/// A writer of a secret holds this lock shared, and a rotation holds it exclusively: no secret is written with a key that
/// was just replaced.
pub(crate) const KEY_LOCK: i64 = 0x0064_6f63_6b65_7401;

type Hash = [u8; 32];

/// Identifies a key without revealing it.
pub(crate) type KeyId = Hash;

/// The keys that are derived from one master key.
pub(crate) struct SecretKey {
    id: KeyId,
    ciphers: [(u8, XChaCha20Poly1305); 2],
    nonces: Hmac<Sha256>,
    /// The key of password checks while this was the first key.
    check_key: Hash,
}

impl SecretKey {
    fn new(master: &Secret) -> Self {
        let derived = Hkdf::<Sha256>::new(Some(b"docket"), master.reveal().as_bytes());
        let key = |purpose: &[u8]| {
            let mut key = [0; 32];
            // This fails only for more than 8160 bytes.
            if derived.expand(purpose, &mut key).is_err() {
                unreachable!("32 bytes can be derived");
            }
            key
        };
        let cipher = |purpose: &[u8]| XChaCha20Poly1305::new(&key(purpose).into());
        let check_key = key(b"document password: check, v1");
        let id = keyed(&check_key).chain_update(b"the key itself").finalize().into_bytes().into();
        Self {
            id,
            ciphers: [
                (VERSION, cipher(b"secret: encryption, v2")),
                (FIRST_VERSION, cipher(b"document password: encryption, v1")),
            ],
            nonces: keyed(&key(b"secret: nonce, v2")),
            check_key,
        }
    }

    pub(crate) fn id(&self) -> &KeyId {
        &self.id
    }

    pub(crate) fn seal(&self, binding: SecretBinding<'_>, text: &[u8]) -> Option<Vec<u8>> {
        let context = binding.bytes(VERSION);
        // The nonce is derived from text and binding, so that no nonce is used for two texts.
        let length = (context.len() as u64).to_be_bytes();
        let hashed = self.nonces.clone().chain_update(length).chain_update(&context);
        let nonce = hashed.chain_update(text).finalize();
        let nonce: [u8; NONCE_LENGTH] = nonce.into_bytes()[..NONCE_LENGTH].try_into().ok()?;
        let [(version, cipher), _] = &self.ciphers;
        let payload = Payload { msg: text, aad: &context };
        let sealed = cipher.encrypt(&XNonce::from(nonce), payload).ok()?;
        Some([&[*version][..], &nonce, &sealed].concat())
    }

    fn open(&self, binding: SecretBinding<'_>, sealed: &[u8]) -> Option<Vec<u8>> {
        let (version, rest) = sealed.split_first()?;
        let (_, cipher) = self.ciphers.iter().find(|(known, _)| known == version)?;
        let (nonce, sealed) = rest.split_at_checked(NONCE_LENGTH)?;
        let nonce: [u8; NONCE_LENGTH] = nonce.try_into().ok()?;
        let payload = Payload { msg: sealed, aad: &binding.bytes(*version) };
        cipher.decrypt(&XNonce::from(nonce), payload).ok()
    }
}

pub(crate) fn keyed(key: &Hash) -> Hmac<Sha256> {
    let mut block = [0; 64];
    block[..32].copy_from_slice(key);
    Hmac::<Sha256>::new(&block.into())
}

/// Loads the master keys: the current one first, then replaced ones that may still be needed.
pub type LoadKeys = Box<dyn Fn() -> Vec<Secret> + Send + Sync>;

/// The keys that this process has.
pub struct SecretKeys {
    load: LoadKeys,
    loaded: RwLock<Vec<Arc<SecretKey>>>,
    /// The key of password checks, once it was read from the database.
    check_key: OnceLock<Hash>,
}

impl SecretKeys {
    /// Loads the keys now, and again when none of them opens a secret.
    pub fn new(load: LoadKeys) -> Self {
        let loaded = RwLock::new(derive(&load));
        Self { load, loaded, check_key: OnceLock::new() }
    }

    /// One key that never changes.
    pub fn of(master: Secret) -> Self {
        Self::new(Box::new(move || vec![master.clone()]))
    }

    fn loaded(&self) -> Vec<Arc<SecretKey>> {
        self.loaded.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn reload(&self) -> Vec<Arc<SecretKey>> {
        let keys = derive(&self.load);
        self.loaded.write().unwrap_or_else(PoisonError::into_inner).clone_from(&keys);
        keys
    }

    /// `None` when no key of this process decrypts it.
    pub(crate) fn open(&self, binding: SecretBinding<'_>, sealed: &[u8]) -> Option<Secret> {
        let text = self.open_bytes(binding, sealed)?;
        String::from_utf8(text).ok().map(Secret::new)
    }

    fn open_bytes(&self, binding: SecretBinding<'_>, sealed: &[u8]) -> Option<Vec<u8>> {
        let by_one =
            |keys: Vec<Arc<SecretKey>>| keys.iter().find_map(|key| key.open(binding, sealed));
        by_one(self.loaded()).or_else(|| by_one(self.reload()))
    }

    /// The key of password checks.
    pub(crate) fn checks(&self) -> Option<Hmac<Sha256>> {
        self.check_key.get().map(keyed)
    }
}

fn derive(load: &LoadKeys) -> Vec<Arc<SecretKey>> {
    load().iter().map(|master| Arc::new(SecretKey::new(master))).collect()
}

impl fmt::Debug for SecretKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretKeys(hidden)")
    }
}

/// The binding of the key of password checks, which belongs to no tenant.
fn check_key_binding() -> SecretBinding<'static> {
    SecretBinding { tenant_id: TenantId(Uuid::nil()), purpose: "check_key", secret_id: Uuid::nil() }
}

#[derive(FromRow)]
struct SecretRow {
    tenant_id: Uuid,
    purpose: String,
    secret_id: Uuid,
    sealed: Vec<u8>,
}

impl SecretRow {
    fn binding(&self) -> SecretBinding<'_> {
        let (tenant_id, secret_id) = (TenantId(self.tenant_id), self.secret_id);
        SecretBinding { tenant_id, purpose: &self.purpose, secret_id }
    }
}

/// The result of a rotation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RotationResult {
    pub sealed_again: u64,
    /// Secrets that no key decrypts; they stay as they are.
    pub unreadable: u64,
}

impl Store {
    const ROTATE_BATCH: i64 = 500;

    /// Uses these keys from now on, and seals plaintext secrets. Fails when none of the keys is the one that sealed the
    /// existing secrets.
    pub async fn with_secret_keys(self, keys: SecretKeys) -> Result<Self, StoreError> {
        let loaded = keys.loaded();
        let first = loaded.first().ok_or(StoreError::NoSecretsKey)?;
        let mut across = self.across_tenants().await?;
        let (current, check_key): (Vec<u8>, Option<Vec<u8>>) =
            sqlx::query_as(sql!("secrets/register_key"))
                .bind(first.id.as_slice())
                .fetch_one(across.connection())
                .await?;
        across.commit().await?;
        let current = loaded.iter().find(|key| key.id.as_slice() == current);
        let current = current.ok_or(StoreError::OtherSecretsKey)?;
        let check_key = match check_key {
            None => current.check_key,
            Some(sealed) => keys
                .open_bytes(check_key_binding(), &sealed)
                .and_then(|key| key.try_into().ok())
                .ok_or(StoreError::OtherSecretsKey)?,
        };
        keys.check_key.set(check_key).ok();
        let mut store = self;
        store.secret_keys = Some(Arc::new(keys));
        store.seal_clear_passwords(current).await?;
        Ok(store)
    }

    pub(crate) fn secret_keys(&self) -> Result<&Arc<SecretKeys>, StoreError> {
        self.secret_keys.as_ref().ok_or(StoreError::NoSecretsKey)
    }

    /// Seals all secrets with the current key. It may run while servers run, and again after it was interrupted.
    pub async fn rotate_secrets(&self) -> Result<RotationResult, StoreError> {
        let keys = self.secret_keys()?;
        let new = keys.reload().into_iter().next().ok_or(StoreError::NoSecretsKey)?;
        let check_key = keys.check_key.get().ok_or(StoreError::NoSecretsKey)?;
        let check_key = new.seal(check_key_binding(), check_key).ok_or(StoreError::NoSecretsKey)?;
        let mut across = self.across_tenants().await?;
        sqlx::query("SELECT pg_advisory_xact_lock($1)")
            .bind(KEY_LOCK)
            .execute(across.connection())
            .await?;
        sqlx::query("UPDATE secrets_key SET key_check = $1, check_key = $2")
            .bind(new.id.as_slice())
            .bind(check_key)
            .execute(across.connection())
            .await?;
        across.commit().await?;
        let mut rotated = RotationResult::default();
        let mut after = (Uuid::nil(), String::new(), Uuid::nil());
        loop {
            let mut across = self.across_tenants().await?;
            let rows: Vec<SecretRow> = sqlx::query_as(sql!("secrets/of_other_keys"))
                .bind(new.id.as_slice())
                .bind(after.0)
                .bind(&after.1)
                .bind(after.2)
                .bind(Self::ROTATE_BATCH)
                .fetch_all(across.connection())
                .await?;
            let Some(last) = rows.last() else { return Ok(rotated) };
            after = (last.tenant_id, last.purpose.clone(), last.secret_id);
            for row in &rows {
                let opened = keys.open_bytes(row.binding(), &row.sealed);
                let Some(sealed) = opened.and_then(|text| new.seal(row.binding(), &text)) else {
                    tracing::error!(secret_id = %row.secret_id, purpose = row.purpose, "no key decrypts this secret");
                    rotated.unreadable += 1;
                    continue;
                };
                sqlx::query(sql!("secrets/seal"))
                    .bind(row.tenant_id)
                    .bind(&row.purpose)
                    .bind(row.secret_id)
                    .bind(new.id.as_slice())
                    .bind(sealed)
                    .bind(self.clock().now())
                    .execute(across.connection())
                    .await?;
                rotated.sealed_again += 1;
            }
            across.commit().await?;
        }
    }
}

impl Tx {
    pub(crate) fn secret_keys(&self) -> Result<&Arc<SecretKeys>, StoreError> {
        self.secret_keys.as_ref().ok_or(StoreError::NoSecretsKey)
    }

    /// Stores a secret of the tenant; replaces one with the same purpose and id.
    pub async fn put_secret(
        &mut self,
        purpose: SecretPurpose,
        secret_id: Uuid,
        secret: &Secret,
    ) -> Result<(), StoreError> {
        let keys = Arc::clone(self.secret_keys()?);
        let binding =
            SecretBinding { tenant_id: self.tenant_id(), purpose: purpose.as_str(), secret_id };
        sqlx::query("SELECT pg_advisory_xact_lock_shared($1)")
            .bind(KEY_LOCK)
            .execute(self.connection())
            .await?;
        if self.put_with_one_of(keys.loaded(), binding, secret).await?
            || self.put_with_one_of(keys.reload(), binding, secret).await?
        {
            return Ok(());
        }
        Err(StoreError::OtherSecretsKey)
    }

    /// `false` when none of them is the current key.
    async fn put_with_one_of(
        &mut self,
        keys: Vec<Arc<SecretKey>>,
        binding: SecretBinding<'_>,
        secret: &Secret,
    ) -> Result<bool, StoreError> {
        for key in keys {
            let sealed = key.seal(binding, secret.reveal().as_bytes());
            let put = sqlx::query(sql!("secrets/put"))
                .bind(binding.tenant_id.0)
                .bind(binding.purpose)
                .bind(binding.secret_id)
                .bind(key.id.as_slice())
                .bind(sealed.ok_or(StoreError::NoSecretsKey)?)
                .bind(self.now())
                .execute(self.connection())
                .await?;
            if put.rows_affected() == 1 {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn binding(secret_id: u128, purpose: &str) -> SecretBinding<'_> {
        let tenant_id = TenantId(Uuid::from_u128(7));
        SecretBinding { tenant_id, purpose, secret_id: Uuid::from_u128(secret_id) }
    }

    #[test]
    fn a_secret_opens_under_its_binding_with_its_key() {
        let keys = SecretKeys::of(Secret::new("a master key"));
        let here = binding(1, "document_password");
        let sealed = keys.loaded()[0].seal(here, b"open sesame").unwrap();
        assert!(!sealed.windows(6).any(|part| part == b"sesame"));
        assert_eq!(keys.open(here, &sealed), Some(Secret::new("open sesame")));
        for elsewhere in [binding(2, "document_password"), binding(1, "webhook")] {
            assert_eq!(keys.open(elsewhere, &sealed), None, "under {elsewhere:?}");
        }
        assert_eq!(SecretKeys::of(Secret::new("another key")).open(here, &sealed), None);
        for cut in 0..sealed.len() {
            assert_eq!(keys.open(here, &sealed[..cut]), None, "{cut} bytes of it");
        }
        let mut changed = sealed;
        changed[30] ^= 1;
        assert_eq!(keys.open(here, &changed), None);
    }

    /// As it was sealed before the table for secrets existed.
    #[test]
    fn a_password_of_the_first_version_is_opened() {
        let sealed = "013772098435d35aa772a4a5e25c4f4bc46533457fe05862b2f0ab4ad5e87af5a7f5e1ae9dbb01c6d7dcb0\
                      8ef15b5f3e09a80d9a";
        let bytes: Vec<u8> = (0..sealed.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&sealed[at..at + 2], 16).unwrap())
            .collect();
        let keys = SecretKeys::of(Secret::new("a master key"));
        assert_eq!(
            keys.open(binding(1, "document_password"), &bytes),
            Some(Secret::new("open sesame"))
        );
    }

    #[test]
    fn a_key_that_is_added_later_is_loaded() {
        let keys = Arc::new(RwLock::new(vec![Secret::new("old")]));
        let source = Arc::clone(&keys);
        let ring = SecretKeys::new(Box::new(move || source.read().unwrap().clone()));
        let (here, new) = (binding(1, "document_password"), Secret::new("new"));
        let sealed = SecretKey::new(&new).seal(here, b"open sesame").unwrap();
        assert_eq!(ring.open(here, &sealed), None);
        keys.write().unwrap().insert(0, new);
        assert_eq!(ring.open(here, &sealed), Some(Secret::new("open sesame")));
    }
}
