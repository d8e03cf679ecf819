//! Extraction in sandboxed children: the handler of this crate, and [`Extractor`], which sends it jobs.
//!
//! ```text
//! parse      pages.dkt, document types ──▶ Parsed
//! windows    pages.dkt                 ──▶ Windows, for a language model
//! ground     pages.dkt, its answers    ──▶ Grounded
//! reconcile  Parsed, its document type ──▶ Extraction
//! ```
//!
//! Requests and answers are JSON within frames, because document types contain JSON Schemas, which have no fixed structure.
//! An answer is sent in pieces, so that its length is not limited by that of a frame.

use std::fs::File;
use std::io::BufReader;

use domain::{Check, Extraction, Failure, FailureClass, TenantId};
use pages::Part;
use pages::artifact::{ArtifactError, Reader};
use sandbox::pool::{Answer, ChildFailure, Document, HandlerName, Job, Pool, Tag, open_frame};
use sandbox::worker::{Handler, Handlers, NotSent, Replies};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::language_model::{Grounded, WindowReply, Windows, ground, windows};
use crate::memory::MemoryEntry;
use crate::parse::{ExtractError, ParseRequest, parse};
use crate::parsed::Parsed;
use crate::reconcile::reconcile;
use crate::types::{DocumentType, SchemaProblem, values};

const EXTRACTION: HandlerName = HandlerName { name: "extraction", version: 1 };

/// A piece of the answer.
const PIECE: Tag = b'p';
const PIECE_BYTES: usize = 1 << 20;
/// The longest answer. A result is one row of the database.
const MAX_ANSWER: usize = 64 << 20;

/// Adds the handler of this crate to those of a child.
#[must_use]
pub fn register(handlers: Handlers) -> Handlers {
    handlers.with(EXTRACTION, ExtractionHandler)
}

#[derive(Debug, Serialize, Deserialize)]
struct Request {
    /// A [`Work`].
    json: String,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Work {
    Parse {
        types: Vec<DocumentType>,
        wanted: Option<String>,
        memory: Vec<MemoryEntry>,
    },
    Windows {
        text_tokens: u32,
        most: u32,
    },
    /// The second file is an [`Answered`], because a request must fit into one frame.
    Ground {
        document_type: DocumentType,
    },
    /// The candidates are the file of the job, for the same reason.
    Reconcile {
        document_type: DocumentType,
    },
}

/// The answers of a language model, and the candidates to add them to.
#[derive(Debug, Serialize, Deserialize)]
struct Answered {
    replies: Vec<WindowReply>,
    parsed: Parsed,
}

/// A part of the JSON of an answer.
#[derive(Debug, Serialize, Deserialize)]
struct Piece(#[serde(with = "pages::serde_byte_buf")] Vec<u8>);

/// Why a child extracted nothing. Contains no text of the document.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
pub enum ExtractionError {
    #[error("{0}")]
    Pages(String),
    #[error("there is no document type '{0}'")]
    UnknownType(String),
    #[error("the request cannot be decoded: {0}")]
    Request(String),
    #[error("the extracted fields are too large")]
    TooLarge,
    /// The caller does not wait for the answer any more.
    #[error("extraction was stopped")]
    Stopped,
}

/// Why nothing was extracted: the error that the child reported, or the failure of the child itself.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ExtractionFailure {
    #[error(transparent)]
    Typed(#[from] ExtractionError),
    #[error("extracting fields failed: {0}")]
    Child(#[from] ChildFailure),
}

impl ExtractionFailure {
    pub fn class(&self) -> FailureClass {
        match self {
            Self::Typed(ExtractionError::Stopped) => FailureClass::Retry,
            Self::Typed(ExtractionError::TooLarge) => FailureClass::Poison,
            Self::Typed(_) => FailureClass::Permanent,
            Self::Child(failure) => failure.class(),
        }
    }

    /// One sentence that says what to do.
    pub fn advice(&self) -> &'static str {
        match (self, self.class()) {
            (Self::Child(failure), FailureClass::Unavailable(_)) => failure.advice(),
            (_, FailureClass::Poison) => {
                "The document can be searched and read; only its fields are missing. Rerun it from the stage 'parse' with \
                 another document type, or split the file into smaller ones."
            }
            (Self::Typed(ExtractionError::UnknownType(_)), _) => {
                "Rerun the document from the stage 'parse' with a document type that exists."
            }
            _ => "Rerun the document from its first stage.",
        }
    }
}

impl From<ExtractionFailure> for Failure {
    fn from(failure: ExtractionFailure) -> Self {
        Self::new(failure.class(), failure.to_string(), failure.advice())
    }
}

/// Sends documents to children that have the handler of this crate. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Extractor {
    pool: Pool,
}

impl Extractor {
    pub fn new(pool: Pool) -> Self {
        Self { pool }
    }

    /// `pages` is an artifact of [`pages::artifact`]; the child reads it page by page.
    pub async fn parse(
        &self,
        tenant: TenantId,
        request: ParseRequest,
        pages: &Document,
    ) -> Result<Parsed, ExtractionFailure> {
        let ParseRequest { types, wanted, memory } = request;
        self.run(tenant, &Work::Parse { types, wanted, memory }, vec![pages.clone()]).await
    }

    /// The text of the pages for a language model, in at most `most` windows.
    pub async fn windows(
        &self,
        tenant: TenantId,
        text_tokens: u32,
        most: u32,
        pages: &Document,
    ) -> Result<Windows, ExtractionFailure> {
        self.run(tenant, &Work::Windows { text_tokens, most }, vec![pages.clone()]).await
    }

    /// Adds the values of a language model that are on the pages to the candidates.
    pub async fn ground(
        &self,
        tenant: TenantId,
        document_type: DocumentType,
        replies: Vec<WindowReply>,
        parsed: Parsed,
        pages: &Document,
    ) -> Result<Grounded, ExtractionFailure> {
        let json = to_json(&Answered { replies, parsed })?;
        let answered = Document::from_bytes(&json).map_err(|error| not_started(&error))?;
        let files = vec![pages.clone(), answered];
        self.run(tenant, &Work::Ground { document_type }, files).await
    }

    pub async fn reconcile(
        &self,
        tenant: TenantId,
        document_type: DocumentType,
        parsed: &Parsed,
    ) -> Result<Extraction, ExtractionFailure> {
        let json = to_json(parsed)?;
        let file = Document::from_bytes(&json).map_err(|error| not_started(&error))?;
        self.run(tenant, &Work::Reconcile { document_type }, vec![file]).await
    }

    async fn run<T: DeserializeOwned>(
        &self,
        tenant: TenantId,
        work: &Work,
        files: Vec<Document>,
    ) -> Result<T, ExtractionFailure> {
        let json = serde_json::to_string(work).map_err(unreadable_request)?;
        let job = Job::new(EXTRACTION, &Request { json }, files)?;
        let mut answers = self.pool.run(tenant, job).await?;
        let mut json = Vec::new();
        while let Some(answer) = answers.next().await? {
            let piece = match answer {
                Answer::Failed(error) => return Err(error.open::<ExtractionError>()?.into()),
                Answer::Frame(PIECE, frame) => open_frame::<Piece>(&frame)?.0,
                Answer::Frame(..) => {
                    return Err(ChildFailure::garbled("an unexpected frame arrived").into());
                }
            };
            if json.len() + piece.len() > MAX_ANSWER {
                return Err(ExtractionError::TooLarge.into());
            }
            json.extend(piece);
        }
        // The message of the error could quote the document.
        let garbled = |_| ChildFailure::garbled("the fields cannot be decoded");
        Ok(serde_json::from_slice(&json).map_err(garbled)?)
    }
}

struct ExtractionHandler;

impl Handler for ExtractionHandler {
    type Request = Request;
    type Error = ExtractionError;

    fn handle(
        &mut self,
        Request { json }: Request,
        files: Vec<File>,
        replies: &mut Replies<'_>,
    ) -> Result<(), ExtractionError> {
        let work = serde_json::from_str(&json).map_err(unreadable_request)?;
        let mut files = files.into_iter();
        let file = files.next().ok_or(ExtractionError::Stopped)?;
        let answer = match work {
            Work::Parse { types, wanted, memory } => {
                let request = ParseRequest { types, wanted, memory };
                to_json(&parse(Parts::of(file)?, &request)?)?
            }
            Work::Windows { text_tokens, most } => {
                to_json(&windows(Parts::of(file)?, text_tokens, most)?)?
            }
            Work::Ground { document_type } => {
                let answered = files.next().ok_or(ExtractionError::Stopped)?;
                let answered = serde_json::from_reader(BufReader::new(answered));
                let Answered { replies, parsed } = answered.map_err(unreadable_request)?;
                to_json(&ground(Parts::of(file)?, &document_type, replies, parsed)?)?
            }
            Work::Reconcile { document_type } => {
                let parsed = serde_json::from_reader(BufReader::new(file));
                let parsed: Parsed = parsed.map_err(unreadable_request)?;
                let mut extraction = reconcile(&document_type, &parsed);
                check_schema(&document_type, &mut extraction);
                to_json(&extraction)?
            }
        };
        for piece in answer.chunks(PIECE_BYTES) {
            replies.send_value(PIECE, &Piece(piece.to_vec())).map_err(|error| match error {
                NotSent::TooLarge => ExtractionError::TooLarge,
                NotSent::Stopped => ExtractionError::Stopped,
            })?;
        }
        Ok(())
    }
}

/// Adds a failed check when the values do not satisfy the schema of the type, so that their fields need review.
fn check_schema(document_type: &DocumentType, extraction: &mut Extraction) {
    const NAME: &str = "schema";
    const MOST_SHOWN: usize = 10;
    let problems = document_type.check_values(&values(document_type, extraction));
    if problems.is_empty() {
        return;
    }
    for SchemaProblem { path, .. } in &problems {
        if let Some(field) = extraction.field_mut(path) {
            field.checks.push(NAME.to_owned());
        }
    }
    let shown = problems.iter().take(MOST_SHOWN);
    let shown: Vec<String> =
        shown.map(|problem| format!("{} {}", problem.path, problem.message)).collect();
    let detail = shown.join("; ").trim().to_owned();
    extraction.checks.push(Check { name: NAME.to_owned(), passed: Some(false), detail });
}

/// The parts of an artifact. Ends after the first error.
struct Parts {
    reader: Option<Reader<BufReader<File>>>,
}

impl Parts {
    fn of(file: File) -> Result<Self, ExtractError> {
        Ok(Self { reader: Some(Reader::new(BufReader::new(file))?) })
    }
}

impl Iterator for Parts {
    type Item = Result<Part, ArtifactError>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.reader.as_mut()?.next_part().transpose();
        if !matches!(next, Some(Ok(_))) {
            self.reader = None;
        }
        next
    }
}

impl From<ArtifactError> for ExtractionError {
    fn from(error: ArtifactError) -> Self {
        Self::Pages(error.to_string())
    }
}

impl From<ExtractError> for ExtractionError {
    fn from(error: ExtractError) -> Self {
        match error {
            ExtractError::Pages(error) => error.into(),
            ExtractError::UnknownType(name) => Self::UnknownType(name),
        }
    }
}

fn to_json<T: Serialize>(value: &T) -> Result<Vec<u8>, ExtractionError> {
    let json = serde_json::to_vec(value).map_err(|_| ExtractionError::TooLarge)?;
    if json.len() > MAX_ANSWER { Err(ExtractionError::TooLarge) } else { Ok(json) }
}

/// Only the kind of the error: its message could quote the document.
#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
fn unreadable_request(error: serde_json::Error) -> ExtractionError {
    ExtractionError::Request(format!("{:?}", error.classify()))
}

fn not_started(error: &std::io::Error) -> ExtractionFailure {
    ChildFailure::NotStarted { why: error.to_string() }.into()
}
