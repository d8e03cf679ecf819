//! Where a request comes from, for those routes that anybody may call.

use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use domain::TraceId;

/// The client's address and the request's trace.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Client {
    pub(crate) address: IpAddr,
    pub(crate) trace_id: TraceId,
}

impl<S: Sync> FromRequestParts<S> for Client {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let peer = parts.extensions.get::<SocketAddr>().map(SocketAddr::ip);
        Ok(Self {
            address: peer.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST)),
            trace_id: parts.extensions.get::<TraceId>().copied().unwrap_or(TraceId(1)),
        })
    }
}
