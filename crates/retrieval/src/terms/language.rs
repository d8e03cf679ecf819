//! Detects the language of a text by its function words, and stems words.

use snowball_stemmers_rs::{Algorithm, Stemmer};

use super::tokens::{Form, Token};

/// A language with a stemmer. Texts in other languages are treated as English, in documents and in queries alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    #[default]
    English,
    German,
    French,
    Spanish,
    Italian,
    Portuguese,
    Dutch,
    Swedish,
}

/// The minimum number of function words to detect a language.
const MIN_FUNCTION_WORDS: usize = 2;

impl Language {
    pub const ALL: [Self; 8] = [
        Self::English,
        Self::German,
        Self::French,
        Self::Spanish,
        Self::Italian,
        Self::Portuguese,
        Self::Dutch,
        Self::Swedish,
    ];

    /// The language of a text; English when it is not detected.
    pub fn of(text: &str) -> Self {
        Self::of_tokens(&super::tokens(text))
    }

    pub(super) fn of_tokens(tokens: &[Token]) -> Self {
        let mut seen = [0_usize; Self::ALL.len()];
        for token in tokens {
            if let Form::Word(word) = &token.form {
                for (count, language) in seen.iter_mut().zip(Self::ALL) {
                    *count += usize::from(language.function_words().contains(&word.as_str()));
                }
            }
        }
        // Ties go to the first, which is English.
        let mut best = Self::English;
        let mut most = MIN_FUNCTION_WORDS - 1;
        for (count, language) in seen.into_iter().zip(Self::ALL) {
            if count > most {
                (best, most) = (language, count);
            }
        }
        best
    }

    /// Function words that distinguish this language from the others, folded.
    pub(crate) fn function_words(self) -> &'static [&'static str] {
        match self {
            Self::English => &[
                "the", "of", "and", "to", "is", "that", "for", "it", "with", "as", "was", "by",
                "this", "are", "be", "or", "from", "which", "have", "not", "shall", "what", "who",
            ],
            Self::German => &[
                "der", "die", "und", "das", "ist", "den", "nicht", "von", "mit", "sich", "des",
                "dem", "ein", "eine", "auf", "fur", "wird", "im", "auch", "zu", "sie", "bei",
                "wie",
            ],
            Self::French => &[
                "le", "les", "et", "des", "du", "est", "une", "dans", "qui", "pour", "pas", "sur",
                "au", "par", "plus", "sont", "ce", "avec", "il", "nous", "vous", "aux", "cette",
            ],
            Self::Spanish => &[
                "el", "los", "las", "y", "del", "es", "una", "por", "con", "para", "su", "lo",
                "como", "mas", "pero", "sus", "al", "este", "ya", "muy", "sobre", "esta", "sin",
            ],
            Self::Italian => &[
                "il", "di", "che", "e", "della", "per", "non", "sono", "gli", "del", "con", "una",
                "dei", "nel", "alla", "piu", "anche", "delle", "questo", "dal", "lo", "ha", "si",
            ],
            Self::Portuguese => &[
                "o", "os", "e", "do", "da", "em", "um", "uma", "nao", "na", "no", "dos", "com",
                "ao", "das", "pelo", "pela", "mas", "foi", "sao", "seu", "sua", "mais",
            ],
            Self::Dutch => &[
                "het", "een", "van", "en", "dat", "niet", "zijn", "op", "aan", "met", "voor", "te",
                "bij", "ook", "naar", "wordt", "deze", "uit", "door", "worden", "heeft", "wij",
            ],
            Self::Swedish => &[
                "och", "att", "det", "som", "en", "av", "ar", "pa", "med", "till", "inte", "ett",
                "om", "den", "har", "vi", "fran", "eller", "ska", "kan", "vid", "denna", "skall",
            ],
        }
    }

    /// The stem of a folded word.
    pub(super) fn stem(self, word: &str) -> String {
        let algorithm = match self {
            Self::English => Algorithm::English,
            Self::German => Algorithm::German,
            Self::French => Algorithm::French,
            Self::Spanish => Algorithm::Spanish,
            Self::Italian => Algorithm::Italian,
            Self::Portuguese => Algorithm::Portuguese,
            Self::Dutch => Algorithm::Dutch,
            Self::Swedish => Algorithm::Swedish,
        };
        Stemmer::create(algorithm).stem(word).into_owned()
    }

    /// Separates the words of different languages: see [`super::term_hash`].
    pub(super) fn tag(self) -> u8 {
        match self {
            Self::English => b'e',
            Self::German => b'g',
            Self::French => b'f',
            Self::Spanish => b's',
            Self::Italian => b'i',
            Self::Portuguese => b'p',
            Self::Dutch => b'd',
            Self::Swedish => b'w',
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn function_words_identify_the_language() {
        let cases = [
            ("What is the price of this contract?", Language::English),
            ("Die Rechnung ist bis zum Monatsende zu bezahlen.", Language::German),
            ("Le contrat est dans le dossier de la société.", Language::French),
            ("El contrato es para los trabajadores de la empresa.", Language::Spanish),
            ("Il contratto della società non è firmato.", Language::Italian),
            ("O contrato não foi assinado pela empresa.", Language::Portuguese),
            ("Het contract is niet door de directeur getekend.", Language::Dutch),
            ("Avtalet är inte undertecknat av bolaget och det ska ändras.", Language::Swedish),
            ("Total 42 EUR", Language::English),
        ];
        for (text, language) in cases {
            assert_eq!(Language::of(text), language, "{text}");
        }
    }
}
