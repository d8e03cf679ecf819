//! The parameters `page`, `limit` and `cursor` of lists.

use api_types::Cursor;
use ops::{After, PageRequest};

use crate::problem::ApiProblem;

const DEFAULT_LIMIT: u32 = 20;
const MAX_LIMIT: u32 = 100;
const MAX_PAGE: u32 = 1_000_000;

pub(crate) fn page_request(
    page: Option<u32>,
    limit: Option<u32>,
    cursor: Option<&str>,
) -> Result<PageRequest, ApiProblem> {
    let page = page.unwrap_or(1);
    let limit = limit.unwrap_or(DEFAULT_LIMIT);
    if !(1..=MAX_PAGE).contains(&page) {
        return Err(ApiProblem::invalid(format!("page must be 1 to {MAX_PAGE}.")).for_field("page"));
    }
    if !(1..=MAX_LIMIT).contains(&limit) {
        return Err(
            ApiProblem::invalid(format!("limit must be 1 to {MAX_LIMIT}.")).for_field("limit")
        );
    }
    let after = cursor
        .map(str::parse::<Cursor>)
        .transpose()
        .map_err(|_| {
            ApiProblem::invalid("cursor must be the next_cursor of an earlier page.")
                .for_field("cursor")
        })?
        .map(|cursor| After { moment: cursor.moment, id: cursor.id });
    Ok(PageRequest { after, page, limit })
}

pub(crate) fn cursor_of(next: Option<After>) -> Option<String> {
    next.map(|after| Cursor { moment: after.moment, id: after.id }.to_string())
}
