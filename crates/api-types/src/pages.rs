//! The pages of a processed document.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// One page. Lines, cells and other elements refer to ranges of `words` by index, `from..to`.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct PageView {
    /// Counted from 1.
    pub number: u32,
    /// How many pages the document has.
    pub pages: u32,
    /// In points (1/72 inch), after rotation; absent if the format has no pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<f32>,
    /// A sheet's or slide's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    pub text_source: TextSourceView,
    /// The quality of the text, from 0 to 100.
    pub quality: u8,
    /// What went wrong during OCR of the page; absent without a problem.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
    pub words: Vec<WordView>,
    pub lines: Vec<SpanView>,
    /// In reading order.
    pub blocks: Vec<BlockView>,
    pub tables: Vec<TableView>,
    pub key_values: Vec<KeyValueView>,
}

/// A link to the page view of a document. It needs no credential, and lasts ten minutes.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct PageViewLink {
    pub url: String,
    pub expires_at: DateTime<Utc>,
}

/// Where the text of a page comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TextSourceView {
    /// The text layer of the file.
    Layer,
    /// The page contains images of text, and OCR has not processed it yet.
    Wanted,
    /// OCR.
    Recognised,
    /// The page needs OCR, but OCR is not available or failed: `trouble` says why.
    Unavailable,
    /// The page contains no text.
    Blank,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct WordView {
    pub text: String,
    /// Left, top, right, bottom, in points from the top left corner.
    #[serde(rename = "box", skip_serializing_if = "Option::is_none")]
    pub area: Option<[f32; 4]>,
    /// From 0 to 100.
    pub confidence: u8,
    /// What produced the text.
    pub origin: WordSourceView,
    /// The result of the other OCR engine, if it differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other: Option<OtherReadingView>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum WordSourceView {
    Layer,
    Form,
    Tesseract,
    PpOcr,
    Agreed,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct OtherReadingView {
    pub text: String,
    pub confidence: u8,
    /// What produced the text.
    pub origin: WordSourceView,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize, ToSchema)]
pub struct SpanView {
    pub from: u32,
    pub to: u32,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct BlockView {
    /// `heading`, `paragraph`, `list_item`, `table`, `figure`, `code`, `quote`, `header` or `footer`.
    #[schema(example = "paragraph")]
    pub kind: String,
    /// The level of a heading, from 1; or of a list item, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<u8>,
    /// The index of a table in `tables`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table: Option<u32>,
    /// A range of `lines`.
    pub lines: SpanView,
    #[serde(rename = "box", skip_serializing_if = "Option::is_none")]
    pub area: Option<[f32; 4]>,
    pub text: String,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct TableView {
    pub rows: u32,
    pub columns: u32,
    /// The number of header rows at the top.
    pub header_rows: u32,
    #[serde(rename = "box", skip_serializing_if = "Option::is_none")]
    pub area: Option<[f32; 4]>,
    pub cells: Vec<CellView>,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct CellView {
    pub row: u32,
    pub column: u32,
    pub row_span: u32,
    pub column_span: u32,
    pub words: SpanView,
    pub text: String,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct KeyValueView {
    pub key: String,
    pub value: String,
    pub key_words: SpanView,
    pub value_words: SpanView,
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct PictureQuery {
    /// The width of the image in pixels: 320, 800, 1280 or 2000.
    #[serde(default)]
    pub width: Option<u32>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TextFormat {
    #[default]
    Text,
    Markdown,
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct TextQuery {
    #[serde(default)]
    #[param(inline)]
    pub format: TextFormat,
}
