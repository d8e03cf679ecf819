//! What was read of a document: pages, their pictures, its text.

use std::sync::Arc;

use api_types::{
    BlockView, CellView, FileContent, KeyValueView, OriginView, OtherReadingView, PageView,
    PictureQuery, SpanView, TableView, TextFormat, TextQuery, TextSourceView, WordView,
};
use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use domain::{DocId, ReadableObject};
use ops::{PageImage, TextForm};
use pages::{Area, Block, BlockKind, Origin, Page, Span, Table, TextSource, Word};
use uuid::Uuid;

use crate::Api;
use crate::extract::{Id, Path, Query, SignedInCaller};
use crate::openapi::{AboutOne, CanClash, Checked, Guarded};
use crate::problem::ApiProblem;

const USUAL_WIDTH: u32 = 800;

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
        Guarded, Checked, AboutOne, CanClash,
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
        ApiProblem::invalid("a page is a number from 1, with .png after it for a picture")
            .for_field("page")
    })?;
    if is_picture {
        let width = query.width.unwrap_or(USUAL_WIDTH);
        let has_tag = |tag: &str| names_tag(&request, tag);
        let content = &api.ops.content;
        let PageImage { tag, bytes } =
            content.draw_page(&caller, DocId(id), number, width, has_tag).await?;
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
        // Another user of the same browser is not served from its cache.
        headers.insert(header::VARY, HeaderValue::from_static("authorization"));
        return Ok(response);
    }
    if query.width.is_some() {
        let detail = "width is for pictures: ask for the page with .png";
        return Err(ApiProblem::invalid(detail).for_field("width"));
    }
    let (page, pages) = api.ops.content.read_page(&caller, DocId(id), number).await?;
    Ok(Json(view(&page, pages)).into_response())
}

/// Draw a page
///
/// A picture of the page, with the tenant's masks.
#[utoipa::path(
    get, path = "/documents/{id}/pages/{page}.png", tag = "documents", operation_id = "get_page_image",
    params(
        ("id" = Uuid, Path),
        ("page" = u32, Path, minimum = 1, description = "The number of the page, from 1", example = 1),
        PictureQuery,
    ),
    responses(
        (status = 200, content_type = "image/png", body = FileContent, description = "The picture"),
        (status = 304, description = "The picture has the tag that `If-None-Match` names"),
        Guarded, Checked, AboutOne, CanClash,
    ),
    security(("bearer" = [])),
)]
#[expect(
    dead_code,
    reason = "documents what `page` serves: no route can end in a part of a segment"
)]
fn page_image() {}

/// Whether `If-None-Match` names the tag.
fn names_tag(headers: &HeaderMap, tag: &str) -> bool {
    let named =
        headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    named
        .flat_map(|list| list.split(','))
        .any(|named| named.trim().trim_start_matches("W/").trim_matches('"') == tag)
}

fn not_an_id() -> ApiProblem {
    ApiProblem::new(StatusCode::NOT_FOUND, "not_found", "there is no such document")
}

/// The text of a document
#[utoipa::path(
    get, path = "/documents/{id}/text", tag = "documents", operation_id = "get_text",
    params(("id" = Uuid, Path), TextQuery),
    responses(
        (status = 200, content((String = "text/plain"), (String = "text/markdown")),
         description = "The text, in the format that was asked for"),
        Guarded, Checked, AboutOne, CanClash,
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
        origin: origin_view(word.origin),
        other: word.other.as_ref().map(|other| OtherReadingView {
            text: other.text.clone(),
            confidence: other.confidence.0,
            origin: origin_view(other.origin),
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

fn origin_view(origin: Origin) -> OriginView {
    match origin {
        Origin::Layer => OriginView::Layer,
        Origin::Form => OriginView::Form,
        Origin::Tesseract => OriginView::Tesseract,
        Origin::PpOcr => OriginView::PpOcr,
        Origin::Agreed => OriginView::Agreed,
    }
}

fn span_view(span: Span) -> SpanView {
    SpanView { from: span.from, to: span.to }
}

fn sides(area: Area) -> [f32; 4] {
    [area.left, area.top, area.right, area.bottom]
}
