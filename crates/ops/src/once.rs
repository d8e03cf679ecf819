//! Doing a thing once, however often it is asked for under one `Idempotency-Key`.
//!
//! The outcome is written in the transaction of the work, so the two last together or not at all: a
//! crash leaves nothing behind that a repetition could stumble over.

use domain::IdempotencyClaim;
use hmac::{Hmac, KeyInit, Mac};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use store::{KeyClaim, Tx};

use crate::{OpsError, TokenKey};

/// What came of a request.
#[derive(Debug)]
pub struct Done<T> {
    pub value: T,
    /// It was done before; nothing happened this time.
    pub replayed: bool,
}

/// Keeps what was asked from being guessed out of what is stored: a request may hold a password.
#[derive(Clone)]
pub(crate) struct RequestSeal(Hmac<Sha256>);

impl RequestSeal {
    pub(crate) fn new(key: &TokenKey) -> Self {
        // As long as HMAC's block, whatever the length of the key.
        let mut block = [0; 64];
        block[..32].copy_from_slice(&Sha256::digest(key.bytes()));
        Self(Hmac::new(&block.into()))
    }

    pub(crate) fn seal(&self, claim: &IdempotencyClaim) -> IdempotencyClaim {
        let sealed = self.0.clone().chain_update(claim.request_hash).finalize();
        IdempotencyClaim { key: claim.key.clone(), request_hash: sealed.into_bytes().into() }
    }
}

/// The earlier outcome, when the work was done before under this claim.
pub(crate) async fn outcome_of<T: DeserializeOwned>(
    tx: &mut Tx,
    claim: Option<&IdempotencyClaim>,
) -> Result<Option<Done<T>>, OpsError> {
    let Some(claim) = claim else { return Ok(None) };
    match tx.claim_key(claim).await? {
        KeyClaim::New => Ok(None),
        KeyClaim::InProgress => Err(OpsError::StillInProgress),
        KeyClaim::OtherRequest => Err(OpsError::KeyUsedForOtherRequest),
        KeyClaim::Done(outcome) => {
            let value = serde_json::from_value(outcome)
                .map_err(|error| OpsError::internal("reading a remembered outcome", error))?;
            Ok(Some(Done { value, replayed: true }))
        }
    }
}

/// Ends the work: commits it together with its outcome, or undoes it and sets the key free.
pub(crate) async fn settle<T: Serialize>(
    mut tx: Tx,
    claim: Option<&IdempotencyClaim>,
    worked: Result<T, OpsError>,
) -> Result<Done<T>, OpsError> {
    let value = match worked {
        Ok(value) => value,
        Err(error) => {
            tx.rollback().await?;
            return Err(error);
        }
    };
    if let Some(claim) = claim {
        let outcome = serde_json::to_value(&value)
            .map_err(|error| OpsError::internal("remembering an outcome", error))?;
        tx.record_outcome(claim, &outcome).await?;
    }
    tx.commit().await?;
    Ok(Done { value, replayed: false })
}
