//! The query string.

use axum::extract::FromRequestParts;
use axum::extract::rejection::QueryRejection;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use crate::problem::ApiProblem;

#[derive(Debug)]
pub(crate) struct Query<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Query<T> {
    type Rejection = ApiProblem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiProblem> {
        // PostgreSQL's text cannot hold it, so nothing could match.
        if parts.uri.query().is_some_and(|query| query.contains("%00")) {
            return Err(ApiProblem::invalid("the query holds a NUL character; leave it out"));
        }
        let axum::extract::Query(value) =
            axum::extract::Query::<T>::from_request_parts(parts, state)
                .await
                .map_err(|refused: QueryRejection| ApiProblem::invalid(refused.body_text()))?;
        Ok(Self(value))
    }
}
