//! JSON bodies, with or without an `Idempotency-Key`.

use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{FromRequest, OriginalUri, Request};
use axum::http::{HeaderMap, Method, StatusCode, header};
use domain::{IdempotencyClaim, IdempotencyKey};
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use super::json::{BadJson, from_json};
use super::mismatch::Wording;
use crate::problem::ApiProblem;
use crate::request_middleware::rejection_problem;

/// A JSON body.
#[derive(Debug)]
pub(crate) struct Body<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = ApiProblem;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiProblem> {
        let bytes = json_bytes(request, state).await?;
        Ok(Self(parse(&bytes)?))
    }
}

/// A JSON body with an optional `Idempotency-Key`. A handler supports the header by using this extractor.
#[derive(Debug)]
pub(crate) struct IdempotentBody<T> {
    pub(crate) body: T,
    pub(crate) claim: Option<IdempotencyClaim>,
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for IdempotentBody<T> {
    type Rejection = ApiProblem;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiProblem> {
        let key = idempotency_key(request.headers())?;
        let method = request.method().clone();
        let path = match request.extensions().get::<OriginalUri>() {
            Some(OriginalUri(uri)) => uri.path().to_owned(),
            None => request.uri().path().to_owned(),
        };
        let bytes = json_bytes(request, state).await?;
        let claim = key.map(|key| IdempotencyClaim {
            key,
            request_hash: request_hash(&method, &path, &[&bytes]),
        });
        Ok(Self { body: parse(&bytes)?, claim })
    }
}

pub(super) fn idempotency_key(headers: &HeaderMap) -> Result<Option<IdempotencyKey>, ApiProblem> {
    let Some(value) = headers.get("idempotency-key") else { return Ok(None) };
    let key = value.to_str().unwrap_or_default().parse();
    key.map(Some).map_err(|error: domain::InvalidIdempotencyKey| {
        ApiProblem::invalid(error.to_string()).for_field("Idempotency-Key")
    })
}

/// Each part has its length as a prefix, so that different requests cannot have the same input.
pub(super) fn request_hash(method: &Method, path: &str, what: &[&[u8]]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for part in [method.as_str().as_bytes(), path.as_bytes()].iter().chain(what) {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}

async fn json_bytes<S: Send + Sync>(request: Request, state: &S) -> Result<Bytes, ApiProblem> {
    if !is_json(request.headers()) {
        return Err(rejection_problem(StatusCode::UNSUPPORTED_MEDIA_TYPE));
    }
    Bytes::from_request(request, state)
        .await
        .map_err(|refused: BytesRejection| rejection_problem(refused.status()))
}

fn is_json(headers: &HeaderMap) -> bool {
    let given = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    given.and_then(|text| text.split(';').next()).is_some_and(|kind| {
        let kind = kind.trim();
        kind.eq_ignore_ascii_case("application/json") || kind.ends_with("+json")
    })
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiProblem> {
    if has_escaped_nul(bytes) {
        return Err(ApiProblem::invalid("A text contains a NUL character. Remove it."));
    }
    from_json(bytes).map_err(|bad| match bad {
        BadJson::Syntax { line, column } => ApiProblem::invalid(format!(
            "The body is not valid JSON (line {line}, column {column})."
        )),
        BadJson::Mismatch(mismatch) => {
            mismatch.into_problem(Wording { field: "field", whole: "The JSON body" })
        }
    })
}

/// Whether a text in the JSON contains NUL, which the database cannot store. An unescaped NUL makes the JSON invalid, so
/// only the escape is searched for.
fn has_escaped_nul(json: &[u8]) -> bool {
    let mut rest = json;
    while let Some(at) = rest.iter().position(|byte| *byte == b'\\') {
        let escape = &rest[at + 1..];
        if escape.starts_with(b"u0000") {
            return true;
        }
        // Skips the escaped character, which may be a backslash.
        rest = escape.get(1..).unwrap_or_default();
    }
    false
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn an_escaped_nul_is_rejected_and_similar_texts_are_not() {
        let with =
            [r#"{"a": "\u0000"}"#, r#"{"a\u0000": 1}"#, r#"["\\\u0000", 1]"#, r#"["\"\u0000"]"#];
        for json in with {
            assert!(parse::<Value>(json.as_bytes()).is_err(), "{json}");
        }
        let without = [r#"{"a": "\\u0000"}"#, r#"["\u0001", "u0000", "\\\\u0000"]"#, "[]"];
        for json in without {
            assert!(parse::<Value>(json.as_bytes()).is_ok(), "{json}");
        }
        assert!(parse::<Value>(b"[\"a\0\"]").is_err(), "an unescaped NUL is not valid JSON");
    }
}
