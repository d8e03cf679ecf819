//! Files in a multipart form, streamed to the object store.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{FromRequest, OriginalUri, Request};
use axum::http::{HeaderMap, Method, StatusCode, header};
use domain::{IdempotencyClaim, IdempotencyKey, Secret};
use ops::{MAX_TAGS, StagedUpload, UploadMetadata, UploadPermit};

use super::body::{idempotency_key, request_hash};
use crate::Api;
use crate::form::{FormError, FormReader, boundary_of};
use crate::problem::ApiProblem;

/// A request with a form. The body is not read before the caller has [permission](Upload::read) to upload, so a client that
/// waits for `100 Continue` does not send it in vain.
#[derive(Debug)]
pub(crate) struct Upload {
    body: Body,
    boundary: String,
    identity: RequestIdentity,
}

/// A form of a caller who may upload.
#[derive(Debug)]
pub(crate) struct Form {
    reader: FormReader,
    permit: UploadPermit,
    identity: RequestIdentity,
    purpose: Purpose,
}

/// The purpose of a form, which determines its fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    Upload,
    /// An updated original of a document.
    Update,
}

/// The parts of an idempotent request besides its form.
#[derive(Debug)]
struct RequestIdentity {
    key: Option<IdempotencyKey>,
    method: Method,
    path: String,
}

/// One part of a multipart form.
#[expect(clippy::large_enum_variant, reason = "only one exists at a time")]
pub(crate) enum FormPart {
    File { file_name: String, received: StagedUpload },
    Field(Field),
}

/// Metadata of a file.
pub(crate) enum Field {
    Title(String),
    Password(Secret),
    Tag(String),
    Reason(String),
    DocumentType(String),
}

const MAX_TITLE: usize = 500;
const MAX_PASSWORD: usize = 200;
const MAX_TAG: usize = 100;
const MAX_REASON: usize = 1000;
const MAX_TYPE_NAME: usize = 63;
const MAX_FILE_NAME: usize = 255;

impl<S: Send + Sync> FromRequest<S> for Upload {
    type Rejection = ApiProblem;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiProblem> {
        let kind = request.headers().get(header::CONTENT_TYPE);
        let boundary = kind.and_then(|kind| kind.to_str().ok()).and_then(boundary_of);
        let boundary = boundary.ok_or_else(|| {
            ApiProblem::invalid("Send the file as multipart/form-data, in a field named file.")
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
    /// Begins to read the form. The permit proves that the caller may upload.
    pub(crate) fn read(self, api: &Api, permit: UploadPermit) -> Form {
        let reader = FormReader::new(self.body, &self.boundary, api.settings.request_timeout);
        Form { reader, permit, identity: self.identity, purpose: Purpose::Upload }
    }

    /// The same for an updated original, whose form has a reason and a document type, but no title or tags.
    pub(crate) fn read_update(self, api: &Api, permit: UploadPermit) -> Form {
        Form { purpose: Purpose::Update, ..self.read(api, permit) }
    }
}

impl Form {
    /// Reads exactly one file and its metadata, in any order.
    pub(crate) async fn read_one(
        &mut self,
        api: &Arc<Api>,
    ) -> Result<(UploadMetadata, StagedUpload), ApiProblem> {
        let (mut file, mut metadata) = (None, UploadMetadata::default());
        let read = loop {
            match self.next(api).await {
                Ok(Some(FormPart::Field(field))) => {
                    if let Err(problem) = field.add_to(&mut metadata) {
                        break Err(problem);
                    }
                }
                Ok(Some(FormPart::File { file_name, received })) if file.is_none() => {
                    file = Some((file_name, received));
                }
                Ok(Some(FormPart::File { received, .. })) => {
                    api.ops.uploads.discard(received).await;
                    break Err(ApiProblem::invalid(
                        "The form contains several files. Send one, or use a batch.",
                    ));
                }
                Ok(None) => break Ok(()),
                Err(problem) => break Err(problem),
            }
        };
        let Some((file_name, received)) = file else {
            read?;
            return Err(ApiProblem::invalid(
                "The form contains no file. Send it in a field named file.",
            ));
        };
        if let Err(problem) = read {
            api.ops.uploads.discard(received).await;
            return Err(problem);
        }
        Ok((UploadMetadata { file_name, ..metadata }, received))
    }

    /// The next file or metadata field. Other fields are an error.
    pub(crate) async fn next(&mut self, api: &Arc<Api>) -> Result<Option<FormPart>, ApiProblem> {
        let Some(head) = self.reader.next_part().await? else { return Ok(None) };
        let field = match (head.name.as_str(), self.purpose) {
            ("file", _) => {
                let file_name = sanitize_file_name(head.file_name.as_deref().unwrap_or_default());
                let received = self.read_file(api).await?;
                return Ok(Some(FormPart::File { file_name, received }));
            }
            ("title", Purpose::Upload) => Field::Title(self.read_text("title", MAX_TITLE).await?),
            ("password", _) => {
                Field::Password(Secret::new(self.read_text("password", MAX_PASSWORD).await?))
            }
            ("tag", Purpose::Upload) => Field::Tag(self.read_text("tag", MAX_TAG).await?),
            ("reason", Purpose::Update) => {
                Field::Reason(self.read_text("reason", MAX_REASON).await?)
            }
            ("document_type", Purpose::Update) => {
                Field::DocumentType(self.read_text("document_type", MAX_TYPE_NAME).await?)
            }
            (other, purpose) => {
                let known = match purpose {
                    Purpose::Upload => "file, title, password, tag",
                    Purpose::Update => "file, password, reason, document_type",
                };
                let start: String = other.chars().take(MAX_TAG).collect();
                return Err(ApiProblem::invalid(format!(
                    "The form must not contain the field '{start}'. Allowed fields: {known}."
                ))
                .for_field(start));
            }
        };
        Ok(Some(FormPart::Field(field)))
    }

    async fn read_file(&mut self, api: &Arc<Api>) -> Result<StagedUpload, ApiProblem> {
        let mut receiving = api.ops.uploads.begin_upload(self.permit.caller()).await?;
        while let Some(bytes) = self.reader.chunk().await? {
            receiving.write(bytes).await?;
        }
        let received = receiving.finish().await?;
        if !api.ops.uploads.is_upload_still_permitted(&self.permit).await {
            api.ops.uploads.discard(received).await;
            return Err(ApiProblem::unauthenticated(
                "Your access ended during the upload. Sign in again.",
            ));
        }
        Ok(received)
    }

    async fn read_text(&mut self, name: &'static str, most: usize) -> Result<String, ApiProblem> {
        let mut bytes = Vec::new();
        while let Some(more) = self.reader.chunk().await? {
            bytes.extend_from_slice(&more);
            if bytes.len() > most * 4 {
                break;
            }
        }
        let text = String::from_utf8(bytes)
            .map_err(|_| ApiProblem::invalid(format!("{name} must be UTF-8.")).for_field(name))?;
        if text.chars().count() > most || text.contains('\0') {
            return Err(ApiProblem::invalid(format!(
                "{name} must have at most {most} characters and no NUL."
            ))
            .for_field(name));
        }
        Ok(text)
    }

    /// The idempotency claim of this request.
    pub(crate) fn claim(
        &self,
        metadata: &UploadMetadata,
        received: &StagedUpload,
    ) -> Option<IdempotencyClaim> {
        let key = self.identity.key.clone();
        key.map(|key| self.identity.claim_under(key, metadata, received))
    }

    /// The claim for one of many files, by its position: each takes effect once.
    pub(crate) fn claim_nth(
        &self,
        number: usize,
        metadata: &UploadMetadata,
        received: &StagedUpload,
    ) -> Option<IdempotencyClaim> {
        let key = self.identity.key.clone();
        key.map(|key| self.identity.claim_under(key.nth(number), metadata, received))
    }
}

impl Field {
    /// Sets the field in `metadata`.
    pub(crate) fn add_to(self, metadata: &mut UploadMetadata) -> Result<(), ApiProblem> {
        match self {
            Self::Title(title) => metadata.title = Some(title),
            Self::Password(password) => metadata.password = Some(password),
            Self::Reason(reason) => metadata.reason = Some(reason),
            Self::DocumentType(name) => metadata.document_type = Some(name),
            Self::Tag(_) if metadata.tags.len() == MAX_TAGS => {
                let problem = format!("A document can have at most {MAX_TAGS} tags.");
                return Err(ApiProblem::invalid(problem).for_field("tags"));
            }
            Self::Tag(tag) => metadata.tags.push(tag),
        }
        Ok(())
    }
}

impl RequestIdentity {
    fn claim_under(
        &self,
        key: IdempotencyKey,
        metadata: &UploadMetadata,
        received: &StagedUpload,
    ) -> IdempotencyClaim {
        let title = metadata.title.as_deref().unwrap_or_default();
        let tags = metadata.tags.join("\n");
        let reason = metadata.reason.as_deref().unwrap_or_default();
        let what = [
            metadata.file_name.as_bytes(),
            title.as_bytes(),
            tags.as_bytes(),
            received.content_hash().as_slice(),
        ];
        // Added only if present, because recorded keys of earlier versions have neither.
        let mut what = what.to_vec();
        if !reason.is_empty() {
            what.push(reason.as_bytes());
        }
        if let Some(name) = &metadata.document_type {
            what.extend([b"document_type".as_slice(), name.as_bytes()]);
        }
        IdempotencyClaim { key, request_hash: request_hash(&self.method, &self.path, &what) }
    }
}

impl From<FormError> for ApiProblem {
    fn from(error: FormError) -> Self {
        let text = format!("{error} Nothing was accepted.");
        match error {
            FormError::TooMuchOverhead => {
                Self::new(StatusCode::PAYLOAD_TOO_LARGE, "form_too_large", text)
            }
            FormError::TooSlow => {
                Self::new(StatusCode::REQUEST_TIMEOUT, "too_slow", format!("{text} Try again."))
            }
            FormError::Damaged(_) | FormError::EndedEarly | FormError::Body(_) => {
                Self::invalid(text)
            }
        }
    }
}

/// The last segment of the path that the client sent, without control characters.
fn sanitize_file_name(sent: &str) -> String {
    let last = sent.rsplit(['/', '\\']).next().unwrap_or_default();
    let name: String = last.chars().filter(|c| !c.is_control()).take(MAX_FILE_NAME).collect();
    if name.trim().is_empty() { "unnamed".to_owned() } else { name }
}

/// Uploads have a longer request timeout than other requests.
pub(crate) fn is_form(headers: &HeaderMap) -> bool {
    let given = headers.get("content-type").and_then(|value| value.to_str().ok());
    given.is_some_and(|text| text.to_ascii_lowercase().starts_with("multipart/form-data"))
}

#[cfg(test)]
mod tests {
    use super::sanitize_file_name;

    #[test]
    fn a_file_name_has_no_path_and_no_control_characters() {
        assert_eq!(sanitize_file_name("../../etc/passwd"), "passwd");
        assert_eq!(sanitize_file_name("C:\\Users\\a\\b.pdf"), "b.pdf");
        assert_eq!(sanitize_file_name("a\0\nb.pdf"), "ab.pdf");
        assert_eq!(sanitize_file_name(""), "unnamed");
        assert_eq!(sanitize_file_name(&"é".repeat(300)).chars().count(), 255);
    }
}
