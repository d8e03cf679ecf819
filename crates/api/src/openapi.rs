//! The documented routes, and their shared responses.

use std::collections::BTreeMap;
use std::sync::Arc;

use api_types::Problem;
use axum::extract::DefaultBodyLimit;
use utoipa::openapi::content::ContentBuilder;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::response::{Response, ResponseBuilder};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::openapi::{Ref, RefOr, Required};
use utoipa::{IntoParams, IntoResponses, Modify, OpenApi};
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouterExt};
use utoipa_axum::routes;

use crate::Api;
use crate::routes::{
    api_keys, audit, batch_results, batches, config, document_lists, document_types, documents,
    events, files, health, ids, jobs, layout_memory, mcp, metrics, page_views, pages, quality,
    rerun, results, runs, search, session, tenant, trades, users,
};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Docket",
        description = "Docket accepts documents, reads them, and never loses one.\n\nEvery route under \
                       `/v1` is available under `/api` as well. Errors are problem documents (RFC 9457).",
        license(name = "Apache-2.0", identifier = "Apache-2.0"),
        contact()
    ),
    external_docs(url = "/docs/guide", description = "Guide: getting started, the API by example, error codes, operation"),
    servers((url = "/", description = "The server that serves this document")),
    components(schemas(Problem)),
    modifiers(&BearerCredential, &SharedResponses),
    tags(
        (name = "session", description = "Sign in and out, and the current caller"),
        (name = "users", description = "The users of a tenant"),
        (name = "api-keys", description = "The API keys of a tenant"),
        (name = "tenant", description = "The tenant's own rules, limits and usage"),
        (name = "config", description = "The server's configuration, for its operator"),
        (name = "documents", description = "Documents, their runs, pages and originals"),
        (name = "document-types", description = "Which fields are extracted from which documents"),
        (name = "search", description = "Search and ask questions, in the documents that the caller may see"),
        (name = "results", description = "The typed fields of documents, their versions and trades"),
        (name = "batches", description = "Documents that are uploaded together"),
        (name = "events", description = "A stream of events"),
        (name = "jobs", description = "The queue: waiting, running and dead jobs"),
        (name = "quality", description = "How often extracted values are wrong, and how many are accepted without review"),
        (name = "audit", description = "The audit log"),
        (name = "health", description = "Liveness, readiness and metrics"),
    )
)]
struct Document;

/// `Authorization: Bearer`, with a token or an API key.
struct BearerCredential;

impl Modify for BearerCredential {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let mut bearer = Http::new(HttpAuthScheme::Bearer);
        bearer.description =
            Some("The token of `POST /v1/auth/login`, or an API key (`dk_…`)".to_owned());
        let components = document.components.get_or_insert_default();
        components.add_security_scheme("bearer", SecurityScheme::Http(bearer));
    }
}

/// Documented paths that are served by the route of another path.
#[derive(OpenApi)]
#[openapi(paths(pages::page_image))]
struct OtherPaths;

/// All routes, with their documentation.
pub(crate) fn documented_routes() -> OpenApiRouter<Arc<Api>> {
    OpenApiRouter::with_openapi(Document::openapi())
        .nest("/v1", versioned_routes())
        .routes(routes!(audit::list_logs))
        .routes(routes!(metrics::metrics))
        .routes(routes!(health::live))
        .routes(routes!(health::ready))
        .routes(routes!(health::api_live))
        .routes(routes!(health::api_ready))
}

/// Small, because these routes need no credential.
const MAX_LOGIN_BYTES: usize = 16 * 1024;

/// The routes under `/v1`, which are also served under `/api`.
pub(crate) fn versioned_routes() -> OpenApiRouter<Arc<Api>> {
    OpenApiRouter::with_openapi(OtherPaths::openapi())
        .routes(routes!(session::login).layer(DefaultBodyLimit::max(MAX_LOGIN_BYTES)))
        .routes(routes!(session::logout))
        .routes(routes!(session::logout_everywhere))
        .routes(routes!(session::me))
        .routes(routes!(session::change_password).layer(DefaultBodyLimit::max(MAX_LOGIN_BYTES)))
        .routes(routes!(users::list, users::create))
        .routes(routes!(users::find, users::update, users::deactivate))
        .routes(routes!(api_keys::list, api_keys::create))
        .routes(routes!(api_keys::find, api_keys::revoke))
        .routes(routes!(audit::list))
        .routes(routes!(audit::verify))
        .routes(routes!(audit::checkpoints))
        .routes(routes!(tenant::get))
        .routes(routes!(tenant::change_rules))
        .routes(routes!(tenant::change_acceptance))
        .routes(routes!(quality::measure))
        .routes(routes!(config::see))
        .routes(routes!(document_types::list))
        .routes(routes!(document_types::find, document_types::put, document_types::withdraw))
        .routes(routes!(document_types::versions))
        .routes(routes!(document_types::dry_run))
        .routes(routes!(layout_memory::list, layout_memory::delete_of_type))
        .routes(routes!(layout_memory::delete))
        .routes(routes!(documents::ingest).layer(DefaultBodyLimit::disable()))
        .routes(routes!(document_lists::list, documents::create).layer(DefaultBodyLimit::disable()))
        .routes(routes!(document_lists::facets))
        .routes(routes!(document_lists::orphans))
        .routes(routes!(document_lists::summary))
        .routes(routes!(documents::find, documents::delete))
        .routes(routes!(rerun::rerun))
        .routes(routes!(documents::retry))
        .routes(routes!(documents::deactivate))
        .routes(routes!(documents::tag))
        .routes(routes!(documents::rename))
        .routes(routes!(documents::original))
        .routes(routes!(documents::pdf))
        .routes(routes!(results::current))
        .routes(routes!(results::list))
        .routes(routes!(results::find))
        .routes(routes!(results::diff))
        .routes(routes!(results::promote))
        .routes(routes!(trades::list))
        .routes(routes!(trades::find))
        .routes(routes!(trades::pdf))
        .routes(routes!(trades::document_pdf))
        .routes(routes!(pages::page))
        .routes(routes!(pages::text))
        .routes(routes!(page_views::link))
        .routes(routes!(page_views::show))
        .routes(routes!(search::search, search::search_get))
        .routes(routes!(search::ask))
        .routes(routes!(search::knowledge_base))
        .routes(routes!(mcp::mcp))
        .routes(routes!(files::follow))
        .routes(routes!(runs::list))
        .routes(routes!(runs::find))
        .routes(routes!(runs::artifact))
        .routes(routes!(batches::list, batches::create))
        .routes(routes!(batches::find))
        .routes(routes!(batches::add).layer(DefaultBodyLimit::disable()))
        .routes(routes!(batch_results::list))
        .routes(routes!(ids::find))
        .routes(routes!(events::follow))
        .routes(routes!(jobs::list))
        .routes(routes!(jobs::list_dead))
        .routes(routes!(jobs::requeue_dead))
        .routes(routes!(jobs::discard_dead))
        .routes(routes!(jobs::find))
        .routes(routes!(jobs::retry))
        .routes(routes!(jobs::queues))
        .routes(routes!(jobs::cancel_run))
}

/// The header that makes a request idempotent.
pub(crate) enum IdempotencyKeyHeader {}

impl IntoParams for IdempotencyKeyHeader {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let text = "Repeated requests with the same key and the same content take effect once";
        vec![header("Idempotency-Key", text, 255)]
    }
}

/// Refuses a change when the client has not seen the current version.
pub(crate) enum IfMatchHeader {}

impl IntoParams for IfMatchHeader {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let text = "The `ETag` of the version that is changed; if it is not the current one, the request is refused (409)";
        vec![header("If-Match", text, 255)]
    }
}

/// Refuses to replace what exists.
pub(crate) enum IfNoneMatchHeader {}

impl IntoParams for IfNoneMatchHeader {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let text = "`*`: only create; what exists is not changed (409)";
        vec![header("If-None-Match", text, 255)]
    }
}

/// Where to resume a stream of events.
pub(crate) enum LastEventIdHeader {}

impl IntoParams for LastEventIdHeader {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        vec![header("Last-Event-ID", "The id of the last event that was received", 100)]
    }
}

/// An optional header.
fn header(name: &str, text: &str, max_length: usize) -> Parameter {
    let schema = ObjectBuilder::new().schema_type(Type::String).max_length(Some(max_length));
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Header)
        .required(Required::False)
        .description(Some(text))
        .schema(Some(schema))
        .build()
}

/// A problem response of several operations. The document contains it once, under its name.
struct SharedResponse {
    name: &'static str,
    status: u16,
    text: &'static str,
}

/// Adds all shared responses to the components of the document.
struct SharedResponses;

impl Modify for SharedResponses {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let components = document.components.get_or_insert_default();
        for shared in SHARED_RESPONSES.iter().copied().flatten() {
            let problem = ContentBuilder::new().schema(Some(Ref::from_schema_name("Problem")));
            let response = ResponseBuilder::new()
                .description(shared.text)
                .content("application/problem+json", problem.build());
            components.responses.insert(shared.name.to_owned(), response.build().into());
        }
    }
}

fn references(shared: &[SharedResponse]) -> BTreeMap<String, RefOr<Response>> {
    let reference = |shared: &SharedResponse| {
        (shared.status.to_string(), RefOr::Ref(Ref::from_response_name(shared.name)))
    };
    shared.iter().map(reference).collect()
}

macro_rules! problems {
    ($($(#[$doc:meta])* $group:ident { $($name:ident = $status:literal $text:literal),+ $(,)? })+) => {
        $(
            $(#[$doc])*
            pub(crate) enum $group {}

            impl $group {
                const RESPONSES: &[SharedResponse] = &[
                    $(SharedResponse { name: stringify!($name), status: $status, text: $text }),+
                ];
            }

            impl IntoResponses for $group {
                fn responses() -> BTreeMap<String, RefOr<Response>> {
                    references(Self::RESPONSES)
                }
            }
        )+

        const SHARED_RESPONSES: &[&[SharedResponse]] = &[$($group::RESPONSES),+];
    };
}

problems! {
    /// Every route that needs a credential.
    Guarded {
        Unauthenticated = 401 "No valid credential",
        Forbidden = 403 "The caller may not do this; `code` says why",
        RateLimited = 429 "Too many requests; see Retry-After",
        Unavailable = 503 "Temporarily unavailable; `code` says why, Retry-After says when to try again",
    }

    /// Every route that takes a query string, an id or a body.
    Checked {
        InvalidRequest = 400 "The request is not valid; `detail` says why, `field` names the invalid field",
    }

    /// Every route that takes a JSON body.
    WithBody {
        BodyTooLarge = 413 "The body is too large",
        NotJson = 415 "The body is not JSON",
    }

    /// Every route that accepts files.
    Uploaded {
        UploadTooSlow = 408 "No data arrived for too long",
        UploadTooLarge = 413 "The file or the rest of the form exceeds its limit, or the storage quota is used up; `code` says which",
    }

    /// A link to an original.
    Linked {
        LinkNotFound = 404 "The link does not exist, or the document was deleted",
        LinkGone = 410 "The link has expired or was revoked; `code` says which",
        OutOfRange = 416 "The range starts after the end of the file",
        StoreUnavailable = 503 "The database or the object store is unavailable",
    }

    /// Every route about one resource.
    AboutOne {
        NotFound = 404 "It does not exist, or the caller has no access",
    }

    /// The metrics.
    Measured {
        MetricsNotFound = 404 "This client may not read the metrics",
    }

    /// Every route that can conflict with the current state.
    CanConflict {
        Conflict = 409 "Conflicts with the current state; `code` says why",
    }

    /// Every route that supports `Idempotency-Key`.
    Idempotent {
        Unprocessable = 422 "The Idempotency-Key belongs to a different request, or the request names an unknown document type; `code` says which",
    }

    /// Signing in.
    SignIn {
        WrongCredentials = 401 "The email address or the password is wrong",
        TooManyAttempts = 429 "Too many attempts; see Retry-After",
        SignInUnavailable = 503 "The database is unavailable",
    }
}
