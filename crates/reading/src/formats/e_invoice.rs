//! The XML of an electronic invoice, as pages that people read: labels with values, the lines and taxes as tables.
//!
//! The XML itself is passed on as an attachment, from which the fields are extracted.

use std::collections::BTreeMap;

use e_invoice::{EInvoice, EInvoiceError, Format, Line, Party, Tax, Value};
use pages::{Attachment, BlockKind};

use crate::detect::OTHER_XML;
use crate::flow::{Flow, Grid, GridCell, Text};
use crate::{ReadError, Sink, Source};

pub fn read(source: &Source, sink: &mut dyn Sink) -> Result<(), ReadError> {
    let invoice = e_invoice::read(source.bytes).map_err(read_error)?;
    let invoice = invoice.ok_or_else(|| ReadError::unsupported(OTHER_XML))?;
    let title = title(&invoice);
    let properties = properties(&invoice);
    let mut flow = Flow::begin(source, sink, Some(title.clone()), properties)?;
    flow.attach(Attachment {
        name: source.file_name.to_owned(),
        media_type: Some(source.kind.media_type().to_owned()),
        bytes: source.bytes.to_vec(),
    })?;
    for warning in &invoice.warnings {
        flow.remark(warning.clone());
    }
    heading(&mut flow, 1, &title)?;
    head(&mut flow, &invoice)?;
    party(&mut flow, "Seller", &invoice.seller)?;
    party(&mut flow, "Buyer", &invoice.buyer)?;
    lines(&mut flow, &invoice.lines)?;
    taxes(&mut flow, &invoice.taxes)?;
    totals(&mut flow, &invoice)?;
    for note in &invoice.notes {
        flow.paragraph(&note.value)?;
    }
    flow.finish()
}

fn read_error(error: EInvoiceError) -> ReadError {
    match error {
        EInvoiceError::TooDeep { .. } | EInvoiceError::TooLarge { .. } => {
            ReadError::too_large(error)
        }
        EInvoiceError::DocumentType
        | EInvoiceError::Encoding
        | EInvoiceError::Entity
        | EInvoiceError::Malformed { .. }
        | EInvoiceError::UnknownEncoding => ReadError::damaged(error),
    }
}

fn title(invoice: &EInvoice) -> String {
    let kind = if invoice.is_credit_note() { "Credit note" } else { "Invoice" };
    match &invoice.invoice_number {
        Some(number) => format!("{kind} {}", number.value),
        None => kind.to_owned(),
    }
}

fn properties(invoice: &EInvoice) -> BTreeMap<String, String> {
    let format = match invoice.format {
        Format::Cii => "CII",
        Format::Zugferd1 => "ZUGFeRD 1.0",
        Format::UblInvoice | Format::UblCreditNote => "UBL",
    };
    let mut properties = BTreeMap::from([("e_invoice_format".to_owned(), format.to_owned())]);
    if let Some(profile) = &invoice.profile {
        properties.insert("e_invoice_profile".to_owned(), profile.value.clone());
    }
    properties
}

fn heading(flow: &mut Flow, level: u8, text: &str) -> Result<(), ReadError> {
    flow.block(BlockKind::Heading { level }, &Text::plain(text))
}

fn head(flow: &mut Flow, invoice: &EInvoice) -> Result<(), ReadError> {
    let mut pairs = Vec::new();
    for (label, value) in [
        ("Invoice number", &invoice.invoice_number),
        ("Invoice date", &invoice.issue_date),
        ("Due date", &invoice.due_date),
        ("Delivery date", &invoice.delivery_date),
        ("Order number", &invoice.order_reference),
        ("Buyer reference", &invoice.buyer_reference),
        ("Currency", &invoice.currency),
    ] {
        pairs.extend(value.as_ref().map(|value| (label, value.value.as_str())));
    }
    pairs.extend(invoice.ibans.iter().map(|iban| ("IBAN", iban.value.as_str())));
    pairs.extend(invoice.payment_terms.iter().map(|terms| ("Payment terms", terms.value.as_str())));
    flow.key_values(&pairs)
}

fn party(flow: &mut Flow, title: &str, party: &Party) -> Result<(), ReadError> {
    let Party { name, street, postcode, city, country, vat_id } = party;
    let labelled = [
        ("Name", name),
        ("Street", street),
        ("Postcode", postcode),
        ("City", city),
        ("Country", country),
        ("VAT ID", vat_id),
    ];
    let pairs: Vec<(&str, &str)> = labelled
        .into_iter()
        .filter_map(|(label, value)| Some((label, value.as_ref()?.value.as_str())))
        .collect();
    if pairs.is_empty() {
        return Ok(());
    }
    heading(flow, 2, title)?;
    flow.key_values(&pairs)
}

fn lines(flow: &mut Flow, lines: &[Line]) -> Result<(), ReadError> {
    if lines.is_empty() {
        return Ok(());
    }
    heading(flow, 2, "Lines")?;
    let rows = lines.iter().map(|line| {
        let Line { name, description, quantity, unit, unit_price, price_quantity, line_total } =
            line;
        let mut item = Text::plain(shown(name.as_ref()));
        item.append_line(&Text::plain(shown(description.as_ref())));
        let quantity = [shown(quantity.as_ref()), shown(unit.as_ref())].join(" ");
        let price = match price_quantity {
            Some(count) if count.value != "1" => {
                format!("{} / {}", shown(unit_price.as_ref()), count.value)
            }
            _ => shown(unit_price.as_ref()).to_owned(),
        };
        [item, Text::plain(quantity), Text::plain(price), Text::plain(shown(line_total.as_ref()))]
    });
    flow.table(grid(["Item", "Quantity", "Unit price", "Line total"], rows))
}

fn taxes(flow: &mut Flow, taxes: &[Tax]) -> Result<(), ReadError> {
    if taxes.is_empty() {
        return Ok(());
    }
    heading(flow, 2, "Taxes")?;
    let rows = taxes.iter().map(|tax| {
        [&tax.category, &tax.rate, &tax.basis, &tax.amount]
            .map(|value| Text::plain(shown(value.as_ref())))
    });
    flow.table(grid(["Category", "Rate (%)", "Basis", "Tax"], rows))
}

fn totals(flow: &mut Flow, invoice: &EInvoice) -> Result<(), ReadError> {
    let totals = &invoice.totals;
    let currency = shown(invoice.currency.as_ref());
    let amounts: Vec<(&str, String)> = [
        ("Sum of lines", &totals.line_total),
        ("Total without tax", &totals.tax_basis_total),
        ("Total tax", &totals.tax_total),
        ("Grand total", &totals.grand_total),
        ("Amount due", &totals.due_payable),
    ]
    .into_iter()
    .filter_map(|(label, value)| Some((label, format!("{} {currency}", value.as_ref()?.value))))
    .collect();
    if amounts.is_empty() {
        return Ok(());
    }
    heading(flow, 2, "Totals")?;
    let pairs: Vec<(&str, &str)> =
        amounts.iter().map(|(label, amount)| (*label, amount.as_str())).collect();
    flow.key_values(&pairs)
}

fn shown(value: Option<&Value>) -> &str {
    value.map_or("", |value| &value.value)
}

fn grid(header: [&str; 4], rows: impl Iterator<Item = [Text; 4]>) -> Grid {
    let rows = std::iter::once(header.map(Text::plain)).chain(rows);
    let mut cells = Vec::new();
    for (row, texts) in (0..).zip(rows) {
        cells.extend((0..).zip(texts).map(|(column, text)| GridCell {
            row,
            column,
            text,
            ..GridCell::default()
        }));
    }
    Grid { header_rows: 1, cells }
}
