//! Texts become terms, for documents and for queries alike.
//!
//! A *token* is a piece of text with its place ([`tokens`]). A *term* is what tokens are compared by:
//! a word without case, diacritics and ending; a number without the habits of a country; a code
//! (invoice number, IBAN, e-mail address) without its separators. A term is kept as a 64-bit number
//! ([`hash`]), so that the terms of a chunk fit into a short byte string ([`pack`]).
//!
//! A chunk is read in one language, the one whose small words it has. A query is too short for that:
//! each of its words stands for its terms in every language, and matches a chunk by any of them. So a
//! German invoice and an English contract are found by the same query, each by its own grammar.
//!
//! Small words stay in: how common a term is within the scope already says how little it weighs.

mod fold;
mod hash;
mod language;
mod pack;
mod query;
mod tokens;

pub use fold::fold;
pub use hash::term_hash;
pub use language::Language;
pub(crate) use pack::put;
pub use pack::{FORMAT, UnreadableTerms, pack, unpack};
pub use query::{QueryTerm, QueryTerms};
pub use tokens::{Form, Token, tokens};

/// What is counted of one chunk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// How many tokens the text has, joined forms not counted twice.
    pub length: u32,
    /// Each term and how often it occurs, in the order of the terms.
    pub counts: Vec<(u64, u32)>,
}

impl Terms {
    /// The terms of a text, read in the language that it seems to be in.
    pub fn of(text: &str) -> Self {
        let tokens = tokens(text);
        let language = Language::of_tokens(&tokens);
        Self::of_tokens(&tokens, language)
    }

    /// The terms of a text in a language that is known, as when the whole document tells it better
    /// than one of its tables.
    pub fn of_language(text: &str, language: Language) -> Self {
        Self::of_tokens(&tokens(text), language)
    }

    fn of_tokens(tokens: &[Token], language: Language) -> Self {
        let mut hashes: Vec<u64> = tokens.iter().map(|token| token.term(language)).collect();
        hashes.sort_unstable();
        let mut counts: Vec<(u64, u32)> = Vec::with_capacity(hashes.len());
        for hash in hashes {
            match counts.last_mut() {
                Some((last, count)) if *last == hash => *count += 1,
                _ => counts.push((hash, 1)),
            }
        }
        let length = tokens.iter().filter(|token| !token.joined).count();
        Self { length: u32::try_from(length).unwrap_or(u32::MAX), counts }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(query: &str, text: &str) -> bool {
        let terms = Terms::of(text);
        let query = QueryTerms::of(query);
        query.iter().any(|term| {
            term.variants
                .iter()
                .any(|variant| terms.counts.binary_search_by_key(variant, |entry| entry.0).is_ok())
        })
    }

    #[test]
    fn endings_case_and_diacritics_do_not_matter() {
        assert!(matches("invoices", "The invoice is due and it is to be paid."));
        assert!(matches("RESUME", "Son résumé est dans le dossier."));
        assert!(matches("Haus", "Die Häuser sind verkauft und die Wohnung ist es auch."));
    }

    #[test]
    fn umlauts_are_found_in_both_spellings() {
        let text = "Die Firma Müller hat das Angebot nicht angenommen.";
        assert!(matches("Mueller", text));
        assert!(matches("Müller", &text.replace('ü', "ue")));
    }

    #[test]
    fn amounts_are_the_same_in_every_country() {
        for text in ["1.234,50", "1,234.50", "1'234.5", "1234.50 EUR", "€1234,5"] {
            assert!(matches("1.234,50", text), "{text}");
        }
        assert!(!matches("1.234,50", "1234.05"));
        assert!(!matches("1.234,50", "123450"));
    }

    #[test]
    fn codes_are_found_with_or_without_their_separators() {
        assert!(matches("INV-2024-0017", "your invoice INV20240017 of March"));
        assert!(matches("DE89370400440532013000", "IBAN DE89 3704 0044 0532 0130 00, BIC"));
        assert!(matches("DE89 3704 0044 0532 0130 00", "IBAN: DE89370400440532013000."));
        assert!(matches("anna.smith@example.com", "<Anna.Smith@Example.com>"));
    }

    #[test]
    fn joined_forms_do_not_lengthen_a_text() {
        assert_eq!(Terms::of("see INV-2024-0017").length, 4);
    }

    #[test]
    fn scripts_without_spaces_are_found_by_pairs() {
        assert!(matches("発行", "請求書発行日"));
        assert!(!matches("行発", "請求書発行日"));
    }
}
