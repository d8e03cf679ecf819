//! Numbers as a spreadsheet shows them.
//!
//! A *format code* such as `#,##0.00 [$€-407];[Red]-#,##0.00` has sections for positive numbers, negative numbers and
//! zero, separated by semicolons. Dates are numbers too: days since the end of 1899.

/// The default code: a number with as many digits as it needs.
const GENERAL: &str = "General";

/// The codes of the built-in formats. Locale-dependent dates are written as ISO 8601.
pub(super) fn built_in(id: u32) -> &'static str {
    match id {
        1 => "0",
        2 => "0.00",
        3 => "#,##0",
        4 => "#,##0.00",
        9 => "0%",
        10 => "0.00%",
        11 => "0.00E+00",
        14 => "yyyy-mm-dd",
        15 => "d-mmm-yy",
        16 => "d-mmm",
        17 => "mmm-yy",
        18 => "h:mm AM/PM",
        19 => "h:mm:ss AM/PM",
        20 => "h:mm",
        21 => "h:mm:ss",
        22 => "yyyy-mm-dd h:mm",
        37 | 38 => "#,##0;(#,##0)",
        39 | 40 => "#,##0.00;(#,##0.00)",
        45 => "mm:ss",
        46 => "[h]:mm:ss",
        47 => "mm:ss.0",
        48 => "##0.0E+0",
        _ => GENERAL,
    }
}

/// Formats a number with a code.
pub(super) fn shown(value: f64, code: &str, from_1904: bool) -> String {
    if code == GENERAL {
        return general(value);
    }
    let sections = sections(code);
    let (section, value) = match sections.as_slice() {
        [_, negative, ..] if value < 0.0 => (negative, -value),
        [_, _, zero, ..] if value == 0.0 => (zero, value),
        [first, ..] => (first, value),
        [] => return general(value),
    };
    let pieces = pieces(section);
    if pieces.iter().any(|piece| matches!(piece, Piece::General)) {
        return general(value);
    }
    if pieces.iter().any(|piece| matches!(piece, Piece::Time(_))) {
        let days = if from_1904 { value + 1462.0 } else { value };
        return super::dates::shown(days, &pieces).unwrap_or_else(|| general(value));
    }
    number(value, &pieces)
}

/// A part of a code.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Piece {
    Literal(String),
    /// `0`, `#` or `?`.
    Digit(char),
    Point,
    Comma,
    Percent,
    Exponent,
    General,
    /// Letters of a date or time: `yyyy`, `mm`, `[h]`, `AM/PM`.
    Time(String),
    /// `@`: the text itself.
    Text,
}

fn sections(code: &str) -> Vec<String> {
    let mut sections = vec![String::new()];
    let mut quoted = false;
    let mut escaped = false;
    for character in code.chars() {
        match character {
            ';' if !quoted && !escaped => {
                sections.push(String::new());
                continue;
            }
            '"' if !escaped => quoted = !quoted,
            _ => {}
        }
        escaped = character == '\\' && !escaped;
        if let Some(last) = sections.last_mut() {
            last.push(character);
        }
    }
    sections
}

fn pieces(section: &str) -> Vec<Piece> {
    if section.trim().eq_ignore_ascii_case(GENERAL) || section.trim().is_empty() {
        return vec![Piece::General];
    }
    let mut pieces = Vec::new();
    let mut rest = section;
    while let Some(character) = rest.chars().next() {
        let (piece, length) = piece(character, rest);
        pieces.extend(piece);
        rest = rest.get(length.max(1)..).unwrap_or_default();
    }
    pieces
}

/// The first piece of `rest`, and its length in bytes.
fn piece(character: char, rest: &str) -> (Option<Piece>, usize) {
    let literal = |text: &str| Some(Piece::Literal(text.to_owned()));
    let second = rest.chars().nth(1);
    let both = character.len_utf8() + second.map_or(0, char::len_utf8);
    let upper = rest.get(..7).unwrap_or(rest).to_ascii_uppercase();
    match character {
        '"' => {
            let text = rest.get(1..).and_then(|rest| rest.split('"').next()).unwrap_or_default();
            (literal(text), text.len() + 2)
        }
        '\\' => (second.map(|second| Piece::Literal(second.to_string())), both),
        // Padding: a blank as wide as the next character, or the next character repeated.
        '_' => (literal(" "), both),
        '*' => (None, both),
        '[' => bracket(rest),
        '0' | '#' | '?' => (Some(Piece::Digit(character)), 1),
        '.' => (Some(Piece::Point), 1),
        ',' => (Some(Piece::Comma), 1),
        '%' => (Some(Piece::Percent), 1),
        '@' => (Some(Piece::Text), 1),
        'E' | 'e' if matches!(second, Some('+' | '-')) => (Some(Piece::Exponent), 2),
        'G' | 'g' if upper == "GENERAL" => (Some(Piece::General), 7),
        'A' | 'a' if upper.starts_with("AM/PM") => (Some(Piece::Time("AM/PM".into())), 5),
        'A' | 'a' if upper.starts_with("A/P") => (Some(Piece::Time("AM/PM".into())), 3),
        'y' | 'm' | 'd' | 'h' | 's' | 'Y' | 'M' | 'D' | 'H' | 'S' => {
            let same = |other: &char| other.eq_ignore_ascii_case(&character);
            let length = rest.chars().take_while(same).count();
            let letters = character.to_ascii_lowercase().to_string().repeat(length.min(5));
            (Some(Piece::Time(letters)), length)
        }
        other => (literal(&other.to_string()), other.len_utf8()),
    }
}

/// `[$€-407]` is a currency, `[h]` hours beyond 24, the rest a colour or a condition.
fn bracket(rest: &str) -> (Option<Piece>, usize) {
    let Some((inside, _)) = rest.get(1..).and_then(|rest| rest.split_once(']')) else {
        return (None, rest.len());
    };
    let length = inside.len() + 2;
    if let Some(currency) = inside.strip_prefix('$') {
        let sign = currency.split('-').next().unwrap_or_default();
        return ((!sign.is_empty()).then(|| Piece::Literal(sign.to_owned())), length);
    }
    let lower = inside.to_ascii_lowercase();
    let elapsed =
        !lower.is_empty() && ["h", "m", "s"].iter().any(|unit| lower.replace(unit, "").is_empty());
    (elapsed.then(|| Piece::Time(format!("[{lower}]"))), length)
}

/// At most eleven digits, as in a cell.
pub(super) fn general(value: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    let size = value.abs();
    if !(1e-9..1e15).contains(&size) {
        return format!("{value:E}");
    }
    #[expect(clippy::cast_possible_truncation, reason = "between -9 and 15")]
    let before = size.log10().floor() as i32 + 1;
    let decimals = usize::try_from(11 - before.max(1)).unwrap_or(0);
    let written = format!("{value:.decimals$}");
    if written.contains('.') {
        written.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        written
    }
}

fn number(value: f64, pieces: &[Piece]) -> String {
    let is_digit = |piece: &Piece| matches!(piece, Piece::Digit(_));
    let Some(first) = pieces.iter().position(is_digit) else {
        let shown = literals(pieces);
        return if pieces.contains(&Piece::Text) {
            format!("{shown}{}", general(value))
        } else {
            shown
        };
    };
    let last = pieces.iter().rposition(is_digit).unwrap_or(first);
    let digits = pieces.get(first..=last).unwrap_or_default();
    // `.00` and `0.`: the point may come before the first digit.
    let led = pieces.get(..first).unwrap_or_default().ends_with(&[Piece::Point]);
    if digits.contains(&Piece::Exponent) {
        return general(value);
    }
    let percents = pieces.iter().filter(|piece| **piece == Piece::Percent).count();
    let after = pieces.get(last + 1..).unwrap_or_default();
    let thousands = after.iter().take_while(|piece| **piece == Piece::Comma).count();
    let scale = |count: usize| i32::try_from(count.min(20)).unwrap_or(0);
    let value = value * 100f64.powi(scale(percents)) / 1000f64.powi(scale(thousands));
    let point = if led { Some(0) } else { digits.iter().position(|piece| *piece == Piece::Point) };
    let (whole, fraction) = match point {
        Some(_) if led => (&[][..], digits),
        Some(at) => digits.split_at(at),
        None => (digits, &[][..]),
    };
    let count = |pieces: &[Piece], wanted: &[char]| {
        pieces
            .iter()
            .filter(|piece| matches!(piece, Piece::Digit(sign) if wanted.contains(sign)))
            .count()
    };
    let decimals = count(fraction, &['0', '#', '?']).min(30);
    let mut written = format!("{:.decimals$}", value.abs());
    if decimals > 0 {
        let needed = count(fraction, &['0', '?']);
        while written.ends_with('0')
            && written.rsplit('.').next().unwrap_or_default().len() > needed
        {
            written.pop();
        }
        written = written.trim_end_matches('.').to_owned();
    }
    let (integer, rest) = written.split_at(written.find('.').unwrap_or(written.len()));
    let mut integer = format!("{integer:0>width$}", width = count(whole, &['0']).min(30));
    if integer == "0" && count(whole, &['0']) == 0 && !rest.is_empty() {
        integer.clear();
    }
    if whole.contains(&Piece::Comma) {
        integer = grouped(&integer);
    }
    let is_zero = !written.contains(|digit: char| ('1'..='9').contains(&digit));
    let sign = if value < 0.0 && !is_zero { "-" } else { "" };
    let before = literals(pieces.get(..first).unwrap_or_default());
    let text = format!("{sign}{before}{integer}{rest}{}", literals(after));
    text.trim().to_owned()
}

fn grouped(digits: &str) -> String {
    let mut written = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            written.push(',');
        }
        written.push(digit);
    }
    written
}

fn literals(pieces: &[Piece]) -> String {
    pieces
        .iter()
        .map(|piece| match piece {
            Piece::Literal(text) => text.as_str(),
            Piece::Percent => "%",
            _ => "",
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_as_their_code_asks() {
        let cases = [
            (1234.5, "#,##0.00", "1,234.50"),
            (-1234.5, "#,##0.00;(#,##0.00)", "(1,234.50)"),
            (0.125, "0.0%", "12.5%"),
            (1234.5, "#,##0.00 [$€-407]", "1,234.50 €"),
            (12.0, "\"No. \"000", "No. 012"),
            (1_234_567.0, "0.0,,\"M\"", "1.2M"),
            (0.1 + 0.2, "General", "0.3"),
            (5.0, "0.##", "5"),
            (-3.0, "0", "-3"),
            (0.0, "0;-0;\"none\"", "none"),
        ];
        for (value, code, wanted) in cases {
            assert_eq!(shown(value, code, false), wanted, "{code}");
        }
    }

    #[test]
    fn dates_are_shown_as_their_code_asks() {
        let cases = [
            (45292.0, "dd.mm.yyyy", "01.01.2024"),
            (45292.75, "yyyy-mm-dd h:mm", "2024-01-01 18:00"),
            (45292.5, "h:mm AM/PM", "12:00 PM"),
            (1.5, "[h]:mm", "36:00"),
            (45292.0, "d mmm yy", "1 Jan 24"),
            (60.0, "yyyy-mm-dd", "1900-02-29"),
            (59.0, "yyyy-mm-dd", "1900-02-28"),
        ];
        for (value, code, wanted) in cases {
            assert_eq!(shown(value, code, false), wanted, "{code}");
        }
        assert_eq!(shown(0.0, "yyyy-mm-dd", true), "1904-01-01");
    }

    #[test]
    fn a_code_of_nonsense_gives_something() {
        let cases = [
            ("[", ""),
            ("\"", ""),
            ("\\", ""),
            ("_", " "),
            ("*", ""),
            ("[$", ""),
            (";;;", "12.5"),
            ("0.0.0.0", "-12.500"),
            ("€€€", "€€€"),
            ("[hhh", ""),
        ];
        for (code, wanted) in cases {
            assert_eq!(shown(-12.5, code, false), wanted, "{code}");
        }
    }
}
