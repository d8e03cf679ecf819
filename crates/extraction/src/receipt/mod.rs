//! The fields of a receipt: company, date, address, total and currency.
//!
//! Receipts are mostly photographed, so the text comes from OCR. Both readings of an uncertain word are considered, and the
//! total is checked against payment, change and rounding.

mod company;
#[cfg(test)]
mod tests;
mod total;

use domain::FieldSource;

use crate::candidates::{Found, currency};
use crate::labels::Labels;
use crate::parsed::{Candidate, Parsed, ParsedField};
use crate::rows::{Rows, Token};
use crate::types::DocumentType;

/// A receipt has few dates; more are ignored.
const MAX_DATES: usize = 200;

pub(crate) const DOCUMENT_TYPE: &str = "receipt";

/// Finds the fields of a receipt.
pub(crate) fn parse(rows: &Rows, dates: &[Found], document_type: &DocumentType) -> Parsed {
    let (company, address) = company::company_and_address(rows);
    let totals = total::totals(rows, &Labels::of(document_type, "total"));
    let fields = vec![
        ParsedField::best_of("company", company),
        ParsedField::best_of("date", read_dates(dates, rows, &Labels::of(document_type, "date"))),
        ParsedField::best_of("address", address),
        ParsedField::best_of("total", totals),
        ParsedField::best_of("currency", currencies(rows)),
    ];
    Parsed { document_type: document_type.name.clone(), fields, ..Parsed::default() }
}

/// The dates, the day before the month where both orders are possible: receipts say so nearly everywhere.
fn read_dates(found: &[Found], rows: &Rows, labels: &Labels) -> Vec<Candidate> {
    let found = &found[..found.len().min(MAX_DATES)];
    let count = |value: &str| found.iter().filter(|other| other.normalised() == value).count();
    let mut dates = Vec::new();
    for (order, date) in found.iter().enumerate() {
        let value = date.normalised();
        let year: u32 = value.get(..4).and_then(|year| year.parse().ok()).unwrap_or_default();
        #[expect(clippy::cast_precision_loss, reason = "there are few dates")]
        let mut score = 2.0 - 0.1 * order.min(20) as f32;
        if date.source == FieldSource::OcrAlternative {
            score -= 1.0;
        }
        if count(&value) > 1 {
            score += 0.5;
        }
        if !(2000..2040).contains(&year) {
            score -= 2.0;
        }
        let middle = date.area.map(|area| f32::midpoint(area.top, area.bottom));
        let row = rows.list.iter().find(|row| {
            row.page == date.page
                && middle.is_some_and(|middle| row.area.top < middle && middle < row.area.bottom)
        });
        if row.is_some_and(|row| labels.find(&row.tokens).is_some()) {
            score += 0.8;
        }
        // Digits without separators are rather a number.
        if !date.raw.contains(|char: char| !char.is_ascii_digit()) {
            score -= 1.0;
        }
        dates.push(Candidate {
            value,
            raw: date.raw.clone(),
            page: Some(date.page),
            area: date.area,
            source: date.source,
            score,
            currency: None,
        });
    }
    dates
}

fn currencies(rows: &Rows) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    for row in rows.list.iter().take(2_000) {
        for (at, token) in row.tokens.iter().enumerate() {
            let sign: String = token
                .text
                .chars()
                .filter(|char| !char.is_ascii_digit() && !".,:()-".contains(*char))
                .collect();
            let Some(code) = currency(&sign) else { continue };
            // Some codes are words as well: `PEN`.
            if sign == code && !is_beside_number(&row.tokens, at) {
                continue;
            }
            // A dollar sign is used for many currencies.
            let weight = if sign == "$" { 0.2 } else { 1.0 };
            if let Some(known) = found.iter_mut().find(|known| known.value == code) {
                known.score += weight;
            } else {
                found.push(Candidate {
                    value: code.to_owned(),
                    raw: token.text.clone(),
                    page: Some(row.page),
                    area: rows.placed().then_some(token.area),
                    source: FieldSource::Page,
                    score: weight,
                    currency: None,
                });
            }
        }
    }
    for candidate in &mut found {
        candidate.score = candidate.score.min(4.0);
    }
    found
}

/// Whether a token contains digits, or a neighbour does.
fn is_beside_number(tokens: &[Token], at: usize) -> bool {
    let near = &tokens[at.saturating_sub(1)..(at + 2).min(tokens.len())];
    near.iter().any(|token| token.text.contains(|char: char| char.is_ascii_digit()))
}
