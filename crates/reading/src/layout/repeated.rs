//! Headers and footers: what stands at the edge of the page and came there before.

use crate::model::Page;

#[derive(Debug, Default)]
pub(crate) struct Repeated {}

impl Repeated {
    pub(crate) fn mark(&mut self, _page: &mut Page) {}
}
