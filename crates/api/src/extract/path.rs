//! The variable segments of a path.

use axum::extract::FromRequestParts;
use axum::extract::rejection::PathRejection;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;
use uuid::Uuid;

use crate::problem::ApiProblem;

/// The id in a path.
#[derive(Debug)]
pub(crate) struct Id(pub(crate) Uuid);

impl<S: Send + Sync> FromRequestParts<S> for Id {
    type Rejection = ApiProblem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiProblem> {
        let id = axum::extract::Path::<Uuid>::from_request_parts(parts, state).await;
        let axum::extract::Path(id) = id.map_err(|_: PathRejection| {
            ApiProblem::invalid("The id in the path must be a UUID.").for_field("id")
        })?;
        Ok(Self(id))
    }
}

/// The variable segments of a path, as texts.
#[derive(Debug)]
pub(crate) struct Path<T>(pub(crate) T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Path<T> {
    type Rejection = ApiProblem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiProblem> {
        let segments = axum::extract::Path::<T>::from_request_parts(parts, state).await;
        let axum::extract::Path(segments) = segments.map_err(|_: PathRejection| {
            ApiProblem::invalid("Percent-encoded characters in the path must be UTF-8.")
        })?;
        Ok(Self(segments))
    }
}
