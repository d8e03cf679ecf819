//! Finding and asking.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"query": "termination notice", "limit": 5, "filters": {"types": ["pdf"]}}))]
pub struct SearchBody {
    #[schema(max_length = 2000, example = "termination notice")]
    pub query: String,
    #[serde(default)]
    #[schema(minimum = 1, maximum = 100)]
    pub limit: Option<u32>,
    #[serde(default)]
    pub mode: SearchMode,
    #[serde(default)]
    pub filters: SearchFilters,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SearchMode {
    /// By words and by meaning.
    #[default]
    Hybrid,
    Lexical,
    Vector,
}

/// Which documents to look in, of those that the caller may see.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchFilters {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 1000)]
    pub document_ids: Vec<Uuid>,
    /// Kinds of files: pdf, docx, …
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub types: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch_id: Option<Uuid>,
    /// Documents with one of these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_from: Option<DateTime<Utc>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_to: Option<DateTime<Utc>>,
}

/// The same for those who ask with GET.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct SearchQuery {
    #[param(max_length = 2000, example = "termination notice")]
    pub query: String,
    #[param(minimum = 1, maximum = 100)]
    pub limit: Option<u32>,
    #[serde(default)]
    #[param(inline)]
    pub mode: SearchMode,
    pub document_id: Option<Uuid>,
    /// A kind of file: pdf, docx, …
    #[serde(rename = "type")]
    pub kind: Option<String>,
    pub batch_id: Option<Uuid>,
    pub tag: Option<String>,
    pub created_from: Option<DateTime<Utc>>,
    pub created_to: Option<DateTime<Utc>>,
}

impl SearchQuery {
    pub fn into_body(self) -> SearchBody {
        SearchBody {
            query: self.query,
            limit: self.limit,
            mode: self.mode,
            filters: SearchFilters {
                document_ids: self.document_id.into_iter().collect(),
                types: self.kind.into_iter().collect(),
                batch_id: self.batch_id,
                tags: self.tag.into_iter().collect(),
                created_from: self.created_from,
                created_to: self.created_to,
            },
        }
    }
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct SearchResponse {
    /// The best first.
    pub hits: Vec<HitView>,
    /// What was not done as well as it could have been.
    pub warnings: Vec<String>,
}

/// A passage that was found.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct HitView {
    /// Counted from 1.
    pub rank: usize,
    /// From 0 to 1.
    pub score: f32,
    pub doc_id: Uuid,
    pub doc_version_id: Uuid,
    pub chunk_id: Uuid,
    pub title: String,
    pub filename: String,
    pub file_kind: String,
    /// The headings that it stands under.
    pub heading: Vec<String>,
    pub pages: Vec<u32>,
    pub snippet: String,
    pub highlights: Vec<HighlightView>,
    pub areas: Vec<AreaView>,
}

/// A part of the snippet, in characters.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct HighlightView {
    pub start: usize,
    pub end: usize,
}

/// A part of a page.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct AreaView {
    pub page: u32,
    /// Left, top, right, bottom, in points from the top left corner.
    #[serde(rename = "box")]
    pub area: [f64; 4],
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"question": "When does the lease end?"}))]
pub struct AskBody {
    #[schema(max_length = 2000, example = "When does the lease end?")]
    pub question: String,
    #[serde(default)]
    pub filters: SearchFilters,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct AskResponse {
    /// Null when the documents do not say.
    pub answer: Option<String>,
    pub abstained: bool,
    /// Why there is no answer.
    pub reason: Option<String>,
    /// How likely the answer is right, from 0 to 1.
    pub confidence: f32,
    /// Who answered: `extractive` quotes the best sentence.
    #[schema(example = "extractive")]
    pub provider: String,
    pub sentences: Vec<SentenceView>,
    pub citations: Vec<CitationView>,
    /// The passages that come nearest, when there is no answer.
    pub nearest: Vec<HitView>,
    pub warnings: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct SentenceView {
    pub text: String,
    /// The numbers of the citations that it rests on.
    pub citations: Vec<usize>,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct CitationView {
    /// Counted from 1.
    pub number: usize,
    pub doc_id: Uuid,
    pub doc_version_id: Uuid,
    pub chunk_id: Uuid,
    pub title: String,
    pub pages: Vec<u32>,
    /// The words that the answer rests on.
    pub quote: String,
    pub areas: Vec<AreaView>,
}

/// A document that may influence answers.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct KnownDocumentView {
    pub doc_id: Uuid,
    pub doc_version_id: Uuid,
    pub title: String,
    pub filename: String,
    pub file_kind: String,
    pub chunks: i64,
    pub pages: i32,
    pub activated_at: DateTime<Utc>,
}
