//! What invoices and receipts are read from: the visual rows of the pages and their dates. The size is bounded, however many
//! pages there are; pages beyond the bound are left out.

use domain::FieldKind;
use pages::Page;

use crate::candidates::{self, Conventions, Found};
use crate::geometry::View;
use crate::parsed::Parsed;
use crate::rows::Rows;
use crate::types::DocumentType;
use crate::{invoice, receipt};

/// The most dates that are kept.
const MAX_DATES: usize = 2_000;

/// Takes in pages one after the other.
#[derive(Debug, Default)]
pub struct Collector {
    rows: Rows,
    dates: Vec<Found>,
    conventions: Conventions,
}

impl Collector {
    /// A collector with all of these pages.
    pub fn of<'a>(pages: impl IntoIterator<Item = &'a Page>) -> Self {
        let mut collector = Self::default();
        for page in pages {
            collector.page(page, &candidates::find(&View::new(page)));
        }
        collector
    }

    /// Takes in a page with its typed values.
    pub fn page(&mut self, page: &Page, found: &[Found]) {
        self.conventions.observe(page.language.as_deref(), found);
        if self.rows.add(page) {
            let left = MAX_DATES - self.dates.len();
            let dates = found.iter().filter(|found| found.kind == FieldKind::Date);
            self.dates.extend(dates.take(left).cloned());
        }
    }

    /// The fields, for the types that are read by rows.
    pub fn finish(mut self, document_type: &DocumentType) -> Option<Parsed> {
        match document_type.name.as_str() {
            invoice::DOCUMENT_TYPE => {
                for date in &mut self.dates {
                    self.conventions.resolve(date);
                }
                Some(invoice::parse(&self.rows, &self.dates, document_type))
            }
            // Nearly all receipts write the day before the month, in whatever language.
            receipt::DOCUMENT_TYPE => Some(receipt::parse(&self.rows, &self.dates, document_type)),
            _ => None,
        }
    }
}
