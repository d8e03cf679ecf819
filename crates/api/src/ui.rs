//! The embedded web UI (`build.rs`), or a placeholder page if it was not built.
//!
//! The UI is a single-page application: the path of a *screen* (`/documents/…`) has no file of its own, so a browser that
//! opens one gets `index.html`. All other unknown paths are 404: a program that mistypes a route must not get a page.

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
    /// The path that it is served at, with a leading `/`.
    address: &'static str,
    bytes: &'static [u8],
    gzip: Option<&'static [u8]>,
}

static FILES: &[UiFile] = include!(concat!(env!("OUT_DIR"), "/ui_files.rs"));

/// Path prefixes of routes for programs, where a browser gets a 404 too.
const API_PREFIXES: [&str; 7] =
    ["/v1", "/api", "/docs", "/openapi.json", "/livez", "/readyz", "/metrics"];

/// Stricter than the default policy: no inline scripts or styles. Page images are fetched with the caller's token, so they
/// are shown from memory (`blob:`). Page views are framed, and have a
/// stricter policy of their own (`routes/page_views.rs`).
const UI_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; \
     connect-src 'self'; frame-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; \
     frame-ancestors 'none'",
);

/// For files whose name contains a hash of their content.
const IMMUTABLE: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
const REVALIDATE: HeaderValue = HeaderValue::from_static("no-cache");

const OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");

pub(crate) fn front_page<S: Clone + Send + Sync + 'static>() -> Router<S> {
    Router::new().route("/", get(async |headers: HeaderMap| front(FILES, &headers)))
}

/// The fallback for paths without a route.
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
        let is_screen = accepts_html(request.headers()) && !is_api_path(path);
        is_screen.then(|| file_at(files, "/index.html")).flatten()
    })
}

fn file_at(files: &'static [UiFile], address: &str) -> Option<&'static UiFile> {
    files.iter().find(|file| file.address == address)
}

fn accepts_html(headers: &HeaderMap) -> bool {
    accepts(headers, &ACCEPT, "text/html")
}

fn is_api_path(path: &str) -> bool {
    API_PREFIXES.iter().any(|start| {
        path.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}

/// Whether a header with a list of values, each with an optional weight, accepts `value`.
fn accepts(headers: &HeaderMap, header: &HeaderName, thing: &str) -> bool {
    let values = headers.get_all(header).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|entry| {
        let mut parts = entry.split(';').map(str::trim);
        let named = parts.next().is_some_and(|name| name.eq_ignore_ascii_case(thing));
        named && !parts.any(|weight| matches!(weight, "q=0" | "q=0.0"))
    })
}

fn respond(file: &'static UiFile, headers: &HeaderMap) -> Response {
    let compressed = file.gzip.filter(|_| accepts(headers, &ACCEPT_ENCODING, "gzip"));
    let mut response = Body::from(compressed.unwrap_or(file.bytes)).into_response();
    let to = response.headers_mut();
    to.insert(CONTENT_TYPE, HeaderValue::from_static(media_type(file.address)));
    to.insert(VARY, HeaderValue::from_static("accept-encoding"));
    if compressed.is_some() {
        to.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    let is_hashed = file.address.starts_with("/assets/");
    to.insert(CACHE_CONTROL, if is_hashed { IMMUTABLE } else { REVALIDATE });
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
    fn a_browser_gets_the_page_at_the_path_of_a_screen() {
        let html = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8";
        assert_eq!(found(Method::GET, "/documents/7", html), Some("/index.html"));
        assert_eq!(found(Method::HEAD, "/admin", html), Some("/index.html"));
        assert_eq!(found(Method::POST, "/documents/7", html), None);
        assert_eq!(found(Method::GET, "/documents/7", "*/*"), None);
    }

    #[test]
    fn api_paths_never_return_the_page() {
        for path in ["/v1", "/v1/nothing", "/api/nothing", "/docs/x.js", "/metrics"] {
            assert_eq!(found(Method::GET, path, "text/html"), None, "{path}");
        }
        assert_eq!(found(Method::GET, "/v1beta", "text/html"), Some("/index.html"));
    }

    #[tokio::test]
    async fn a_file_is_compressed_if_the_client_accepts_gzip() {
        let path = "/assets/app-1a2b.js";
        for (accepted, body) in
            [("br, gzip", "squeezed"), ("identity", "script"), ("gzip;q=0", "script")]
        {
            let request = request(Method::GET, path, &[(ACCEPT_ENCODING, accepted)]);
            let response = respond(find(BUILT, &request).unwrap(), request.headers());
            assert_eq!(response.headers()[CACHE_CONTROL], IMMUTABLE);
            assert_eq!(response.headers()[CONTENT_SECURITY_POLICY], UI_POLICY);
            assert_eq!(response.headers().contains_key(CONTENT_ENCODING), body == "squeezed");
            assert_eq!(to_bytes(response.into_body(), 100).await.unwrap(), body);
        }
    }

    #[tokio::test]
    async fn without_a_built_ui_the_front_page_says_how_to_build_it() {
        let response = front(&[], &HeaderMap::new());
        assert_eq!(response.status(), StatusCode::OK);
        let page = to_bytes(response.into_body(), 10_000).await.unwrap();
        assert!(String::from_utf8_lossy(&page).contains("was built without its web UI"));
        assert!(file_at(&[], "/index.html").is_none());
    }
}
