//! Error responses: RFC 9457 problem documents.
//!
//! A handler returns an [`ApiProblem`]. It does not know the trace id; the request middleware adds it, and logs the cause,
//! which the client must not see.

use std::borrow::Cow;
use std::time::Duration;

use api_types::{FieldProblem, Problem};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use domain::{Refusal, TraceId};
use ops::{AuthError, BlobError, OpsError, RateLimited};

/// A problem without its trace id.
#[derive(Clone, Debug)]
pub struct ApiProblem {
    pub(crate) status: StatusCode,
    pub(crate) code: &'static str,
    pub(crate) detail: String,
    pub(crate) field: Option<Cow<'static, str>>,
    errors: Option<Box<FieldProblems>>,
    pub(crate) retry_after: Option<Duration>,
    pub(crate) rate_limit: Option<u32>,
    /// The chain of causes, for the log.
    pub(crate) cause: Option<Box<str>>,
}

/// In a box, so that the error type of all handlers stays small.
#[derive(Clone, Debug)]
struct FieldProblems(Vec<FieldProblem>);

impl ApiProblem {
    pub(crate) fn new(status: StatusCode, code: &'static str, detail: impl Into<String>) -> Self {
        Self {
            status,
            code,
            detail: detail.into(),
            field: None,
            errors: None,
            retry_after: None,
            rate_limit: None,
            cause: None,
        }
    }

    pub(crate) fn invalid(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "invalid_request", detail)
    }

    pub(crate) fn unauthenticated(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "unauthenticated", detail)
    }

    pub(crate) fn internal(cause: String) -> Self {
        let detail = "An internal error occurred. Tell the administrator the trace_id: it is in the server's log.";
        let problem = Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", detail);
        Self { cause: Some(cause.into()), ..problem }
    }

    /// A dependency is temporarily unavailable.
    pub(crate) fn unavailable(detail: impl Into<String>, cause: Option<String>) -> Self {
        let problem = Self::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", detail);
        let cause = cause.map(String::into_boxed_str);
        Self { retry_after: Some(Duration::from_secs(2)), cause, ..problem }
    }

    pub(crate) fn for_field(self, field: impl Into<Cow<'static, str>>) -> Self {
        Self { field: Some(field.into()), ..self }
    }

    fn retry_after(self, wait: Duration) -> Self {
        Self { retry_after: Some(wait), ..self }
    }

    /// The response with the trace id.
    pub(crate) fn into_document(self, trace_id: TraceId) -> Response {
        let document = Problem {
            kind: format!("about:blank#{}", self.code),
            title: self.status.canonical_reason().unwrap_or("Error").to_owned(),
            status: self.status.as_u16(),
            detail: self.detail,
            code: self.code.to_owned(),
            trace_id: trace_id.to_string(),
            field: self.field.map(Cow::into_owned),
            errors: self.errors.map_or_else(Vec::new, |errors| errors.0),
        };
        let mut response = (self.status, axum::Json(document)).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(wait) = self.retry_after {
            let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds.max(1)));
            if let Some(limit) = self.rate_limit {
                headers.insert("ratelimit-limit", HeaderValue::from(limit));
                headers.insert("ratelimit-remaining", HeaderValue::from(0));
                headers.insert("ratelimit-reset", HeaderValue::from(seconds.max(1)));
            }
        }
        response
    }
}

impl IntoResponse for ApiProblem {
    /// An empty response that carries the problem to the request middleware.
    fn into_response(self) -> Response {
        let mut response = self.status.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

impl From<RateLimited> for ApiProblem {
    fn from(refused: RateLimited) -> Self {
        let detail =
            "This tenant sends too many requests. Try again after the time in Retry-After.";
        let problem = Self::new(StatusCode::TOO_MANY_REQUESTS, "rate_limited", detail);
        Self { rate_limit: Some(refused.limit), ..problem.retry_after(refused.retry_after) }
    }
}

impl From<AuthError> for ApiProblem {
    fn from(error: AuthError) -> Self {
        match error {
            AuthError::InvalidCredential => Self::unauthenticated(error.to_string()),
            AuthError::Unavailable => Self::unavailable(error.to_string(), None),
            AuthError::TooManyUnknownKeys(refused) => {
                let problem = Self::from(refused);
                Self { detail: error.to_string(), ..problem }
            }
            AuthError::Store(error) => OpsError::from(error).into(),
        }
    }
}

impl From<OpsError> for ApiProblem {
    fn from(error: OpsError) -> Self {
        let text = error.to_string();
        match error {
            OpsError::NotPermitted(_) | OpsError::OperatorOnly => {
                Self::new(StatusCode::FORBIDDEN, "forbidden", text)
            }
            OpsError::NotFound(_) | OpsError::OriginalDeleted => {
                Self::new(StatusCode::NOT_FOUND, "not_found", text)
            }
            OpsError::Invalid { field, problem } => Self::invalid(problem).for_field(field),
            OpsError::InvalidDocumentType(invalid) => {
                let problem = Self::new(StatusCode::BAD_REQUEST, "invalid_document_type", text);
                let field = invalid.problems.first().map(|problem| problem.path.clone().into());
                let errors = invalid.problems.into_iter();
                let errors = errors.map(|of| FieldProblem { path: of.path, message: of.message });
                let errors = Some(Box::new(FieldProblems(errors.collect())));
                Self { field, errors, ..problem }
            }
            OpsError::UnknownDocumentType { field, .. } => {
                Self::new(StatusCode::UNPROCESSABLE_ENTITY, "unknown_document_type", text)
                    .for_field(field)
            }
            OpsError::Conflict { code, .. } => Self::new(StatusCode::CONFLICT, code, text),
            OpsError::Refused(refusal) => {
                let status = match refusal {
                    Refusal::VersionNotPermitted => StatusCode::FORBIDDEN,
                    _ => StatusCode::CONFLICT,
                };
                Self::new(status, refusal.code(), text)
            }
            OpsError::WrongCredentials => {
                Self::new(StatusCode::UNAUTHORIZED, "wrong_credentials", text)
            }
            OpsError::AccessEnded => Self::unauthenticated(text),
            OpsError::TooManyAttempts(wait) => {
                Self::new(StatusCode::TOO_MANY_REQUESTS, "too_many_attempts", text)
                    .retry_after(wait)
            }
            OpsError::SignInBusy => Self::new(StatusCode::TOO_MANY_REQUESTS, "sign_in_busy", text)
                .retry_after(Duration::from_secs(3)),
            OpsError::StillInProgress => {
                Self::new(StatusCode::CONFLICT, "idempotency_in_progress", text)
                    .retry_after(Duration::from_secs(1))
            }
            OpsError::KeyUsedForOtherRequest => {
                Self::new(StatusCode::UNPROCESSABLE_ENTITY, "idempotency_key_reused", text)
            }
            OpsError::TooLarge { .. } => {
                Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", text)
            }
            OpsError::UnsupportedType { .. } => {
                Self::new(StatusCode::BAD_REQUEST, "unsupported_type", text)
            }
            OpsError::QueueFull { .. } => {
                let problem = Self::new(StatusCode::TOO_MANY_REQUESTS, "queue_full", text);
                Self { retry_after: Some(Duration::from_secs(10)), ..problem }
            }
            OpsError::TooManyUploads { .. } => {
                Self::new(StatusCode::TOO_MANY_REQUESTS, "too_many_uploads", text)
                    .retry_after(Duration::from_secs(5))
            }
            OpsError::StorageQuotaExceeded { .. } => {
                Self::new(StatusCode::PAYLOAD_TOO_LARGE, "storage_quota_exceeded", text)
            }
            OpsError::IndexIsLoading => {
                Self::new(StatusCode::SERVICE_UNAVAILABLE, "index_is_loading", text)
                    .retry_after(Duration::from_secs(5))
            }
            OpsError::AuditCheckRunning => {
                Self::new(StatusCode::SERVICE_UNAVAILABLE, "audit_check_running", text)
                    .retry_after(Duration::from_secs(5))
            }
            OpsError::DryRunRunning => {
                Self::new(StatusCode::TOO_MANY_REQUESTS, "dry_run_running", text)
                    .retry_after(Duration::from_secs(2))
            }
            OpsError::NoPipeline => Self::new(StatusCode::CONFLICT, "no_pipeline", text),
            OpsError::LinkExpired => Self::new(StatusCode::GONE, "link_expired", text),
            OpsError::LinkRevoked => Self::new(StatusCode::GONE, "link_revoked", text),
            OpsError::Withheld { code, .. } => Self::new(StatusCode::FORBIDDEN, code, text),
            OpsError::Blob(error) => blob_problem(&error),
            OpsError::Store(error) if error.is_unavailable() => Self::unavailable(
                "The database is unavailable. Try again shortly.",
                Some(chain(&error)),
            ),
            OpsError::Store(error) => Self::internal(chain(&error)),
            OpsError::Internal { .. } => Self::internal(chain(&error)),
        }
    }
}

/// An error and everything that caused it, on one line.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

pub(crate) fn no_such_route() -> ApiProblem {
    ApiProblem::new(StatusCode::NOT_FOUND, "no_such_route", "There is no such route. See /docs.")
}

pub(crate) async fn no_such_method() -> ApiProblem {
    ApiProblem::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "method_not_allowed",
        "This route does not support that method. See /docs.",
    )
}

fn blob_problem(error: &BlobError) -> ApiProblem {
    match error {
        // The staged upload was lost before it was published, so nothing was accepted.
        BlobError::NotFound { key } if key.starts_with("staging/") => objects_unavailable(error),
        BlobError::NotFound { key } => {
            ApiProblem::new(StatusCode::NOT_FOUND, "not_found", missing(key))
        }
        BlobError::Damaged { key, .. } => {
            let problem = ApiProblem::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                "object_corrupted",
                damaged(key),
            );
            ApiProblem { cause: Some(chain(error).into()), ..problem }
        }
        BlobError::OutOfRange { .. } => {
            ApiProblem::new(StatusCode::RANGE_NOT_SATISFIABLE, "out_of_range", error.to_string())
        }
        BlobError::Full { .. } => ApiProblem::unavailable(
            "The object store is full, so nothing was accepted. Tell the administrator, and try again later.",
            Some(chain(error)),
        ),
        // A misconfiguration of the store. The administrator sees it in the log and in `/readyz`; clients can retry.
        BlobError::Refused { .. } | BlobError::NoBucket { .. } => objects_unavailable(error),
        error if error.is_retryable() => objects_unavailable(error),
        error => ApiProblem::internal(chain(error)),
    }
}

/// The log and `/readyz` have the reason.
fn objects_unavailable(error: &BlobError) -> ApiProblem {
    let detail = "The object store is unavailable, so nothing was accepted. Try again shortly.";
    let problem = ApiProblem::new(StatusCode::SERVICE_UNAVAILABLE, "objects_unavailable", detail);
    let retry_after = Some(Duration::from_secs(10));
    ApiProblem { retry_after, cause: Some(chain(error).into()), ..problem }
}

fn missing(key: &str) -> &'static str {
    if key.starts_with("originals/") {
        "The original is missing from the object store. Upload the document again."
    } else {
        "The output of processing is missing from the object store. Rerun the document."
    }
}

fn damaged(key: &str) -> &'static str {
    if key.starts_with("originals/") {
        "The stored original is damaged. Upload the document again, or ask the administrator to restore it from a \
         backup."
    } else {
        "The stored output of processing is damaged. Rerun the document."
    }
}
