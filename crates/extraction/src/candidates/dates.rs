//! Dates in numeric and written form, in German, English, French, Italian, Spanish, Dutch, Portuguese and Polish.

use std::sync::LazyLock;

use chrono::{Datelike, NaiveDate};
use domain::FieldKind;
use regex::Regex;

use super::{Hit, Token, Value};
use crate::fold::fold;

/// Names of months, folded, and their beginnings by which they are abbreviated (at least three letters).
const MONTHS: [&str; 12] = [
    "januar jaenner january janvier gennaio enero januari janeiro stycznia styczen genn ene",
    "februar feber february fevrier febbraio febrero februari fevereiro lutego luty febr",
    "maerz march mars marzo maart marco marca marzec mrz mrt maer",
    "april avril aprile abril kwietnia kwiecien",
    "mai may maggio mayo mei maio maja maj magg",
    "juni june juin giugno junio junho czerwca czerwiec",
    "juli july juillet luglio julio julho lipca lipiec juil",
    "august aout agosto augustus sierpnia sierpien ago",
    "september septembre settembre septiembre setembro wrzesnia wrzesien sept sett set",
    "oktober october octobre ottobre octubre outubro pazdziernika pazdziernik",
    "november novembre noviembre novembro listopada listopad",
    "dezember december decembre dicembre diciembre dezembro grudnia grudzien",
];

/// Words between the parts of a written date.
const JOINERS: [&str; 8] = ["de", "of", "del", "den", "d", "di", "the", "do"];

static NUMERIC: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?x)
        (?:^|[^0-9.,/-])
        (?:
            (?<y>(?:19|20)[0-9]{2})(?<s1>[-./])(?<m>[0-9]{1,2})[-./](?<d>[0-9]{1,2})
          | (?<a>[0-9]{1,2})(?<s2>[-./])(?<b>[0-9]{1,2})[-./](?<z>(?:19|20)?[0-9]{2})
          | (?<wd>[0-9]{1,2})[-./]?(?<wm>[A-Za-z]{3,9})\.?[-./]?(?<wy>(?:19|20)[0-9]{2}|[0-9]{2})
        )
        (?:$|[^0-9./-]|[./-](?:$|[^0-9]|[0-9]{1,2}:))",
    )
    .ok()
});

/// The number of a month's name or abbreviation, in any of the languages.
pub fn month_of(word: &str) -> Option<u32> {
    let folded = fold(word);
    let name = folded.trim_matches(|c: char| !c.is_alphanumeric());
    if name.len() < 3 || !name.bytes().all(|b| b.is_ascii_lowercase()) {
        return None;
    }
    let matches = |names: &&str| {
        names.split(' ').any(|full| full == name)
            // An abbreviation has three letters, or four with its point.
            || (name.len() <= 4 && names.split(' ').any(|full| full.starts_with(name)))
    };
    // "mar" is March in most languages, not the Polish "marca"; both are the third month.
    (1..).zip(&MONTHS).find(|(_, names)| matches(names)).map(|(month, _)| month)
}

pub(super) fn find(tokens: &[Token<'_>], hits: &mut Vec<Hit>) {
    let mut at = 0;
    while at < tokens.len() {
        let hit =
            numeric(tokens, at).or_else(|| spaced(tokens, at)).or_else(|| written(tokens, at));
        match hit {
            Some(hit) => {
                at = hit.to;
                hits.push(hit);
            }
            None => at += 1,
        }
    }
}

/// `15.10.2018`, `2018-10-15`, `10/15/2018`, `09-Apr-2025`; also with a label or a time that touches it.
fn numeric(tokens: &[Token<'_>], at: usize) -> Option<Hit> {
    let text = tokens[at].text;
    if text.len() < 6 || !text.bytes().any(|b| b.is_ascii_digit()) {
        return None;
    }
    let (date, other) = read_numeric(text).or_else(|| read_compact(text))?;
    let mut hit = Hit::new(at..at + 1, FieldKind::Date, Value::Date(date));
    hit.other = other.map(Value::Date);
    Some(hit)
}

fn read_numeric(text: &str) -> Option<(NaiveDate, Option<NaiveDate>)> {
    let found = NUMERIC.as_ref()?.captures(text)?;
    let number = |name: &str| found.name(name).and_then(|part| part.as_str().parse::<u32>().ok());
    if let (Some(year), Some(month), Some(day)) = (number("y"), number("m"), number("d")) {
        return Some((date(year, month, day)?, None));
    }
    if let Some(month) = found.name("wm") {
        let day = number("wd")?;
        return Some((date(full_year(number("wy")?), month_of(month.as_str())?, day)?, None));
    }
    let (first, second, year) = (number("a")?, number("b")?, full_year(number("z")?));
    let day_first = date(year, second, first);
    let point = found.name("s2").is_some_and(|separator| separator.as_str() == ".");
    if point {
        return Some((day_first?, None));
    }
    let month_first = date(year, first, second);
    match (day_first, month_first) {
        (Some(a), Some(b)) if a != b => Some((a, Some(b))),
        (Some(one), _) | (None, Some(one)) => Some((one, None)),
        (None, None) => None,
    }
}

/// For a date that was read in one way only: whether its day is before its month. `None` where the form of the date says
/// nothing about others.
pub(super) fn unambiguous_order(raw: &str) -> Option<bool> {
    let found = NUMERIC.as_ref()?.captures(raw)?;
    let number = |name: &str| found.name(name).and_then(|part| part.as_str().parse::<u32>().ok());
    let (first, second) = (number("a")?, number("b")?);
    if found.name("s2").is_some_and(|separator| separator.as_str() == ".") || first == second {
        return None;
    }
    Some(second <= 12)
}

/// `20250730`, alone in its word.
fn read_compact(text: &str) -> Option<(NaiveDate, Option<NaiveDate>)> {
    if text.len() != 8 || !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let year: u32 = text[..4].parse().ok()?;
    if !(1990..2100).contains(&year) {
        return None;
    }
    Some((date(year, text[4..6].parse().ok()?, text[6..].parse().ok()?)?, None))
}

/// `15. 10. 2018` and `15 / 10 / 2018`: the parts are words of their own.
fn spaced(tokens: &[Token<'_>], at: usize) -> Option<Hit> {
    let mut joined = String::new();
    for (count, token) in tokens[at..].iter().take(5).enumerate() {
        if token.text.is_empty()
            || token.text.len() > 5
            || !token.text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'/' | b'-'))
        {
            return None;
        }
        joined.push_str(token.text);
        // Two parts never make a date: a quantity beside a year is not one.
        if count >= 1 && joined.len() >= 8 {
            let (date, other) = read_numeric(&joined)?;
            let mut hit = Hit::new(at..at + count + 1, FieldKind::Date, Value::Date(date));
            hit.other = other.map(Value::Date);
            return Some(hit);
        }
    }
    None
}

/// `6. Juni 2016`, `6 de junio de 2016`, `June 6th, 2016`.
fn written(tokens: &[Token<'_>], at: usize) -> Option<Hit> {
    let mut next = at;
    let (first, second) = (take_part(tokens, &mut next)?, take_part(tokens, &mut next)?);
    let ((Part::Number(day), Part::Month(month)) | (Part::Month(month), Part::Number(day))) =
        (first, second)
    else {
        return None;
    };
    let Part::Number(year) = take_part(tokens, &mut next)? else { return None };
    if (32..1900).contains(&year) && !tokens[next - 1].text.starts_with(['\'', '’']) && year > 99
    {
        return None;
    }
    let value = date(full_year(year), month, day)?;
    Some(Hit::new(at..next, FieldKind::Date, Value::Date(value)))
}

enum Part {
    Number(u32),
    Month(u32),
}

fn take_part(tokens: &[Token<'_>], next: &mut usize) -> Option<Part> {
    let mut text = tokens.get(*next)?.text;
    if JOINERS.contains(&text.to_ascii_lowercase().as_str()) {
        *next += 1;
        text = tokens.get(*next)?.text;
    }
    *next += 1;
    let bare = text.trim_matches(|c: char| !c.is_alphanumeric());
    let digits = bare.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == 'º' || c == '°');
    if !digits.is_empty() && digits.len() <= 4 && digits.bytes().all(|b| b.is_ascii_digit()) {
        let ending = &bare[digits.len()..];
        let ordinal = matches!(ending, "" | "st" | "nd" | "rd" | "th" | "er" | "e" | "º" | "°");
        return if ordinal { digits.parse().ok().map(Part::Number) } else { None };
    }
    month_of(bare).map(Part::Month)
}

fn full_year(year: u32) -> u32 {
    match year {
        0..70 => 2000 + year,
        70..100 => 1900 + year,
        year => year,
    }
}

fn date(year: u32, month: u32, day: u32) -> Option<NaiveDate> {
    let date = NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, day)?;
    (1900..2200).contains(&date.year()).then_some(date)
}
