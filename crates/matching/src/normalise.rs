//! Normal forms of values: what two ways to write the same thing have in common.
//!
//! Everything here takes any text. Only the first [`MAX_CHARS`] characters of a value and the first [`MAX_TOKENS`] words
//! count, so that a value of a megabyte costs no more than a long one.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use chrono::{Datelike, NaiveDate};
use deunicode::deunicode_with_tofu;
use rust_decimal::Decimal;
use unicode_normalization::UnicodeNormalization;

/// Characters of a value that count.
pub const MAX_CHARS: usize = 400;
/// Words of a value that count.
pub const MAX_TOKENS: usize = 24;

/// Words of the longest legal form.
const LONGEST_FORM: usize = 6;

static LEGAL_FORMS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| lines(include_str!("../data/legal_forms.txt")).collect());
static TITLES: LazyLock<HashSet<&str>> =
    LazyLock::new(|| lines(include_str!("../data/titles.txt")).collect());
static COMMON_WORDS: LazyLock<HashMap<&str, Commonness>> = LazyLock::new(|| {
    let entries = lines(include_str!("../data/common_words.txt"));
    let entries = entries.filter_map(|line| line.split_once(' '));
    let commonness = |mark| if mark == "p" { Commonness::Particle } else { Commonness::Word };
    entries.map(|(mark, word)| (word, commonness(mark))).collect()
});
static ADDRESS_WORDS: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
    lines(include_str!("../data/address_words.txt"))
        .filter_map(|line| line.split_once(' '))
        .collect()
});

/// How little a word of a name says about who is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Commonness {
    /// `and`, `von`, `bin`.
    Particle,
    /// `group`, `holding`, `bank`.
    Word,
}

fn lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
}

pub(crate) fn commonness(token: &str) -> Option<Commonness> {
    COMMON_WORDS.get(token).copied()
}

/// Lower-case ASCII of any text: compatibility forms composed, other scripts transliterated, accents removed.
pub fn fold(value: &str) -> String {
    let beginning: String = value.chars().take(MAX_CHARS).collect();
    if beginning.is_ascii() {
        return beginning.to_ascii_lowercase();
    }
    let composed: String = beginning.nfkc().collect();
    let mut folded = deunicode_with_tofu(&composed, " ");
    folded.make_ascii_lowercase();
    // A transliterated character can be several letters; the result is ASCII, so any index is a boundary.
    folded.truncate(4 * MAX_CHARS);
    folded
}

/// The words of a text, folded. Letters with dots between them are one word: `S.p.A.` is `spa`.
pub fn tokens(value: &str) -> Vec<String> {
    let folded = fold(value);
    let mut tokens: Vec<String> = Vec::new();
    let mut token = String::new();
    // The word before ended with a dot after a single letter or a run of such.
    let mut joins = false;
    let mut previous_is_dot = false;
    for char in folded.chars().chain([' ']) {
        match char {
            'a'..='z' | '0'..='9' => {
                if token.is_empty() && !previous_is_dot {
                    joins = false;
                }
                token.push(char);
                previous_is_dot = false;
                continue;
            }
            // `Qa'ida` and `L`orangerie` are one word each.
            '\'' | '`' => continue,
            _ => {}
        }
        if !token.is_empty() {
            let is_letter = token.len() == 1 && token.as_bytes()[0].is_ascii_alphabetic();
            match tokens.last_mut() {
                Some(last) if joins && is_letter => last.push_str(&token),
                _ => tokens.push(token.clone()),
            }
            joins = is_letter && char == '.';
            token.clear();
        } else if char != '.' {
            joins = false;
        }
        previous_is_dot = char == '.';
        if char == '&' || char == '+' {
            tokens.push("and".to_owned());
        }
        if tokens.len() >= MAX_TOKENS {
            break;
        }
    }
    tokens.truncate(MAX_TOKENS);
    tokens
}

/// The words of a name in their order, without legal forms and titles, unless it has no others.
pub fn name_tokens(value: &str) -> Vec<String> {
    let tokens = tokens(value);
    let mut kept = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        let form = (1..=LONGEST_FORM.min(tokens.len() - at))
            .rev()
            .find(|length| LEGAL_FORMS.contains(tokens[at..at + length].join(" ").as_str()));
        if let Some(length) = form {
            at += length;
        } else {
            if !TITLES.contains(tokens[at].as_str()) {
                kept.push(tokens[at].clone());
            }
            at += 1;
        }
    }
    if kept.iter().any(|token| commonness(token) != Some(Commonness::Particle)) {
        kept
    } else {
        tokens
    }
}

/// A name without legal forms, titles and particles, its words sorted.
pub fn name_norm(value: &str) -> String {
    name_norm_of(name_tokens(value))
}

pub(crate) fn name_norm_of(mut tokens: Vec<String>) -> String {
    if tokens.iter().any(|token| commonness(token) != Some(Commonness::Particle)) {
        tokens.retain(|token| commonness(token) != Some(Commonness::Particle));
    }
    tokens.sort_unstable();
    tokens.dedup();
    tokens.join(" ")
}

/// The words of an address, abbreviations and ordinal numbers in one form.
pub fn address_tokens(value: &str) -> Vec<String> {
    tokens(value).into_iter().map(address_word).collect()
}

fn address_word(token: String) -> String {
    if let Some(form) = ADDRESS_WORDS.get(token.as_str()) {
        return (*form).to_owned();
    }
    if let Some(digits) = token
        .strip_suffix("st")
        .or_else(|| token.strip_suffix("nd"))
        .or_else(|| token.strip_suffix("rd"))
        .or_else(|| token.strip_suffix("th"))
        .filter(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
    {
        return digits.to_owned();
    }
    // `Musterstrasse` and `Musterstr.`
    match token.strip_suffix("strasse") {
        Some(name) if !name.is_empty() => format!("{name}str"),
        _ => token,
    }
}

/// An address with its words sorted.
pub fn address_norm(value: &str) -> String {
    let mut tokens = address_tokens(value);
    tokens.sort_unstable();
    tokens.dedup();
    tokens.join(" ")
}

/// The letters and digits of a postcode, in upper case, without a country prefix such as `D-`.
pub fn zip(value: &str) -> String {
    let folded = fold(value);
    let code = match folded.trim().split_once('-') {
        Some((prefix, code))
            if prefix.len() <= 2
                && prefix.bytes().all(|byte| byte.is_ascii_alphabetic())
                && code.len() >= 4 =>
        {
            code
        }
        _ => folded.as_str(),
    };
    letters_and_digits(code)
}

/// The letters and digits of an identifier, in upper case, without leading zeros.
pub fn id_value(value: &str) -> String {
    let id = letters_and_digits(&fold(value));
    let trimmed = id.trim_start_matches('0');
    if trimmed.is_empty() { id } else { trimmed.to_owned() }
}

fn letters_and_digits(folded: &str) -> String {
    let chars = folded.chars().filter(char::is_ascii_alphanumeric);
    chars.map(|char| char.to_ascii_uppercase()).collect()
}

/// The digits of a telephone number without leading zeros. Numbers with and without the country's prefix end alike.
pub fn phone(value: &str) -> String {
    let folded = fold(value);
    let digits = folded.chars().filter(char::is_ascii_digit);
    digits.skip_while(|digit| *digit == '0').take(20).collect()
}

/// An e-mail address in lower case.
pub fn email(value: &str) -> String {
    value
        .chars()
        .take(MAX_CHARS)
        .filter(|char| !char.is_whitespace())
        .flat_map(char::to_lowercase)
        .collect()
}

/// A date in the common forms: `2024-03-01`, `20240301`, `1.3.2024`, `01/03/2024`. A day comes before its month, unless
/// the numbers exclude that.
pub fn date(value: &str) -> Option<NaiveDate> {
    let folded = fold(value);
    let text = folded.trim();
    let text = text.split(['t', ' ']).next().unwrap_or(text);
    let parts: Vec<&str> = text.split(['-', '/', '.']).collect();
    let number = |part: &str| part.parse::<u32>().ok();
    match parts[..] {
        [all] if all.len() == 8 && all.is_ascii() => {
            calendar_day(number(&all[..4])?, number(&all[4..6])?, number(&all[6..])?)
        }
        [year, month, day] if year.len() == 4 => {
            calendar_day(number(year)?, number(month)?, number(day)?)
        }
        [day, month, year] => {
            let mut full = number(year)?;
            if year.len() == 2 {
                full += if full < 50 { 2000 } else { 1900 };
            }
            let (day, month) = (number(day)?, number(month)?);
            calendar_day(full, month, day).or_else(|| calendar_day(full, day, month))
        }
        _ => None,
    }
}

fn calendar_day(year: u32, month: u32, day: u32) -> Option<NaiveDate> {
    NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, day)
        .filter(|date| date.year() >= 1000)
}

/// An amount as people write it: `1.234,56`, `EUR 1,234.56`, `-12`. The last separator is the decimal one, unless it
/// appears twice or three digits follow it and another separator precedes it.
pub fn amount(value: &str) -> Option<Decimal> {
    let folded = fold(value);
    let is_negative = folded.trim_start().starts_with('-') || folded.trim_end().ends_with('-');
    let text: String =
        folded.chars().filter(|char| char.is_ascii_digit() || matches!(char, '.' | ',')).collect();
    let last = text.rfind(['.', ',']);
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    let plain = match last {
        Some(at) if text.matches(&text[at..=at]).count() == 1 => {
            format!("{}.{}", digits(&text[..at]), digits(&text[at..]))
        }
        _ => digits(&text),
    };
    if !plain.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let amount: Decimal = plain.trim_end_matches('.').parse().ok()?;
    Some(if is_negative { -amount } else { amount }.normalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_case_accents_legal_forms_titles_and_order() {
        for (left, right) in [
            ("Siemens AG", "SIEMENS Aktiengesellschaft"),
            ("Müller & Söhne GmbH & Co. KG", "Sohne und Muller"),
            ("Assicurazioni Generali S.p.A.", "Generali Assicurazioni"),
            ("Dr. Hans-Peter Meier", "Meier, Hans Peter"),
            ("Oboronnye Initsiativy o.O.O.", "OOO Oboronnye Initsiativy"),
            ("Société Générale S.A.", "Societe Generale"),
            ("FABERLIC EUROPE Sp. z o.o.", "faberlic europe"),
            ("ＡＣＭＥ　Ｌｔｄ", "Acme"),
        ] {
            assert_eq!(name_norm(left), name_norm(right), "{left} and {right}");
        }
        assert_eq!(name_norm("Müller & Söhne GmbH & Co. KG"), "muller sohne");
    }

    #[test]
    fn a_name_of_nothing_but_legal_forms_and_titles_keeps_them() {
        assert_eq!(name_norm("The Limited"), "limited the");
        assert_eq!(name_norm("AG"), "ag");
    }

    #[test]
    fn dotted_letters_are_one_word_and_other_dots_separate() {
        assert_eq!(tokens("A.B.C. Company"), ["abc", "company"]);
        assert_eq!(tokens("J. S. Bach"), ["j", "s", "bach"]);
        assert_eq!(tokens("St.Gallen"), ["st", "gallen"]);
        assert_eq!(tokens("AT&T"), ["at", "and", "t"]);
        assert_eq!(tokens("Al-Qa'ida"), ["al", "qaida"]);
    }

    #[test]
    fn any_script_becomes_words() {
        assert_eq!(tokens("Ротенберг Аркадий").len(), 2);
        assert_eq!(tokens("Κυριάκος Μητσοτάκης").len(), 2);
        for name in ["贝拉克·奥巴马", "فرناندو بيريز", "이재명", "नरेन्द्र मोदी", "วชิราลงกรณ", "שלום"]
        {
            let words = tokens(name);
            assert!(!words.is_empty(), "{name}");
            assert!(words.iter().all(|word| word.is_ascii()), "{words:?}");
        }
    }

    #[test]
    fn addresses_agree_on_abbreviations_and_ordinals() {
        assert_eq!(address_norm("102 Fifth Avenue"), address_norm("102 5th ave."));
        assert_eq!(address_norm("Musterstraße 5"), address_norm("Musterstr. 5"));
    }

    #[test]
    fn postcodes_ids_and_phones_lose_what_people_add() {
        assert_eq!(zip("D-80333"), "80333");
        assert_eq!(zip("sw1a 1aa"), "SW1A1AA");
        assert_eq!(id_value("00-123 456"), "123456");
        assert_eq!(id_value("000"), "000");
        assert!(phone("+49 (0)89 636-00").ends_with(&phone("089 636 00")));
        assert_eq!(phone("212/632 -5000"), phone("212-632-5000"));
    }

    #[test]
    fn dates_and_amounts_are_read_in_common_forms() {
        let day = NaiveDate::from_ymd_opt(2024, 3, 1);
        for text in ["2024-03-01", "20240301", "1.3.2024", "01/03/24", "2024-03-01T10:00:00Z"] {
            assert_eq!(date(text), day, "{text}");
        }
        assert_eq!(date("03/25/2024"), NaiveDate::from_ymd_opt(2024, 3, 25));
        for text in ["", "2024", "99.99.9999", "0000-00-00", "12345678", "á-b-c"] {
            assert_eq!(date(text), None, "{text}");
        }
        for (text, expected) in [
            ("1.234,56", "1234.56"),
            ("EUR 1,234.56", "1234.56"),
            ("1.234.567", "1234567"),
            ("-12", "-12"),
            ("256.80", "256.8"),
        ] {
            assert_eq!(amount(text).map(|amount| amount.to_string()).as_deref(), Some(expected));
        }
        assert_eq!(amount("n/a"), None);
        assert_eq!(amount(&"9".repeat(400)), None);
    }

    #[test]
    fn hostile_values_are_bounded() {
        let long = "Ж".repeat(1_000_000);
        assert!(fold(&long).len() <= 4 * MAX_CHARS);
        let words = "ab ".repeat(400_000);
        assert_eq!(tokens(&words).len(), MAX_TOKENS);
        for value in
            ["", " ", "\0\u{1b}[31m", "'; DROP TABLE records; --", "=1+1", "\u{202e}abc", "...."]
        {
            let _ = (name_norm(value), address_norm(value), zip(value), id_value(value));
            let _ = (phone(value), email(value), date(value), amount(value));
        }
        assert_eq!(name_norm("\0\u{1b}"), "");
    }
}
