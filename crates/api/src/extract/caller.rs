//! The authenticated caller: `Authorization: Bearer`, a token or a key.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::header;
use axum::http::request::Parts;
use domain::Caller;

use super::Client;
use crate::Api;
use crate::problem::ApiProblem;

/// The authenticated caller, within the rate limit of their tenant. A handler with this extractor requires a credential.
#[derive(Debug)]
pub(crate) struct SignedInCaller(pub(crate) Caller);

impl FromRequestParts<Arc<Api>> for SignedInCaller {
    type Rejection = ApiProblem;

    async fn from_request_parts(parts: &mut Parts, api: &Arc<Api>) -> Result<Self, ApiProblem> {
        let Client { address, trace } = Client::from_request_parts(parts, api).await?;
        let caller = match &api.settings.development_caller {
            Some(caller) => Caller { trace: Some(trace), ..caller.clone() },
            None => api.ops.access.authenticate(bearer_credential(parts)?, address, trace).await?,
        };
        tracing::Span::current().record("tenant_id", tracing::field::display(caller.tenant_id));
        api.count_request(caller.tenant_id)?;
        Ok(Self(caller))
    }
}

fn bearer_credential(parts: &Parts) -> Result<&str, ApiProblem> {
    let header = parts.headers.get(header::AUTHORIZATION).ok_or_else(|| {
        ApiProblem::unauthenticated(
            "No credential was sent. Sign in with POST /v1/auth/login and send the token as Authorization: Bearer …",
        )
    })?;
    let (scheme, credential) =
        header.to_str().ok().and_then(|text| text.split_once(' ')).ok_or_else(|| {
            ApiProblem::unauthenticated(
                "The Authorization header must be Bearer and a token or API key.",
            )
        })?;
    if scheme.eq_ignore_ascii_case("bearer") {
        Ok(credential.trim())
    } else {
        Err(ApiProblem::unauthenticated(
            "The Authorization header must be Bearer and a token or API key.",
        ))
    }
}
