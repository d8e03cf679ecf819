//! The id in a path.

use axum::extract::rejection::PathRejection;
use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use uuid::Uuid;

use crate::problem::ApiProblem;

#[derive(Debug)]
pub(crate) struct Id(pub(crate) Uuid);

impl<S: Send + Sync> FromRequestParts<S> for Id {
    type Rejection = ApiProblem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiProblem> {
        let Path(id) =
            Path::<Uuid>::from_request_parts(parts, state).await.map_err(|_: PathRejection| {
                ApiProblem::invalid("the id in the address is not a UUID")
            })?;
        Ok(Self(id))
    }
}
