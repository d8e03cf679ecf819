//! The tokens that people carry: JWT, HS256.

use std::fmt;

use chrono::{DateTime, Duration, Utc};
use domain::{Actor, Caller, Role, TenantId, TokenId, User, UserId};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde::{Deserialize, Serialize};

use crate::OpsError;

/// The secret that tokens are signed with.
#[derive(Clone)]
pub struct TokenKey(Vec<u8>);

impl TokenKey {
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self(bytes.into())
    }
}

impl fmt::Debug for TokenKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenKey(hidden)")
    }
}

#[derive(Serialize, Deserialize)]
struct Claims {
    sub: UserId,
    tenant_id: TenantId,
    role: Role,
    exp: i64,
    /// With fractions: a token issued right after a revocation must not look older than it.
    iat: f64,
    jti: TokenId,
    email: String,
}

/// A token whose signature and expiry hold.
#[derive(Clone, Debug)]
pub(crate) struct VerifiedToken {
    pub(crate) caller: Caller,
    pub(crate) user_id: UserId,
    pub(crate) token_id: TokenId,
    pub(crate) issued_at: DateTime<Utc>,
}

pub(crate) struct Tokens {
    signing: EncodingKey,
    verifying: DecodingKey,
    validation: Validation,
    lifetime: Duration,
}

impl Tokens {
    pub(crate) fn new(key: &TokenKey, lifetime: Duration) -> Self {
        let mut validation = Validation::new(Algorithm::HS256);
        // Compared with the injected clock below.
        validation.validate_exp = false;
        validation.set_required_spec_claims(&["exp", "sub"]);
        Self {
            signing: EncodingKey::from_secret(&key.0),
            verifying: DecodingKey::from_secret(&key.0),
            validation,
            lifetime,
        }
    }

    pub(crate) fn lifetime(&self) -> Duration {
        self.lifetime
    }

    pub(crate) fn issue(
        &self,
        user: &User,
        token_id: TokenId,
        now: DateTime<Utc>,
    ) -> Result<(String, DateTime<Utc>), OpsError> {
        let expires_at = now + self.lifetime;
        let claims = Claims {
            sub: user.user_id,
            tenant_id: user.tenant_id,
            role: user.role,
            exp: expires_at.timestamp(),
            iat: seconds(now),
            jti: token_id,
            email: user.email.to_string(),
        };
        let token = jsonwebtoken::encode(&Header::new(Algorithm::HS256), &claims, &self.signing)
            .map_err(|error| OpsError::internal("signing a token", error))?;
        Ok((token, expires_at))
    }

    /// `None` when the token was not signed by us or has expired.
    pub(crate) fn verify(&self, token: &str, now: DateTime<Utc>) -> Option<VerifiedToken> {
        let claims =
            jsonwebtoken::decode::<Claims>(token, &self.verifying, &self.validation).ok()?.claims;
        let expires_at = DateTime::from_timestamp(claims.exp, 0)?;
        if expires_at <= now {
            return None;
        }
        Some(VerifiedToken {
            user_id: claims.sub,
            token_id: claims.jti,
            issued_at: moment(claims.iat)?,
            caller: Caller {
                tenant_id: claims.tenant_id,
                actor: Actor::User(claims.sub),
                role: claims.role,
                name: claims.email,
                token_id: Some(claims.jti),
                trace_id: None,
            },
        })
    }
}

/// Seconds since the epoch, to the microsecond. Exact in a double until the year 2255.
#[expect(clippy::cast_precision_loss, reason = "51 bits of microseconds fit a double")]
fn seconds(moment: DateTime<Utc>) -> f64 {
    moment.timestamp_micros() as f64 / 1e6
}

#[expect(clippy::cast_possible_truncation, reason = "the cast saturates, and then is refused")]
fn moment(seconds: f64) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp_micros((seconds * 1e6).round() as i64)
}
