//! The guides of the folder `docs`, as web pages at `/docs/guide`.
//!
//! `build.rs` embeds the Markdown files and pictures of that folder. A process renders all pages at the first request
//! for one. Anybody may read them: they say nothing about this installation. Links to files of the repository that are
//! not embedded become plain text.

mod render;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use axum::Router;
use axum::extract::Path;
use axum::http::header::CONTENT_SECURITY_POLICY;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;

use crate::problem::{self, ApiProblem};
use crate::served_file::ServedFile;
use render::{Guide, Site};

/// A file of the folder `docs`.
struct GuideFile {
    /// Its path in that folder.
    path: &'static str,
    bytes: &'static [u8],
}

static FILES: &[GuideFile] = include!(concat!(env!("OUT_DIR"), "/guide_files.rs"));

const STYLES: &str = include_str!("guide/guide.css");

/// No inline script or style, and nothing from another server.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; \
     form-action 'none'; frame-ancestors 'none'",
);

/// What is served, by what follows `/docs/guide/`; the index has an empty name.
static SERVED: LazyLock<Result<BTreeMap<String, ServedFile>, std::fmt::Error>> =
    LazyLock::new(render_all);

pub(crate) fn pages<S: Clone + Send + Sync + 'static>() -> Router<S> {
    let index = async |headers: HeaderMap| respond("", &headers);
    let page = async |Path(name): Path<String>, headers: HeaderMap| {
        respond(name.trim_end_matches('/'), &headers)
    };
    Router::new()
        .route("/docs/guide", get(index))
        .route("/docs/guide/", get(async || Redirect::permanent("/docs/guide")))
        .route("/docs/guide/{*name}", get(page))
}

fn respond(name: &str, headers: &HeaderMap) -> Response {
    let file = match &*SERVED {
        Ok(files) => files.get(name),
        Err(error) => return ApiProblem::internal(error.to_string()).into_response(),
    };
    let Some(file) = file else { return problem::no_such_route().into_response() };
    let mut response = file.respond(headers);
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, POLICY);
    response
}

fn render_all() -> Result<BTreeMap<String, ServedFile>, std::fmt::Error> {
    let site = Site::new(FILES, crate::ui::has_file("/theme.js"));
    let mut served = BTreeMap::new();
    served.insert("guide.css".to_owned(), ServedFile::new(STYLES, "text/css; charset=utf-8"));
    for file in FILES {
        let (name, content) = match Guide::of(file) {
            Some(guide) => {
                let page = site.page(&guide)?;
                (guide.name(), ServedFile::new(page, "text/html; charset=utf-8"))
            }
            None => (file.path.to_owned(), ServedFile::new(file.bytes, "image/webp")),
        };
        served.insert(name, content);
    }
    Ok(served)
}
