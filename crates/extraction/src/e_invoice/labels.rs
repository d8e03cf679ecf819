//! Which field of an invoice the words beside an amount or date name.

use std::sync::OnceLock;

use crate::fold::folded_words;
use crate::types::builtin;

/// The words before a value that may be its label.
const MOST_WORDS: usize = 10;

/// A label with the field that it names.
struct Label {
    field: String,
    words: Vec<String>,
}

fn labels() -> &'static [Label] {
    static LABELS: OnceLock<Vec<Label>> = OnceLock::new();
    LABELS.get_or_init(|| {
        let invoice = builtin().iter().find(|known| known.name == super::DOCUMENT_TYPE);
        let fields = invoice.into_iter().flat_map(|invoice| &invoice.fields);
        let of_header = fields.filter(|field| !field.name.contains("[]"));
        let mut labels: Vec<Label> = of_header
            .flat_map(|field| {
                field
                    .labels
                    .values()
                    .flatten()
                    .map(|label| Label { field: field.name.clone(), words: folded_words(label) })
            })
            .filter(|label| !label.words.is_empty())
            .collect();
        // The longest label is the most specific one.
        let length = |label: &Label| label.words.iter().map(String::len).sum::<usize>();
        labels.sort_by_key(|label| std::cmp::Reverse(length(label)));
        labels
    })
}

/// The field that the words left of a value name. `nearest_first` are these words.
///
/// The words must end with the label, so that the other words of a row do not count. Codes, numbers and single signs
/// between the label and the value are ignored.
pub(crate) fn named_field<'p>(
    nearest_first: impl Iterator<Item = &'p str>,
) -> Option<&'static str> {
    let mut words: Vec<String> = Vec::new();
    for word in nearest_first.take(MOST_WORDS) {
        let mut parts = folded_words(word);
        parts.reverse();
        words.extend(parts);
    }
    let is_filler = |word: &String| {
        word.chars().any(|c| c.is_ascii_digit())
            || matches!(word.as_str(), "eur" | "chf" | "usd" | "gbp" | "in")
    };
    let skipped = words.iter().take_while(|word| is_filler(word)).count();
    let words = words.get(skipped..)?;
    let ends_with = |label: &Label| {
        label.words.len() <= words.len() && label.words.iter().rev().zip(words).all(|(a, b)| a == b)
    };
    labels().iter().find(|label| ends_with(label)).map(|label| label.field.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> Option<&'static str> {
        named_field(text.split_whitespace().rev())
    }

    #[test]
    fn the_words_before_a_value_name_its_field() {
        assert_eq!(named("Rechnungsnummer:"), Some("invoice_number"));
        assert_eq!(named("1 Lampe Rechnungsdatum"), Some("issue_date"));
        assert_eq!(named("Rechnungsbetrag EUR"), Some("grand_total"));
        assert_eq!(named("Lampe, groß"), None);
        assert_eq!(named(""), None);
    }
}
