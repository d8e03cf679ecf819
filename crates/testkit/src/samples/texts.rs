//! Formats that are text.

pub(super) const HTML: &str = r#"<!DOCTYPE html><html><head><title>A page</title><meta charset="utf-8"></head><body>
<h1>Heading</h1><p>Some <b>bold</b> and <a href="http://127.0.0.1:9/x">linked</a> words &amp; &#8364; signs.</p>
<ul><li>one<ul><li>within</li></ul></li><li>two</li></ul>
<table><tr><th colspan="2">Sum</th></tr><tr><td rowspan="2">1</td><td>2</td></tr><tr><td>3</td></tr></table>
<pre>as  it is</pre><img src="data:image/png;base64,AAAA" alt="nothing"></body></html>
"#;

pub(super) const EML: &str = "From: Ada <ada@acme.test>\r\nTo: Bob <bob@globex.test>\r\n\
Subject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=\r\nDate: Sun, 15 Feb 2026 12:00:00 +0000\r\nMessage-ID: <1@acme.test>\r\n\
MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=\"b1\"\r\n\r\n\
--b1\r\nContent-Type: multipart/alternative; boundary=\"b2\"\r\n\r\n\
--b2\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nDear Bob, =C3=BC\r\n\
--b2\r\nContent-Type: text/html\r\n\r\n<p>Dear <b>Bob</b></p>\r\n--b2--\r\n\
--b1\r\nContent-Type: text/csv; name=\"sums.csv\"\r\nContent-Disposition: attachment; filename=\"sums.csv\"\r\n\
Content-Transfer-Encoding: base64\r\n\r\nYSxiCjEsMgo=\r\n--b1--\r\n";

pub(super) const MARKDOWN: &str = "# Notes\n\nSome *soft* and **loud** words, [linked](http://127.0.0.1:9/).\n\n\
1. one\n   - within\n2. two\n\n> said\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n```rust\nlet x = 1;\n```\n\n$$x^2$$\n";

pub(super) const TEXT: &str =
    "Dear all,\n\nthe meeting is on 3 May at 10:30.\n\n  Item    Count\n  Pen         3\n\nGrüße\n";

/// An electronic invoice (UBL) of companies that do not exist.
pub(super) const E_INVOICE: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<Invoice xmlns=\"urn:oasis:names:specification:ubl:schema:xsd:Invoice-2\" \
xmlns:a=\"urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2\" \
xmlns:b=\"urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2\">
<b:ID>R-7</b:ID><b:IssueDate>2030-01-31</b:IssueDate><b:DocumentCurrencyCode>EUR</b:DocumentCurrencyCode>
<a:AccountingSupplierParty><a:Party><a:PartyName><b:Name>Orchard &amp; Sons</b:Name></a:PartyName></a:Party></a:AccountingSupplierParty>
<a:TaxTotal><b:TaxAmount currencyID=\"EUR\">1.90</b:TaxAmount></a:TaxTotal>
<a:LegalMonetaryTotal><b:TaxInclusiveAmount currencyID=\"EUR\">11.90</b:TaxInclusiveAmount></a:LegalMonetaryTotal>
<a:InvoiceLine><b:InvoicedQuantity unitCode=\"C62\">2</b:InvoicedQuantity>\
<b:LineExtensionAmount currencyID=\"EUR\">10.00</b:LineExtensionAmount><a:Item><b:Name>Apples</b:Name></a:Item>\
<a:Price><b:PriceAmount currencyID=\"EUR\">5.00</b:PriceAmount></a:Price></a:InvoiceLine>
</Invoice>
";
