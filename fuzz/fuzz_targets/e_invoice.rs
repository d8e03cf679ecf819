//! The XML of electronic invoices: its beginning is examined in the server itself for every upload.

#![no_main]

use e_invoice::{Detected, detect, read};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let is_invoice = matches!(read(bytes), Ok(Some(_)));
    assert!(!is_invoice || detect(bytes) == Detected::EInvoice, "both look at the root element");
});
