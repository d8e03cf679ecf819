//! Folds case and diacritics.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Decomposes compatibility forms (`ﬁ` is `fi`), drops combining marks, and replaces letters without a decomposition by their
/// usual plain spelling.
///
/// ```
/// assert_eq!(retrieval::terms::fold("STRAẞE"), "strasse");
/// assert_eq!(retrieval::terms::fold("Ångström"), "angstrom");
/// ```
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut folded = String::with_capacity(text.len());
    let letters = text.nfkd().filter(|letter| !is_combining_mark(*letter));
    for letter in letters.flat_map(char::to_lowercase) {
        match letter {
            'ß' => folded.push_str("ss"),
            'æ' => folded.push_str("ae"),
            'œ' => folded.push_str("oe"),
            'ø' => folded.push('o'),
            'đ' | 'ð' => folded.push('d'),
            'ł' => folded.push('l'),
            'ı' => folded.push('i'),
            'þ' => folded.push_str("th"),
            // The lower case of `İ` is `i` with a combining dot.
            mark if is_combining_mark(mark) => {}
            other => folded.push(other),
        }
    }
    folded
}
