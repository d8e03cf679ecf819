//! Signed links to originals.
//!
//! A token names a document, the creator of the link and its expiry, with an HMAC-SHA256, so that it cannot be changed. It
//! contains no content, and grants nothing by itself: a person who follows it reads what its creator may read at that
//! moment.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Utc};
use domain::{Actor, DocId, TenantId};
use hmac::{Hmac, KeyInit, Mac};
use serde::Deserialize;
use serde_json::json;
use sha2::{Digest, Sha256};
use thiserror::Error;

/// Separates link tokens from other uses of the same key.
const PURPOSE: &[u8] = b"docket download link 1\n";

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Link {
    pub tenant: TenantId,
    pub doc_id: DocId,
    pub creator: Actor,
    /// To the second.
    pub expires_at: DateTime<Utc>,
}

#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum LinkError {
    #[error("this link was not created by this server, or was changed")]
    Forged,
    #[error("this link has expired: request a new one")]
    Expired,
}

/// The key that signs links. All processes of an installation must have the same.
#[derive(Clone)]
pub struct LinkKey {
    mac: Hmac<Sha256>,
}

/// The content of a token. The names are short because they are part of URLs.
#[derive(Deserialize)]
struct Claims {
    v: u8,
    t: TenantId,
    d: DocId,
    /// An [`Actor`] as text.
    c: String,
    e: i64,
}

/// Version 1 had the content's hash, and could not be revoked.
const VERSION: u8 = 2;

impl LinkKey {
    /// Accepts a secret of any length; use 32 random bytes.
    pub fn new(secret: &[u8]) -> Self {
        // HMAC has a key of one block, and fills a shorter one with zeros.
        let mut block = [0; 64];
        block[..32].copy_from_slice(&Sha256::digest(secret));
        Self { mac: Hmac::new(&block.into()) }
    }

    /// A token of letters, digits, `-`, `_` and one dot.
    pub fn sign(&self, link: &Link) -> String {
        let Link { tenant, doc_id, creator, expires_at } = link;
        let claims = json!({
            "v": VERSION,
            "t": tenant,
            "d": doc_id,
            "c": creator.to_string(),
            "e": expires_at.timestamp(),
        });
        let claims = claims.to_string();
        let claims = URL_SAFE_NO_PAD.encode(claims);
        let signature = self.mac_of(&claims).finalize().into_bytes();
        format!("{claims}.{}", URL_SAFE_NO_PAD.encode(signature))
    }

    /// Verifies the signature, in constant time, before it reads anything else. A link is invalid from its expiry on.
    pub fn open(&self, token: &str, now: DateTime<Utc>) -> Result<Link, LinkError> {
        let (claims, signature) = token.split_once('.').ok_or(LinkError::Forged)?;
        let signature = URL_SAFE_NO_PAD.decode(signature).map_err(|_| LinkError::Forged)?;
        self.mac_of(claims).verify_slice(&signature).map_err(|_| LinkError::Forged)?;
        let claims = URL_SAFE_NO_PAD.decode(claims).map_err(|_| LinkError::Forged)?;
        let claims: Claims = serde_json::from_slice(&claims).map_err(|_| LinkError::Forged)?;
        let Claims { v: VERSION, t: tenant, d: doc_id, c: creator, e } = claims else {
            return Err(LinkError::Forged);
        };
        let creator = creator.parse().map_err(|()| LinkError::Forged)?;
        let expires_at = DateTime::from_timestamp(e, 0).ok_or(LinkError::Forged)?;
        if now >= expires_at {
            return Err(LinkError::Expired);
        }
        Ok(Link { tenant, doc_id, creator, expires_at })
    }

    fn mac_of(&self, claims: &str) -> Hmac<Sha256> {
        let mut mac = self.mac.clone();
        mac.update(PURPOSE);
        mac.update(claims.as_bytes());
        mac
    }
}

impl fmt::Debug for LinkKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LinkKey(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use uuid::Uuid;

    use super::*;

    fn noon() -> DateTime<Utc> {
        DateTime::from_timestamp(1_800_000_000, 0).unwrap()
    }

    fn link() -> Link {
        Link {
            tenant: TenantId(Uuid::from_u128(1)),
            doc_id: DocId(Uuid::from_u128(2)),
            creator: Actor::ApiKey(domain::ApiKeyId(Uuid::from_u128(3))),
            expires_at: noon() + TimeDelta::hours(1),
        }
    }

    #[test]
    fn a_link_opens_until_it_expires() {
        let key = LinkKey::new(b"secret");
        let token = key.sign(&link());
        assert!(token.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b)), "{token}");
        assert_eq!(key.open(&token, noon()), Ok(link()));
        let last = link().expires_at;
        assert_eq!(key.open(&token, last - TimeDelta::seconds(1)), Ok(link()));
        assert_eq!(key.open(&token, last), Err(LinkError::Expired));
    }

    #[test]
    fn every_change_of_a_link_is_detected() {
        let key = LinkKey::new(b"secret");
        let token = key.sign(&link());
        for at in 0..token.len() {
            for other in ["A", "B", ".", "="] {
                let changed = format!("{}{other}{}", &token[..at], &token[at + 1..]);
                if changed != token {
                    assert_eq!(key.open(&changed, noon()), Err(LinkError::Forged), "{changed}");
                }
            }
            assert_eq!(key.open(&token[..at], noon()), Err(LinkError::Forged));
        }
        assert_eq!(key.open(&format!("{token}A"), noon()), Err(LinkError::Forged));
        assert_eq!(LinkKey::new(b"Secret").open(&token, noon()), Err(LinkError::Forged));
    }

    #[test]
    fn an_expired_link_that_was_changed_is_forged() {
        let key = LinkKey::new(b"secret");
        let token = key.sign(&link()).replace('.', "A.");
        assert_eq!(key.open(&token, link().expires_at), Err(LinkError::Forged));
    }

    #[test]
    fn a_link_of_the_first_version_is_refused() {
        let key = LinkKey::new(b"secret");
        let tenant = TenantId(Uuid::from_u128(1));
        let claims = json!({ "v": 1, "t": tenant, "h": "00", "n": "a", "m": "b", "e": i64::MAX });
        let claims = URL_SAFE_NO_PAD.encode(claims.to_string());
        let signature = URL_SAFE_NO_PAD.encode(key.mac_of(&claims).finalize().into_bytes());
        let token = format!("{claims}.{signature}");
        assert_eq!(key.open(&token, noon()), Err(LinkError::Forged));
    }

    #[test]
    fn the_key_is_hidden_in_debug_output() {
        assert_eq!(format!("{:?}", LinkKey::new(b"secret")), "LinkKey(hidden)");
    }
}
