//! Lists: fetched page by page, and what is said when there is more.

use crate::client::ClientError;
use crate::say::say;

/// The largest page that the server gives.
const PAGE: usize = 100;

/// The first part of a list.
#[derive(Debug)]
pub(crate) struct Listed<T> {
    pub(crate) items: Vec<T>,
    pub(crate) has_more: bool,
}

/// Fetches pages until there are `limit` items or no more. A page is asked for with its size and the cursor of the page
/// before it, and comes with the cursor of the next one.
pub(crate) async fn fetch<T>(
    limit: usize,
    page: impl AsyncFn(usize, Option<String>) -> Result<(Vec<T>, Option<String>), ClientError>,
) -> Result<Listed<T>, ClientError> {
    let mut items = Vec::new();
    let mut cursor = None;
    loop {
        let (more, next) = page((limit - items.len()).min(PAGE), cursor).await?;
        items.extend(more);
        cursor = next;
        if cursor.is_none() || items.len() >= limit {
            return Ok(Listed { items, has_more: cursor.is_some() });
        }
    }
}

pub(crate) fn page_query(limit: usize, cursor: Option<String>) -> Vec<(&'static str, String)> {
    let mut query = vec![("limit", limit.to_string())];
    query.extend(cursor.map(|cursor| ("cursor", cursor)));
    query
}

/// Says that the list goes on, when it does.
pub(crate) fn print_rest(shown: usize, total: Option<usize>, has_more: bool) {
    if !has_more {
        return;
    }
    match total.filter(|total| *total > shown) {
        Some(total) => say(format_args!("{shown} of {total} shown; use --limit N or --all")),
        None => say(format_args!("The first {shown} are shown; use --limit N or --all")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pages of at most three numbers below ten.
    async fn numbers(limit: usize) -> Listed<usize> {
        let page = async |limit: usize, cursor: Option<String>| {
            let from: usize = cursor.map_or(0, |cursor| cursor.parse().unwrap());
            let until = (from + limit.min(3)).min(10);
            Ok(((from..until).collect(), Some(until.to_string()).filter(|_| until < 10)))
        };
        fetch(limit, page).await.unwrap()
    }

    #[tokio::test]
    async fn a_list_ends_at_its_limit_or_with_its_last_page() {
        let some = numbers(4).await;
        assert_eq!((some.items, some.has_more), ((0..4).collect(), true));
        let all = numbers(usize::MAX).await;
        assert_eq!((all.items, all.has_more), ((0..10).collect(), false));
        assert!(!numbers(10).await.has_more);
    }
}
