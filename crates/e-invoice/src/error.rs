//! Why the XML of an invoice cannot be read.

use thiserror::Error;

/// The messages quote nothing of the document.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum EInvoiceError {
    #[error("the XML is not well-formed at byte {at}")]
    Malformed { at: u64 },
    #[error("the XML is not in the character encoding that it declares")]
    Encoding,
    #[error("the XML declares an unknown character encoding")]
    UnknownEncoding,
    #[error(
        "the XML contains a document type declaration, which an electronic invoice must not have"
    )]
    DocumentType,
    #[error("the XML uses an entity other than the five of XML")]
    Entity,
    #[error("the XML has more than {most} elements within each other")]
    TooDeep { most: usize },
    #[error("the XML is too large: {what}")]
    TooLarge { what: &'static str },
}
