//! Page views: documents as HTML that a browser shows in a sandboxed frame.

use std::sync::Arc;

use api_types::PageViewLink;
use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use domain::DocId;
use ops::{OpsError, PageViewRequest, RenderedView};

use crate::Api;
use crate::entity_tags::known_tags;
use crate::extract::{Client, Id, Path, SignedInCaller};
use crate::openapi::{AboutOne, CanConflict, Checked, Guarded, Linked};
use crate::problem::ApiProblem;

/// The view loads nothing and runs nothing, and only pages of this server frame it.
const POLICY: HeaderValue = HeaderValue::from_static(
    "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; \
     form-action 'none'; frame-ancestors 'self'",
);

/// The most tags of a request that are compared.
const MAX_TAGS: usize = 20;

/// Get a link to the page view
///
/// The page view of a Word, Excel, PowerPoint, HTML or mail file: one HTML document that looks like the original,
/// without scripts, and loads nothing. Other kinds have none (409, `no_page_view`): PDFs and images have pictures
/// of their pages. A view shows the original without masks, so it needs the same permission as the original.
#[utoipa::path(
    get, path = "/documents/{id}/view", tag = "documents", operation_id = "link_to_page_view",
    params(("id" = Uuid, Path)),
    responses(
        (status = 200, body = PageViewLink, description = "The link"),
        Guarded, Checked, AboutOne, CanConflict,
    ),
    security(("bearer" = [])),
)]
pub(crate) async fn link(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Id(id): Id,
) -> Result<Json<PageViewLink>, ApiProblem> {
    let signed = api.ops.content.link_to_page_view(&caller, DocId(id)).await?;
    let url = format!("/v1/views/{}", signed.token);
    Ok(Json(PageViewLink { url, expires_at: signed.expires_at }))
}

/// Show a page view
///
/// It needs no credential: the link is followed on behalf of its creator, as long as the creator is active and may
/// read the original. The `Content-Security-Policy` of the response puts it into a sandbox.
#[utoipa::path(
    get, path = "/views/{token}", tag = "documents", operation_id = "show_page_view",
    params(("token" = String, Path)),
    responses(
        (status = 200, content_type = "text/html", body = String, description = "The page view"),
        (status = 304, description = "The client has this view already (`If-None-Match`)"),
        Linked, Checked, CanConflict,
    ),
)]
pub(crate) async fn show(
    State(api): State<Arc<Api>>,
    Client { trace, .. }: Client,
    Path(token): Path<String>,
    headers: HeaderMap,
) -> Result<Response, ApiProblem> {
    let known_tags = known_tags(&headers).take(MAX_TAGS).map(str::to_owned).collect();
    let request = PageViewRequest { trace, known_tags };
    let RenderedView { tag, html } = match api.ops.content.render_page_view(&token, request).await {
        Ok(rendered) => rendered,
        // A person looks at the frame: a problem document would be a blank one.
        Err(OpsError::Conflict { problem, .. }) => return Ok(cannot_be_shown(&problem)),
        Err(error) => return Err(error.into()),
    };
    let mut response = match html {
        Some(html) => framed(Body::from(html)),
        None => StatusCode::NOT_MODIFIED.into_response(),
    };
    let answered = response.headers_mut();
    // The next request is checked again, and answered without the view when the browser has it.
    answered.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    if let Ok(tag) = HeaderValue::try_from(format!("\"{tag}\"")) {
        answered.insert(header::ETAG, tag);
    }
    Ok(response)
}

fn framed(body: Body) -> Response {
    let mut response = body.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(header::CONTENT_SECURITY_POLICY, POLICY);
    response
}

fn cannot_be_shown(problem: &str) -> Response {
    let problem = problem.replace('&', "&amp;").replace('<', "&lt;");
    let page = format!(
        "<!DOCTYPE html><meta charset=\"utf-8\"><title>Page view</title>\
         <body style=\"font:16px/1.5 sans-serif;padding:1rem;background:#fff;color:#222\">\
         <p>This document cannot be shown as pages: {problem}</p>"
    );
    let mut response = framed(Body::from(page));
    *response.status_mut() = StatusCode::CONFLICT;
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_is_shown_as_text() {
        let response = cannot_be_shown("<script>");
        assert_eq!(response.status(), StatusCode::CONFLICT);
        assert_eq!(response.headers()[header::CONTENT_SECURITY_POLICY], POLICY);
    }
}
