//! The client of a request, for routes without a credential.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::Extensions;
use axum::http::request::Parts;
use domain::TraceContext;

use crate::Api;
use crate::problem::ApiProblem;

/// The client's address and the request's trace.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Client {
    pub(crate) address: IpAddr,
    pub(crate) trace: TraceContext,
}

impl FromRequestParts<Arc<Api>> for Client {
    type Rejection = ApiProblem;

    async fn from_request_parts(parts: &mut Parts, api: &Arc<Api>) -> Result<Self, ApiProblem> {
        let peer = peer_of(&parts.extensions);
        let client = api.settings.trusted_proxies.client_of(peer, &parts.headers);
        let trace = parts.extensions.get::<TraceContext>().copied();
        Ok(Self {
            address: client.map_err(|error| ApiProblem::invalid(error.to_string()))?,
            trace: trace.unwrap_or_else(|| TraceContext::new(1)),
        })
    }
}

/// The other end of the connection.
pub(crate) fn peer_of(extensions: &Extensions) -> IpAddr {
    let peer = extensions.get::<SocketAddr>().map(SocketAddr::ip);
    peer.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST))
}
