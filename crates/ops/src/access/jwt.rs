//! JSON Web Tokens that are signed with HMAC-SHA-256 (`HS256` of RFC 7515 and RFC 7518), and with nothing else.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

const HEADER: &str = r#"{"typ":"JWT","alg":"HS256"}"#;
const ALGORITHM: &str = "HS256";
/// HMAC-SHA-256 works on a key of one block: it pads a shorter key with zeros and hashes a longer one.
const BLOCK: usize = 64;

#[derive(Deserialize)]
struct Header {
    alg: String,
    /// Extensions that a reader must understand. Docket knows none.
    #[serde(default)]
    crit: Option<serde_json::Value>,
}

pub(super) struct Hs256(Hmac<Sha256>);

impl Hs256 {
    pub(super) fn new(key: &[u8]) -> Self {
        let mut block = [0; BLOCK];
        if key.len() > BLOCK {
            block[..32].copy_from_slice(&Sha256::digest(key));
        } else {
            block[..key.len()].copy_from_slice(key);
        }
        Self(Hmac::new(&block.into()))
    }

    pub(super) fn encode(&self, claims: &impl Serialize) -> Result<String, serde_json::Error> {
        let claims = URL_SAFE_NO_PAD.encode(serde_json::to_vec(claims)?);
        let signed = format!("{}.{claims}", URL_SAFE_NO_PAD.encode(HEADER));
        let signature = self.0.clone().chain_update(&signed).finalize().into_bytes();
        Ok(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature)))
    }

    /// The claims of a token that this key signed. It parses nothing before it has verified the
    /// signature, which it compares in constant time.
    pub(super) fn decode<T: DeserializeOwned>(&self, token: &str) -> Option<T> {
        let (signed, signature) = token.rsplit_once('.')?;
        let signature = URL_SAFE_NO_PAD.decode(signature).ok()?;
        self.0.clone().chain_update(signed).verify_slice(&signature).ok()?;
        let (header, claims) = signed.split_once('.')?;
        let header: Header = decode_json(header)?;
        if header.alg != ALGORITHM || header.crit.is_some() {
            return None;
        }
        decode_json(claims)
    }
}

fn decode_json<T: DeserializeOwned>(text: &str) -> Option<T> {
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(text).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// RFC 7515, appendix A.1.
    const RFC_KEY: &str =
        "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow";
    const RFC_TOKEN: &str = "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9\
        .eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ\
        .dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";

    fn rfc_key() -> Hs256 {
        Hs256::new(&URL_SAFE_NO_PAD.decode(RFC_KEY).unwrap())
    }

    /// A token with this header and a valid signature.
    fn signed_with_header(key: &Hs256, header: &str) -> String {
        let [header, claims] =
            [header, r#"{"sub":"ada"}"#].map(|text| URL_SAFE_NO_PAD.encode(text));
        let signed = format!("{header}.{claims}");
        let signature = key.0.clone().chain_update(&signed).finalize().into_bytes();
        format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature))
    }

    #[test]
    fn decodes_the_example_of_the_rfc() {
        let claims: Value = rfc_key().decode(RFC_TOKEN).unwrap();
        assert_eq!(
            claims,
            json!({"iss": "joe", "exp": 1_300_819_380, "http://example.com/is_root": true})
        );
    }

    #[test]
    fn refuses_every_changed_character() {
        let key = rfc_key();
        for (position, old) in RFC_TOKEN.char_indices() {
            let new = if old == 'A' { 'B' } else { 'A' };
            let mut changed = RFC_TOKEN.to_owned();
            changed.replace_range(position..=position, &new.to_string());
            assert_eq!(key.decode::<Value>(&changed), None, "changed at {position}");
        }
    }

    #[test]
    fn refuses_other_keys_and_incomplete_tokens() {
        assert_eq!(Hs256::new(b"another key").decode::<Value>(RFC_TOKEN), None);
        let (without_signature, _) = RFC_TOKEN.rsplit_once('.').unwrap();
        for token in ["", ".", "..", "...", without_signature, &format!("{without_signature}.")] {
            assert_eq!(rfc_key().decode::<Value>(token), None, "{token:?}");
        }
        assert_eq!(rfc_key().decode::<Value>(&format!("{RFC_TOKEN}=")), None);
    }

    #[test]
    fn accepts_no_other_algorithm_even_with_a_valid_signature() {
        let key = rfc_key();
        let decodes = |header| key.decode::<Value>(&signed_with_header(&key, header)).is_some();
        assert!(decodes(r#"{"alg":"HS256"}"#));
        assert!(!decodes(r#"{"alg":"none"}"#));
        assert!(!decodes(r#"{"alg":"HS512","typ":"JWT"}"#));
        assert!(!decodes(r#"{"typ":"JWT"}"#));
        assert!(!decodes(r#"{"alg":"HS256","crit":["exp"]}"#));
    }

    #[test]
    fn a_key_may_be_shorter_or_longer_than_a_block() {
        for length in [0, 1, 63, 64, 65, 200] {
            let key = vec![b'k'; length];
            let token = Hs256::new(&key).encode(&json!({"sub": "ada"})).unwrap();
            assert_eq!(Hs256::new(&key).decode(&token), Some(json!({"sub": "ada"})), "{length}");
        }
    }
}
