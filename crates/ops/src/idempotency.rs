//! Idempotent requests: repeated requests with one `Idempotency-Key` take effect once.
//!
//! The outcome is written in the transaction of the work, so both are committed or neither is: after a crash the
//! client can repeat the request.

use domain::IdempotencyClaim;
use hmac::{Hmac, KeyInit, Mac};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use store::{KeyClaim, Tx};

use crate::{OpsError, TokenKey};

/// The outcome of a request that may carry an `Idempotency-Key`.
#[derive(Debug)]
pub struct Outcome<T> {
    pub value: T,
    /// The outcome is that of an earlier request with the same key; this request changed nothing.
    pub replayed: bool,
}

/// Keyed hash of a request. A plain hash of a request that contains a password could be guessed from the stored row.
#[derive(Clone)]
pub(crate) struct RequestHmac(Hmac<Sha256>);

impl RequestHmac {
    pub(crate) fn new(key: &TokenKey) -> Self {
        // The HMAC key has the length of a block, whatever the length of the token key.
        let mut block = [0; 64];
        block[..32].copy_from_slice(&Sha256::digest(key.bytes()));
        Self(Hmac::new(&block.into()))
    }

    pub(crate) fn apply(&self, claim: &IdempotencyClaim) -> IdempotencyClaim {
        let keyed = self.0.clone().chain_update(claim.request_hash).finalize();
        IdempotencyClaim { key: claim.key.clone(), request_hash: keyed.into_bytes().into() }
    }
}

/// Claims the key; returns the earlier outcome if a request with this key was completed.
pub(crate) async fn recorded_outcome<T: DeserializeOwned>(
    tx: &mut Tx,
    claim: Option<&IdempotencyClaim>,
) -> Result<Option<Outcome<T>>, OpsError> {
    let Some(claim) = claim else { return Ok(None) };
    match tx.claim_key(claim).await? {
        KeyClaim::New => Ok(None),
        KeyClaim::InProgress => Err(OpsError::StillInProgress),
        KeyClaim::OtherRequest => Err(OpsError::KeyUsedForOtherRequest),
        KeyClaim::Done(outcome) => {
            let value = serde_json::from_value(outcome)
                .map_err(|error| OpsError::internal("reading a recorded outcome", error))?;
            Ok(Some(Outcome { value, replayed: true }))
        }
    }
}

/// Commits the work together with its outcome; on an error, rolls back and releases the key.
pub(crate) async fn commit_outcome<T: Serialize>(
    mut tx: Tx,
    claim: Option<&IdempotencyClaim>,
    worked: Result<T, OpsError>,
) -> Result<Outcome<T>, OpsError> {
    let value = match worked {
        Ok(value) => value,
        Err(error) => {
            tx.rollback().await?;
            return Err(error);
        }
    };
    if let Some(claim) = claim {
        let outcome = serde_json::to_value(&value)
            .map_err(|error| OpsError::internal("recording an outcome", error))?;
        tx.record_outcome(claim, &outcome).await?;
    }
    tx.commit().await?;
    Ok(Outcome { value, replayed: false })
}
