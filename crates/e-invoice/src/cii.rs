//! Cross Industry Invoice, and ZUGFeRD 1.0, whose elements have other names.

use crate::invoice::{in_currency, text, vat_id};
use crate::value;
use crate::xml::{Contents, Node};
use crate::{EInvoice, Line, Party, Tax, Totals, Value};

pub(crate) const INVOICE: &str = "urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:";
pub(crate) const ZUGFERD_1: &str = "urn:ferd:CrossIndustryDocument:invoice:1p0";
/// Its elements other than the outermost have no namespace.
pub(crate) const RELEASE_CANDIDATE: &str = "urn:un:unece:uncefact:data:standard:CBFBUY:5";

pub(crate) const CONTENTS: Contents = Contents {
    namespaces: &["urn:un:unece:uncefact:data:standard:", "urn:ferd:", ""],
    lines: &[("IncludedSupplyChainTradeLineItem", 2)],
    convert_line: line,
};

pub(crate) fn header(root: &Node, invoice: &mut EInvoice) {
    let empty = Node::default();
    let document = root.path("ExchangedDocument|HeaderExchangedDocument").unwrap_or(&empty);
    let trade = root
        .path("SupplyChainTradeTransaction|SpecifiedSupplyChainTradeTransaction")
        .unwrap_or(&empty);
    let agreement = trade
        .path("ApplicableHeaderTradeAgreement|ApplicableSupplyChainTradeAgreement")
        .unwrap_or(&empty);
    let delivery = trade
        .path("ApplicableHeaderTradeDelivery|ApplicableSupplyChainTradeDelivery")
        .unwrap_or(&empty);
    let settlement = trade
        .path("ApplicableHeaderTradeSettlement|ApplicableSupplyChainTradeSettlement")
        .unwrap_or(&empty);
    invoice.profile = text(root.path(
        "ExchangedDocumentContext|SpecifiedExchangedDocumentContext/GuidelineSpecifiedDocumentContextParameter/ID",
    ));
    invoice.type_code = text(document.path("TypeCode"));
    invoice.invoice_number = text(document.path("ID"));
    invoice.issue_date = date(invoice, document.path("IssueDateTime"), "issue date");
    for note in document.children("IncludedNote") {
        invoice.push_note(text(note.path("Content")));
    }
    invoice.seller = party(invoice, agreement.path("SellerTradeParty"));
    invoice.buyer = party(invoice, agreement.path("BuyerTradeParty"));
    invoice.buyer_reference = text(agreement.path("BuyerReference"));
    invoice.order_reference =
        text(agreement.path("BuyerOrderReferencedDocument/IssuerAssignedID|ID"));
    let delivered = delivery.path("ActualDeliverySupplyChainEvent/OccurrenceDateTime");
    invoice.delivery_date = date(invoice, delivered, "delivery date");
    invoice.currency = invoice
        .value(settlement.path("InvoiceCurrencyCode"), "currency", |text| value::code(text, 3));
    let due = settlement
        .children("SpecifiedTradePaymentTerms")
        .find_map(|terms| terms.path("DueDateDateTime"));
    invoice.due_date = date(invoice, due, "due date");
    for terms in settlement.children("SpecifiedTradePaymentTerms") {
        invoice.payment_terms.extend(text(terms.path("Description")));
    }
    for means in settlement.children("SpecifiedTradeSettlementPaymentMeans") {
        invoice.ibans.extend(text(means.path("PayeePartyCreditorFinancialAccount/IBANID")));
    }
    for tax in settlement.children("ApplicableTradeTax") {
        let tax = Tax {
            category: text(tax.path("CategoryCode")),
            rate: invoice.value(
                tax.path("RateApplicablePercent|ApplicablePercent"),
                "tax rate",
                value::number,
            ),
            basis: invoice.amount(tax.path("BasisAmount"), "basis of a tax"),
            amount: invoice.amount(tax.path("CalculatedAmount"), "amount of a tax"),
        };
        invoice.taxes.push(tax);
    }
    let sums = settlement
        .path("SpecifiedTradeSettlementHeaderMonetarySummation|SpecifiedTradeSettlementMonetarySummation")
        .unwrap_or(&empty);
    invoice.totals = totals(invoice, sums);
}

fn totals(invoice: &mut EInvoice, sums: &Node) -> Totals {
    let currency = invoice.currency.clone();
    let mut total = |name: &str, label: &str| {
        let all: Vec<&Node> = sums.children(name).collect();
        invoice.amount(in_currency(all.iter().copied(), currency.as_ref()), label)
    };
    Totals {
        line_total: total("LineTotalAmount", "sum of the lines"),
        tax_basis_total: total("TaxBasisTotalAmount", "total without tax"),
        tax_total: total("TaxTotalAmount", "total of taxes"),
        grand_total: total("GrandTotalAmount", "grand total"),
        due_payable: total("DuePayableAmount", "amount due"),
    }
}

pub(crate) fn line(node: &Node, invoice: &mut EInvoice) {
    let price = node
        .path("SpecifiedLineTradeAgreement|SpecifiedSupplyChainTradeAgreement/NetPriceProductTradePrice")
        .or_else(|| {
            node.path("SpecifiedLineTradeAgreement|SpecifiedSupplyChainTradeAgreement/GrossPriceProductTradePrice")
        });
    let quantity =
        node.path("SpecifiedLineTradeDelivery|SpecifiedSupplyChainTradeDelivery/BilledQuantity");
    let total = node.path(
        "SpecifiedLineTradeSettlement|SpecifiedSupplyChainTradeSettlement/\
         SpecifiedTradeSettlementLineMonetarySummation|SpecifiedTradeSettlementMonetarySummation/\
         LineTotalAmount",
    );
    let line = Line {
        name: text(node.path("SpecifiedTradeProduct/Name")),
        description: text(node.path("SpecifiedTradeProduct/Description")),
        quantity: invoice.value(quantity, "quantity of a line", value::number),
        unit: unit(quantity),
        unit_price: invoice
            .amount(price.and_then(|price| price.path("ChargeAmount")), "price of a line"),
        price_quantity: invoice.value(
            price.and_then(|price| price.path("BasisQuantity")),
            "price quantity of a line",
            value::number,
        ),
        line_total: invoice.amount(total, "total of a line"),
    };
    invoice.push_line(line);
}

fn unit(quantity: Option<&Node>) -> Option<Value> {
    let code = quantity?.attribute("unitCode").filter(|code| !code.is_empty())?;
    Some(Value { value: code.to_owned(), raw: code.to_owned() })
}

fn party(invoice: &mut EInvoice, node: Option<&Node>) -> Party {
    let Some(node) = node else { return Party::default() };
    let at = |name: &str| node.path("PostalTradeAddress").and_then(|address| address.path(name));
    let vat = node
        .children("SpecifiedTaxRegistration")
        .filter_map(|registration| registration.path("ID"))
        .find(|id| id.attribute("schemeID").is_some_and(|scheme| scheme == "VA"));
    Party {
        name: text(node.path("Name")),
        street: text(at("LineOne")).or_else(|| text(at("LineTwo"))),
        postcode: text(at("PostcodeCode")),
        city: text(at("CityName")),
        country: invoice.value(at("CountryID"), "country of a party", |text| value::code(text, 2)),
        vat_id: vat_id(vat),
    }
}

/// A date is in `DateTimeString`, or in the element itself.
fn date(invoice: &mut EInvoice, node: Option<&Node>, name: &str) -> Option<Value> {
    let node = node?;
    invoice.date(node.path("DateTimeString|DateTime|Date").or(Some(node)), name)
}
