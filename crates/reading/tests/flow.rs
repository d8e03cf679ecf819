//! Web pages, mails, Markdown and plain text.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may do what a test may")]

use domain::FileKind;
use pages::{Attachment, Head, Page, Tail, TextSource};
use reading::{Limits, Part, ReadError, Source};

#[derive(Debug, Default)]
struct Document {
    head: Option<Head>,
    pages: Vec<Page>,
    attachments: Vec<Attachment>,
    tail: Tail,
}

fn read(bytes: &[u8], kind: FileKind) -> Result<Document, ReadError> {
    let limits = Limits::default();
    let source = Source { bytes, kind, file_name: "file", password: None, limits };
    let mut document = Document::default();
    reading::formats::read_flow(&source, &mut |part: Part| {
        match part {
            Part::Head(head) => document.head = Some(head),
            Part::Page(page) => document.pages.push(page),
            Part::Attachment(attachment) => document.attachments.push(attachment),
            Part::Tail(tail) => document.tail = tail,
        }
        Ok(())
    })?;
    Ok(document)
}

fn markdown(text: impl AsRef<[u8]>, kind: FileKind) -> String {
    let mut written = String::new();
    for page in read(text.as_ref(), kind).unwrap().pages {
        pages::export::markdown(&page, &mut written);
    }
    written
}

#[test]
fn a_web_page_is_what_a_person_reads() {
    let page = "<html><head><title>T</title><style>p{}</style></head><body>
        <nav><a href=/>Home</a></nav><script>alert(1)</script>
        <h1>Ducks &amp; geese</h1><p>They <b>quack</b>.<br>Often.</p>
        <p style='display: none'>tracking</p><p hidden>secret</p>
        <ol start=3><li>three<ul><li>inner</li></ul></li><li>four</ol>
        <pre>a\n  b</pre><blockquote><p>Said</p></blockquote>
        <img src=x alt='A duck'><img src=y alt=duck.png></body></html>";
    assert_eq!(
        markdown(page, FileKind::Html),
        "# Ducks & geese\n\nThey **quack.**\nOften.\n\n3. three\n    - inner\n4. four\n\n\
         ```\na\n  b\n```\n\n> Said\n\nA duck\n\n<!-- image -->\n"
    );
    assert_eq!(
        read(page.as_bytes(), FileKind::Html).unwrap().head.unwrap().title.as_deref(),
        Some("T")
    );
}

#[test]
fn spans_of_a_table_are_repeated_and_layout_tables_are_no_tables() {
    let data = "<table><tr><th rowspan=2>A</th><th colspan=2>B</th></tr><tr><td>1</td><td>2</td></tr></table>";
    assert_eq!(
        markdown(data, FileKind::Html),
        "| A | B | B |\n| --- | --- | --- |\n| A | 1 | 2 |\n"
    );
    let layout = "<table><tr><td><table><tr><td>x</td></tr></table></td><td>y</td></tr></table>";
    assert_eq!(markdown(layout, FileKind::Html), "x\n\ny\n");
}

#[test]
fn a_table_that_claims_to_be_huge_is_not() {
    let huge =
        format!("<table>{}</table>", "<tr><th colspan=100000 rowspan=100000>x</th>".repeat(50));
    assert!(markdown(huge, FileKind::Html).len() < 1_000_000);
}

#[test]
fn elements_nested_without_end_are_refused_and_take_no_stack() {
    for element in ["div", "b", "table><tr><td", "ul><li", "blockquote", "font"] {
        let deep = format!("<{element}>").repeat(20_000);
        let error = read(deep.as_bytes(), FileKind::Html).unwrap_err();
        assert!(matches!(error, ReadError::TooLarge { .. }), "{element}: {error}");
    }
}

#[test]
fn what_is_nested_as_deep_as_allowed_takes_little_stack() {
    for (element, depth) in
        [("div", 500), ("blockquote", 500), ("ul><li", 250), ("table><tr><td", 120)]
    {
        let deep = format!("{}innermost", format!("<{element}>").repeat(depth));
        assert!(markdown(deep, FileKind::Html).contains("innermost"), "{element}");
    }
    let table = format!("<table><tr><th>{}innermost", "<table><tr><th>x<th>".repeat(120));
    assert!(markdown(table, FileKind::Html).contains("innermost"));
    let quotes = ">".repeat(500) + " innermost";
    assert!(markdown(quotes, FileKind::Md).contains("innermost"));
}

#[test]
fn a_page_states_its_own_encoding() {
    let page = b"<meta charset=iso-8859-15><p>10 \xA4 f\xFCr B\xFCcher</p>";
    assert_eq!(markdown(page, FileKind::Html), "10 € für Bücher\n");
}

const MAIL: &str = "From: =?utf-8?q?J=C3=BCrgen?= <j@example.org>\r\nTo: Ada <ada@example.org>, bob@example.org\r\n\
    Subject: Offer\r\nDate: Fri, 19 May 2000 00:36:58 -0400\r\nMIME-Version: 1.0\r\n\
    Content-Type: multipart/mixed; boundary=outer\r\n\r\n--outer\r\n\
    Content-Type: multipart/alternative; boundary=inner\r\n\r\n--inner\r\n\
    Content-Type: text/plain\r\n\r\nplain\r\n--inner\r\n\
    Content-Type: text/html\r\n\r\n<p>rich</p>\r\n--inner--\r\n--outer\r\n\
    Content-Type: application/pdf; name=a.pdf\r\nContent-Transfer-Encoding: base64\r\n\r\n\
    JVBERg==\r\n--outer\r\nContent-Type: message/rfc822\r\n\r\n\
    From: c@example.org\r\nSubject: Inner\r\n\r\nbelow\r\n--outer--\r\n";

#[test]
fn a_mail_has_headers_a_body_and_attachments() {
    let document = read(MAIL.as_bytes(), FileKind::Eml).unwrap();
    let head = document.head.unwrap();
    assert_eq!(head.title.as_deref(), Some("Offer"));
    assert_eq!(head.properties["from"], "Jürgen <j@example.org>");
    assert_eq!(head.properties["to"], "Ada <ada@example.org>, bob@example.org");
    assert_eq!(head.properties["date"], "2000-05-19T00:36:58-04:00");
    let names: Vec<_> = document
        .attachments
        .iter()
        .map(|attachment| (attachment.name.as_str(), attachment.media_type.as_deref().unwrap()))
        .collect();
    assert_eq!(names, [("a.pdf", "application/pdf"), ("attachment 2", "message/rfc822")]);
    assert_eq!(document.attachments[0].bytes, b"%PDF");
    assert!(document.attachments[1].bytes.starts_with(b"From: c@example.org"));
    let text = markdown(MAIL, FileKind::Eml);
    assert!(text.contains("Subject") && text.contains("rich") && !text.contains("plain"), "{text}");
    assert!(text.contains("## Inner") && text.contains("below"), "{text}");
}

#[test]
fn headers_and_bodies_in_an_unnamed_encoding_are_readable() {
    let mail = b"From: J\xFCrgen <j@example.org>\r\nSubject: Gr\xFC\xDFe aus M\xFCnchen\r\n\r\nSch\xF6ne Gr\xFC\xDFe\r\n";
    let document = read(mail, FileKind::Eml).unwrap();
    assert_eq!(document.head.unwrap().properties["subject"], "Grüße aus München");
    assert!(markdown(mail, FileKind::Eml).contains("Schöne Grüße"));
}

#[test]
fn a_mail_cut_off_anywhere_is_still_a_mail() {
    for length in 1..MAIL.len() {
        let cut = read(&MAIL.as_bytes()[..length], FileKind::Eml);
        assert!(cut.is_ok(), "cut at {length}: {cut:?}");
    }
    let broken = MAIL.replace("--inner", "--other");
    assert!(read(broken.as_bytes(), FileKind::Eml).is_ok());
}

#[test]
fn mails_within_mails_without_end_are_refused_and_parts_within_parts_are_not() {
    let deep = "Content-Type: message/rfc822\r\n\r\n".repeat(10_000);
    assert!(matches!(read(deep.as_bytes(), FileKind::Eml), Err(ReadError::TooLarge { .. })));
    let some = format!("{}\r\ninnermost", "Content-Type: message/rfc822\r\n\r\n".repeat(900));
    assert!(read(some.as_bytes(), FileKind::Eml).is_ok());
    let part = |n: u32| format!("Content-Type: multipart/mixed; boundary=b{n}\r\n\r\n--b{n}\r\n");
    let parts = (0..5_000).map(part).collect::<Vec<_>>().concat();
    assert!(read(parts.as_bytes(), FileKind::Eml).is_ok());
}

#[test]
fn a_mail_whose_html_is_too_deep_is_read_as_plain_text() {
    let mail = MAIL.replace("<p>rich</p>", &"<div>".repeat(20_000));
    let document = read(mail.as_bytes(), FileKind::Eml).unwrap();
    assert!(document.tail.remarks[0].starts_with("The HTML of the mail was left out"));
    assert!(markdown(mail, FileKind::Eml).contains("plain"));
}

#[test]
fn markdown_is_read_and_written_alike() {
    let text = "# Title\n\nSome *slanted* and **bold** text.\n\n1. one\n2. two\n    - inner\n\n\
        | a | b |\n| --- | --- |\n| 1 | x\\|y |\n\n```\n  code\n```\n\n> quote\n";
    assert_eq!(markdown(text, FileKind::Md), text);
    let fronted = "---\ntitle: \"Report\"\nauthor: Ada\n---\n\nText\n";
    let head = read(fronted.as_bytes(), FileKind::Md).unwrap().head.unwrap();
    assert_eq!(
        (head.title.as_deref(), head.properties["author"].as_str()),
        (Some("Report"), "Ada")
    );
}

#[test]
fn markdown_nested_without_end_takes_no_stack() {
    let deep = ">".repeat(20_000) + " x";
    assert!(matches!(read(deep.as_bytes(), FileKind::Md), Err(ReadError::TooLarge { .. })));
    for sign in ["- ", "1. ", "[", "*a ", "**a ", "![", "<b>", "`"] {
        assert!(read(sign.repeat(20_000).as_bytes(), FileKind::Md).is_ok(), "{sign}");
    }
}

#[test]
fn plain_text_has_paragraphs_and_pages() {
    let document = read(b"one\ntwo\n\nthree\x0cfour", FileKind::Txt).unwrap();
    let blocks: Vec<_> = document.pages.iter().map(|page| page.blocks.len()).collect();
    assert_eq!(blocks, [2, 1]);
    assert_eq!(document.tail.pages, 2);
    let blank = read(b"  \n\n", FileKind::Txt).unwrap();
    assert_eq!(blank.pages[0].text, TextSource::Blank);
}

#[test]
fn other_kinds_are_not_read_here() {
    assert!(matches!(read(b"%PDF-1.7", FileKind::Pdf), Err(ReadError::Unsupported { .. })));
}

const E_INVOICE: &str = include_str!("../../e-invoice/tests/invoices/cii.xml");

#[test]
fn an_electronic_invoice_is_read_as_labels_values_and_tables() {
    let expected = "# Invoice F-2031/77

Invoice number: F-2031/77
Invoice date: 2031-03-14
Due date: 2031-03-28
Delivery date: 2031-03-10
Order number: PO-9
Buyer reference: 04011000-12345-34
Currency: EUR
IBAN: DE02120300000000202051
Payment terms: Zahlbar in 14 Tagen

## Seller

Name: Leuchten Nord GmbH
Street: Am Kai 7
Postcode: 24103
City: Kiel
Country: DE
VAT ID: DE811222333
";
    let text = markdown(E_INVOICE, FileKind::Xml);
    assert!(text.starts_with(expected), "{text}");
    assert!(text.contains("| Lampe, groß | 20 C62 | 19.95 | 399.00 |"), "{text}");
    assert!(text.contains("Grand total: 1667.79 EUR\n"), "{text}");
    assert!(text.contains("Delivered to the"), "{text}");
    let document = read(E_INVOICE.as_bytes(), FileKind::Xml).unwrap();
    assert_eq!(document.head.unwrap().title.as_deref(), Some("Invoice F-2031/77"));
    assert_eq!(document.attachments[0].bytes, E_INVOICE.as_bytes());
    let page = &document.pages[0];
    let pairs: Vec<(String, String)> = page
        .key_values
        .iter()
        .map(|pair| (page.text_of(pair.key), page.text_of(pair.value)))
        .collect();
    assert!(pairs.contains(&("Due date:".to_owned(), "2031-03-28".to_owned())), "{pairs:?}");
}

#[test]
fn xml_that_is_no_electronic_invoice_ends_with_a_clear_error() {
    let other = read(b"<?xml version='1.0'?><note>hello</note>", FileKind::Xml).unwrap_err();
    assert!(matches!(other, ReadError::Unsupported { .. }), "{other:?}");
    assert!(other.to_string().contains("Factur-X, ZUGFeRD or XRechnung"), "{other}");
    let cut = &E_INVOICE.as_bytes()[..E_INVOICE.len() / 2];
    assert!(matches!(read(cut, FileKind::Xml), Err(ReadError::Damaged { .. })));
    let deep = E_INVOICE.replace("Zahlbar", &"<x>".repeat(1000));
    assert!(matches!(read(deep.as_bytes(), FileKind::Xml), Err(ReadError::TooLarge { .. })));
}
