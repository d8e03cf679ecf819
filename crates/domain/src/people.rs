//! Tenants, their users, and their API keys.

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{ApiKeyId, Role, TenantId, UserId};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tenant {
    pub tenant_id: TenantId,
    pub name: String,
    pub created_at: DateTime<Utc>,
}

/// A user of a tenant. Users are never deleted, only deactivated, because the audit log refers to them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct User {
    pub user_id: UserId,
    pub tenant_id: TenantId,
    pub email: EmailAddress,
    pub role: Role,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    pub deactivated_at: Option<DateTime<Utc>>,
}

impl User {
    pub fn is_active(&self) -> bool {
        self.deactivated_at.is_none()
    }
}

/// What an administrator may change about a user; `None` leaves it as it is.
#[derive(Clone, Debug, Default)]
pub struct UserChange {
    pub role: Option<Role>,
    pub active: Option<bool>,
    pub password: Option<NewPassword>,
}

impl UserChange {
    pub fn is_empty(&self) -> bool {
        self.role.is_none() && self.active.is_none() && self.password.is_none()
    }
}

/// An API key as users see it. The secret itself is shown once and never stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApiKey {
    pub api_key_id: ApiKeyId,
    pub tenant_id: TenantId,
    pub name: String,
    pub role: Role,
    /// The public beginning of the key, by which users identify it.
    pub prefix: String,
    pub created_at: DateTime<Utc>,
    /// From then on it gives no access.
    pub expires_at: Option<DateTime<Utc>>,
    /// The user who is responsible for it. `None` when the operator created it, or when it is not known.
    pub created_by: Option<KeyCreator>,
    pub last_used_at: Option<DateTime<Utc>>,
    pub revoked_at: Option<DateTime<Utc>>,
}

impl ApiKey {
    /// Whether it gives access, apart from its expiry.
    pub fn is_valid(&self) -> bool {
        let creator_is_active = self.created_by.as_ref().is_none_or(|creator| creator.is_active);
        self.revoked_at.is_none() && creator_is_active
    }
}

/// The user who created a key, directly or with another key. While they are deactivated, the key is not valid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyCreator {
    pub user_id: UserId,
    pub email: String,
    pub is_active: bool,
}

/// An email address, normalised: trimmed, lower case.
///
/// ```
/// let email: domain::EmailAddress = " Ada@Example.COM ".parse().unwrap();
/// assert_eq!(email.as_str(), "ada@example.com");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EmailAddress(String);

#[derive(Debug, Error)]
#[error("'{0}' is not an email address; write one like name@example.com")]
pub struct InvalidEmail(String);

impl EmailAddress {
    const MAX_BYTES: usize = 254;

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for EmailAddress {
    type Err = InvalidEmail;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let address = text.trim().to_lowercase();
        let invalid = || InvalidEmail(text.to_owned());
        let (local, host) = address.rsplit_once('@').ok_or_else(invalid)?;
        let odd = |c: char| c.is_whitespace() || c.is_control() || c == '@';
        if local.is_empty()
            || host.is_empty()
            || address.len() > Self::MAX_BYTES
            || address.contains(char::is_control)
            || local.contains(odd)
            || host.contains(odd)
        {
            return Err(invalid());
        }
        Ok(Self(address))
    }
}

impl fmt::Display for EmailAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The name of a tenant or a key: 1 to 100 characters, none of them a control character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name(String);

#[derive(Debug, Error)]
#[error("a name has 1 to {} characters and no control characters", Name::MAX_CHARS)]
pub struct InvalidName;

impl Name {
    const MAX_CHARS: usize = 100;

    pub fn into_string(self) -> String {
        self.0
    }
}

impl FromStr for Name {
    type Err = InvalidName;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let name = text.trim();
        let fits = (1..=Self::MAX_CHARS).contains(&name.chars().count());
        if fits && !name.contains(char::is_control) {
            Ok(Self(name.to_owned()))
        } else {
            Err(InvalidName)
        }
    }
}

/// A new password: long enough to be safe, and short enough for bcrypt to use completely.
#[derive(Clone)]
pub struct NewPassword(String);

#[derive(Debug, Error, PartialEq, Eq)]
pub enum InvalidPassword {
    #[error("the password is too short; use at least {} characters", NewPassword::MIN_CHARS)]
    TooShort,
    #[error("the password is too long; use at most {} bytes", NewPassword::MAX_BYTES)]
    TooLong,
    #[error("the password contains a NUL character; remove it")]
    ContainsNul,
}

impl NewPassword {
    pub const MIN_CHARS: usize = 8;
    /// bcrypt uses 72 bytes including a terminator and silently ignores the rest.
    pub const MAX_BYTES: usize = 71;

    /// The password itself, for hashing.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl FromStr for NewPassword {
    type Err = InvalidPassword;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.chars().count() < Self::MIN_CHARS {
            return Err(InvalidPassword::TooShort);
        }
        if text.len() > Self::MAX_BYTES {
            return Err(InvalidPassword::TooLong);
        }
        if text.contains('\0') {
            return Err(InvalidPassword::ContainsNul);
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Debug for NewPassword {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NewPassword(hidden)")
    }
}

/// A bcrypt hash.
#[derive(Clone)]
pub struct PasswordHash(pub String);

impl fmt::Debug for PasswordHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PasswordHash(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_addresses_are_refused() {
        for text in ["", "ada", "@example.com", "ada@", "a b@example.com", "a@b@c", "a\u{0}@b.c"] {
            assert!(text.parse::<EmailAddress>().is_err(), "{text:?}");
        }
        assert!("admin@localhost".parse::<EmailAddress>().is_ok());
    }

    #[test]
    fn names_are_short_and_printable() {
        assert_eq!(" mail room ".parse::<Name>().unwrap().into_string(), "mail room");
        for text in ["", "  ", "a\nb", "a\0", &"x".repeat(101)] {
            assert!(text.parse::<Name>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn passwords_have_a_minimum_and_a_maximum_length() {
        let parsed = |text: &str| text.parse::<NewPassword>().map(|_| ());
        assert_eq!(parsed("1234567"), Err(InvalidPassword::TooShort));
        assert_eq!(parsed("12345678"), Ok(()));
        assert_eq!(parsed(&"x".repeat(71)), Ok(()));
        assert_eq!(parsed(&"x".repeat(72)), Err(InvalidPassword::TooLong));
        assert_eq!(parsed("1234567\0"), Err(InvalidPassword::ContainsNul));
    }

    #[test]
    fn a_password_does_not_show_in_debug_output() {
        let password: NewPassword = "correct horse".parse().unwrap();
        assert_eq!(format!("{password:?}"), "NewPassword(hidden)");
    }
}
