//! Converts texts into terms, for documents and queries.
//!
//! A *token* is a piece of text with its position ([`tokens`]). A *term* is the normalised form by which tokens are compared:
//! a word without case, diacritics and ending; a number without the formatting of a country; a code (invoice number, IBAN,
//! e-mail address) without separators. A term is stored as a 64-bit hash ([`hash`]), so that the terms of a chunk fit in a
//! short byte string ([`pack`]).
//!
//! The language of a chunk is detected by its function words. A query is too short for that: each of its words has variants
//! for every language, and any of them matches. So the same query finds a German invoice and an English contract.
//!
//! Function words are indexed: their frequency within the scope already gives them a low weight.

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

/// The terms of one chunk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// The number of tokens, without joined forms.
    pub length: u32,
    /// Each term with its number of occurrences, sorted by term.
    pub counts: Vec<(u64, u32)>,
}

impl Terms {
    /// The terms of a text in its detected language.
    pub fn of(text: &str) -> Self {
        let tokens = tokens(text);
        let language = Language::of_tokens(&tokens);
        Self::of_tokens(&tokens, language)
    }

    /// The terms of a text in a given language, for example that of the whole document.
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
    fn umlauts_match_both_spellings() {
        let text = "Die Firma Müller hat das Angebot nicht angenommen.";
        assert!(matches("Mueller", text));
        assert!(matches("Müller", &text.replace('ü', "ue")));
    }

    #[test]
    fn amounts_match_in_all_number_formats() {
        for text in ["1.234,50", "1,234.50", "1'234.5", "1234.50 EUR", "€1234,5"] {
            assert!(matches("1.234,50", text), "{text}");
        }
        assert!(!matches("1.234,50", "1234.05"));
        assert!(!matches("1.234,50", "123450"));
    }

    #[test]
    fn codes_match_with_and_without_separators() {
        assert!(matches("INV-2024-0017", "your invoice INV20240017 of March"));
        assert!(matches("DE89370400440532013000", "IBAN DE89 3704 0044 0532 0130 00, BIC"));
        assert!(matches("DE89 3704 0044 0532 0130 00", "IBAN: DE89370400440532013000."));
        assert!(matches("anna.smith@example.com", "<Anna.Smith@Example.com>"));
    }

    #[test]
    fn joined_forms_do_not_count_towards_the_length() {
        assert_eq!(Terms::of("see INV-2024-0017").length, 4);
    }

    #[test]
    fn scripts_without_spaces_match_by_pairs() {
        assert!(matches("発行", "請求書発行日"));
        assert!(!matches("行発", "請求書発行日"));
    }
}
