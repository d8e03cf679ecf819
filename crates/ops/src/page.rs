//! Pages of lists.

use store::{After, Window};

/// Which page is wanted: after a cursor, or by number.
#[derive(Clone, Copy, Debug)]
pub struct PageRequest {
    pub after: Option<After>,
    /// Counted from 1; from the cursor on when there is one.
    pub page: u32,
    pub limit: u32,
}

#[derive(Debug)]
pub struct Page<T> {
    pub items: Vec<T>,
    /// Where the next page begins; `None` on the last one.
    pub next: Option<After>,
}

impl PageRequest {
    /// The window to fetch: one row more than asked for, to know whether there is another page.
    pub(crate) fn window(&self) -> Window {
        let limit = i64::from(self.limit);
        Window {
            after: self.after,
            skip: (i64::from(self.page) - 1).max(0) * limit,
            limit: limit + 1,
        }
    }

    pub(crate) fn page_of<T>(&self, mut items: Vec<T>, place: impl Fn(&T) -> After) -> Page<T> {
        let limit = self.limit as usize;
        let more = items.len() > limit;
        items.truncate(limit);
        let next = if more { items.last().map(place) } else { None };
        Page { items, next }
    }
}
