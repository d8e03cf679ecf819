//! The documented routes, and what they can all answer.

use std::sync::Arc;

use api_types::Problem;
use axum::extract::DefaultBodyLimit;
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::{IntoResponses, Modify, OpenApi};
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouterExt};
use utoipa_axum::routes;

use crate::Api;
use crate::routes::{
    api_keys, audit, batches, config, document_lists, documents, events, files, health, jobs, mcp,
    metrics, pages, runs, search, session, tenant, users,
};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Docket",
        description = "Takes documents in, reads them, and never loses one.\n\nEvery route under \
                       `/v1` answers under `/api` as well. Errors are problem documents (RFC 9457).",
        license(name = "Apache-2.0", identifier = "Apache-2.0"),
        contact()
    ),
    modifiers(&BearerCredential),
    tags(
        (name = "session", description = "Sign in, sign out, who am I"),
        (name = "users", description = "The people of a tenant"),
        (name = "api-keys", description = "The keys of a tenant's machines"),
        (name = "tenant", description = "The tenant's own rules, limits and usage"),
        (name = "config", description = "How the server is set up, for its operator"),
        (name = "documents", description = "What was handed in, and what became of it"),
        (name = "search", description = "Find passages and ask questions, in what the caller may see"),
        (name = "batches", description = "Documents that are handed in together"),
        (name = "events", description = "What happens, as it happens"),
        (name = "jobs", description = "The queue: what waits, what runs, what was given up"),
        (name = "audit", description = "Who did what, and when"),
        (name = "health", description = "Whether the server lives and can serve"),
    )
)]
struct Document;

/// `Authorization: Bearer`, with a token or a key.
struct BearerCredential;

impl Modify for BearerCredential {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let bearer = SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer));
        let components = document.components.get_or_insert_default();
        components.add_security_scheme("bearer", bearer);
    }
}

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

/// Anybody may send one of these.
const MAX_LOGIN_BYTES: usize = 16 * 1024;

/// What is served under `/v1`, and under `/api` for those who know that prefix.
pub(crate) fn versioned_routes() -> OpenApiRouter<Arc<Api>> {
    OpenApiRouter::new()
        .routes(routes!(session::login).layer(DefaultBodyLimit::max(MAX_LOGIN_BYTES)))
        .routes(routes!(session::logout))
        .routes(routes!(session::me))
        .routes(routes!(session::change_password).layer(DefaultBodyLimit::max(MAX_LOGIN_BYTES)))
        .routes(routes!(users::list, users::create))
        .routes(routes!(users::find, users::update, users::deactivate))
        .routes(routes!(api_keys::list, api_keys::create))
        .routes(routes!(api_keys::find, api_keys::revoke))
        .routes(routes!(audit::list))
        .routes(routes!(audit::verify))
        .routes(routes!(audit::checkpoints))
        .routes(routes!(tenant::look))
        .routes(routes!(tenant::change_rules))
        .routes(routes!(config::see))
        .routes(routes!(documents::ingest).layer(DefaultBodyLimit::disable()))
        .routes(routes!(document_lists::list, documents::create).layer(DefaultBodyLimit::disable()))
        .routes(routes!(document_lists::facets))
        .routes(routes!(document_lists::orphans))
        .routes(routes!(document_lists::summary))
        .routes(routes!(documents::find, documents::delete))
        .routes(routes!(documents::rerun))
        .routes(routes!(documents::retry))
        .routes(routes!(documents::deactivate))
        .routes(routes!(documents::tag))
        .routes(routes!(documents::original))
        .routes(routes!(documents::pdf))
        .routes(routes!(pages::page))
        .routes(routes!(pages::text))
        .routes(routes!(search::search, search::search_by_address))
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
        .routes(routes!(batches::results))
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

macro_rules! problems {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $status:literal $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(IntoResponses)]
        #[expect(dead_code, reason = "only its documentation is used")]
        pub(crate) enum $name {
            $(
                #[doc = $text]
                #[response(status = $status, content_type = "application/problem+json")]
                $variant(#[to_schema] Problem),
            )+
        }
    };
}

problems! {
    /// Every route that asks who is calling.
    Guarded {
        Unauthenticated = 401 "No valid credential",
        Forbidden = 403 "The role does not allow this; `code` says why",
        RateLimited = 429 "Too many requests; see Retry-After",
        Unavailable = 503 "Not at the moment, but soon again; `code` says why",
    }
}
problems! {
    /// Every route that takes a query string, an id or a body.
    Checked { Invalid = 400 "The request does not fit" }
}
problems! {
    /// Every route that takes a JSON body.
    WithBody {
        TooLarge = 413 "The body is too large",
        NotJson = 415 "The body is not JSON",
    }
}
problems! {
    /// Every route that takes files. Their size has a limit; they are read for as long as they come.
    Uploaded {
        TooSlow = 408 "Nothing came for too long",
        TooLarge = 413 "The file or the rest of the form is larger than is taken, or the storage quota is used up; `code` says which",
    }
}
problems! {
    /// A link to an original.
    Linked {
        NotFound = 404 "There is no such link, or the document was deleted",
        Gone = 410 "The link has expired or was revoked; `code` says which",
        OutOfRange = 416 "The range starts behind the end",
        Unavailable = 503 "The object store is away for the moment",
    }
}
problems! {
    /// Every route about one thing.
    AboutOne { NotFound = 404 "There is no such thing, or not for this caller" }
}
problems! {
    /// Every route that can clash with the state of things.
    CanClash { Conflict = 409 "Not in the present state; `code` says why" }
}
problems! {
    /// Every route that honours `Idempotency-Key`.
    DoneOnce { OtherRequest = 422 "The Idempotency-Key belongs to a different request" }
}
problems! {
    /// Signing in: nobody is known yet.
    Open {
        WrongCredentials = 401 "Wrong address or password",
        TooManyAttempts = 429 "Too many attempts; see Retry-After",
        Unavailable = 503 "The database is away for the moment",
    }
}
