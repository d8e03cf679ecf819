//! Passwords of the logins that Docket creates.
//!
//! They are derived from the password in the database URL, so that every process with the same URL knows them and none has
//! to be stored. The server gets a SCRAM verifier (RFC 5802, RFC 7677) instead of the password, which therefore never
//! appears in a statement log.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use sqlx::ConnectOptions;
use sqlx::postgres::PgConnectOptions;

/// PostgreSQL's default.
const ITERATIONS: u32 = 4096;
/// Separates these passwords from other uses of the same secret.
const PURPOSE: &str = "docket database login 1";

pub(super) struct DerivedPassword {
    password: String,
    salt: [u8; 32],
}

impl fmt::Debug for DerivedPassword {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DerivedPassword(…)")
    }
}

impl DerivedPassword {
    /// The password of `login`; none when the URL has none.
    pub(super) fn new(options: &PgConnectOptions, login: &str) -> Option<Self> {
        let url = options.to_url_lossy();
        let secret = url.password().filter(|secret| !secret.is_empty())?;
        let derive = |what: &str| {
            mac(&Sha256::digest(secret), format!("{PURPOSE}\n{what}\n{login}").as_bytes())
        };
        let password = STANDARD.encode(derive("password"));
        Some(Self { password, salt: derive("salt") })
    }

    pub(super) fn reveal(&self) -> &str {
        &self.password
    }

    /// What PostgreSQL stores instead of the password.
    pub(super) fn verifier(&self) -> String {
        let salted = salted_password(self.password.as_bytes(), &self.salt);
        let client_key = mac(&salted, b"Client Key");
        let stored_key = STANDARD.encode(Sha256::digest(client_key));
        let server_key = STANDARD.encode(mac(&salted, b"Server Key"));
        let salt = STANDARD.encode(self.salt);
        format!("SCRAM-SHA-256${ITERATIONS}:{salt}${stored_key}:{server_key}")
    }
}

/// `Hi` of RFC 5802: PBKDF2 for a single block.
fn salted_password(password: &[u8], salt: &[u8]) -> [u8; 32] {
    let mut last = mac(password, &[salt, &1_u32.to_be_bytes()].concat());
    let mut folded = last;
    for _ in 1..ITERATIONS {
        last = mac(password, &last);
        folded.iter_mut().zip(last).for_each(|(folded, byte)| *folded ^= byte);
    }
    folded
}

/// HMAC-SHA-256 with a key of at most one block, as all keys here are.
fn mac(key: &[u8], message: &[u8]) -> [u8; 32] {
    let mut block = [0; 64];
    block.iter_mut().zip(key).for_each(|(place, byte)| *place = *byte);
    let mut mac = Hmac::<Sha256>::new(&block.into());
    mac.update(message);
    mac.finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn password(url: &str, login: &str) -> Option<DerivedPassword> {
        DerivedPassword::new(&url.parse().unwrap(), login)
    }

    #[test]
    fn a_password_follows_from_the_one_in_the_url_and_the_login() {
        let url = "postgres://ada:hunter2@db/docket";
        let one = password(url, "docket_app_ada").unwrap();
        assert_eq!(one.reveal(), password(url, "docket_app_ada").unwrap().reveal());
        assert_eq!(one.verifier(), password(url, "docket_app_ada").unwrap().verifier());
        assert_ne!(one.reveal(), password(url, "docket_system_ada").unwrap().reveal());
        let other = "postgres://ada:hunter3@db/docket";
        assert_ne!(one.reveal(), password(other, "docket_app_ada").unwrap().reveal());
        assert!(one.reveal().len() <= 64, "no more than a block of SHA-256");
        assert!(!format!("{one:?}").contains(one.reveal()));
    }

    #[test]
    fn a_url_without_a_password_gives_none() {
        assert!(password("postgres://ada@db/docket", "docket_app_ada").is_none());
    }

    /// The example of RFC 7677, section 3.
    #[test]
    fn the_salted_password_is_the_one_of_the_standard() {
        let salt = STANDARD.decode("W22ZaJ0SNY7soEsUEjb6gQ==").unwrap();
        let salted = salted_password(b"pencil", &salt);
        let server_signature = mac(
            &mac(&salted, b"Server Key"),
            b"n=user,r=rOprNGfwEbeRWgbNEkqO,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,\
              s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096,c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0",
        );
        assert_eq!(
            STANDARD.encode(server_signature),
            "6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="
        );
    }
}
