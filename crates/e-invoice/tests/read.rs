//! Electronic invoices of all formats, and files that only look like one.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may do what a test may")]

use e_invoice::{Detected, EInvoice, EInvoiceError, Format, MAX_LINES, Value, detect, read};

const CII: &str = include_str!("invoices/cii.xml");
const ZUGFERD_1: &str = include_str!("invoices/zugferd1.xml");
const UBL: &str = include_str!("invoices/ubl.xml");

fn invoice(text: &str) -> EInvoice {
    read(text.as_bytes()).unwrap().unwrap()
}

/// The fields with a value, as `name=value`.
fn fields(invoice: &EInvoice) -> Vec<String> {
    let header = invoice.header();
    let present = header.into_iter().filter_map(|(name, value)| Some((name, value?)));
    present.map(|(name, value)| format!("{name}={}", value.value)).collect()
}

fn lines(invoice: &EInvoice) -> Vec<String> {
    let shown = |value: &Option<Value>| value.as_ref().map_or("-", |value| &value.value).to_owned();
    let line = |line: &e_invoice::Line| {
        [
            &line.name,
            &line.quantity,
            &line.unit,
            &line.unit_price,
            &line.price_quantity,
            &line.line_total,
        ]
        .map(shown)
        .join("|")
    };
    invoice.lines.iter().map(line).collect()
}

#[test]
fn a_factur_x_invoice_is_read_exactly() {
    let invoice = invoice(CII);
    assert_eq!(invoice.format, Format::Cii);
    let expected = [
        "invoice_number=F-2031/77",
        "issue_date=2031-03-14",
        "due_date=2031-03-28",
        "seller.name=Leuchten Nord GmbH",
        "seller.street=Am Kai 7",
        "seller.postcode=24103",
        "seller.city=Kiel",
        "seller.country=DE",
        "seller.vat_id=DE811222333",
        "buyer.name=Café Müller & Söhne",
        "buyer.street=Ringstraße 3",
        "buyer.postcode=8010",
        "buyer.city=Graz",
        "buyer.country=AT",
        "currency=EUR",
        "line_total=1401.50",
        "tax_basis_total=1401.50",
        "tax_total=266.29",
        "grand_total=1667.79",
        "due_payable=1667.79",
    ];
    assert_eq!(fields(&invoice), expected);
    assert_eq!(
        lines(&invoice),
        ["Lampe, groß|20|C62|19.95|-|399.00", "Kabel|401|C62|250.00|100|1002.50"]
    );
    let tax = &invoice.taxes[0];
    assert_eq!(tax.rate.as_ref().unwrap().value, "19");
    assert_eq!(tax.amount.as_ref().unwrap().value, "266.29");
    assert_eq!(invoice.notes[0].value, "Delivered to the <rear> entrance.");
    assert_eq!(invoice.order_reference.as_ref().unwrap().value, "PO-9");
    assert_eq!(invoice.seller.vat_id.as_ref().unwrap().raw, "DE 811 222 333");
    assert!(invoice.warnings.is_empty(), "{:?}", invoice.warnings);
}

#[test]
fn zugferd_1_has_other_names_for_the_same_values() {
    let invoice = invoice(ZUGFERD_1);
    assert_eq!(invoice.format, Format::Zugferd1);
    let expected = [
        "invoice_number=2014-5",
        "issue_date=2014-05-02",
        "seller.name=Alt & Neu KG",
        "buyer.name=Eva Beispiel",
        "currency=EUR",
        "line_total=40.00",
        "tax_basis_total=40.00",
        "tax_total=7.60",
        "grand_total=47.60",
    ];
    assert_eq!(fields(&invoice), expected);
    assert_eq!(lines(&invoice), ["Beratung|4|HUR|10.00|-|40.00"], "a remark is no line");
}

#[test]
fn ubl_is_read_as_invoice_and_as_credit_note() {
    let expected = [
        "invoice_number=X-100",
        "issue_date=2030-01-31",
        "due_date=2030-02-28",
        "seller.name=Kurz Werkzeuge GmbH",
        "seller.street=Hof 2",
        "seller.postcode=89073",
        "seller.city=Ulm",
        "seller.country=DE",
        "seller.vat_id=DE111111125",
        "buyer.name=Stadt Muster",
        "currency=EUR",
        "line_total=10.00",
        "tax_basis_total=10.00",
        "tax_total=1.90",
        "grand_total=11.90",
        "due_payable=10.00",
    ];
    let bill = invoice(UBL);
    assert_eq!((bill.format, bill.is_credit_note()), (Format::UblInvoice, false));
    assert_eq!(fields(&bill), expected);
    assert_eq!(lines(&bill), ["Schrauben|2.5|C62|4|-|10.00"]);
    let credit = UBL
        .replace("ubl:Invoice ", "ubl:CreditNote ")
        .replace("</ubl:Invoice>", "</ubl:CreditNote>")
        .replace("xsd:Invoice-2", "xsd:CreditNote-2")
        .replace("InvoiceLine", "CreditNoteLine")
        .replace("InvoicedQuantity", "CreditedQuantity")
        .replace("InvoiceTypeCode>380", "CreditNoteTypeCode>381")
        .replace("</cbc:InvoiceTypeCode", "</cbc:CreditNoteTypeCode");
    let credit = invoice(&credit);
    assert!(credit.is_credit_note());
    assert_eq!((fields(&credit), lines(&credit)), (fields(&bill), lines(&bill)));
}

#[test]
fn an_invalid_value_is_left_out_with_a_warning() {
    let invoice =
        invoice(&CII.replace(">1667.79<", ">1.667,79<").replace(">20310314<", ">20311301<"));
    let names: Vec<String> = fields(&invoice);
    assert!(!names.iter().any(|field| field.starts_with("grand_total=")));
    assert!(!names.iter().any(|field| field.starts_with("issue_date=")));
    assert_eq!(
        invoice.warnings,
        [
            "The issue date of the electronic invoice is invalid and was left out.",
            "The grand total of the electronic invoice is invalid and was left out.",
            "The amount due of the electronic invoice is invalid and was left out.",
        ]
    );
}

#[test]
fn every_declared_encoding_is_read() {
    let text = CII.replace("UTF-8", "ISO-8859-1");
    let latin: Vec<u8> = text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    assert_eq!(fields(&read(&latin).unwrap().unwrap()), fields(&invoice(CII)));
    let wide: Vec<u8> =
        format!("\u{FEFF}{CII}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(read(&wide).unwrap().unwrap(), invoice(CII));
    let unmarked: Vec<u8> = CII.encode_utf16().flat_map(u16::to_be_bytes).collect();
    assert_eq!(read(&unmarked).unwrap().unwrap(), invoice(CII));
    assert_eq!(read(format!("\u{FEFF}{CII}").as_bytes()).unwrap().unwrap(), invoice(CII));
    // Latin-1 bytes in a file that says UTF-8.
    let mut wrong = CII.as_bytes().to_vec();
    let at = CII.find("Müller").unwrap() + 1;
    wrong.splice(at..at + 2, [0xFC]);
    assert_eq!(read(&wrong), Err(EInvoiceError::Encoding));
    let unknown = CII.replace("UTF-8", "klingon");
    assert_eq!(read(unknown.as_bytes()), Ok(None), "no reader can tell what it is");
}

#[test]
fn other_files_are_no_electronic_invoices() {
    let others: [&[u8]; 9] = [
        b"",
        b"   ",
        b"plain words < and >",
        b"%PDF-1.7 <CrossIndustryInvoice/>",
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        b"<html><body>Invoice</body></html>",
        b"<CrossIndustryInvoice/>",
        b"<a:Invoice xmlns:a='urn:example:Invoice-2'/>",
        b"<Order xmlns='urn:oasis:names:specification:ubl:schema:xsd:Order-2'/>",
    ];
    for other in others {
        assert_eq!(read(other), Ok(None), "{}", other.escape_ascii());
        assert_ne!(detect(other), Detected::EInvoice);
    }
    assert_eq!(detect(b"<note/>"), Detected::OtherXml);
    assert_eq!(detect(b"<?xml version='1.0'?><!-- a long lic"), Detected::Undecided);
    assert_eq!(detect(b"1 < 2"), Detected::NotXml);
    for text in [CII, ZUGFERD_1, UBL] {
        assert_eq!(detect(text.as_bytes()), Detected::EInvoice);
    }
}

#[test]
fn entities_and_document_types_are_refused() {
    let laughs = format!(
        "<!DOCTYPE x [<!ENTITY a \"ha\"><!ENTITY b \"{}\"><!ENTITY c \"{}\">]>",
        "&a;".repeat(10),
        "&b;".repeat(10)
    );
    let bomb = ZUGFERD_1.replace("RECHNUNG", "&c;");
    assert_eq!(read(format!("{laughs}{bomb}").as_bytes()), Err(EInvoiceError::DocumentType));
    assert_eq!(read(bomb.as_bytes()), Err(EInvoiceError::Entity));
    let file = "<!DOCTYPE x SYSTEM \"file:///etc/passwd\">";
    assert_eq!(read(format!("{file}{ZUGFERD_1}").as_bytes()), Err(EInvoiceError::DocumentType));
    let nul = ZUGFERD_1.replace("RECHNUNG", "&#0;");
    assert_eq!(read(nul.as_bytes()), Err(EInvoiceError::Entity));
    let known = ZUGFERD_1.replace("Eva Beispiel", "&#69;va &quot;B&apos; &gt;");
    assert_eq!(invoice(&known).buyer.name.unwrap().value, "Eva \"B' >");
}

#[test]
fn what_is_too_large_or_too_deep_ends_with_an_error() {
    let deep = ZUGFERD_1
        .replace("RECHNUNG", &format!("{}{}", "<ram:a>".repeat(500), "</ram:a>".repeat(500)));
    assert_eq!(read(deep.as_bytes()), Err(EInvoiceError::TooDeep { most: 48 }));
    let foreign = deep.replace("ram:a>", "a>").replace("<a>", "<a xmlns='urn:x'>");
    assert_eq!(read(foreign.as_bytes()), Err(EInvoiceError::TooDeep { most: 48 }));
    let many = ZUGFERD_1.replace("RECHNUNG", &"<ram:a>1</ram:a>".repeat(300_000));
    assert!(matches!(read(many.as_bytes()), Err(EInvoiceError::TooLarge { .. })));
    let spaces: Vec<String> = (0..1000).map(|at| format!(" xmlns:p{at}='urn:{at}'")).collect();
    let spaces = spaces.concat();
    let declared =
        ZUGFERD_1.replace("<HeaderExchangedDocument", &format!("<HeaderExchangedDocument{spaces}"));
    assert!(read(declared.as_bytes()).is_err());
    let attributes: Vec<String> = (0..100_000).map(|at| format!(" a{at}=''")).collect();
    let attributes = attributes.concat();
    let crowded = ZUGFERD_1
        .replace("<HeaderExchangedDocument", &format!("<HeaderExchangedDocument{attributes}"));
    assert_eq!(invoice(&crowded).invoice_number.unwrap().value, "2014-5");
}

#[test]
fn of_very_many_lines_the_first_are_kept() {
    let begin = UBL.find("<cac:InvoiceLine>").unwrap();
    let end = UBL.find("</ubl:Invoice>").unwrap();
    let line =
        "<cac:InvoiceLine><cbc:LineExtensionAmount>1</cbc:LineExtensionAmount></cac:InvoiceLine>";
    let many = format!("{}{}{}", &UBL[..begin], line.repeat(100_000), &UBL[end..]);
    let invoice = invoice(&many);
    assert_eq!((invoice.lines.len(), invoice.omitted_lines), (MAX_LINES, 100_000 - MAX_LINES));
    assert_eq!(invoice.warnings, ["Only the first 10000 of 100000 lines are shown."]);
    assert_eq!(invoice.totals.grand_total.unwrap().value, "11.90");
}

#[test]
fn a_very_long_text_is_cut_off_at_a_character() {
    let long = "ö".repeat(1 << 20);
    let invoice = invoice(&UBL.replace("Vielen Dank.", &long));
    assert_eq!(invoice.notes[0].value.len(), 16 << 10);
    assert_eq!(invoice.warnings, ["A long text of the electronic invoice was cut off."]);
}

#[test]
fn a_damaged_file_never_panics() {
    for text in [CII, ZUGFERD_1, UBL] {
        for length in (0..text.len()).filter(|at| text.is_char_boundary(*at)) {
            let cut = read(&text.as_bytes()[..length]);
            assert!(!matches!(cut, Ok(Some(_))) || text[length..].trim().is_empty(), "{length}");
            detect(&text.as_bytes()[..length]);
        }
        for at in (0..text.len()).step_by(7) {
            let mut changed = text.as_bytes().to_vec();
            changed[at] ^= [1, 2, 4, 16, 64][at % 5];
            let _ = read(&changed);
        }
    }
    let crossed = UBL.replace("</cbc:IssueDate>", "</cbc:DueDate>");
    assert!(matches!(read(crossed.as_bytes()), Err(EInvoiceError::Malformed { .. })));
}
