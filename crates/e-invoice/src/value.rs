//! Values as XML writes them → normalised values.

use chrono::NaiveDate;

/// The most digits of a number.
const MAX_DIGITS: usize = 28;

/// A decimal number without a plus sign and without leading zeros; zeros after the second decimal are dropped.
pub(crate) fn amount(text: &str) -> Option<String> {
    decimal(text, 2)
}

/// A decimal number without zeros at its end.
pub(crate) fn number(text: &str) -> Option<String> {
    decimal(text, 0)
}

fn decimal(text: &str, least_decimals: usize) -> Option<String> {
    let text = text.trim();
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let count = whole.len() + fraction.len();
    if count == 0 || count > MAX_DIGITS || !all_digits(whole) || !all_digits(fraction) {
        return None;
    }
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    let mut fraction = fraction;
    while fraction.len() > least_decimals {
        let Some(shorter) = fraction.strip_suffix('0') else { break };
        fraction = shorter;
    }
    let is_zero = whole == "0" && fraction.bytes().all(|byte| byte == b'0');
    let sign = if is_negative && !is_zero { "-" } else { "" };
    let point = if fraction.is_empty() { "" } else { "." };
    Some(format!("{sign}{whole}{point}{fraction}"))
}

/// ISO 8601, from `20181031` (format 102 of UN/EDIFACT, and those with a time) or from an ISO date with or without a time.
pub(crate) fn date(text: &str) -> Option<String> {
    let text = text.trim();
    let compact = text.get(..8).filter(|day| day.bytes().all(|byte| byte.is_ascii_digit()));
    let date = match compact {
        Some(day) if text.bytes().all(|byte| byte.is_ascii_digit()) => {
            NaiveDate::parse_from_str(day, "%Y%m%d").ok()?
        }
        _ => {
            let rest = text.get(10..)?;
            if !rest.is_empty() && !rest.starts_with(['T', 'Z', '+', '-']) {
                return None;
            }
            NaiveDate::parse_from_str(text.get(..10)?, "%Y-%m-%d").ok()?
        }
    };
    Some(date.format("%Y-%m-%d").to_string())
}

/// Without white space and punctuation.
pub(crate) fn vat_id(text: &str) -> Option<String> {
    let id: String = text.chars().filter(|c| c.is_alphanumeric()).collect();
    (!id.is_empty()).then(|| id.to_uppercase())
}

/// A code such as `EUR` or `DE`.
pub(crate) fn code(text: &str, length: usize) -> Option<String> {
    let text = text.trim();
    let is_code = text.len() == length && text.bytes().all(|byte| byte.is_ascii_alphabetic());
    is_code.then(|| text.to_ascii_uppercase())
}

/// One line, without control characters and characters that change the direction of text.
pub(crate) fn line(text: &str) -> Option<String> {
    let is_hidden = |c: &char| {
        c.is_control() && !c.is_whitespace()
            || matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{FEFF}' | '\u{200B}')
    };
    let shown: String = text.chars().filter(|c| !is_hidden(c)).collect();
    let words: Vec<&str> = shown.split_whitespace().collect();
    (!words.is_empty()).then(|| words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_normalised_without_loss() {
        for (text, expected) in [
            ("1000.00", "1000.00"),
            (" +01000.5000 ", "1000.50"),
            ("-.5", "-0.5"),
            ("7.", "7"),
            ("-0.00", "0.00"),
            ("0.123400", "0.1234"),
        ] {
            assert_eq!(amount(text).as_deref(), Some(expected));
        }
        assert_eq!(number("10.0000").as_deref(), Some("10"));
        assert_eq!(number("1.2500").as_deref(), Some("1.25"));
        for wrong in ["", ".", "-", "1,5", "1e3", "1 000", "NaN", "٣", &"9".repeat(29)] {
            assert_eq!(amount(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn dates_of_all_formats_become_iso_dates() {
        for text in [
            "20180612",
            "201806121530",
            "2018-06-12",
            "2018-06-12T00:00:00",
            "2018-06-12Z",
            "2018-06-12+02:00",
        ] {
            assert_eq!(date(text).as_deref(), Some("2018-06-12"), "{text}");
        }
        for wrong in
            ["20181301", "2018-02-30", "12.06.2018", "2018-06-12x", "201806", "", "2018é06é12"]
        {
            assert_eq!(date(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn identifiers_and_names_lose_only_their_layout() {
        assert_eq!(vat_id("fr 05 987 654 321").as_deref(), Some("FR05987654321"));
        assert_eq!(vat_id(" - "), None);
        assert_eq!(line("Herrn\n Max\tMustermann ").as_deref(), Some("Herrn Max Mustermann"));
        assert_eq!(line("safe\u{202E}txt\u{7}").as_deref(), Some("safetxt"));
        assert_eq!(code("eur", 3).as_deref(), Some("EUR"));
        assert_eq!(code("EURO", 3), None);
    }
}
