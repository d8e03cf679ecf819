//! Protection of a server without authentication: it accepts only programs on this machine and its own pages.
//!
//! Every page in a browser on this machine can send requests to it. A page that uses DNS rebinding sends its own host name
//! as `Host`; a page of another origin is visible in `Origin` or `Sec-Fetch-Site`. Pages cannot omit or change these
//! headers.

use std::net::IpAddr;

use axum::http::{HeaderMap, HeaderName, StatusCode, header};

use crate::problem::ApiProblem;

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

pub(crate) fn check(headers: &HeaderMap) -> Result<(), ApiProblem> {
    let text = |name: &HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    let host = text(&header::HOST).filter(|host| is_this_machine(host)).ok_or_else(|| {
        forbidden("Authentication is off, so the server accepts only requests to localhost.")
    })?;
    let is_own = |origin: &str| {
        let authority = origin.split_once("://").map(|(_, authority)| authority);
        authority.is_some_and(|authority| authority.eq_ignore_ascii_case(host))
    };
    // A browser sends `none` if the user typed the address or opened a bookmark.
    let is_cross_site =
        text(&SEC_FETCH_SITE).is_some_and(|site| !matches!(site, "same-origin" | "none"));
    if is_cross_site || !text(&header::ORIGIN).is_none_or(is_own) {
        return Err(forbidden(
            "Authentication is off, so the server refuses requests of other sites. Open its address directly.",
        ));
    }
    Ok(())
}

fn is_this_machine(host: &str) -> bool {
    let name = host.rsplit_once(':').map_or(host, |(name, port)| {
        if port.bytes().all(|byte| byte.is_ascii_digit()) { name } else { host }
    });
    name.eq_ignore_ascii_case("localhost")
        || name.trim_matches(['[', ']']).parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

fn forbidden(detail: &str) -> ApiProblem {
    ApiProblem::new(StatusCode::FORBIDDEN, "forbidden", detail)
}
