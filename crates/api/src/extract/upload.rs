//! Files in a multipart form, taken in as they come.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::multipart::{Field, MultipartRejection};
use axum::extract::{FromRequest, Multipart, OriginalUri, Request};
use axum::http::{HeaderMap, Method, StatusCode};
use domain::{Caller, IdempotencyClaim, IdempotencyKey, Secret};
use ops::{Described, Received};

use super::body::{idempotency_key, request_hash};
use crate::Api;
use crate::problem::ApiProblem;

/// A form that has not been read yet.
#[derive(Debug)]
pub(crate) struct Upload {
    form: Multipart,
    key: Option<IdempotencyKey>,
    method: Method,
    path: String,
}

/// One part of a form.
#[expect(clippy::large_enum_variant, reason = "there is one at a time")]
pub(crate) enum Part {
    File { described: Described, received: Received },
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

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiProblem> {
        let key = idempotency_key(request.headers())?;
        let method = request.method().clone();
        let path = match request.extensions().get::<OriginalUri>() {
            Some(OriginalUri(uri)) => uri.path().to_owned(),
            None => request.uri().path().to_owned(),
        };
        let form = Multipart::from_request(request, state).await.map_err(not_a_form)?;
        Ok(Self { form, key, method, path })
    }
}

fn not_a_form(_: MultipartRejection) -> ApiProblem {
    ApiProblem::invalid("send the file as multipart/form-data, in a field named file")
}

impl Upload {
    /// The next file, or what is said of it; what else the form holds is a mistake.
    pub(crate) async fn next(
        &mut self,
        api: &Arc<Api>,
        caller: &Caller,
    ) -> Result<Option<Part>, ApiProblem> {
        let patience = api.settings.request_timeout;
        let next = in_time(patience, self.form.next_field()).await?;
        let Some(field) = next else { return Ok(None) };
        match field.name() {
            Some("file") => take_file(api, caller, field, patience).await.map(Some),
            Some("title") => {
                let title = take_text(field, "title", MAX_TITLE, patience).await?;
                Ok(Some(Part::Title(title)))
            }
            Some("password") => {
                let password = take_text(field, "password", MAX_PASSWORD, patience).await?;
                Ok(Some(Part::Password(Secret::new(password))))
            }
            Some("tag") => Ok(Some(Part::Tag(take_text(field, "tag", MAX_TAG, patience).await?))),
            other => Err(ApiProblem::invalid(format!(
                "the form has a field '{}'; file, title, password and tag are known",
                other.unwrap_or_default()
            ))),
        }
    }

    /// What makes this request the same as another one under the same key.
    pub(crate) fn claim(
        &self,
        described: &Described,
        received: &Received,
    ) -> Option<IdempotencyClaim> {
        self.key.clone().map(|key| self.claim_under(key, described, received))
    }

    /// The same for one of many files, in the order they came: each has its effect once.
    pub(crate) fn claim_nth(
        &self,
        number: usize,
        described: &Described,
        received: &Received,
    ) -> Option<IdempotencyClaim> {
        self.key.clone().map(|key| self.claim_under(key.nth(number), described, received))
    }

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

async fn take_file(
    api: &Arc<Api>,
    caller: &Caller,
    mut field: Field<'_>,
    patience: Duration,
) -> Result<Part, ApiProblem> {
    let file_name = clean_name(field.file_name().unwrap_or_default());
    let mut receiving = api.ops.begin_upload(caller).await?;
    while let Some(bytes) = in_time(patience, field.chunk()).await? {
        receiving.write(bytes).await?;
    }
    let received = receiving.finish().await?;
    Ok(Part::File { described: Described { file_name, ..Described::default() }, received })
}

async fn take_text(
    mut field: Field<'_>,
    name: &str,
    most: usize,
    patience: Duration,
) -> Result<String, ApiProblem> {
    let mut bytes = Vec::new();
    while let Some(more) = in_time(patience, field.chunk()).await? {
        bytes.extend_from_slice(&more);
        if bytes.len() > most * 4 {
            break;
        }
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| ApiProblem::invalid(format!("the {name} is not UTF-8")))?;
    if text.chars().count() > most || text.contains('\0') {
        return Err(ApiProblem::invalid(format!(
            "a {name} has {most} characters at most, and no NUL among them"
        )));
    }
    Ok(text)
}

/// The last part of whatever path the client sent, without what no file name holds.
fn clean_name(sent: &str) -> String {
    let last = sent.rsplit(['/', '\\']).next().unwrap_or_default();
    let name: String = last.chars().filter(|c| !c.is_control()).take(MAX_FILE_NAME).collect();
    if name.trim().is_empty() { "unnamed".to_owned() } else { name }
}

/// A client that stops sending is not waited for; one that went away neither.
async fn in_time<T>(
    patience: Duration,
    reading: impl Future<Output = Result<T, axum::extract::multipart::MultipartError>>,
) -> Result<T, ApiProblem> {
    match tokio::time::timeout(patience, reading).await {
        Ok(Ok(read)) => Ok(read),
        Ok(Err(error)) if error.status() == StatusCode::PAYLOAD_TOO_LARGE => Err(ApiProblem::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "too_large",
            "the form is too large",
        )),
        Ok(Err(error)) => Err(ApiProblem::invalid(format!(
            "the form ended early or is damaged, and nothing was accepted: {}",
            error.body_text()
        ))),
        Err(_) => Err(ApiProblem::new(
            StatusCode::REQUEST_TIMEOUT,
            "too_slow",
            "nothing came for too long, and nothing was accepted; try again",
        )),
    }
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
