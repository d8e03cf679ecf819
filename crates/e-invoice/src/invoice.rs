//! The values of an electronic invoice.

use crate::MAX_LINES;
use crate::value;
use crate::xml::Node;

const MAX_WARNINGS: usize = 20;
const MAX_NOTES: usize = 1_000;

/// The format of an electronic invoice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Cross Industry Invoice: Factur-X, ZUGFeRD 2, XRechnung.
    Cii,
    Zugferd1,
    /// Universal Business Language: XRechnung, Peppol.
    UblInvoice,
    UblCreditNote,
}

/// A value of an invoice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// Normalised: an ISO date, a decimal string, text on one line.
    pub value: String,
    /// As the XML writes it.
    pub raw: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Party {
    pub name: Option<Value>,
    pub street: Option<Value>,
    pub postcode: Option<Value>,
    pub city: Option<Value>,
    pub country: Option<Value>,
    pub vat_id: Option<Value>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    pub line_total: Option<Value>,
    pub tax_basis_total: Option<Value>,
    pub tax_total: Option<Value>,
    pub grand_total: Option<Value>,
    pub due_payable: Option<Value>,
}

/// One rate of the tax breakdown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tax {
    pub category: Option<Value>,
    pub rate: Option<Value>,
    pub basis: Option<Value>,
    pub amount: Option<Value>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    pub name: Option<Value>,
    pub description: Option<Value>,
    pub quantity: Option<Value>,
    /// UN/ECE recommendation 20: `C62` is a piece.
    pub unit: Option<Value>,
    /// For one unit, or for `price_quantity` units.
    pub unit_price: Option<Value>,
    pub price_quantity: Option<Value>,
    pub line_total: Option<Value>,
}

/// An electronic invoice. Values that it does not have, or that are invalid, are `None`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EInvoice {
    pub format: Format,
    /// The identifier of the profile or specification, such as `urn:factur-x.eu:1p0:minimum`.
    pub profile: Option<Value>,
    /// UNTDID 1001: 380 is an invoice, 381 a credit note.
    pub type_code: Option<Value>,
    pub invoice_number: Option<Value>,
    pub issue_date: Option<Value>,
    pub due_date: Option<Value>,
    pub delivery_date: Option<Value>,
    pub seller: Party,
    pub buyer: Party,
    pub currency: Option<Value>,
    pub totals: Totals,
    pub taxes: Vec<Tax>,
    pub lines: Vec<Line>,
    /// The number of lines beyond [`MAX_LINES`].
    pub omitted_lines: usize,
    pub order_reference: Option<Value>,
    pub buyer_reference: Option<Value>,
    pub ibans: Vec<Value>,
    pub payment_terms: Vec<Value>,
    pub notes: Vec<Value>,
    /// What was left out, in sentences for users.
    pub warnings: Vec<String>,
}

impl EInvoice {
    pub(crate) fn new(format: Format) -> Self {
        Self {
            format,
            profile: None,
            type_code: None,
            invoice_number: None,
            issue_date: None,
            due_date: None,
            delivery_date: None,
            seller: Party::default(),
            buyer: Party::default(),
            currency: None,
            totals: Totals::default(),
            taxes: Vec::new(),
            lines: Vec::new(),
            omitted_lines: 0,
            order_reference: None,
            buyer_reference: None,
            ibans: Vec::new(),
            payment_terms: Vec::new(),
            notes: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// Whether it is a credit note: its totals are owed to the buyer.
    pub fn is_credit_note(&self) -> bool {
        self.format == Format::UblCreditNote
            || self.type_code.as_ref().is_some_and(|code| matches!(&*code.value, "381" | "396"))
    }

    /// The fields of the header that the document type `invoice` has, by name; those without a value too.
    pub fn header(&self) -> [(&'static str, Option<&Value>); 21] {
        let Party { name, street, postcode, city, country, vat_id } = &self.seller;
        let buyer = &self.buyer;
        let totals = &self.totals;
        [
            ("invoice_number", &self.invoice_number),
            ("issue_date", &self.issue_date),
            ("due_date", &self.due_date),
            ("seller.name", name),
            ("seller.street", street),
            ("seller.postcode", postcode),
            ("seller.city", city),
            ("seller.country", country),
            ("seller.vat_id", vat_id),
            ("buyer.name", &buyer.name),
            ("buyer.street", &buyer.street),
            ("buyer.postcode", &buyer.postcode),
            ("buyer.city", &buyer.city),
            ("buyer.country", &buyer.country),
            ("buyer.vat_id", &buyer.vat_id),
            ("currency", &self.currency),
            ("line_total", &totals.line_total),
            ("tax_basis_total", &totals.tax_basis_total),
            ("tax_total", &totals.tax_total),
            ("grand_total", &totals.grand_total),
            ("due_payable", &totals.due_payable),
        ]
        .map(|(name, value)| (name, value.as_ref()))
    }

    pub(crate) fn warn(&mut self, sentence: impl Into<String>) {
        let sentence = sentence.into();
        if self.warnings.len() < MAX_WARNINGS && !self.warnings.contains(&sentence) {
            self.warnings.push(sentence);
        }
    }

    pub(crate) fn push_line(&mut self, line: Line) {
        // Extended profiles have lines that only carry a remark.
        if line.name.is_none() && line.line_total.is_none() {
            return;
        }
        if self.lines.len() < MAX_LINES {
            self.lines.push(line);
        } else {
            self.omitted_lines += 1;
        }
    }

    pub(crate) fn push_note(&mut self, note: Option<Value>) {
        if self.notes.len() < MAX_NOTES {
            self.notes.extend(note);
        }
    }

    pub(crate) fn finish(&mut self) {
        if self.omitted_lines > 0 {
            let all = self.lines.len() + self.omitted_lines;
            self.warn(format!("Only the first {MAX_LINES} of {all} lines are shown."));
        }
    }

    /// A value of the element; a warning when it has another format than `normalise` expects.
    pub(crate) fn value(
        &mut self,
        node: Option<&Node>,
        name: &str,
        normalise: impl Fn(&str) -> Option<String>,
    ) -> Option<Value> {
        let raw = node?.text()?;
        let value = normalise(raw);
        if value.is_none() {
            self.warn(format!("The {name} of the electronic invoice is invalid and was left out."));
        }
        Some(Value { value: value?, raw: raw.to_owned() })
    }

    pub(crate) fn amount(&mut self, node: Option<&Node>, name: &str) -> Option<Value> {
        self.value(node, name, value::amount)
    }

    pub(crate) fn date(&mut self, node: Option<&Node>, name: &str) -> Option<Value> {
        self.value(node, name, value::date)
    }
}

/// The text of the element on one line.
pub(crate) fn text(node: Option<&Node>) -> Option<Value> {
    let raw = node?.text()?;
    Some(Value { value: value::line(raw)?, raw: raw.to_owned() })
}

pub(crate) fn vat_id(node: Option<&Node>) -> Option<Value> {
    let raw = node?.text()?;
    Some(Value { value: value::vat_id(raw)?, raw: raw.to_owned() })
}

/// Of several amounts, the one in the invoice's currency: an invoice may repeat its tax in the currency of the tax office.
pub(crate) fn in_currency<'a>(
    amounts: impl Iterator<Item = &'a Node> + Clone,
    currency: Option<&Value>,
) -> Option<&'a Node> {
    let mut same = amounts.clone().filter(|amount| {
        let stated = amount.attribute("currencyID");
        stated.is_some() && stated == currency.map(|currency| currency.value.as_str())
    });
    same.next()
        .or_else(|| amounts.clone().find(|amount| amount.attribute("currencyID").is_none()))
        .or_else(|| amounts.clone().next())
}
