//! Text in a form in which spellings can be compared.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Lower case without accents; German umlauts as two letters, because documents write both `Stück` and `Stueck`.
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    if text.is_ascii() {
        folded.push_str(text);
        folded.make_ascii_lowercase();
        return folded;
    }
    for letter in text.nfc().flat_map(char::to_lowercase) {
        match letter {
            'ä' | 'æ' => folded.push_str("ae"),
            'ö' | 'œ' => folded.push_str("oe"),
            'ü' => folded.push_str("ue"),
            'ß' => folded.push_str("ss"),
            'ł' => folded.push('l'),
            'ø' => folded.push('o'),
            letter if letter.is_ascii() => folded.push(letter),
            letter => {
                folded.extend(std::iter::once(letter).nfkd().filter(|c| !is_combining_mark(*c)));
            }
        }
    }
    folded
}

/// The folded words of a text: runs of letters and digits.
pub fn folded_words(text: &str) -> Vec<String> {
    fold(text)
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn umlauts_and_their_transcription_fold_alike() {
        assert_eq!(fold("STÜCK"), fold("Stueck"));
        assert_eq!(fold("Großbetrag"), "grossbetrag");
        assert_eq!(fold("Opération de l'été"), "operation de l'ete");
        assert_eq!(fold("Styczeń, złoty"), "styczen, zloty");
    }

    #[test]
    fn words_are_runs_of_letters_and_digits() {
        assert_eq!(folded_words("Depot-Nr.: 12/3"), ["depot", "nr", "12", "3"]);
        assert!(folded_words("—").is_empty());
    }
}
