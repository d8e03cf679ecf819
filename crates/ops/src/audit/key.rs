//! The Ed25519 key that signs checkpoints. Others can verify a checkpoint with the public key but cannot create one.

use std::fmt;
use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use domain::{CheckpointFault, CheckpointOrigin, CheckpointStatement, Secret, SignedCheckpoint};
use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use sha2::{Digest, Sha256};
use thiserror::Error;

/// Separates this key from others that are derived from the same secret.
const PURPOSE: &[u8] = b"docket audit checkpoints 1\n";

/// The signing key of this process, and the public keys that it trusts, including its own.
#[derive(Clone)]
pub struct AuditKey {
    signing: SigningKey,
    trusted: Vec<PublicKey>,
}

/// A public key, in Base64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublicKey(VerifyingKey);

#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("A public key is 32 bytes of Ed25519 in Base64, as `docket audit export` prints it.")]
pub struct InvalidPublicKey;

impl AuditKey {
    pub fn new(secret: &Secret, others: &[PublicKey]) -> Self {
        let seed = Sha256::new().chain_update(PURPOSE).chain_update(secret.reveal()).finalize();
        let signing = SigningKey::from_bytes(&seed.into());
        let own = PublicKey(signing.verifying_key());
        Self { trusted: [&[own], others].concat(), signing }
    }

    pub(super) fn sign(
        &self,
        statement: &CheckpointStatement,
    ) -> Result<SignedCheckpoint, serde_json::Error> {
        let statement = serde_json::to_string(statement)?;
        let signature = self.signing.sign(statement.as_bytes());
        Ok(SignedCheckpoint {
            statement,
            signature: STANDARD.encode(signature.to_bytes()),
            public_key: PublicKey(self.signing.verifying_key()).to_string(),
        })
    }

    /// The checkpoint's statement, if a trusted key signed it.
    pub(super) fn verify(
        &self,
        signed: &SignedCheckpoint,
        origin: CheckpointOrigin,
    ) -> Result<CheckpointStatement, CheckpointFault> {
        let statement: Option<CheckpointStatement> = serde_json::from_str(&signed.statement).ok();
        let number = statement.as_ref().map(|statement| statement.number);
        let forged = CheckpointFault::Forged { origin, number };
        let Some(statement) = statement else { return Err(forged) };
        let Some((key, signature)) = parse_proof(signed) else { return Err(forged) };
        if statement.version != CheckpointStatement::VERSION
            || key.0.verify_strict(signed.statement.as_bytes(), &signature).is_err()
        {
            return Err(forged);
        }
        if !self.trusted.contains(&key) {
            let (number, public_key) = (statement.number, key.to_string());
            return Err(CheckpointFault::UnknownKey { origin, number, public_key });
        }
        Ok(statement)
    }
}

fn parse_proof(signed: &SignedCheckpoint) -> Option<(PublicKey, Signature)> {
    let key = signed.public_key.parse().ok()?;
    let signature = STANDARD.decode(&signed.signature).ok()?;
    Some((key, Signature::from_slice(&signature).ok()?))
}

impl FromStr for PublicKey {
    type Err = InvalidPublicKey;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bytes = STANDARD.decode(text).map_err(|_| InvalidPublicKey)?;
        let bytes = bytes.try_into().map_err(|_| InvalidPublicKey)?;
        VerifyingKey::from_bytes(&bytes).map(Self).map_err(|_| InvalidPublicKey)
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&STANDARD.encode(self.0.as_bytes()))
    }
}

impl fmt::Debug for AuditKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuditKey").field("trusted", &self.trusted).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use domain::{ShardHead, TenantId};
    use uuid::Uuid;

    use super::*;

    const ORIGIN: CheckpointOrigin = CheckpointOrigin::File;

    fn key(secret: &str, others: &[PublicKey]) -> AuditKey {
        AuditKey::new(&Secret::new(secret), others)
    }

    fn statement() -> CheckpointStatement {
        CheckpointStatement {
            version: CheckpointStatement::VERSION,
            tenant_id: TenantId(Uuid::nil()),
            number: 7,
            taken_at: DateTime::UNIX_EPOCH,
            rows: 3,
            shards: vec![ShardHead { shard: 0, length: 3, head: "ab".repeat(32) }],
        }
    }

    #[test]
    fn a_signed_statement_verifies() {
        let key = key("one", &[]);
        assert_eq!(key.verify(&key.sign(&statement()).unwrap(), ORIGIN), Ok(statement()));
    }

    #[test]
    fn any_change_invalidates_the_signature() {
        let key = key("one", &[]);
        let signed = key.sign(&statement()).unwrap();
        let forged = Err(CheckpointFault::Forged { origin: ORIGIN, number: Some(7) });
        let statement = signed.statement.replace("\"rows\":3", "\"rows\":2");
        assert_eq!(key.verify(&SignedCheckpoint { statement, ..signed.clone() }, ORIGIN), forged);
        let signature = STANDARD.encode([0; 64]);
        assert_eq!(key.verify(&SignedCheckpoint { signature, ..signed.clone() }, ORIGIN), forged);
        let statement = "{}".to_owned();
        assert_eq!(
            key.verify(&SignedCheckpoint { statement, ..signed }, ORIGIN),
            Err(CheckpointFault::Forged { origin: ORIGIN, number: None })
        );
    }

    #[test]
    fn the_key_of_another_server_is_accepted_if_trusted() {
        let other = key("other", &[]);
        let signed = other.sign(&statement()).unwrap();
        let refused = key("one", &[]).verify(&signed, ORIGIN).unwrap_err();
        assert!(matches!(refused, CheckpointFault::UnknownKey { number: 7, .. }), "{refused}");
        let public: PublicKey = signed.public_key.parse().unwrap();
        assert_eq!(key("one", &[public]).verify(&signed, ORIGIN), Ok(statement()));
    }

    #[test]
    fn invalid_public_keys_are_rejected() {
        for wrong in ["", "AAAA", "no base64!"] {
            assert_eq!(wrong.parse::<PublicKey>(), Err(InvalidPublicKey));
        }
    }
}
