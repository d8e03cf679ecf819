//! The name of the security, and the currencies of a trade.

use domain::FieldKind;

use super::{Prepared, Segment, derived};
use crate::fold::folded_words;
use crate::parsed::{Candidate, ParsedField};
use crate::scan::{RowText, Scan};

/// Words that announce a security or its codes, folded; they are no part of its name.
const ANNOUNCING: [&str; 36] = [
    "isin",
    "wkn",
    "valor",
    "valoren",
    "nr",
    "wertpapier",
    "wertpapierbezeichnung",
    "bezeichnung",
    "gattungsbezeichnung",
    "gattung",
    "titel",
    "fonds",
    "instrument",
    "security",
    "kennnummer",
    "stk",
    "stueck",
    "st",
    "code",
    "wertpapierkennung",
    "name",
    "etf",
    "valeur",
    "kenn",
    "wertpapiername",
    "number",
    "anteile",
    "nominale",
    "nominal",
    "stuecke",
    "libelle",
    "titre",
    "effect",
    "omschrijving",
    "kauf",
    "verkauf",
];

/// Adds the fields that follow from the place of the ISIN and from amounts.
pub(super) fn add(
    scan: &Scan,
    segment: &Segment,
    prepared: &Prepared<'_>,
    fields: &mut Vec<ParsedField>,
) {
    let best = |name: &str| {
        fields.iter().find(|field| field.name == name).and_then(|field| field.candidates.first())
    };
    let currency = |from: Option<&Candidate>| {
        let code = from?.currency.as_deref()?;
        Some(Candidate {
            page: from?.page,
            area: from?.area,
            raw: code.to_owned(),
            ..derived(code, 2.0)
        })
    };
    let common = common_currency(prepared);
    let settled =
        currency(best("net_amount")).or_else(|| common.as_deref().map(|code| derived(code, 0.0)));
    let priced = currency(best("price"));
    let name = name(scan, segment, prepared);
    fields.push(ParsedField::new("currency", settled.into_iter().collect()));
    fields.push(ParsedField::new("price_currency", priced.into_iter().collect()));
    fields.push(ParsedField::new("security_name", name.into_iter().collect()));
}

/// The currency of most amounts.
fn common_currency(prepared: &Prepared<'_>) -> Option<String> {
    let mut counts: std::collections::BTreeMap<&str, usize> = std::collections::BTreeMap::new();
    for currency in prepared.mentions.iter().filter_map(|mention| mention.found.currency.as_deref())
    {
        *counts.entry(currency).or_default() += 1;
    }
    counts.into_iter().max_by_key(|(_, count)| *count).map(|(currency, _)| currency.to_owned())
}

/// The text beside the ISIN, or in the row below or above it.
fn name(scan: &Scan, segment: &Segment, prepared: &Prepared<'_>) -> Option<Candidate> {
    let isin = prepared.mentions.iter().find(|mention| {
        mention.found.kind == FieldKind::Isin
            && segment.isin.as_ref().is_none_or(|isin| mention.found.normalised() == *isin)
    })?;
    let near = [0, 1, -1, 2, -2_isize].into_iter().filter_map(|step| {
        let number = isin.row.checked_add_signed(step)?;
        scan.row(number).filter(|row| segment.rows.contains(&row.number))
    });
    let mut best: Option<(usize, Candidate)> = None;
    for (order, row) in near.enumerate() {
        let Some(text) = name_in(row, prepared) else { continue };
        let letters = text.chars().filter(|c| c.is_alphabetic()).count();
        // A row is preferred over a longer one that is farther away.
        let merit = letters.min(24).saturating_sub(order * 4);
        if letters >= 4 && best.as_ref().is_none_or(|(known, _)| merit > *known) {
            let candidate = Candidate {
                raw: row.text.join(" "),
                page: Some(row.page),
                area: row.area,
                source: domain::FieldSource::Page,
                ..derived(&text, 0.0)
            };
            best = Some((merit, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// The words of a row without codes, numbers at its ends, and words that announce the security.
fn name_in(row: &RowText, prepared: &Prepared<'_>) -> Option<String> {
    let codes: Vec<String> = prepared
        .mentions
        .iter()
        .filter(|m| m.row == row.number && matches!(m.found.kind, FieldKind::Isin | FieldKind::Wkn))
        .map(|m| m.found.normalised())
        .collect();
    let is_noise = |word: &str| {
        let folded = folded_words(word);
        folded.is_empty()
            || folded.iter().all(|part| {
                ANNOUNCING.contains(&part.as_str()) || part.bytes().all(|b| b.is_ascii_digit())
            })
            || codes.iter().any(|code| word.contains(code.as_str()))
            || crate::candidates::currency(word).is_some()
    };
    let words: Vec<&str> = row.text.iter().map(String::as_str).collect();
    let from = words.iter().position(|word| !is_noise(word))?;
    let length =
        words[from..].iter().position(|word| codes.iter().any(|code| word.contains(code.as_str())));
    let mut words = &words[from..from + length.unwrap_or(words.len() - from)];
    while let Some((last, rest)) = words.split_last() {
        if !is_noise(last) {
            break;
        }
        words = rest;
    }
    (!words.is_empty()).then(|| words.join(" "))
}
