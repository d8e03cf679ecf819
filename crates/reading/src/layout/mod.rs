//! Words become lines.
use crate::model::Page;

#[derive(Debug, Default)]
pub struct Layout {}

impl Layout {
    pub fn arrange(&mut self, _page: &mut Page) {}
}

pub fn arrange(page: &mut Page) {
    Layout::default().arrange(page);
}
