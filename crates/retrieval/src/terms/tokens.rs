//! Finds the words, numbers and codes of a text.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use super::{Language, fold, term_hash};

/// A word, number or code of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// Its bytes in the text.
    pub place: Range<usize>,
    pub form: Form,
    /// Whether it consists of tokens that are also listed separately.
    pub joined: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// Folded, with its ending.
    Word(String),
    /// Digits with at most one point, without leading or trailing zeros.
    Number(String),
    /// Letters and digits of an identifier, or an e-mail address; folded.
    Code(String),
}

impl Token {
    /// The term of the token in a text of this language.
    pub fn term(&self, language: Language) -> u64 {
        match &self.form {
            Form::Word(word) => term_hash(language.tag(), &language.stem(word)),
            Form::Number(number) => term_hash(b'#', number),
            Form::Code(code) => term_hash(b'@', code),
        }
    }
}

/// Longer codes are not indexed; they are usually base64 data.
const MAX_CODE: usize = 64;
/// IBANs have 15 to 34 letters and digits.
const IBAN: Range<usize> = 15..35;

/// The tokens of a text, in order; a joined form follows its parts.
pub fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::with_capacity(text.len() / 5);
    let mut iban = IbanGroups::default();
    for piece in pieces(text) {
        if let Some(joined) = iban.push(text, &piece) {
            tokens.push(joined);
        }
        tokens_of_piece(text, piece, &mut tokens);
    }
    tokens.extend(iban.end());
    tokens
}

/// The pieces between white space, without surrounding punctuation.
fn pieces(text: &str) -> impl Iterator<Item = Range<usize>> {
    let start_of = |part: &str| part.as_ptr() as usize - text.as_ptr() as usize;
    text.split_whitespace().filter_map(move |word| {
        let inner = word.trim_matches(|letter: char| !letter.is_alphanumeric());
        let start = start_of(inner);
        (!inner.is_empty()).then(|| start..start + inner.len())
    })
}

fn tokens_of_piece(text: &str, place: Range<usize>, tokens: &mut Vec<Token>) {
    let piece = &text[place.clone()];
    let is_address = piece.contains('@');
    if !is_address && !piece.contains(|letter: char| letter.is_ascii_digit()) {
        return words(piece, place.start, tokens);
    }
    if !is_address && let Some(number) = number(piece) {
        return tokens.push(Token { place, form: Form::Number(number), joined: false });
    }
    let before = tokens.len();
    let mut start = None;
    for (at, letter) in piece.char_indices().chain([(piece.len(), ' ')]) {
        match (start, letter.is_alphanumeric()) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                part_of_code(&piece[from..at], place.start + from, tokens);
                start = None;
            }
            _ => {}
        }
    }
    if tokens.len() > before + 1 && piece.len() <= MAX_CODE {
        let code: String = if is_address {
            fold(piece)
        } else {
            fold(piece).chars().filter(|letter| letter.is_alphanumeric()).collect()
        };
        tokens.push(Token { place, form: Form::Code(code), joined: true });
    }
}

fn part_of_code(part: &str, start: usize, tokens: &mut Vec<Token>) {
    let place = start..start + part.len();
    let has_letter = part.contains(|letter: char| !letter.is_ascii_digit());
    let has_digit = part.contains(|letter: char| letter.is_ascii_digit());
    let form = match (has_letter, has_digit) {
        (true, false) => Form::Word(fold(part)),
        (false, _) => Form::Number(without_leading_zeros(part).to_owned()),
        (true, true) if part.len() <= MAX_CODE => Form::Code(fold(part)),
        (true, true) => return,
    };
    tokens.push(Token { place, form, joined: false });
}

/// Reads `1.234,56`, `1,234.56`, `1'234.5` and `1234`; `None` for dates, versions and the like.
///
/// A single kind of separator before the last three digits is a grouping separator: `1.234` is the same as `1234`, in
/// queries and texts.
fn number(piece: &str) -> Option<String> {
    let separators: Vec<char> = piece.chars().filter(|c| !c.is_ascii_digit()).collect();
    if separators.iter().any(|c| !matches!(c, '.' | ',' | '\'' | '’')) {
        return None;
    }
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    let Some(&last) = separators.last() else {
        return Some(without_leading_zeros(piece).to_owned());
    };
    let (head, tail) = piece.rsplit_once(last)?;
    let groups: Vec<&str> = head.split(|c: char| !c.is_ascii_digit()).collect();
    let grouped = groups.iter().skip(1).all(|group| group.len() == 3) && groups[0].len() <= 3;
    let once = separators.iter().filter(|c| **c == last).count() == 1;
    let all_the_same = separators.iter().all(|c| *c == last);
    let is_grouping = grouped && tail.len() == 3 && all_the_same && groups[0] != "0";
    if is_grouping {
        return Some(without_leading_zeros(&digits(piece)).to_owned());
    }
    if !once || !(grouped || groups.len() == 1) {
        return None;
    }
    let fraction = tail.trim_end_matches('0');
    let whole = digits(head);
    let whole = without_leading_zeros(&whole);
    Some(if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") })
}

fn without_leading_zeros(digits: &str) -> &str {
    let rest = digits.trim_start_matches('0');
    if rest.is_empty() { "0" } else { rest }
}

fn words(piece: &str, offset: usize, tokens: &mut Vec<Token>) {
    // Ideographs are segmented one by one; pairs of neighbours are more specific.
    let mut previous: Option<Range<usize>> = None;
    for (at, word) in piece.unicode_word_indices() {
        let place = offset + at..offset + at + word.len();
        if word.chars().all(is_ideograph) {
            let pair = match &previous {
                Some(first) if first.end == place.start => first.start..place.end,
                _ => place.clone(),
            };
            let form = Form::Word(piece[pair.start - offset..pair.end - offset].to_owned());
            // The first of a run is also a token of its own, so that it can be found alone.
            tokens.push(Token { place: pair, form, joined: false });
            previous = Some(place);
            continue;
        }
        previous = None;
        let own = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word);
        let folded: String = fold(own).chars().filter(|c| c.is_alphanumeric()).collect();
        tokens.push(Token { place, form: Form::Word(folded), joined: false });
    }
}

fn is_ideograph(letter: char) -> bool {
    matches!(letter, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
}

/// Joins an IBAN that is written in groups of four.
#[derive(Default)]
struct IbanGroups {
    place: Range<usize>,
    code: String,
}

impl IbanGroups {
    /// Takes the next piece; returns the IBAN that ended before it.
    fn push(&mut self, text: &str, place: &Range<usize>) -> Option<Token> {
        let piece = &text[place.clone()];
        let plain = piece.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
        let continues = !self.code.is_empty()
            && plain
            && piece.len() <= 4
            && self.code.len().is_multiple_of(4)
            && self.code.len() + piece.len() < IBAN.end;
        if continues {
            self.code.push_str(piece);
            self.place.end = place.end;
            return None;
        }
        let complete = self.end();
        let country_and_check = plain
            && piece.len() == 4
            && piece[..2].bytes().all(|b| b.is_ascii_uppercase())
            && piece[2..].bytes().all(|b| b.is_ascii_digit());
        if country_and_check {
            *self = Self { place: place.clone(), code: piece.to_owned() };
        }
        complete
    }

    fn end(&mut self) -> Option<Token> {
        let Self { place, code } = std::mem::take(self);
        let form = Form::Code(code.to_lowercase());
        IBAN.contains(&code.len()).then_some(Token { place, form, joined: true })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_has_its_position() {
        let text = "Größe: 1.234,56 € (Müller's INV-7)";
        for token in tokens(text) {
            assert!(text.get(token.place.clone()).is_some());
        }
        let places: Vec<&str> = tokens(text).iter().map(|t| &text[t.place.clone()]).collect();
        assert_eq!(places, ["Größe", "1.234,56", "Müller's", "INV", "7", "INV-7"]);
    }

    #[test]
    fn numbers_are_normalised() {
        let cases = [
            ("1.234,56", Some("1234.56")),
            ("1,234.56", Some("1234.56")),
            ("1.234.567", Some("1234567")),
            ("1.234", Some("1234")),
            ("0.125", Some("0.125")),
            ("007", Some("7")),
            ("3,50", Some("3.5")),
            ("12.00", Some("12")),
            ("12.03.2024", None),
            ("1.2.3", None),
            ("1-2", None),
        ];
        for (text, expected) in cases {
            assert_eq!(number(text).as_deref(), expected, "{text}");
        }
    }
}
