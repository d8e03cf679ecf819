//! The processed content of a document: pages, page images and text.

use std::sync::Arc;

use api_types::{
    BlockView, CellView, FileContent, KeyValueView, OtherReadingView, PageView, PictureQuery,
    SpanView, TableView, TextFormat, TextQuery, TextSourceView, WordSourceView, WordView,
};
use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use domain::{DocId, ReadableObject};
use ops::{OpsError, PageImage, TextForm};
use pages::{Area, Block, BlockKind, Origin, Page, Span, Table, TextSource, Word};
use uuid::Uuid;

use crate::Api;
use crate::entity_tags::known_tags;
use crate::extract::{Id, Path, Query, SignedInCaller};
use crate::openapi::{AboutOne, CanConflict, Checked, Guarded};
use crate::problem::ApiProblem;

const DEFAULT_WIDTH: u32 = 800;

/// Read a page
///
/// Its words, blocks, tables and key-values.
#[utoipa::path(
    get, path = "/documents/{id}/pages/{page}", tag = "documents", operation_id = "get_page",
    params(
        ("id" = Uuid, Path),
        ("page" = u32, Path, minimum = 1, description = "The number of the page, from 1", example = 1),
    ),
    responses(
        (status = 200, body = PageView, description = "The page"),
        Guarded, Checked, AboutOne, CanConflict,
    ),
    security(("bearer" = [])),
)]
pub(crate) async fn page(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Path((id, page)): Path<(String, String)>,
    Query(query): Query<PictureQuery>,
    request: HeaderMap,
) -> Result<Response, ApiProblem> {
    let id: Uuid = id.parse().map_err(|_| not_an_id())?;
    let (number, is_picture) = match page.strip_suffix(".png") {
        Some(number) => (number, true),
        None => (page.as_str(), false),
    };
    let number: u32 = number.parse().ok().filter(|number| *number > 0).ok_or_else(|| {
        ApiProblem::invalid("page must be a number from 1, with .png appended for an image.")
            .for_field("page")
    })?;
    if is_picture {
        let width = query.width.unwrap_or(DEFAULT_WIDTH);
        let has_tag = |tag: &str| known_tags(&request).any(|known| known == tag);
        let content = &api.ops.content;
        let PageImage { tag, bytes } =
            content.render_page(&caller, DocId(id), number, width, has_tag).await?;
        let mut response = match bytes {
            Some(bytes) => Body::from(bytes).into_response(),
            None => StatusCode::NOT_MODIFIED.into_response(),
        };
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("image/png"));
        if let Ok(tag) = HeaderValue::from_str(&format!("\"{tag}\"")) {
            headers.insert(header::ETAG, tag);
        }
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, max-age=300"));
        // Another user of the same browser must not get it from the cache.
        headers.insert(header::VARY, HeaderValue::from_static("authorization"));
        return Ok(response);
    }
    if query.width.is_some() {
        let detail = "width applies only to images. Append .png to the page number.";
        return Err(ApiProblem::invalid(detail).for_field("width"));
    }
    let (page, pages) = api.ops.content.read_page(&caller, DocId(id), number).await?;
    Ok(Json(view(&page, pages)).into_response())
}

/// Get a page image
///
/// The page as a PNG image, with masks applied.
#[utoipa::path(
    get, path = "/documents/{id}/pages/{page}.png", tag = "documents", operation_id = "get_page_image",
    params(
        ("id" = Uuid, Path),
        ("page" = u32, Path, minimum = 1, description = "The number of the page, from 1", example = 1),
        PictureQuery,
    ),
    responses(
        (status = 200, content_type = "image/png", body = FileContent, description = "The image"),
        (status = 304, description = "The image has the tag that `If-None-Match` names"),
        Guarded, Checked, AboutOne, CanConflict,
    ),
    security(("bearer" = [])),
)]
#[expect(
    dead_code,
    reason = "documents a path that `page` serves, since a route cannot match a part of a segment"
)]
fn page_image() {}

fn not_an_id() -> ApiProblem {
    OpsError::NotFound("document").into()
}

/// Get the text of a document
#[utoipa::path(
    get, path = "/documents/{id}/text", tag = "documents", operation_id = "get_text",
    params(("id" = Uuid, Path), TextQuery),
    responses(
        (status = 200, content((String = "text/plain"), (String = "text/markdown")),
         description = "The text, in the requested format"),
        Guarded, Checked, AboutOne, CanConflict,
    ),
    security(("bearer" = [])),
)]
pub(crate) async fn text(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Id(id): Id,
    Query(query): Query<TextQuery>,
) -> Result<Response, ApiProblem> {
    let (object, form, media_type) = match query.format {
        TextFormat::Text => (ReadableObject::Text, TextForm::Plain, "text/plain; charset=utf-8"),
        TextFormat::Markdown => {
            (ReadableObject::Markdown, TextForm::Markdown, "text/markdown; charset=utf-8")
        }
    };
    let text = api.ops.content.read_text(&caller, object, DocId(id), form).await?;
    let mut response = Body::from_stream(text).into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    Ok(response)
}

fn view(page: &Page, pages: u32) -> PageView {
    PageView {
        number: page.number,
        pages,
        width: page.size.map(|size| size.width),
        height: page.size.map(|size| size.height),
        label: page.label.clone(),
        language: page.language.clone(),
        text_source: match page.text {
            TextSource::Layer => TextSourceView::Layer,
            TextSource::Wanted => TextSourceView::Wanted,
            TextSource::Recognised => TextSourceView::Recognised,
            TextSource::Unavailable => TextSourceView::Unavailable,
            TextSource::Blank => TextSourceView::Blank,
        },
        quality: page.quality.0,
        trouble: page.trouble.clone(),
        words: page.words.iter().map(word_view).collect(),
        lines: page.lines.iter().map(|line| span_view(line.words)).collect(),
        blocks: page.blocks.iter().map(|block| block_view(page, block)).collect(),
        tables: page.tables.iter().map(|table| table_view(page, table)).collect(),
        key_values: page
            .key_values
            .iter()
            .map(|pair| KeyValueView {
                key: page.text_of(pair.key),
                value: page.text_of(pair.value),
                key_words: span_view(pair.key),
                value_words: span_view(pair.value),
            })
            .collect(),
    }
}

fn word_view(word: &Word) -> WordView {
    WordView {
        text: word.text.clone(),
        area: word.area.map(sides),
        confidence: word.confidence.0,
        origin: word_source_view(word.origin),
        other: word.other.as_ref().map(|other| OtherReadingView {
            text: other.text.clone(),
            confidence: other.confidence.0,
            origin: word_source_view(other.origin),
        }),
    }
}

fn block_view(page: &Page, block: &Block) -> BlockView {
    let (kind, level, table) = match block.kind {
        BlockKind::Heading { level } => ("heading", Some(level), None),
        BlockKind::Paragraph => ("paragraph", None, None),
        BlockKind::ListItem { depth, .. } => ("list_item", Some(depth), None),
        BlockKind::Table { table } => ("table", None, Some(table)),
        BlockKind::Figure => ("figure", None, None),
        BlockKind::Code => ("code", None, None),
        BlockKind::Quote => ("quote", None, None),
        BlockKind::Header => ("header", None, None),
        BlockKind::Footer => ("footer", None, None),
    };
    let lines = block.lines.of(&page.lines).iter().map(|line| page.text_of(line.words));
    BlockView {
        kind: kind.to_owned(),
        level,
        table,
        lines: span_view(block.lines),
        area: block.area.map(sides),
        text: lines.collect::<Vec<_>>().join("\n"),
    }
}

fn table_view(page: &Page, table: &Table) -> TableView {
    let cells = table.cells.iter().map(|cell| CellView {
        row: cell.row,
        column: cell.column,
        row_span: cell.row_span,
        column_span: cell.column_span,
        words: span_view(cell.words),
        text: page.text_of(cell.words),
    });
    TableView {
        rows: table.rows,
        columns: table.columns,
        header_rows: table.header_rows,
        area: table.area.map(sides),
        cells: cells.collect(),
    }
}

fn word_source_view(origin: Origin) -> WordSourceView {
    match origin {
        Origin::Layer => WordSourceView::Layer,
        Origin::Form => WordSourceView::Form,
        Origin::Tesseract => WordSourceView::Tesseract,
        Origin::PpOcr => WordSourceView::PpOcr,
        Origin::Agreed => WordSourceView::Agreed,
    }
}

fn span_view(span: Span) -> SpanView {
    SpanView { from: span.from, to: span.to }
}

fn sides(area: Area) -> [f32; 4] {
    [area.left, area.top, area.right, area.bottom]
}
