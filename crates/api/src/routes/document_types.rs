//! Document types, built-in and the tenant's own.

use std::sync::Arc;

use api_types::{
    DocumentTypeDefinition, DocumentTypeDryRun, DocumentTypeList, DocumentTypeOrigin,
    DocumentTypeQuery, DocumentTypeSummary, DocumentTypeVersionView, DocumentTypeVersions,
    DocumentTypeView, DryRunRequest, FieldProblem,
};
use axum::Json;
use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use domain::DocId;
use ops::{DryRun, ExpectedType, TypeVersion};

use crate::Api;
use crate::entity_tags::{expected_tags, only_creates};
use crate::extract::{Body, Path, Query, SignedInCaller};
use crate::openapi::{
    AboutOne, CanConflict, Checked, Guarded, IfMatchHeader, IfNoneMatchHeader, WithBody,
};
use crate::problem::ApiProblem;

/// List document types
///
/// The types that documents can have: the tenant's own, and the built-in ones that it does not replace.
#[utoipa::path(
    get, path = "/document-types", tag = "document-types", operation_id = "list_document_types",
    responses((status = 200, body = DocumentTypeList, description = "The document types"), Guarded),
    security(("bearer" = [])),
)]
pub(crate) async fn list(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
) -> Result<Json<DocumentTypeList>, ApiProblem> {
    let types = api.ops.document_types.list(&caller).await?;
    Ok(Json(DocumentTypeList { items: types.iter().map(summary).collect() }))
}

/// Get a document type
///
/// Its definition in the current version or in another one. Versions never change.
#[utoipa::path(
    get, path = "/document-types/{name}", tag = "document-types", operation_id = "find_document_type",
    params(("name" = String, Path, example = "invoice"), DocumentTypeQuery),
    responses(
        (status = 200, body = DocumentTypeView, description = "The document type",
         headers(("etag" = String, description = "The tag of the version, for If-Match"))),
        Guarded, Checked, AboutOne,
    ),
    security(("bearer" = [])),
)]
pub(crate) async fn find(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Path(name): Path<String>,
    Query(query): Query<DocumentTypeQuery>,
) -> Result<Response, ApiProblem> {
    let found = api.ops.document_types.find(&caller, &name, query.version).await?;
    let tag = etag(&found);
    Ok((tag, Json(view(found))).into_response())
}

/// Create or change a document type
///
/// Adds a version, unless the definition is the current one. Documents that are processed from now on use it. A type with the
/// name of a built-in one replaces that one for the tenant.
///
/// With `If-Match` and the `ETag` of the version that you changed, the request is refused when another version was stored
/// meanwhile (409, `document_type_changed`). With `If-None-Match: *` it creates a type, and is refused when there is one with
/// this name (409, `document_type_exists`).
#[utoipa::path(
    put, path = "/document-types/{name}", tag = "document-types", operation_id = "put_document_type",
    params(("name" = String, Path, example = "delivery_note"), IfMatchHeader, IfNoneMatchHeader),
    request_body = DocumentTypeDefinition,
    responses(
        (status = 200, body = DocumentTypeView, description = "The type has this definition already",
         headers(("etag" = String, description = "The tag of the version, for If-Match"))),
        (status = 201, body = DocumentTypeView, description = "The new version", headers(
            ("location" = String, description = "The path of the version"),
            ("etag" = String, description = "The tag of the version, for If-Match"),
        )),
        Guarded, Checked, WithBody, AboutOne, CanConflict,
    ),
    security(("bearer" = [])),
)]
pub(crate) async fn put(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Path(name): Path<String>,
    Expected(expected): Expected,
    Body(body): Body<DocumentTypeDefinition>,
) -> Result<Response, ApiProblem> {
    let definition = definition(name, body, "name")?;
    let changed = api.ops.document_types.put(&caller, definition, &expected).await?;
    let tag = etag(&changed.current);
    let view = view(changed.current);
    if !changed.is_new_version {
        return Ok((tag, Json(view)).into_response());
    }
    let (name, version) = (&view.summary.name, view.summary.version);
    let location = [(header::LOCATION, format!("/v1/document-types/{name}?version={version}"))];
    Ok((StatusCode::CREATED, location, tag, Json(view)).into_response())
}

/// What the headers of a change expect of the current version.
pub(crate) struct Expected(ExpectedType);

impl<S: Send + Sync> FromRequestParts<S> for Expected {
    type Rejection = ApiProblem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiProblem> {
        let only_creates = only_creates(&parts.headers)?;
        Ok(Self(match expected_tags(&parts.headers)? {
            Some(tags) => ExpectedType::OneOf(tags),
            None if only_creates => ExpectedType::Nothing,
            None => ExpectedType::Anything,
        }))
    }
}

fn etag(found: &TypeVersion) -> [(header::HeaderName, String); 1] {
    [(header::ETAG, format!("\"{}\"", found.tag()))]
}

/// Withdraw a document type
///
/// No document gets the tenant's own type any more, and a built-in type of the same name is used again. The versions stay
/// readable, because results name them.
#[utoipa::path(
    delete, path = "/document-types/{name}", tag = "document-types", operation_id = "withdraw_document_type",
    params(("name" = String, Path, example = "delivery_note"), IfMatchHeader),
    responses((status = 204, description = "Withdrawn"), Guarded, Checked, AboutOne, CanConflict),
    security(("bearer" = [])),
)]
pub(crate) async fn withdraw(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Path(name): Path<String>,
    Expected(expected): Expected,
) -> Result<StatusCode, ApiProblem> {
    api.ops.document_types.withdraw(&caller, &name, &expected).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// List the versions of a document type
#[utoipa::path(
    get, path = "/document-types/{name}/versions", tag = "document-types",
    operation_id = "list_document_type_versions",
    params(("name" = String, Path, example = "invoice")),
    responses(
        (status = 200, body = DocumentTypeVersions, description = "The versions"),
        Guarded, Checked, AboutOne,
    ),
    security(("bearer" = [])),
)]
pub(crate) async fn versions(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Path(name): Path<String>,
) -> Result<Json<DocumentTypeVersions>, ApiProblem> {
    let versions = api.ops.document_types.versions(&caller, &name).await?;
    let items = versions.into_iter().map(|entry| {
        let (created_by, created_at) = entry.created.unzip();
        let is_withdrawal = entry.is_withdrawal;
        DocumentTypeVersionView { version: entry.version, is_withdrawal, created_at, created_by }
    });
    Ok(Json(DocumentTypeVersions { items: items.collect() }))
}

/// Try a document type on a document
///
/// Extracts the fields of a document as the type defines them, from the pages that it has, and stores nothing. The request can
/// have a definition that is not stored; otherwise the current version of the type is tried. The name `auto` tries which type
/// Docket recognises. One dry run of a tenant runs at a time.
#[utoipa::path(
    post, path = "/document-types/{name}/dry-run", tag = "document-types", operation_id = "dry_run_document_type",
    params(("name" = String, Path, example = "delivery_note")),
    request_body = DryRunRequest,
    responses(
        (status = 200, body = DocumentTypeDryRun, description = "What the type extracts"),
        Guarded, Checked, WithBody, AboutOne, CanConflict,
    ),
    security(("bearer" = [])),
)]
pub(crate) async fn dry_run(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Path(name): Path<String>,
    Body(body): Body<DryRunRequest>,
) -> Result<Json<DocumentTypeDryRun>, ApiProblem> {
    let given = body.definition.map(|given| definition(name.clone(), given, "definition.name"));
    let (given, doc_id) = (given.transpose()?, DocId(body.document_id));
    let DryRun { extraction, type_version, problems } =
        api.ops.content.dry_run(&caller, doc_id, &name, given).await?;
    let problems = problems.into_iter();
    let problems = problems.map(|of| FieldProblem { path: of.path, message: of.message }).collect();
    Ok(Json(DocumentTypeDryRun { extraction, type_version, problems }))
}

/// The definition in a request, with the name in its path.
fn definition(
    name: String,
    body: DocumentTypeDefinition,
    field: &'static str,
) -> Result<ops::DocumentType, ApiProblem> {
    if body.name.as_ref().is_some_and(|given| *given != name) {
        let problem =
            ApiProblem::invalid("The name differs from the one in the path. Leave it out.");
        return Err(problem.for_field(field));
    }
    let DocumentTypeDefinition { title, description, phrases, schema, fields, constraints, .. } =
        body;
    Ok(ops::DocumentType { name, title, description, phrases, schema, fields, constraints })
}

fn view(found: TypeVersion) -> DocumentTypeView {
    let summary = summary(&found);
    let ops::DocumentType { name, title, description, phrases, schema, fields, constraints } =
        found.definition;
    let name = Some(name);
    let definition =
        DocumentTypeDefinition { name, title, description, phrases, schema, fields, constraints };
    DocumentTypeView { summary, definition }
}

fn summary(found: &TypeVersion) -> DocumentTypeSummary {
    let (created_by, created_at) = found.created.clone().unzip();
    let origin =
        if found.is_built_in() { DocumentTypeOrigin::BuiltIn } else { DocumentTypeOrigin::Own };
    DocumentTypeSummary {
        name: found.definition.name.clone(),
        title: found.definition.title.clone(),
        description: found.definition.description.clone(),
        origin,
        replaces_built_in: found.replaces_built_in(),
        version: found.version,
        created_at,
        created_by,
        field_count: found.definition.fields.len(),
    }
}
