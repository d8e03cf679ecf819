//! Downloading originals with a link.

use std::ops::Range;
use std::sync::Arc;

use api_types::FileContent;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use ops::{LinkRequest, LinkTarget, OriginalDownload};

use crate::Api;
use crate::content_disposition::content_disposition;
use crate::extract::{Client, Path};
use crate::openapi::{Checked, Linked};
use crate::problem::ApiProblem;

/// Download an original with a link
///
/// Needs no credential: the link works with the permissions of its creator, while they are active and may read the
/// original. If the original is in a bucket, the response redirects to a URL of the object store that is valid for a
/// minute. Each read is recorded in the audit log; requests from one client within ten minutes count as one.
#[utoipa::path(
    get, path = "/files/{token}", tag = "documents", operation_id = "follow_link",
    params(("token" = String, Path)),
    responses(
        (status = 200, content_type = "application/octet-stream", body = FileContent,
         description = "The original; its `Content-Type` is that of the file"),
        (status = 206, content_type = "application/octet-stream", body = FileContent,
         description = "The requested range"),
        (status = 307, description = "The original is in the object store",
         headers(("location" = String, description = "The URL of the object store"))),
        Linked, Checked,
    ),
)]
pub(crate) async fn follow(
    State(api): State<Arc<Api>>,
    Client { address, trace }: Client,
    Path(token): Path<String>,
    method: Method,
    headers: HeaderMap,
) -> Result<Response, ApiProblem> {
    let range =
        headers.get(header::RANGE).and_then(|value| value.to_str().ok()).and_then(one_range);
    let partial = range.is_some();
    let wants_bytes = method != Method::HEAD;
    let request = LinkRequest { range, wants_bytes, client: address, trace, content_disposition };
    match api.ops.content.follow_link(&token, request).await? {
        LinkTarget::Stream(original) => Ok(bytes_of(original, partial)),
        LinkTarget::Redirect(url) => Ok(redirect_to(url.as_str())),
    }
}

/// The redirect is not cached (`request_middleware.rs`), so that each use of the link is checked.
fn redirect_to(url: &str) -> Response {
    (StatusCode::TEMPORARY_REDIRECT, [(header::LOCATION, url)]).into_response()
}

fn bytes_of(original: OriginalDownload, partial: bool) -> Response {
    let OriginalDownload { file_name, media_type, content, bytes } = original;
    let (size, sent) = (bytes.size(), bytes.range());
    let mut response = Body::from_stream(bytes).into_response();
    if partial {
        *response.status_mut() = StatusCode::PARTIAL_CONTENT;
    }
    let response_headers = response.headers_mut();
    let mut put = |name, value: String| {
        if let Ok(value) = HeaderValue::try_from(value) {
            response_headers.insert(name, value);
        }
    };
    put(header::CONTENT_TYPE, media_type);
    put(header::CONTENT_DISPOSITION, content_disposition(&file_name));
    put(header::CONTENT_LENGTH, (sent.end - sent.start).to_string());
    put(header::ACCEPT_RANGES, "bytes".to_owned());
    put(header::ETAG, format!("\"{content}\""));
    // Uploaded content must not run scripts in this origin.
    put(header::CONTENT_SECURITY_POLICY, "sandbox; default-src 'none'".to_owned());
    if partial {
        let last = sent.end.saturating_sub(1);
        put(header::CONTENT_RANGE, format!("bytes {}-{last}/{size}", sent.start));
    }
    response
}

/// Parses `bytes=a-b` or `bytes=a-`. For anything else the whole file is sent, as the standard allows.
fn one_range(header: &str) -> Option<Range<u64>> {
    let (from, to) = header.strip_prefix("bytes=")?.split_once('-')?;
    let from: u64 = from.trim().parse().ok()?;
    let end = match to.trim() {
        "" => u64::MAX,
        to => to.parse::<u64>().ok()?.checked_add(1)?,
    };
    (from < end).then_some(from..end)
}

#[cfg(test)]
mod tests {
    use super::one_range;

    #[test]
    fn single_ranges_are_parsed_and_others_ignored() {
        assert_eq!(one_range("bytes=0-9"), Some(0..10));
        assert_eq!(one_range("bytes=5-"), Some(5..u64::MAX));
        for other in ["bytes=-5", "bytes=9-0", "bytes=0-1,3-4", "lines=1-2", ""] {
            assert_eq!(one_range(other), None, "{other}");
        }
    }
}
