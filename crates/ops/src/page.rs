//! Pages of lists.

use store::{After, Window};

/// A page of a list, requested by cursor or by number.
#[derive(Clone, Copy, Debug)]
pub struct PageRequest {
    pub after: Option<After>,
    /// Counted from 1, starting at the cursor if there is one.
    pub page: u32,
    pub limit: u32,
}

#[derive(Debug)]
pub struct Page<T> {
    pub items: Vec<T>,
    /// The cursor of the next page; `None` on the last page.
    pub next: Option<After>,
}

impl PageRequest {
    /// The window to fetch. It has one extra row, which shows whether there is another page.
    pub(crate) fn window(&self) -> Window {
        let limit = i64::from(self.limit);
        Window {
            after: self.after,
            skip: (i64::from(self.page) - 1).max(0) * limit,
            limit: limit + 1,
        }
    }

    pub(crate) fn page_of<T>(&self, mut items: Vec<T>, cursor: impl Fn(&T) -> After) -> Page<T> {
        let limit = self.limit as usize;
        let more = items.len() > limit;
        items.truncate(limit);
        let next = if more { items.last().map(cursor) } else { None };
        Page { items, next }
    }
}
