//! The web UI, as the build embedded it (`build.rs`), and what stands in its place when it did not.
//!
//! The UI is one page that draws all screens: a *screen's address* (`/documents/…`) has no file of its
//! own, so a browser that opens one gets `index.html`. Everything else that is nowhere stays a 404:
//! a program that mistypes a route must not be answered with a page.

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::header::{
    ACCEPT, ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY,
    CONTENT_TYPE, VARY,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;

use crate::problem;

struct UiFile {
    /// Where it is served, `/` first.
    address: &'static str,
    bytes: &'static [u8],
    gzip: Option<&'static [u8]>,
}

static FILES: &[UiFile] = include!(concat!(env!("OUT_DIR"), "/ui_files.rs"));

/// What programs call; a browser that lands there by mistake is told so.
const NOT_SCREENS: [&str; 7] =
    ["/v1", "/api", "/docs", "/openapi.json", "/livez", "/readyz", "/metrics"];

/// Stricter than what the shell sets: no inline script or style, and nothing from anywhere else. Pictures of
/// pages are fetched with the caller's token, so they are shown from memory (`blob:`).
const UI_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; \
     connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; \
     frame-ancestors 'none'",
);

/// The name of such a file changes with what is in it.
const FOREVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
const ASK_FIRST: HeaderValue = HeaderValue::from_static("no-cache");

const OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");

pub(crate) fn front_page<S: Clone + Send + Sync + 'static>() -> Router<S> {
    Router::new().route("/", get(async |headers: HeaderMap| front(FILES, &headers)))
}

/// For every address that no route has.
pub(crate) async fn file_or_screen(request: Request) -> Response {
    match find(FILES, &request) {
        Some(file) => respond(file, request.headers()),
        None => problem::no_such_route().into_response(),
    }
}

/// Whether the build embedded this file of the UI.
pub(crate) fn has_file(address: &str) -> bool {
    file_at(FILES, address).is_some()
}

fn front(files: &'static [UiFile], headers: &HeaderMap) -> Response {
    match file_at(files, "/index.html") {
        Some(index) => respond(index, headers),
        None => Html(include_str!("routes/front_page.html")).into_response(),
    }
}

fn find(files: &'static [UiFile], request: &Request) -> Option<&'static UiFile> {
    if request.method() != Method::GET && request.method() != Method::HEAD {
        return None;
    }
    let path = request.uri().path();
    file_at(files, path).or_else(|| {
        let is_screen = wants_a_page(request.headers()) && !belongs_to_programs(path);
        is_screen.then(|| file_at(files, "/index.html")).flatten()
    })
}

fn file_at(files: &'static [UiFile], address: &str) -> Option<&'static UiFile> {
    files.iter().find(|file| file.address == address)
}

fn wants_a_page(headers: &HeaderMap) -> bool {
    lists(headers, &ACCEPT, "text/html")
}

fn belongs_to_programs(path: &str) -> bool {
    NOT_SCREENS.iter().any(|start| {
        path.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}

/// Whether a header with a list of things, each perhaps with a weight, has `thing` among them.
fn lists(headers: &HeaderMap, header: &HeaderName, thing: &str) -> bool {
    let values = headers.get_all(header).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|entry| {
        let mut parts = entry.split(';').map(str::trim);
        let named = parts.next().is_some_and(|name| name.eq_ignore_ascii_case(thing));
        named && !parts.any(|weight| matches!(weight, "q=0" | "q=0.0"))
    })
}

fn respond(file: &'static UiFile, headers: &HeaderMap) -> Response {
    let compressed = file.gzip.filter(|_| lists(headers, &ACCEPT_ENCODING, "gzip"));
    let mut response = Body::from(compressed.unwrap_or(file.bytes)).into_response();
    let to = response.headers_mut();
    to.insert(CONTENT_TYPE, HeaderValue::from_static(media_type(file.address)));
    to.insert(VARY, HeaderValue::from_static("accept-encoding"));
    if compressed.is_some() {
        to.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    let is_hashed = file.address.starts_with("/assets/");
    to.insert(CACHE_CONTROL, if is_hashed { FOREVER } else { ASK_FIRST });
    to.insert(CONTENT_SECURITY_POLICY, UI_POLICY);
    to.insert(OPENER_POLICY, HeaderValue::from_static("same-origin"));
    response
}

fn media_type(address: &str) -> &'static str {
    match address.rsplit_once('.').map(|(_, extension)| extension) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("webmanifest") => "application/manifest+json",
        Some("json") => "application/json",
        Some("txt") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use axum::body::to_bytes;
    use axum::http::StatusCode;

    use super::*;

    static BUILT: &[UiFile] = &[
        UiFile { address: "/assets/app-1a2b.js", bytes: b"script", gzip: Some(b"squeezed") },
        UiFile { address: "/index.html", bytes: b"page", gzip: None },
    ];

    fn request(method: Method, path: &str, headers: &[(HeaderName, &'static str)]) -> Request {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(name, *value);
        }
        request.body(Body::empty()).unwrap()
    }

    fn found(method: Method, path: &str, accept: &'static str) -> Option<&'static str> {
        find(BUILT, &request(method, path, &[(ACCEPT, accept)])).map(|file| file.address)
    }

    #[test]
    fn a_browser_gets_the_page_at_the_address_of_a_screen() {
        let html = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8";
        assert_eq!(found(Method::GET, "/documents/7", html), Some("/index.html"));
        assert_eq!(found(Method::HEAD, "/admin", html), Some("/index.html"));
        assert_eq!(found(Method::POST, "/documents/7", html), None);
        assert_eq!(found(Method::GET, "/documents/7", "*/*"), None);
    }

    #[test]
    fn what_programs_call_never_becomes_a_page() {
        for path in ["/v1", "/v1/nothing", "/api/nothing", "/docs/x.js", "/metrics"] {
            assert_eq!(found(Method::GET, path, "text/html"), None, "{path}");
        }
        assert_eq!(found(Method::GET, "/v1beta", "text/html"), Some("/index.html"));
    }

    #[tokio::test]
    async fn a_file_comes_compressed_to_those_who_can_unpack_it() {
        let path = "/assets/app-1a2b.js";
        for (accepted, body) in
            [("br, gzip", "squeezed"), ("identity", "script"), ("gzip;q=0", "script")]
        {
            let request = request(Method::GET, path, &[(ACCEPT_ENCODING, accepted)]);
            let response = respond(find(BUILT, &request).unwrap(), request.headers());
            assert_eq!(response.headers()[CACHE_CONTROL], FOREVER);
            assert_eq!(response.headers()[CONTENT_SECURITY_POLICY], UI_POLICY);
            assert_eq!(response.headers().contains_key(CONTENT_ENCODING), body == "squeezed");
            assert_eq!(to_bytes(response.into_body(), 100).await.unwrap(), body);
        }
    }

    #[tokio::test]
    async fn without_a_built_ui_the_front_page_says_where_it_went() {
        let response = front(&[], &HeaderMap::new());
        assert_eq!(response.status(), StatusCode::OK);
        let page = to_bytes(response.into_body(), 10_000).await.unwrap();
        assert!(String::from_utf8_lossy(&page).contains("was built without its web UI"));
        assert!(file_at(&[], "/index.html").is_none());
    }
}
