//! The authenticated caller: `Authorization: Bearer`, a token or a key.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use domain::Caller;

use super::Client;
use crate::Api;
use crate::problem::ApiProblem;

/// Who asks, and within their tenant's rate. A handler that takes this is closed to strangers.
#[derive(Debug)]
pub(crate) struct SignedInCaller(pub(crate) Caller);

impl FromRequestParts<Arc<Api>> for SignedInCaller {
    type Rejection = ApiProblem;

    async fn from_request_parts(parts: &mut Parts, api: &Arc<Api>) -> Result<Self, ApiProblem> {
        let Ok(Client { address, trace_id }) = Client::from_request_parts(parts, api).await;
        let caller = match &api.settings.everybody_is {
            Some(everybody) => {
                must_be_meant_for_this_machine(parts)?;
                Caller { trace_id: Some(trace_id), ..everybody.clone() }
            }
            None => api.ops.authenticate(bearer_credential(parts)?, address, trace_id).await?,
        };
        api.count_request(caller.tenant_id)?;
        Ok(Self(caller))
    }
}

/// Without authentication, a page in a browser here could make its own host name mean this machine
/// and be the administrator. Its requests carry that name.
fn must_be_meant_for_this_machine(parts: &Parts) -> Result<(), ApiProblem> {
    let Some(host) = parts.headers.get(header::HOST) else { return Ok(()) };
    let host = host.to_str().unwrap_or_default();
    let name = host.rsplit_once(':').map_or(host, |(name, port)| {
        if port.bytes().all(|byte| byte.is_ascii_digit()) { name } else { host }
    });
    let is_loopback = name.eq_ignore_ascii_case("localhost")
        || name.trim_matches(['[', ']']).parse().is_ok_and(|address: IpAddr| address.is_loopback());
    if is_loopback {
        Ok(())
    } else {
        Err(ApiProblem::new(
            StatusCode::FORBIDDEN,
            "forbidden",
            "authentication is off, so only requests to localhost are answered",
        ))
    }
}

fn bearer_credential(parts: &Parts) -> Result<&str, ApiProblem> {
    let header = parts.headers.get(header::AUTHORIZATION).ok_or_else(|| {
        ApiProblem::unauthenticated(
            "sign in with POST /v1/auth/login and send the token as Authorization: Bearer …",
        )
    })?;
    let (scheme, credential) =
        header.to_str().ok().and_then(|text| text.split_once(' ')).ok_or_else(|| {
            ApiProblem::unauthenticated("the Authorization header is not Bearer …")
        })?;
    if scheme.eq_ignore_ascii_case("bearer") {
        Ok(credential.trim())
    } else {
        Err(ApiProblem::unauthenticated("the Authorization header is not Bearer …"))
    }
}
