//! Files in a multipart form, taken in as they come.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{FromRequest, OriginalUri, Request};
use axum::http::{HeaderMap, Method, StatusCode, header};
use domain::{IdempotencyClaim, IdempotencyKey, Secret};
use ops::{Described, MOST_TAGS, Received, UploadPermit};

use super::body::{idempotency_key, request_hash};
use crate::Api;
use crate::form::{FormError, FormReader, boundary_of};
use crate::problem::ApiProblem;

/// A request with a form. Nothing of the body is read, so a client that waits for `100 Continue` goes on waiting, until
/// somebody has [permission](Upload::read) to upload.
#[derive(Debug)]
pub(crate) struct Upload {
    body: Body,
    boundary: String,
    identity: RequestIdentity,
}

/// A form whose sender may upload.
#[derive(Debug)]
pub(crate) struct Form {
    reader: FormReader,
    permit: UploadPermit,
    identity: RequestIdentity,
}

/// What makes a request the same as another one.
#[derive(Debug)]
struct RequestIdentity {
    key: Option<IdempotencyKey>,
    method: Method,
    path: String,
}

/// One part of a form.
#[expect(clippy::large_enum_variant, reason = "there is one at a time")]
pub(crate) enum Part {
    File { file_name: String, received: Received },
    Field(Field),
}

/// What is said of a file.
pub(crate) enum Field {
    Title(String),
    Password(Secret),
    Tag(String),
}

const MAX_TITLE: usize = 500;
const MAX_PASSWORD: usize = 200;
const MAX_TAG: usize = 100;
const MAX_FILE_NAME: usize = 255;

impl<S: Send + Sync> FromRequest<S> for Upload {
    type Rejection = ApiProblem;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiProblem> {
        let kind = request.headers().get(header::CONTENT_TYPE);
        let boundary = kind.and_then(|kind| kind.to_str().ok()).and_then(boundary_of);
        let boundary = boundary.ok_or_else(|| {
            ApiProblem::invalid("send the file as multipart/form-data, in a field named file")
        })?;
        let path = match request.extensions().get::<OriginalUri>() {
            Some(OriginalUri(uri)) => uri.path().to_owned(),
            None => request.uri().path().to_owned(),
        };
        let identity = RequestIdentity {
            key: idempotency_key(request.headers())?,
            method: request.method().clone(),
            path,
        };
        Ok(Self { body: request.into_body(), boundary, identity })
    }
}

impl Upload {
    /// Begins to read. A permit is what shows that the sender may upload.
    pub(crate) fn read(self, api: &Api, permit: UploadPermit) -> Form {
        let reader = FormReader::new(self.body, &self.boundary, api.settings.request_timeout);
        Form { reader, permit, identity: self.identity }
    }
}

impl Form {
    /// The next file, or what is said of it; what else the form holds is a mistake.
    pub(crate) async fn next(&mut self, api: &Arc<Api>) -> Result<Option<Part>, ApiProblem> {
        let Some(head) = self.reader.next_part().await? else { return Ok(None) };
        let field = match head.name.as_str() {
            "file" => {
                let file_name = clean_name(head.file_name.as_deref().unwrap_or_default());
                let received = self.take_file(api).await?;
                return Ok(Some(Part::File { file_name, received }));
            }
            "title" => Field::Title(self.take_text("title", MAX_TITLE).await?),
            "password" => {
                Field::Password(Secret::new(self.take_text("password", MAX_PASSWORD).await?))
            }
            "tag" => Field::Tag(self.take_text("tag", MAX_TAG).await?),
            other => {
                let start: String = other.chars().take(MAX_TAG).collect();
                return Err(ApiProblem::invalid(format!(
                    "the form has a field '{start}'; file, title, password and tag are known"
                ))
                .for_field(start));
            }
        };
        Ok(Some(Part::Field(field)))
    }

    async fn take_file(&mut self, api: &Arc<Api>) -> Result<Received, ApiProblem> {
        let mut receiving = api.ops.uploads.begin_upload(self.permit.caller()).await?;
        while let Some(bytes) = self.reader.chunk().await? {
            receiving.write(bytes).await?;
        }
        let received = receiving.finish().await?;
        if !api.ops.uploads.still_admits_upload(&self.permit).await {
            api.ops.uploads.discard(received).await;
            return Err(ApiProblem::unauthenticated(
                "access ended while the file came; sign in again",
            ));
        }
        Ok(received)
    }

    async fn take_text(&mut self, name: &'static str, most: usize) -> Result<String, ApiProblem> {
        let mut bytes = Vec::new();
        while let Some(more) = self.reader.chunk().await? {
            bytes.extend_from_slice(&more);
            if bytes.len() > most * 4 {
                break;
            }
        }
        let text = String::from_utf8(bytes)
            .map_err(|_| ApiProblem::invalid(format!("the {name} is not UTF-8")).for_field(name))?;
        if text.chars().count() > most || text.contains('\0') {
            return Err(ApiProblem::invalid(format!(
                "a {name} has {most} characters at most, and no NUL among them"
            ))
            .for_field(name));
        }
        Ok(text)
    }

    /// What makes this request the same as another one under the same key.
    pub(crate) fn claim(
        &self,
        described: &Described,
        received: &Received,
    ) -> Option<IdempotencyClaim> {
        let key = self.identity.key.clone();
        key.map(|key| self.identity.claim_under(key, described, received))
    }

    /// The same for one of many files, in the order they came: each has its effect once.
    pub(crate) fn claim_nth(
        &self,
        number: usize,
        described: &Described,
        received: &Received,
    ) -> Option<IdempotencyClaim> {
        let key = self.identity.key.clone();
        key.map(|key| self.identity.claim_under(key.nth(number), described, received))
    }
}

impl Field {
    /// Adds it to what was said before.
    pub(crate) fn add_to(self, described: &mut Described) -> Result<(), ApiProblem> {
        match self {
            Self::Title(title) => described.title = Some(title),
            Self::Password(password) => described.password = Some(password),
            Self::Tag(_) if described.tags.len() == MOST_TAGS => {
                let problem = format!("a document has {MOST_TAGS} tags at most");
                return Err(ApiProblem::invalid(problem).for_field("tags"));
            }
            Self::Tag(tag) => described.tags.push(tag),
        }
        Ok(())
    }
}

impl RequestIdentity {
    fn claim_under(
        &self,
        key: IdempotencyKey,
        described: &Described,
        received: &Received,
    ) -> IdempotencyClaim {
        let title = described.title.as_deref().unwrap_or_default();
        let tags = described.tags.join("\n");
        let what = [
            described.file_name.as_bytes(),
            title.as_bytes(),
            tags.as_bytes(),
            received.content().as_slice(),
        ];
        IdempotencyClaim { key, request_hash: request_hash(&self.method, &self.path, &what) }
    }
}

impl From<FormError> for ApiProblem {
    fn from(error: FormError) -> Self {
        let text = format!("{error}, and nothing was accepted");
        match error {
            FormError::TooMuchOverhead => {
                Self::new(StatusCode::PAYLOAD_TOO_LARGE, "form_too_large", text)
            }
            FormError::TooSlow => {
                Self::new(StatusCode::REQUEST_TIMEOUT, "too_slow", format!("{text}; try again"))
            }
            FormError::Damaged(_) | FormError::EndedEarly | FormError::Body(_) => {
                Self::invalid(text)
            }
        }
    }
}

/// The last part of whatever path the client sent, without what no file name holds.
fn clean_name(sent: &str) -> String {
    let last = sent.rsplit(['/', '\\']).next().unwrap_or_default();
    let name: String = last.chars().filter(|c| !c.is_control()).take(MAX_FILE_NAME).collect();
    if name.trim().is_empty() { "unnamed".to_owned() } else { name }
}

/// A form is read for as long as it comes: the shell's limit on a request is not for it.
pub(crate) fn is_form(headers: &HeaderMap) -> bool {
    let given = headers.get("content-type").and_then(|value| value.to_str().ok());
    given.is_some_and(|text| text.to_ascii_lowercase().starts_with("multipart/form-data"))
}

#[cfg(test)]
mod tests {
    use super::clean_name;

    #[test]
    fn a_file_name_is_a_name_and_no_path() {
        assert_eq!(clean_name("../../etc/passwd"), "passwd");
        assert_eq!(clean_name("C:\\Users\\a\\b.pdf"), "b.pdf");
        assert_eq!(clean_name("a\0\nb.pdf"), "ab.pdf");
        assert_eq!(clean_name(""), "unnamed");
        assert_eq!(clean_name(&"é".repeat(300)).chars().count(), 255);
    }
}
