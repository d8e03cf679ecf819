//! Session tokens: JWT, HS256.

use std::fmt;

use chrono::{DateTime, Duration, Utc};
use domain::{Actor, Caller, Role, Session, TenantId, TokenId, User, UserId};
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

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
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
    iat: i64,
    jti: TokenId,
    /// The user's session epoch at sign-in.
    epoch: i64,
    email: String,
}

/// A token with a valid signature that has not expired.
#[derive(Debug)]
pub(crate) struct VerifiedToken {
    pub(crate) caller: Caller,
    pub(crate) user_id: UserId,
    pub(crate) session: Session,
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
        // The expiry is compared with the injected clock below.
        validation.validate_exp = false;
        validation.set_required_spec_claims(&["exp", "sub"]);
        Self {
            signing: EncodingKey::from_secret(&key.0),
            verifying: DecodingKey::from_secret(&key.0),
            validation,
            lifetime,
        }
    }

    pub(crate) fn issue(
        &self,
        user: &User,
        epoch: i64,
        token_id: TokenId,
        now: DateTime<Utc>,
    ) -> Result<(String, DateTime<Utc>), OpsError> {
        let expires_at = now + self.lifetime;
        let claims = Claims {
            sub: user.user_id,
            tenant_id: user.tenant_id,
            role: user.role,
            exp: expires_at.timestamp(),
            iat: now.timestamp(),
            jti: token_id,
            epoch,
            email: user.email.to_string(),
        };
        let token = jsonwebtoken::encode(&Header::new(Algorithm::HS256), &claims, &self.signing)
            .map_err(|error| OpsError::internal("signing a token", error))?;
        Ok((token, expires_at))
    }

    /// `None` if the signature is wrong or the token has expired.
    pub(crate) fn verify(&self, token: &str, now: DateTime<Utc>) -> Option<VerifiedToken> {
        let claims =
            jsonwebtoken::decode::<Claims>(token, &self.verifying, &self.validation).ok()?.claims;
        let expires_at = DateTime::from_timestamp(claims.exp, 0).filter(|expiry| *expiry > now)?;
        let session = Session { token_id: claims.jti, expires_at, epoch: claims.epoch };
        Some(VerifiedToken {
            user_id: claims.sub,
            session,
            caller: Caller {
                tenant_id: claims.tenant_id,
                actor: Actor::User(claims.sub),
                role: claims.role,
                name: claims.email,
                session: Some(session),
                trace: None,
            },
        })
    }
}
