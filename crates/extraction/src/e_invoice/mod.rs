//! Electronic invoices: their values as candidates of the document type `invoice`, compared with the visible pages.
//!
//! The crate `e_invoice` reads the XML. Its values are exact, so each field has one candidate, with the place where the
//! pages show the same value. A page that shows another total, number or date than the XML is reported by a failed check
//! and a warning: the recipient of such a file must know which of the two was meant.

mod compare;
mod labels;
mod places;

use domain::{Check, FieldSource, FileKind};
use pages::{Attachment, Head};
use rust_decimal::Decimal;

pub use ::e_invoice::{EInvoice, EInvoiceError, Line, Value, read};

use self::compare::Comparison;
use self::places::Place;
use crate::candidates::Found;
use crate::geometry::View;
use crate::parsed::{Candidate, Parsed, ParsedField};

/// Begins the names of checks of electronic invoices; the name of the compared field follows.
const CHECKS: &str = "e_invoice.";
/// The document type of electronic invoices.
pub const DOCUMENT_TYPE: &str = "invoice";
/// Log-odds of a value that is read and not recognised.
const SCORE: f32 = 12.0;

/// Collects the electronic invoice of a document while its parts pass by: its attachments come before its pages.
#[derive(Debug, Default)]
pub struct Collector {
    found: Option<(EInvoice, Comparison)>,
    /// The pages were made of the XML, so there is nothing to compare.
    is_original: bool,
    warnings: Vec<String>,
}

impl Collector {
    pub fn head(&mut self, head: &Head) {
        self.is_original = head.kind == FileKind::Xml;
    }

    /// Reads an attachment, if it is an electronic invoice.
    pub fn attachment(&mut self, attachment: &Attachment) {
        match read(&attachment.bytes) {
            Ok(None) => {}
            Ok(Some(_)) if self.found.is_some() => self.warn(
                "The document contains several electronic invoices. The fields are those of the first one.",
            ),
            Ok(Some(invoice)) => {
                let comparison = Comparison::new(&invoice);
                self.found = Some((invoice, comparison));
            }
            Err(error) => {
                self.warn(format!("An electronic invoice in the document cannot be read: {error}."));
            }
        }
    }

    /// Compares a page with the electronic invoice.
    pub fn page(&mut self, view: &View<'_>, found: &[Found]) {
        if let Some((_, comparison)) = &mut self.found {
            comparison.page(view, found);
        }
    }

    /// Whether the document has an electronic invoice that could be read.
    pub fn is_invoice(&self) -> bool {
        self.found.is_some()
    }

    /// What the electronic invoice contains. Without one there are only warnings.
    pub fn finish(self) -> Parsed {
        let Self { found, is_original, mut warnings } = self;
        let Some((invoice, comparison)) = found else {
            return Parsed { warnings, ..Parsed::default() };
        };
        warnings.extend(invoice.warnings.iter().cloned());
        let compared = comparison.finish();
        let mut checks: Vec<Check> = tax_breakdown(&invoice).into_iter().collect();
        if !is_original {
            checks.extend(compared.checks);
            warnings.extend(compared.warnings);
        }
        let currency = invoice.currency.as_ref().map(|currency| currency.value.as_str());
        let fields = invoice.header().into_iter().filter_map(|(name, value)| {
            Some(field(name, value?, compared.places.get(name), currency))
        });
        let lines = invoice.lines.iter().enumerate().map(|(index, line)| {
            line_fields(line)
                .into_iter()
                .filter_map(|(name, value)| {
                    let place = compared.line_places.get(&(index, name));
                    Some(field(name, value?, place, currency))
                })
                .collect()
        });
        Parsed {
            document_type: DOCUMENT_TYPE.to_owned(),
            fields: fields.collect(),
            lines: lines.collect(),
            checks,
            warnings,
            ..Parsed::default()
        }
    }

    fn warn(&mut self, sentence: impl Into<String>) {
        let sentence = sentence.into();
        if !self.warnings.contains(&sentence) {
            self.warnings.push(sentence);
        }
    }
}

/// The field that a check compares with the pages.
pub(crate) fn checked_field(check: &Check) -> Option<&str> {
    check.name.strip_prefix(CHECKS)
}

/// The fields of a line, by name.
fn line_fields(line: &Line) -> [(&'static str, Option<&Value>); 4] {
    [
        ("name", line.name.as_ref()),
        ("quantity", line.quantity.as_ref()),
        ("unit_price", line.unit_price.as_ref()),
        ("line_total", line.line_total.as_ref()),
    ]
}

fn field(name: &str, value: &Value, place: Option<&Place>, currency: Option<&str>) -> ParsedField {
    let is_amount = name.ends_with("_total") || matches!(name, "due_payable" | "unit_price");
    let candidate = Candidate {
        value: value.value.clone(),
        raw: place.map_or_else(|| value.raw.clone(), |place| place.raw.clone()),
        page: place.map(|place| place.page),
        area: place.and_then(|place| place.area),
        source: FieldSource::EInvoice,
        score: SCORE,
        currency: currency.filter(|_| is_amount).map(str::to_owned),
    };
    ParsedField::new(name, vec![candidate])
}

/// Whether the taxes of all rates add up to the total of taxes.
fn tax_breakdown(invoice: &EInvoice) -> Option<Check> {
    let total: Decimal = invoice.totals.tax_total.as_ref()?.value.parse().ok()?;
    let amounts: Vec<&str> =
        invoice.taxes.iter().filter_map(|tax| Some(tax.amount.as_ref()?.value.as_str())).collect();
    if amounts.is_empty() {
        return None;
    }
    let numbers: Result<Vec<Decimal>, _> = amounts.iter().map(|amount| amount.parse()).collect();
    let sum = numbers
        .ok()?
        .into_iter()
        .try_fold(Decimal::ZERO, |sum, amount: Decimal| sum.checked_add(amount))?;
    let is_equal = sum == total;
    let sign = if is_equal { "=" } else { "≠" };
    let shown = amounts.get(..20).unwrap_or(&amounts).join(" + ");
    let more = if amounts.len() > 20 { " + …" } else { "" };
    Some(Check {
        name: format!("{CHECKS}tax_breakdown"),
        passed: Some(is_equal),
        detail: format!("{shown}{more} {sign} {total}"),
    })
}

#[cfg(test)]
mod tests;
