//! The address of the client, also behind reverse proxies.
//!
//! The *peer* is the other end of the connection. If the peer is a *trusted proxy* (the setting `trusted_proxies`), the
//! client is the address that the proxy names in `X-Forwarded-For` or `Forwarded` (RFC 7239). Every proxy appends the
//! address of its own peer at the right. So the list is read from the right, and only through trusted proxies: entries
//! further left can be forged by the client.

use std::net::{IpAddr, SocketAddr};

use axum::http::{HeaderMap, HeaderName, header};
use ipnet::IpNet;
use thiserror::Error;

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// Headers that proxies add, and clients that connect directly do not send.
const FORWARDING: [HeaderName; 6] = [
    X_FORWARDED_FOR,
    header::FORWARDED,
    header::VIA,
    HeaderName::from_static("x-forwarded-host"),
    HeaderName::from_static("x-forwarded-proto"),
    HeaderName::from_static("x-real-ip"),
];

/// The networks of trusted proxies.
#[derive(Clone, Debug, Default)]
pub struct TrustedProxies(Vec<IpNet>);

/// The two headers name different clients, so the client forged one of them.
#[derive(Debug, Error, PartialEq, Eq)]
#[error(
    "X-Forwarded-For and Forwarded name different clients. Configure the proxy to send only one of them."
)]
pub(crate) struct AmbiguousClient;

impl TrustedProxies {
    pub fn new(networks: Vec<IpNet>) -> Self {
        Self(networks)
    }

    fn trusts(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|network| network.contains(&address))
    }

    /// The client behind `peer`. If both headers are present they must agree; otherwise a client could choose its address
    /// by sending the header that its proxy does not use.
    pub(crate) fn client_of(
        &self,
        peer: IpAddr,
        headers: &HeaderMap,
    ) -> Result<IpAddr, AmbiguousClient> {
        Ok(self.named_client(peer, headers)?.unwrap_or(peer).to_canonical())
    }

    /// The client that the trusted proxies name.
    fn named_client(
        &self,
        peer: IpAddr,
        headers: &HeaderMap,
    ) -> Result<Option<IpAddr>, AmbiguousClient> {
        let listed = self.walk(peer, &values(headers, &X_FORWARDED_FOR), address_of);
        let described = self.walk(peer, &values(headers, &header::FORWARDED), forwarded_for);
        match (listed, described) {
            (Some(one), Some(other)) if one != other => Err(AmbiguousClient),
            (one, other) => Ok(one.or(other)),
        }
    }

    /// Walks from the right to the first address that is not a trusted proxy. `None` if an entry cannot be parsed.
    fn walk(
        &self,
        peer: IpAddr,
        hops: &[&str],
        read: impl Fn(&str) -> Option<IpAddr>,
    ) -> Option<IpAddr> {
        let mut client = None;
        for hop in hops.iter().rev() {
            if !self.trusts(client.unwrap_or(peer)) {
                break;
            }
            client = Some(read(hop)?);
        }
        client
    }

    /// Whether the request comes from this machine. A proxied request does not, whatever its peer is, unless a trusted proxy
    /// says so.
    pub(crate) fn is_local(&self, peer: IpAddr, headers: &HeaderMap) -> bool {
        let is_loopback = |address: IpAddr| address.to_canonical().is_loopback();
        if !FORWARDING.iter().any(|name| headers.contains_key(name)) {
            return is_loopback(peer);
        }
        self.named_client(peer, headers).is_ok_and(|client| client.is_some_and(is_loopback))
    }
}

/// The entries of all lines of a header, in order.
fn values<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Vec<&'a str> {
    let lines = headers.get_all(name).iter();
    // A line that is not text counts as one entry that cannot be parsed.
    lines.flat_map(|line| line.to_str().unwrap_or("?").split(',')).map(str::trim).collect()
}

/// `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1` or `[2001:db8::1]:80`.
fn address_of(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    let address = bare.parse().ok();
    address.or_else(|| text.parse::<SocketAddr>().ok().map(|socket| socket.ip()))
}

/// The `for` of `for=192.0.2.1;proto=https`.
fn forwarded_for(element: &str) -> Option<IpAddr> {
    let named = element.split(';').find_map(|pair| {
        let (name, value) = pair.split_once('=')?;
        name.trim().eq_ignore_ascii_case("for").then_some(value.trim())
    });
    address_of(named?.trim_matches('"'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proxies() -> TrustedProxies {
        let networks = ["127.0.0.0/8", "10.0.0.0/8", "2001:db8::/64"];
        TrustedProxies::new(networks.iter().map(|network| network.parse().unwrap()).collect())
    }

    fn headers(lines: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(*name, value.parse().unwrap());
        }
        headers
    }

    fn client(peer: &str, lines: &[(&'static str, &'static str)]) -> Option<String> {
        let client = proxies().client_of(peer.parse().unwrap(), &headers(lines));
        client.ok().map(|client| client.to_string())
    }

    #[test]
    fn the_client_is_the_first_address_from_the_right_that_is_not_a_trusted_proxy() {
        let list = |text| [("x-forwarded-for", text)];
        let cases = [
            // The header of an untrusted peer is ignored.
            ("203.0.113.9", list("198.51.100.1"), "203.0.113.9"),
            ("10.0.0.1", list("198.51.100.1"), "198.51.100.1"),
            // The client forged the first entry.
            ("10.0.0.1", list("127.0.0.1, 198.51.100.1"), "198.51.100.1"),
            ("127.0.0.1", list("198.51.100.1, 10.0.0.2"), "198.51.100.1"),
            ("::ffff:10.0.0.1", list("198.51.100.1:4711"), "198.51.100.1"),
            ("2001:db8::1", list("[2001:db8:1::7]:80"), "2001:db8:1::7"),
            // All entries are proxies: the first one is the client.
            ("127.0.0.1", list("10.0.0.3, 10.0.0.2"), "10.0.0.3"),
            ("10.0.0.1", list("unknown"), "10.0.0.1"),
        ];
        for (peer, lines, expected) in cases {
            assert_eq!(client(peer, &lines).as_deref(), Some(expected), "{peer} {lines:?}");
        }
        let lines = [("x-forwarded-for", "127.0.0.1"), ("x-forwarded-for", "198.51.100.1")];
        assert_eq!(
            client("10.0.0.1", &lines).as_deref(),
            Some("198.51.100.1"),
            "two lines are one list"
        );
    }

    #[test]
    fn forwarded_is_supported_and_both_headers_must_agree() {
        let forwarded = ("forwarded", "for=127.0.0.1, for=\"[2001:db8:1::7]:80\";proto=https");
        assert_eq!(client("10.0.0.1", &[forwarded]).as_deref(), Some("2001:db8:1::7"));
        let agreeing = [forwarded, ("x-forwarded-for", "2001:db8:1::7")];
        assert_eq!(client("10.0.0.1", &agreeing).as_deref(), Some("2001:db8:1::7"));
        let added_by_the_client = [forwarded, ("x-forwarded-for", "198.51.100.1")];
        assert_eq!(client("10.0.0.1", &added_by_the_client), None);
    }

    #[test]
    fn a_proxied_request_is_not_local_unless_a_trusted_proxy_says_so() {
        let local =
            |proxies: &TrustedProxies, peer: &str, lines: &[(&'static str, &'static str)]| {
                proxies.is_local(peer.parse().unwrap(), &headers(lines))
            };
        let none = TrustedProxies::default();
        assert!(local(&none, "127.0.0.1", &[]));
        assert!(local(&none, "::ffff:127.0.0.1", &[]));
        assert!(!local(&none, "10.0.0.1", &[]));
        for name in ["x-forwarded-for", "forwarded", "via", "x-real-ip", "x-forwarded-proto"] {
            assert!(!local(&none, "127.0.0.1", &[(name, "127.0.0.1")]), "{name}");
        }
        assert!(local(&proxies(), "127.0.0.1", &[("x-forwarded-for", "127.0.0.1")]));
        assert!(!local(&proxies(), "127.0.0.1", &[("x-forwarded-for", "198.51.100.1")]));
        assert!(!local(&proxies(), "127.0.0.1", &[("via", "1.1 proxy")]), "it names no client");
        assert!(!local(
            &proxies(),
            "127.0.0.1",
            &[("x-forwarded-for", "unknown"), ("via", "1.1 proxy")]
        ));
    }
}
