//! Numbers: amounts with currency and sign, quantities, percentages and plain numbers.

use domain::FieldKind;
use rust_decimal::Decimal;

use super::{Entry, Hit, Token, Value, currencies, currency};
use crate::fold::fold;
use crate::geometry::View;

/// Words for units of securities and goods, folded.
const UNITS: [&str; 41] = [
    "stk", "stueck", "stck", "st", "stuecke", "anteile", "anteil", "ant", "shares", "share", "shs",
    "units", "unit", "pcs", "pc", "piece", "pieces", "parts", "part", "titres", "titre", "azioni",
    "quote", "acciones", "titulos", "aandelen", "aandeel", "stuks", "szt", "sztuk", "titel",
    "nominal", "nominale", "nom", "h", "std", "kg", "hours", "ea", "acoes", "effekten",
];

/// A number as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    pub value: Decimal,
    /// With the only separator read as the other kind: `1.000` is a thousand or one.
    pub other: Option<Decimal>,
    pub decimals: u8,
    pub currency: Option<&'static str>,
    pub percent: bool,
    pub negative: bool,
    pub entry: Option<Entry>,
    /// It has nothing but digits, so that it may continue or begin a number with spaces.
    bare: bool,
}

/// Reads one word as a number, with the sign, currency and percent sign that touch it.
pub fn parse_number(text: &str) -> Option<Written> {
    if !text.bytes().any(|b| b.is_ascii_digit()) {
        return None;
    }
    let mut rest = text.trim_end_matches([';', ':', '*']).trim_start_matches(['*', '=']);
    let mut written = Written {
        value: Decimal::ZERO,
        other: None,
        decimals: 0,
        currency: None,
        percent: false,
        negative: false,
        entry: None,
        bare: text.bytes().all(|b| b.is_ascii_digit()),
    };
    if let Some(inner) = rest.strip_prefix('(').map(|rest| rest.strip_suffix(')').unwrap_or(rest)) {
        rest = inner;
    }
    rest = rest.trim_end_matches(')');
    for _ in 0..3 {
        if let Some(after) = rest.strip_prefix(['-', '−', '–']) {
            written.negative = true;
            rest = after;
        } else if let Some(after) = rest.strip_prefix('+') {
            rest = after;
        } else if let Some((code, after)) = currencies::strip_prefix(rest) {
            written.currency = Some(code);
            rest = after;
        } else {
            break;
        }
    }
    rest = strip_endings(rest, &mut written);
    let (value, other, decimals) = digits(rest)?;
    written.value = if written.negative { -value } else { value };
    written.other = other.map(|other| if written.negative { -other } else { other });
    written.decimals = decimals;
    Some(written)
}

fn strip_endings<'t>(mut rest: &'t str, written: &mut Written) -> &'t str {
    for dash in [",--", ".--", ",-", ".-", ",—", ".—", ".–", ",–"] {
        if let Some(before) = rest.strip_suffix(dash) {
            return before;
        }
    }
    for _ in 0..3 {
        if let Some(before) = rest.strip_suffix('%') {
            written.percent = true;
            rest = before;
        } else if let Some(before) = rest.strip_suffix(['-', '−', '–']) {
            written.negative = true;
            rest = before;
        } else if let Some(before) = rest.strip_suffix(['+', '.', ',']) {
            rest = before;
        } else if let Some((code, before)) = currencies::strip_suffix(rest) {
            written.currency = Some(code);
            rest = before;
        } else if let Some((entry, before)) = strip_entry(rest) {
            written.entry = Some(entry);
            written.negative |= entry == Entry::Debit;
            rest = before;
        } else {
            break;
        }
    }
    rest
}

/// `S` (Soll) and `H` (Haben) only after decimals: `12H` is something else.
fn strip_entry(text: &str) -> Option<(Entry, &str)> {
    let endings =
        [("CR", Entry::Credit), ("DR", Entry::Debit), ("H", Entry::Credit), ("S", Entry::Debit)];
    let (entry, before) = endings
        .into_iter()
        .find_map(|(ending, entry)| text.strip_suffix(ending).map(|before| (entry, before)))?;
    let two_decimals =
        before.len() > 3 && matches!(before.as_bytes()[before.len() - 3], b',' | b'.');
    two_decimals.then_some((entry, before))
}

/// Reads digits with separators: the value, its other meaning, and the number of decimals.
fn digits(text: &str) -> Option<(Decimal, Option<Decimal>, u8)> {
    let apostrophe =
        |c: char| matches!(c, '\'' | '’' | '´' | '`' | '\u{a0}' | '\u{202f}' | '\u{2009}' | ' ');
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',') || apostrophe(c);
    if text.len() > 40
        || !text.starts_with(|c: char| c.is_ascii_digit())
        || !text.chars().all(is_part)
    {
        return None;
    }
    let count = |separator: char| text.chars().filter(|c| *c == separator).count();
    let (commas, points) = (count(','), count('.'));
    let decimal = match (commas, points) {
        (1, 0) => Some(','),
        (0, 1) => Some('.'),
        (0 | 2.., 0) | (0, _) => None,
        _ => {
            let last = text.rfind([',', '.']).and_then(|at| text[at..].chars().next())?;
            if count(last) != 1 {
                return None;
            }
            Some(last)
        }
    };
    let (whole, fraction) = match decimal.and_then(|separator| text.rsplit_once(separator)) {
        Some((whole, fraction)) => (whole, fraction),
        None => (text, ""),
    };
    if !fraction.bytes().all(|b| b.is_ascii_digit()) || !is_grouped(whole) {
        return None;
    }
    let plain: String = whole.chars().filter(char::is_ascii_digit).collect();
    let as_decimal = number(&plain, fraction)?;
    let decimals = u8::try_from(fraction.len()).ok()?;
    let one_separator = commas + points == 1 && !text.contains(apostrophe);
    if one_separator && fraction.len() == 3 && plain.len() <= 3 && plain != "0" {
        let grouped = number(&format!("{plain}{fraction}"), "")?;
        return Some((grouped, Some(as_decimal), 0));
    }
    Some((as_decimal, None, decimals))
}

/// Whether the digits before the decimal separator are one run, or groups of three.
fn is_grouped(whole: &str) -> bool {
    let mut groups = whole.split(|c: char| !c.is_ascii_digit());
    let first = groups.next().unwrap_or_default();
    let mut rest = groups.peekable();
    if rest.peek().is_none() {
        return !first.is_empty();
    }
    (1..=3).contains(&first.len()) && rest.all(|group| group.len() == 3)
}

fn number(whole: &str, fraction: &str) -> Option<Decimal> {
    if whole.len() + fraction.len() > 24 {
        return None;
    }
    let mantissa: i128 = format!("{whole}{fraction}").parse().ok()?;
    Decimal::try_from_i128_with_scale(mantissa, u32::try_from(fraction.len()).ok()?).ok()
}

pub(super) fn find(view: &View<'_>, tokens: &[Token<'_>], dated: &[bool], hits: &mut Vec<Hit>) {
    let written: Vec<Option<Written>> = tokens
        .iter()
        .zip(dated)
        .map(|(token, dated)| if *dated { None } else { parse_number(token.text) })
        .collect();
    let beside = Beside::new(tokens, &written);
    for at in 0..tokens.len() {
        let Some(number) = &written[at] else { continue };
        hits.push(beside.hit(at, at + 1, number.clone()));
        let joined = join(view, tokens, &written, at);
        hits.extend(joined.map(|(to, number)| beside.hit(at, to, number)));
    }
}

/// Joins `3 132,67`: one to three digits, then groups of three close to each other, the last perhaps with decimals.
fn join(
    view: &View<'_>,
    tokens: &[Token<'_>],
    written: &[Option<Written>],
    from: usize,
) -> Option<(usize, Written)> {
    let head = tokens[from].text.trim_start_matches(['-', '−', '+']);
    let is_head = (1..=3).contains(&head.len()) && head.bytes().all(|b| b.is_ascii_digit());
    // A group before it means that this word is the middle of a number.
    let is_middle = from > 0
        && head.len() == 3
        && written[from - 1].as_ref().is_some_and(|before| before.bare)
        && tokens[from - 1].text.len() <= 3;
    if !is_head || is_middle {
        return None;
    }
    let mut text = tokens[from].text.to_owned();
    let mut to = from + 1;
    while to < tokens.len() && to - from < 5 {
        let next = tokens[to].text;
        let digits = next.bytes().take_while(u8::is_ascii_digit).count();
        if digits != 3 || !view.adjoin(tokens[to - 1].word, tokens[to].word) {
            break;
        }
        text.push('\u{a0}');
        text.push_str(next);
        to += 1;
        if next.len() > 3 {
            break;
        }
    }
    if to == from + 1 {
        return None;
    }
    parse_number(&text).map(|number| (to, number))
}

/// What is written beside the numbers of a row, and on which side.
struct Beside<'t> {
    tokens: &'t [Token<'t>],
    currency_first: bool,
    sign_first: bool,
}

impl<'t> Beside<'t> {
    fn new(tokens: &'t [Token<'t>], written: &[Option<Written>]) -> Self {
        let first_number = written.iter().position(Option::is_some).unwrap_or(usize::MAX);
        let first = |is: &dyn Fn(&str) -> bool| tokens.iter().position(|token| is(token.text));
        // The currency that matters is one that touches a number.
        let currency_first = (0..tokens.len())
            .find(|&at| {
                let near = |at: usize| written.get(at).is_some_and(Option::is_some);
                currency(tokens[at].text).is_some() && (near(at + 1) || (at > 0 && near(at - 1)))
            })
            .is_none_or(|at| !(at > 0 && written[at - 1].is_some() && at > first_number));
        let sign_first = first(&is_dash).is_some_and(|at| at < first_number);
        Self { tokens, currency_first, sign_first }
    }

    fn text(&self, at: usize) -> &'t str {
        self.tokens.get(at).map_or("", |token| token.text)
    }

    fn before(&self, at: usize) -> &'t str {
        at.checked_sub(1).map_or("", |at| self.text(at))
    }

    fn hit(&self, from: usize, to: usize, mut number: Written) -> Hit {
        let (mut left, mut right) = (from, to);
        let mut code = number.currency;
        if code.is_none() {
            let before = currency(self.before(from));
            let after = currency(self.text(to));
            code = if self.currency_first { before.or(after) } else { after.or(before) };
            if code.is_some() && code == before && (self.currency_first || after.is_none()) {
                left = from.saturating_sub(1);
            } else if code.is_some() {
                right = to + 1;
            }
        }
        let next = self.text(right);
        let percent =
            number.percent || matches!(self.text(to), "%" | "Prozent" | "percent" | "v.H." | "pct");
        let dash_before = is_dash(self.before(left)) && (self.sign_first || left < from);
        let dash_after = is_dash(next) && !self.sign_first;
        if dash_before || dash_after {
            number.negate();
        }
        let entry = match fold(next).as_str() {
            "s" | "soll" | "dr" | "debit" => Some(Entry::Debit),
            "h" | "haben" | "cr" | "credit" => Some(Entry::Credit),
            _ => None,
        };
        if number.decimals == 2 && entry == Some(Entry::Debit) {
            number.negate();
        }
        let unit = [self.before(left), self.text(right)].into_iter().find(|word| is_unit(word));
        let kind = if percent {
            FieldKind::Percent
        } else if code.is_some() {
            FieldKind::Money
        } else if unit.is_some() {
            FieldKind::Quantity
        } else {
            FieldKind::Number
        };
        let mut hit = Hit::new(from..to, kind, Value::Number(number.value));
        hit.other = number.other.map(Value::Number);
        hit.decimals = number.decimals;
        hit.currency = code.map(str::to_owned);
        hit.unit = unit.map(str::to_owned);
        hit.entry = number.entry.or(entry);
        hit
    }
}

impl Written {
    fn negate(&mut self) {
        if !self.negative {
            self.negative = true;
            self.value = -self.value;
            self.other = self.other.map(|other| -other);
        }
    }
}

fn is_dash(text: &str) -> bool {
    matches!(text, "-" | "−" | "–" | "./." | "./")
}

fn is_unit(word: &str) -> bool {
    let folded = fold(word);
    UNITS.contains(&folded.trim_matches(|c: char| !c.is_alphanumeric()))
}
