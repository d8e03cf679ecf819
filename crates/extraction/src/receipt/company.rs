//! The company of a receipt and its address: the first rows, until contact details or the receipt itself begin.

use std::sync::LazyLock;

use domain::FieldSource;
use regex::Regex;

use crate::parsed::Candidate;
use crate::rows::{Row, Rows, text_of};

/// The rows at the top that are examined.
const TOP: usize = 18;
/// The most rows of an address.
const MAX_ADDRESS: usize = 7;

fn regex(pattern: &str) -> Option<Regex> {
    Regex::new(pattern).ok()
}

/// Words that companies have in their names.
static COMPANY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(
        r"(?i)\b(?:sdn|bhd|s/b|enterprise|trading|restaurant|restoran|ristorante|mart|market|supermarket|supermarkt|hardware|cafe|café|coffee|bistro|store|stores|shop|kedai|syarikat|pasaraya|marketing|industries|hotel|bakery|bäckerei|boulangerie|pharmacy|apotheke|pharmacie|farmacia|gmbh|ag|kg|ltd|limited|inc|llc|sarl|sas|srl|spa|bv|co\.|company|corporation|group|holdings|centre|center|machinery|electrical|supplies|petrol|petro|tankstelle|service|services|book|books|maker|gift|deco|handicraft|packaging|seafood|house|cash & carry|advertising|international|point)\b",
    )
});

/// Endings that are part of a name when they are on a row of their own.
static ENDING: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(
        r"(?i)^\(?(?:m|malaysia)?\)?\s*(?:sdn\.?\s*bhd\.?|s/b|gmbh|ltd\.?|inc\.?|trading|enterprise)\.?$",
    )
});

/// Where the head of the receipt ends.
static STOP: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(
        r"(?i)(?:\btel|\bphone|\bfon\b|\bfax|\bh/p\b|\bgst\b|\bsst\b|\bvat\b|\bust\b|\btva\b|p\.?\s?iva|steuer|tax\s*invoice|taxinvoice|\binvoice|\breceipt\b|\bcashier|\bdate\b|\bdatum|\btable\b|@|www\.|http|\btime\b|\border\b|\bqty\b|\bbill\b|\bcashbill|\bmember|\bhotline|careline|\b1[38]00\s\d\d|\bprepay|\bnumber\b|\bcash\s+sales|simplified|\breg\b|\bpos\b|\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}|\d{1,2}\s?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\s?\d{2,4})",
    )
});

/// Rows between the company and its address that are neither.
static BETWEEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(
        r"(?i)^\(?[\dA-Z]*\d{4,}[\dA-Z]*\s?-?\s?[A-Z]?\)?[.,]?$|company\s*(?:reg|no)|\bco\.?\s*(?:reg|no)|reg\.?\s*no|roc\s*no|\bbr\s*no|formerly|licensee|^\W*$|^[\d\s+/-]{7,}$|thank|welcome|shopping with",
    )
});

/// What addresses contain.
static ADDRESS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(
        r"(?i)\b(?:no|lot|unit|level|jalan|jln|jl|lorong|lrg|taman|tmn|bandar|kampung|seksyen|section|block|blk|floor|street|str|straße|strasse|road|avenue|ave|rue|via|calle|straat|weg|platz|plaza|mall|bangunan|menara|wisma|autoroute|highway|km)\b|\b\d{4,5}\b\s*\p{L}|^\d+[A-Za-z]?\s*[,-]|\bss\d|straße|strasse|straat",
    )
});

/// The registration number behind a name.
static REGISTRATION: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(
        r"(?i)\s*[\(\[]\s*(?:co\.?\s*no\.?\s*:?\s*)?[\dA-Z]*\d{3,}[\dA-Z\-]*\s*[\)\]].*$|\s+\d{5,}-[A-Z]$",
    )
});

fn is(pattern: &LazyLock<Option<Regex>>, text: &str) -> bool {
    pattern.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

pub(super) fn company_and_address(rows: &Rows) -> (Vec<Candidate>, Vec<Candidate>) {
    let top: Vec<(&Row, String)> =
        rows.list.iter().take(TOP).map(|row| (row, text_of(&row.tokens))).collect();
    let end = top
        .iter()
        .position(|(_, text)| is(&STOP, text) && !is(&COMPANY, &strip_dates(text)))
        .unwrap_or(top.len());
    let mut companies: Vec<(usize, usize, f32)> = Vec::new();
    for (at, (_, text)) in top.iter().enumerate().take(end.max(1) + 2) {
        let Some(score) = name_score(text, at) else { continue };
        let joined = top.get(at + 1).is_some_and(|(_, next)| is(&ENDING, next.trim()));
        companies.push((
            at,
            if joined { at + 2 } else { at + 1 },
            score + if joined { 1.0 } else { 0.0 },
        ));
    }
    companies.sort_by(|a, b| b.2.total_cmp(&a.2));
    let names = companies.iter().take(6).map(|(from, to, score)| {
        let text =
            top[*from..*to].iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join(" ");
        candidate(rows, &top[*from..*to], clean_name(&text), text, *score)
    });
    let names: Vec<Candidate> = names.collect();
    let start = companies.first().map_or(0, |(_, to, _)| *to);
    (names, addresses(rows, &top, start))
}

fn strip_dates(text: &str) -> String {
    text.split_whitespace()
        .filter(|word| !word.bytes().any(|byte| byte.is_ascii_digit()))
        .collect::<Vec<_>>()
        .join(" ")
}

fn candidate(
    rows: &Rows,
    from: &[(&Row, String)],
    value: String,
    raw: String,
    score: f32,
) -> Candidate {
    let area = from.iter().map(|(row, _)| row.area).reduce(|all, area| all.around(&area));
    Candidate {
        value,
        raw,
        page: from.first().map(|(row, _)| row.page),
        area: area.filter(|_| rows.placed()),
        source: FieldSource::Page,
        score,
        currency: None,
    }
}

fn clean_name(text: &str) -> String {
    let name =
        REGISTRATION.as_ref().map_or_else(|| text.into(), |pattern| pattern.replace(text, ""));
    name.trim_matches([' ', ',', '.', ':', '*', '-']).to_owned()
}

/// How much a row looks like the name of a company; `None` when it cannot be one.
fn name_score(text: &str, at: usize) -> Option<f32> {
    let letters: Vec<char> = text.chars().filter(|char| char.is_alphabetic()).collect();
    let digits = text.chars().filter(char::is_ascii_digit).count();
    // Notes by hand are in lower case or single codes.
    let is_note = !letters.iter().any(|char| char.is_uppercase());
    if letters.len() < 3
        || digits > letters.len()
        || is_note
        || is(&BETWEEN, text.trim())
        || is(&ENDING, text.trim())
    {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "at most a few rows")]
    let mut score = 2.0 - 0.35 * at as f32;
    if is(&COMPANY, text) {
        score += 1.5;
    }
    if text.to_lowercase().contains("bhd") || text.contains("GmbH") {
        score += 0.5;
    }
    if is(&STOP, text) {
        score -= 1.5;
    }
    if is(&ADDRESS, text) {
        score -= 1.2;
    }
    if digits > 3 {
        score -= 1.0;
    }
    Some(score)
}

/// The rows after the company that look like an address, until contact details.
fn addresses(rows: &Rows, top: &[(&Row, String)], start: usize) -> Vec<Candidate> {
    let Some(first) = (start..top.len().min(start + 6)).find(|at| {
        let text = top[*at].1.trim();
        is(&ADDRESS, text) && !is(&STOP, text) && !is(&BETWEEN, text)
    }) else {
        return Vec::new();
    };
    let mut end = first;
    while end < top.len() && end - first < MAX_ADDRESS {
        let text = &top[end].1;
        if is(&STOP, text) || end > first && is(&BETWEEN, text.trim()) {
            break;
        }
        end += 1;
    }
    if end == first {
        return Vec::new();
    }
    let join = |to: usize| {
        let texts: Vec<&str> = top[first..to].iter().map(|(_, text)| text.trim()).collect();
        texts.join(" ").trim_matches([' ', ',', ':']).to_owned()
    };
    let full = join(end);
    let mut found = vec![candidate(rows, &top[first..end], full.clone(), full, 2.0)];
    if end - first > 1 {
        let shorter = join(end - 1);
        found.push(candidate(rows, &top[first..end - 1], shorter.clone(), shorter, 1.0));
    }
    found
}
