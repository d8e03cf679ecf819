//! Which panic messages may be shown.
//!
//! The message of a panic may quote a document: an invalid string slice prints the string. So logs, failures and API
//! responses show a message only when it is a literal of the source code. The process logs where a panic happened
//! (`docket/src/panics.rs`).

use std::any::Any;

const WITHHELD: &str = "its message is not shown, because it may quote a document";

/// The message of a panic if it is a literal, otherwise a placeholder.
pub fn panic_message(payload: &(dyn Any + Send)) -> &'static str {
    payload.downcast_ref::<&'static str>().copied().unwrap_or(WITHHELD)
}

#[cfg(test)]
mod tests {
    use std::panic::catch_unwind;

    use super::*;

    fn message_of(panics: impl FnOnce() + std::panic::UnwindSafe) -> &'static str {
        panic_message(catch_unwind(panics).unwrap_err().as_ref())
    }

    #[test]
    fn a_literal_message_is_shown() {
        assert_eq!(message_of(|| panic!("the index is empty")), "the index is empty");
    }

    #[test]
    fn a_message_that_may_quote_a_document_is_not_shown() {
        let text = "the secret clause";
        assert_eq!(message_of(|| panic!("{text} is not understood")), WITHHELD);
        let (from, to) = std::hint::black_box((7, 3));
        assert_eq!(message_of(move || drop(text[from..to].to_owned())), WITHHELD);
        assert_eq!(message_of(|| std::panic::panic_any(7)), WITHHELD);
    }
}
