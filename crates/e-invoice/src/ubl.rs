//! Universal Business Language: invoices and credit notes.

use crate::invoice::{in_currency, text, vat_id};
use crate::value;
use crate::xml::{Contents, Node};
use crate::{EInvoice, Line, Party, Tax, Totals, Value};

pub(crate) const INVOICE: &str = "urn:oasis:names:specification:ubl:schema:xsd:Invoice-2";
pub(crate) const CREDIT_NOTE: &str = "urn:oasis:names:specification:ubl:schema:xsd:CreditNote-2";

pub(crate) const CONTENTS: Contents = Contents {
    namespaces: &["urn:oasis:names:specification:ubl:schema:xsd:"],
    lines: &[("InvoiceLine", 1), ("CreditNoteLine", 1)],
    convert_line: line,
};

pub(crate) fn header(root: &Node, invoice: &mut EInvoice) {
    let empty = Node::default();
    invoice.profile = text(root.path("CustomizationID"));
    invoice.type_code = text(root.path("InvoiceTypeCode|CreditNoteTypeCode"));
    invoice.invoice_number = text(root.path("ID"));
    invoice.issue_date = invoice.date(root.path("IssueDate"), "issue date");
    let due = root
        .path("DueDate")
        .or_else(|| root.children("PaymentMeans").find_map(|means| means.path("PaymentDueDate")));
    invoice.due_date = invoice.date(due, "due date");
    invoice.delivery_date = invoice.date(root.path("Delivery/ActualDeliveryDate"), "delivery date");
    for note in root.children("Note") {
        invoice.push_note(text(Some(note)));
    }
    invoice.seller = party(invoice, root.path("AccountingSupplierParty/Party"));
    invoice.buyer = party(invoice, root.path("AccountingCustomerParty/Party"));
    invoice.buyer_reference = text(root.path("BuyerReference"));
    invoice.order_reference = text(root.path("OrderReference/ID"));
    invoice.currency =
        invoice.value(root.path("DocumentCurrencyCode"), "currency", |text| value::code(text, 3));
    for terms in root.children("PaymentTerms") {
        invoice.payment_terms.extend(text(terms.path("Note")));
    }
    for means in root.children("PaymentMeans") {
        invoice.ibans.extend(text(means.path("PayeeFinancialAccount/ID")));
    }
    let tax_totals: Vec<&Node> = root.children("TaxTotal").collect();
    for tax in tax_totals.iter().flat_map(|total| total.children("TaxSubtotal")) {
        let tax = Tax {
            category: text(tax.path("TaxCategory/ID")),
            rate: invoice.value(tax.path("TaxCategory/Percent"), "tax rate", value::number),
            basis: invoice.amount(tax.path("TaxableAmount"), "basis of a tax"),
            amount: invoice.amount(tax.path("TaxAmount"), "amount of a tax"),
        };
        invoice.taxes.push(tax);
    }
    let sums = root.path("LegalMonetaryTotal").unwrap_or(&empty);
    let currency = invoice.currency.clone();
    let amounts: Vec<&Node> =
        tax_totals.iter().filter_map(|total| total.path("TaxAmount")).collect();
    let tax = in_currency(amounts.iter().copied(), currency.as_ref());
    invoice.totals = Totals {
        line_total: invoice.amount(sums.path("LineExtensionAmount"), "sum of the lines"),
        tax_basis_total: invoice.amount(sums.path("TaxExclusiveAmount"), "total without tax"),
        tax_total: invoice.amount(tax, "total of taxes"),
        grand_total: invoice.amount(sums.path("TaxInclusiveAmount"), "grand total"),
        due_payable: invoice.amount(sums.path("PayableAmount"), "amount due"),
    };
}

pub(crate) fn line(node: &Node, invoice: &mut EInvoice) {
    let quantity = node.path("InvoicedQuantity|CreditedQuantity");
    let unit = quantity.and_then(|quantity| quantity.attribute("unitCode"));
    let unit = unit.filter(|code| !code.is_empty());
    let line = Line {
        name: text(node.path("Item/Name")),
        description: text(node.path("Item/Description")),
        quantity: invoice.value(quantity, "quantity of a line", value::number),
        unit: unit.map(|code| Value { value: code.to_owned(), raw: code.to_owned() }),
        unit_price: invoice.amount(node.path("Price/PriceAmount"), "price of a line"),
        price_quantity: invoice.value(
            node.path("Price/BaseQuantity"),
            "price quantity of a line",
            value::number,
        ),
        line_total: invoice.amount(node.path("LineExtensionAmount"), "total of a line"),
    };
    invoice.push_line(line);
}

fn party(invoice: &mut EInvoice, node: Option<&Node>) -> Party {
    let Some(node) = node else { return Party::default() };
    let at = |path: &str| node.path("PostalAddress").and_then(|address| address.path(path));
    let vat = node
        .children("PartyTaxScheme")
        .find(|scheme| {
            scheme.text_at("TaxScheme/ID").is_some_and(|id| id.eq_ignore_ascii_case("VAT"))
        })
        .and_then(|scheme| scheme.path("CompanyID"));
    Party {
        name: text(node.path("PartyLegalEntity/RegistrationName"))
            .or_else(|| text(node.path("PartyName/Name"))),
        street: text(at("StreetName")).or_else(|| text(at("AddressLine/Line"))),
        postcode: text(at("PostalZone")),
        city: text(at("CityName")),
        country: invoice.value(at("Country/IdentificationCode"), "country of a party", |text| {
            value::code(text, 2)
        }),
        vat_id: vat_id(vat),
    }
}
