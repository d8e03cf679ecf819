//! Detects the language of a page, where it is clear.

use whatlang::{Lang, detect};

use pages::Word;

/// The size of the sample; more text would not change the result.
const ENOUGH: usize = 2_000;
/// The smallest sample: names and numbers look like any language.
const TOO_LITTLE: usize = 60;

/// ISO 639-1.
pub(crate) fn of(words: &[Word]) -> Option<String> {
    let mut text = String::new();
    for word in words {
        if text.len() > ENOUGH {
            break;
        }
        text.push_str(&word.text);
        text.push(' ');
    }
    if text.chars().filter(|letter| letter.is_alphabetic()).count() < TOO_LITTLE {
        return None;
    }
    let found = detect(&text).filter(whatlang::Info::is_reliable)?;
    short(found.lang()).map(str::to_owned)
}

/// The languages that the detector distinguishes and that have a two-letter code.
fn short(language: Lang) -> Option<&'static str> {
    Some(match language {
        Lang::Ara => "ar",
        Lang::Bul => "bg",
        Lang::Cat => "ca",
        Lang::Ces => "cs",
        Lang::Cmn => "zh",
        Lang::Dan => "da",
        Lang::Deu => "de",
        Lang::Ell => "el",
        Lang::Eng => "en",
        Lang::Est => "et",
        Lang::Fin => "fi",
        Lang::Fra => "fr",
        Lang::Heb => "he",
        Lang::Hin => "hi",
        Lang::Hrv => "hr",
        Lang::Hun => "hu",
        Lang::Ind => "id",
        Lang::Ita => "it",
        Lang::Jpn => "ja",
        Lang::Kor => "ko",
        Lang::Lat => "la",
        Lang::Lav => "lv",
        Lang::Lit => "lt",
        Lang::Nld => "nl",
        Lang::Nob => "nb",
        Lang::Pol => "pl",
        Lang::Por => "pt",
        Lang::Ron => "ro",
        Lang::Rus => "ru",
        Lang::Slk => "sk",
        Lang::Slv => "sl",
        Lang::Spa => "es",
        Lang::Srp => "sr",
        Lang::Swe => "sv",
        Lang::Tha => "th",
        Lang::Tur => "tr",
        Lang::Ukr => "uk",
        Lang::Vie => "vi",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn language(text: &str) -> Option<String> {
        let words: Vec<Word> =
            text.split(' ').map(|text| Word { text: text.to_owned(), ..Word::default() }).collect();
        of(&words)
    }

    #[test]
    fn a_page_says_its_language_when_it_is_clear() {
        let english = "The tenant shall pay the rent on the first day of every month, and the landlord \
                       shall keep the building in good repair throughout the whole term of the lease.";
        let german = "Der Mieter zahlt die Miete am ersten Tag eines jeden Monats, und der Vermieter hält \
                      das Gebäude während der gesamten Dauer des Mietverhältnisses in gutem Zustand.";
        assert_eq!(language(english).as_deref(), Some("en"));
        assert_eq!(language(german).as_deref(), Some("de"));
        assert_eq!(language("IBAN DE12 3456 7890"), None);
        assert_eq!(language(&"1234 ".repeat(100)), None);
    }
}
