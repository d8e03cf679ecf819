//! Reads the XML of electronic invoices exactly.
//!
//! | format | root element | namespace |
//! |---|---|---|
//! | Factur-X, ZUGFeRD 2, XRechnung (CII) | `CrossIndustryInvoice` | `urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100` |
//! | ZUGFeRD 1.0 | `CrossIndustryDocument` | `urn:ferd:CrossIndustryDocument:invoice:1p0` |
//! | ZUGFeRD 1.0, release candidate | `Invoice` | `urn:un:unece:uncefact:data:standard:CBFBUY:5` |
//! | XRechnung and Peppol (UBL) | `Invoice`, `CreditNote` | `urn:oasis:names:specification:ubl:schema:xsd:…-2` |
//!
//! Both `reading`, which makes readable pages of an invoice, and `extraction`, which makes fields of it, use this crate.
//! It does not validate invoices: it reads the values that are there, and a value that does not follow its format is left
//! out with a warning.
//!
//! *Architecture invariant:* memory and time are bounded for any input. Document type declarations, and entities other
//! than the five of XML, are errors; lines are converted one by one.

mod cii;
mod error;
mod invoice;
mod ubl;
mod value;
mod xml;

pub use error::EInvoiceError;
pub use invoice::{EInvoice, Format, Line, Party, Tax, Totals, Value};

use crate::xml::{Node, Root, decode};

type ConvertHeader = fn(&Node, &mut EInvoice);

/// The largest XML that is read, in bytes.
pub const MAX_BYTES: usize = 64 << 20;
/// The number of lines that are kept; the rest is only counted.
pub const MAX_LINES: usize = 10_000;

/// What the beginning of a file shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detected {
    EInvoice,
    /// XML with another root element.
    OtherXml,
    /// XML whose root element comes later, or that is damaged before it.
    Undecided,
    NotXml,
}

/// Whether a file is an electronic invoice, by its first kilobytes.
pub fn detect(head: &[u8]) -> Detected {
    // The end of the head may be in the middle of a character.
    let Some(text) = xml::decode_head(head) else { return Detected::NotXml };
    let begin = text.trim_start();
    let mut after = begin.chars().skip(1);
    let is_markup = begin.starts_with('<')
        && after.next().is_some_and(|c| c == '?' || c == '!' || c == '_' || c.is_alphabetic());
    if !is_markup {
        return Detected::NotXml;
    }
    match xml::root(begin) {
        Ok(Some(root)) if format_of(&root).is_some() => Detected::EInvoice,
        Ok(Some(_)) => Detected::OtherXml,
        Ok(None) | Err(_) => Detected::Undecided,
    }
}

/// Reads an electronic invoice; `None` if the bytes are something else.
pub fn read(bytes: &[u8]) -> Result<Option<EInvoice>, EInvoiceError> {
    const HEAD: usize = 64 << 10;
    if detect(bytes.get(..HEAD).unwrap_or(bytes)) == Detected::NotXml {
        return Ok(None);
    }
    if bytes.len() > MAX_BYTES {
        return Err(EInvoiceError::TooLarge { what: "it has more than 64 MB" });
    }
    let text = decode(bytes)?;
    let Some(root) = xml::root(text.trim_start())? else {
        return Err(EInvoiceError::Malformed { at: text.len() as u64 });
    };
    let Some(format) = format_of(&root) else { return Ok(None) };
    let mut invoice = EInvoice::new(format);
    let (contents, header) = match format {
        Format::Cii | Format::Zugferd1 => (&cii::CONTENTS, cii::header as ConvertHeader),
        Format::UblInvoice | Format::UblCreditNote => {
            (&ubl::CONTENTS, ubl::header as ConvertHeader)
        }
    };
    let root = xml::read(text.trim_start(), contents, &mut invoice)?;
    header(&root, &mut invoice);
    invoice.finish();
    Ok(Some(invoice))
}

fn format_of(root: &Root) -> Option<Format> {
    match (root.name.as_str(), root.namespace.as_str()) {
        ("CrossIndustryInvoice", space) if space.starts_with(cii::INVOICE) => Some(Format::Cii),
        ("CrossIndustryDocument", space) if space.starts_with(cii::ZUGFERD_1) => {
            Some(Format::Zugferd1)
        }
        ("Invoice", cii::RELEASE_CANDIDATE) => Some(Format::Zugferd1),
        ("Invoice", ubl::INVOICE) => Some(Format::UblInvoice),
        ("CreditNote", ubl::CREDIT_NOTE) => Some(Format::UblCreditNote),
        _ => None,
    }
}
