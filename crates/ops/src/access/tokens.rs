//! The tokens that signed-in users send: JSON Web Tokens, signed with HS256.

use std::fmt;

use chrono::{DateTime, Duration, Utc};
use domain::{Actor, Caller, Role, Session, TenantId, TokenId, User, UserId};
use serde::{Deserialize, Serialize};

use super::jwt::Hs256;
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

/// A token that was signed by us.
#[derive(Debug)]
pub(crate) struct VerifiedToken {
    pub(crate) caller: Caller,
    pub(crate) user_id: UserId,
    pub(crate) session: Session,
}

pub(crate) struct Tokens {
    key: Hs256,
    lifetime: Duration,
}

impl Tokens {
    pub(crate) fn new(key: &TokenKey, lifetime: Duration) -> Self {
        Self { key: Hs256::new(&key.0), lifetime }
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
        let token = self
            .key
            .encode(&claims)
            .map_err(|error| OpsError::internal("signing a token", error))?;
        Ok((token, expires_at))
    }

    /// `None` when the token was not signed by us or has expired.
    pub(crate) fn verify(&self, token: &str, now: DateTime<Utc>) -> Option<VerifiedToken> {
        let claims: Claims = self.key.decode(token)?;
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

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn issued_at() -> DateTime<Utc> {
        DateTime::from_timestamp(1_800_000_000, 0).unwrap()
    }

    fn user() -> User {
        User {
            user_id: UserId(Uuid::from_u128(1)),
            tenant_id: TenantId(Uuid::from_u128(2)),
            email: "ada@example.com".parse().unwrap(),
            role: Role::Admin,
            created_at: issued_at(),
            updated_at: issued_at(),
            deactivated_at: None,
        }
    }

    fn tokens(key: &[u8]) -> Tokens {
        Tokens::new(&TokenKey::new(key), Duration::hours(1))
    }

    /// `issued_at` and `user`, as earlier releases signed them.
    const EARLIER: [(&[u8], &str); 2] = [
        (SHORT_KEY, "0q-QzMYnWaLUHBEbzHqRYi5JkwpHs03EAlppzTLh0vQ"),
        (LONG_KEY, "dgbHDN5k7AX5okc1OQ1hOW3XGg6tlFfMG45UxdqYN5I"),
    ];
    const SHORT_KEY: &[u8] = b"0123456789abcdef0123456789abcdef";
    const LONG_KEY: &[u8] = &[b'k'; 100];
    const CONTENT: &str = "eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiJ9\
        .eyJzdWIiOiIwMDAwMDAwMC0wMDAwLTAwMDAtMDAwMC0wMDAwMDAwMDAwMDEiLCJ0ZW5hbnRfaWQiOiIwMDAwMDAwMC0w\
        MDAwLTAwMDAtMDAwMC0wMDAwMDAwMDAwMDIiLCJyb2xlIjoiYWRtaW4iLCJleHAiOjE4MDAwMDM2MDAsImlhdCI6MTgw\
        MDAwMDAwMCwianRpIjoiMDAwMDAwMDAtMDAwMC0wMDAwLTAwMDAtMDAwMDAwMDAwMDAzIiwiZXBvY2giOjcsImVtYWls\
        IjoiYWRhQGV4YW1wbGUuY29tIn0";

    #[test]
    fn a_token_keeps_its_form_between_releases() {
        for (key, signature) in EARLIER {
            let token_id = TokenId(Uuid::from_u128(3));
            let (token, expires_at) = tokens(key).issue(&user(), 7, token_id, issued_at()).unwrap();
            assert_eq!(token, format!("{CONTENT}.{signature}"));

            let verified = tokens(key).verify(&token, issued_at()).unwrap();
            assert_eq!(verified.user_id, user().user_id);
            assert_eq!(verified.session, Session { token_id, expires_at, epoch: 7 });
            assert_eq!(verified.caller.role, Role::Admin);
        }
    }

    #[test]
    fn a_token_ends_with_its_lifetime() {
        let (key, signature) = EARLIER[0];
        let token = format!("{CONTENT}.{signature}");
        let valid_at = |now| tokens(key).verify(&token, now).is_some();
        assert!(valid_at(issued_at() + Duration::minutes(59)));
        assert!(!valid_at(issued_at() + Duration::hours(1)));
    }
}
