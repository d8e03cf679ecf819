//! Numbers in the tokens of a row: amounts, quantities and percentages, with the decimal separator of the document.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use rust_decimal::Decimal;

use crate::rows::{Row, Token};

static NUMBER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"^[(\[]?(?P<before>[\p{Sc}]|[A-Z]{2,3}\p{Sc}?)?\s?(?P<minus>[-−–])?(?P<after_sign>\p{Sc})?(?P<digits>\d[\d.,'’]*)(?P<trailing>-)?(?P<unit>%|\p{Sc}|[A-Z]{3})?(?:/\S*)?[)\].,;:]*$",
    )
    .ok()
});

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

/// The currency of a sign or code.
pub(crate) fn currency(text: &str) -> Option<&'static str> {
    const CODES: [&str; 31] = [
        "EUR", "USD", "GBP", "CHF", "SEK", "NOK", "DKK", "PLN", "CZK", "HUF", "RON", "BGN", "TRY",
        "CAD", "AUD", "NZD", "JPY", "CNY", "HKD", "SGD", "MYR", "INR", "ZAR", "BRL", "MXN", "AED",
        "ILS", "KRW", "THB", "IDR", "ISK",
    ];
    let text = text.trim_matches(|char: char| char.is_whitespace() || "()[].,:;".contains(char));
    match text {
        "€" | "Euro" | "EURO" | "Euros" | "euro" | "euros" => Some("EUR"),
        "$" | "US$" => Some("USD"),
        "£" => Some("GBP"),
        "RM" => Some("MYR"),
        "Fr." | "SFr." | "CHF" => Some("CHF"),
        "¥" => Some("JPY"),
        "zł" => Some("PLN"),
        _ => CODES.into_iter().find(|code| *code == text),
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

/// A number that is all of the text, apart from its currency.
pub(crate) fn parse(text: &str, separator: Separator) -> Option<Number> {
    let captures = NUMBER.as_ref()?.captures(text.trim())?;
    let digits = captures.name("digits")?.as_str().trim_end_matches(['.', ',', '\'', '’']);
    let mut value = decimal(digits, separator)?;
    if captures.name("minus").is_some() || captures.name("trailing").is_some() {
        value = -value;
    }
    let unit = captures.name("unit").map(|unit| unit.as_str());
    let sign = captures.name("before").or(captures.name("after_sign")).map(|sign| sign.as_str());
    let currency = unit.and_then(currency).or_else(|| sign.and_then(currency));
    // Letters that are no currency: an article number.
    if sign.is_some_and(|sign| sign.chars().all(char::is_alphabetic)) && currency.is_none() {
        return None;
    }
    Some(Number { value, tokens: 0..1, currency, is_percent: unit == Some("%") })
}

fn decimal(digits: &str, separator: Separator) -> Option<Decimal> {
    let is_mark = |char: char| char == ',' || char == '.';
    let last = digits.rfind(is_mark);
    let mark = last.and_then(|at| digits[at..].chars().next());
    let is_decimal = last.is_some_and(|at| {
        let mark = mark.unwrap_or('.');
        let fraction = digits.len() - at - 1;
        let other = digits[..at].chars().any(|char| is_mark(char) && char != mark);
        let again = digits[..at].contains(mark);
        match (other, again) {
            (_, true) => false,
            (true, false) => true,
            (false, false) if fraction != 3 => true,
            (false, false) => {
                separator.0 == Some(mark) || digits[..at].trim_matches('0').is_empty()
            }
        }
    });
    let (whole, fraction) = match last {
        Some(at) if is_decimal => (&digits[..at], &digits[at + 1..]),
        _ => (digits, ""),
    };
    let mut groups = whole.split(|char: char| is_mark(char) || char == '\'' || char == '’');
    let first = groups.next()?;
    let mut plain = first.to_owned();
    let mut grouped = false;
    for group in groups {
        grouped = true;
        if group.len() != 3 {
            return None;
        }
        plain.push_str(group);
    }
    if first.is_empty() || grouped && first.len() > 3 || plain.len() > 15 || fraction.len() > 8 {
        return None;
    }
    let text = if fraction.is_empty() { plain } else { format!("{plain}.{fraction}") };
    text.parse().ok()
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
