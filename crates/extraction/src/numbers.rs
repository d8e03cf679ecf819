//! Numbers in the tokens of a row: amounts, quantities and percentages, with the decimal separator of the document. How a
//! single word is read is decided where candidates are found ([`crate::candidates`]).

use std::ops::Range;

use rust_decimal::Decimal;

use crate::candidates::{currency, parse_number};
use crate::rows::{Row, Token};

/// The most digits of a number: longer ones are identifiers.
const MAX_DIGITS: usize = 15;

/// The decimal separator that a document uses; `None` when its numbers do not show it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Separator(pub(crate) Option<char>);

/// A number in a row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Number {
    pub(crate) value: Decimal,
    pub(crate) tokens: Range<usize>,
    /// ISO 4217, of the sign or code beside it.
    pub(crate) currency: Option<&'static str>,
    pub(crate) is_percent: bool,
}

impl Number {
    /// Whether it is written like an amount of money: two to four decimals, or a currency beside it.
    pub(crate) fn looks_like_money(&self) -> bool {
        !self.is_percent && ((2..=4).contains(&self.value.scale()) || self.currency.is_some())
    }
}

impl Separator {
    /// The separator that most numbers with two decimals use.
    pub(crate) fn of(rows: &[Row]) -> Self {
        let (mut commas, mut points) = (0_u32, 0_u32);
        for token in rows.iter().flat_map(|row| &row.tokens) {
            let digits = token.text.trim_matches(|char: char| !char.is_ascii_digit());
            let Some(at) = digits.len().checked_sub(3) else { continue };
            match digits.as_bytes()[at] {
                b',' if digits[at + 1..].bytes().all(|byte| byte.is_ascii_digit()) => commas += 1,
                // A date ends like this as well.
                b'.' if digits.matches('.').count() == 1 => points += 1,
                _ => {}
            }
        }
        match commas.cmp(&points) {
            std::cmp::Ordering::Greater => Self(Some(',')),
            std::cmp::Ordering::Less => Self(Some('.')),
            std::cmp::Ordering::Equal => Self(None),
        }
    }
}

/// The numbers of a row, from left to right.
pub(crate) fn numbers(tokens: &[Token], separator: Separator) -> Vec<Number> {
    let mut found: Vec<Number> = Vec::new();
    let mut index = 0;
    while index < tokens.len() {
        let Some((number, used)) = joined(tokens, index, separator)
            .or_else(|| parse(&tokens[index].text, separator).map(|number| (number, 1)))
        else {
            index += 1;
            continue;
        };
        let mut number = Number { tokens: index..index + used, ..number };
        index += used;
        if let Some(sign) = tokens.get(index) {
            if sign.text == "%" {
                number.is_percent = true;
            } else if number.currency.is_none() {
                number.currency = currency(&sign.text);
            }
        }
        if let Some(before) = number.tokens.start.checked_sub(1).map(|at| &tokens[at]) {
            if ["-", "−", "–"].contains(&before.text.as_str())
                && tokens[number.tokens.start].area.left - before.area.right
                    < before.area.height().max(1.0)
            {
                number.value = -number.value.abs();
            }
            number.currency = number.currency.or_else(|| currency(&before.text));
        }
        found.push(number);
    }
    found
}

/// A number whose thousands are separated by narrow spaces: `1 234,56`.
fn joined(tokens: &[Token], start: usize, separator: Separator) -> Option<(Number, usize)> {
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let first = tokens.get(start)?;
    if first.text.is_empty() || first.text.len() > 3 || !digits(&first.text) {
        return None;
    }
    let mut text = first.text.clone();
    for (count, pair) in tokens[start..].windows(2).enumerate().take(3) {
        let gap = pair[1].area.left - pair[0].area.right;
        let part = pair[1].text.get(..3).filter(|part| digits(part))?;
        if gap > 0.35 * pair[0].area.height().max(1.0) {
            return None;
        }
        text.push_str(part);
        let rest = &pair[1].text[3..];
        if !rest.is_empty() {
            let decimals = rest.starts_with([',', '.']);
            text.push_str(rest);
            return decimals
                .then(|| parse(&text, separator))
                .flatten()
                .map(|number| (number, count + 2));
        }
    }
    None
}

/// A number that is all of the text, apart from its currency and a unit after a slash: `4,50/Std.`.
pub(crate) fn parse(text: &str, separator: Separator) -> Option<Number> {
    let text = text.trim();
    let text = match text.split_once('/') {
        Some((number, unit)) if unit.starts_with(char::is_alphabetic) => number,
        _ => text,
    };
    let text = text.trim_start_matches(['(', '[']).trim_end_matches([')', ']', ';', ':']);
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    // A phone number begins with a plus.
    if digits > MAX_DIGITS || text.starts_with('+') {
        return None;
    }
    let written = parse_number(text)?;
    let mark = text.chars().find(|char| matches!(char, ',' | '.'));
    let value = match written.other {
        Some(decimal) if mark.is_some() && mark == separator.0 => decimal,
        _ => written.value,
    };
    let (currency, is_percent) = (written.currency, written.percent);
    Some(Number { value, tokens: 0..1, currency, is_percent })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::key;
    use pages::Area;

    fn value(text: &str, separator: Option<char>) -> Option<String> {
        parse(text, Separator(separator)).map(|number| number.value.to_string())
    }

    #[test]
    fn amounts_are_read_in_all_notations() {
        for (text, expected) in [
            ("1.021,91", "1021.91"),
            ("1,007.50", "1007.50"),
            ("2'500.00", "2500.00"),
            ("100,0000", "100.0000"),
            ("-7,90", "-7.90"),
            ("7,90-", "-7.90"),
            ("$4.11", "4.11"),
            ("€399,00", "399.00"),
            ("RM39.00", "39.00"),
            ("0,052", "0.052"),
            ("12", "12"),
        ] {
            assert_eq!(value(text, None).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn dates_and_article_numbers_are_no_amounts() {
        for text in ["31.10.2018", "K4321", "CO-123", "2018-10-31", "+49", "AB12.50"] {
            assert_eq!(value(text, None), None, "{text}");
        }
    }

    #[test]
    fn three_digits_follow_the_separator_of_the_document() {
        assert_eq!(value("1.234", Some(',')).as_deref(), Some("1234"));
        assert_eq!(value("1.234", Some('.')).as_deref(), Some("1.234"));
    }

    #[test]
    fn narrow_spaces_separate_thousands_and_wide_ones_columns() {
        let tokens = |gap: f32| -> Vec<Token> {
            let place = |left: f32| Area { left, top: 0.0, right: left + 10.0, bottom: 10.0 };
            [("1", place(0.0)), ("234,56", place(10.0 + gap)), ("€", place(60.0))]
                .map(|(text, area)| Token { text: text.into(), key: key(text), area, other: None })
                .to_vec()
        };
        let values = |gap| -> Vec<String> {
            numbers(&tokens(gap), Separator(None))
                .iter()
                .map(|number| number.value.to_string())
                .collect()
        };
        assert_eq!(values(2.0), ["1234.56"]);
        assert_eq!(values(8.0), ["1", "234.56"]);
        assert_eq!(numbers(&tokens(2.0), Separator(None))[0].currency, Some("EUR"));
    }
}
