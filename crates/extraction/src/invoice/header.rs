//! The number and the dates of an invoice.

use pages::Area;

use crate::candidates::Found;
use crate::labels::Labels;
use crate::rows::{Row, Rows, Token, around, text_of};
use crate::types::DocumentType;

/// Words for an invoice in a title; the number follows somewhere in the same row.
const TITLES: [&str; 24] = [
    "Rechnung",
    "Gutschrift",
    "Rechnungskorrektur",
    "Korrekturrechnung",
    "Stornorechnung",
    "Invoice",
    "Credit note",
    "Bill",
    "Facture",
    "Avoir",
    "Note de crédit",
    "Fattura",
    "Nota di credito",
    "Parcella",
    "Factura",
    "Nota de crédito",
    "Abono",
    "Factuur",
    "Creditnota",
    "Creditfactuur",
    "Tax invoice",
    "Statement",
    "Abrechnung",
    "Beleg",
];
/// Words that make a number or date another one: of an order, a delivery, a customer.
const FOREIGN: [&str; 46] = [
    "bestell",
    "order",
    "auftrag",
    "kunde",
    "customer",
    "client",
    "lieferschein",
    "liefer",
    "delivery",
    "vertrag",
    "contract",
    "contrat",
    "commande",
    "livraison",
    "steuer",
    "tax",
    "ursprung",
    "original",
    "associe",
    "reference",
    "referenz",
    "referenc",
    "projekt",
    "project",
    "cliente",
    "ordine",
    "pedido",
    "klant",
    "leistung",
    "supply",
    "period",
    "zeitraum",
    "prestation",
    "reklam",
    "konto",
    "account",
    "tel",
    "fax",
    "page",
    "seite",
    "hrb",
    "siret",
    "siren",
    "gln",
    "version",
    "offer",
];
/// Labels of dates that are neither.
const OTHER_DATES: [&str; 42] = [
    "Leistungsdatum",
    "Liefer- und Leistungsdatum",
    "Lieferdatum",
    "Leistungszeitraum",
    "Abrechnungszeitraum",
    "Bestelldatum",
    "Bestell-Datum",
    "Auftragsdatum",
    "Auftrag-Datum-Lief",
    "Vertrags-Datum",
    "Lieferschein-Datum",
    "Leistungs-Datum",
    "Liefer-Datum",
    "Zeitraum",
    "Skonto bis",
    "Skonto innerhalb",
    "Delivery date",
    "Date of delivery",
    "Order date",
    "Service date",
    "Date of supply",
    "Billing period",
    "Period",
    "Ship date",
    "Date de livraison",
    "Date de commande",
    "Période",
    "Date de début de prestation",
    "Date de fin de prestation",
    "Date de facture associée",
    "Data ordine",
    "Data consegna",
    "Periodo",
    "Fecha de pedido",
    "Fecha de entrega",
    "Orderdatum",
    "Leverdatum",
    "Besteldatum",
    "Periode",
    "Stylesheet-Version",
    "Version",
    "Date début",
];
/// Words between the number and the date of an invoice.
const FROM: [&str; 14] = [
    "vom", "von", "du", "of", "from", "dated", "at", "issued", "del", "van", "dd", "datum", "date",
    "am",
];
/// The most dates and numbers that are examined.
const MAX_CANDIDATES: usize = 2_000;

/// A value with its evidence and score.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Scored {
    pub(crate) value: String,
    pub(crate) raw: String,
    pub(crate) area: Option<Area>,
    pub(crate) page: u32,
    pub(crate) score: f32,
    pub(crate) is_alternative: bool,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Dates {
    pub(crate) issue: Vec<Scored>,
    pub(crate) due: Vec<Scored>,
}

pub(super) fn scored(value: String, tokens: &[Token], page: u32, score: f32) -> Scored {
    Scored {
        value,
        raw: text_of(tokens),
        area: Some(around(tokens)),
        page,
        score,
        is_alternative: false,
    }
}

pub(crate) fn invoice_numbers(
    rows: &Rows,
    document_type: &DocumentType,
    dates: &[Found],
) -> Vec<Scored> {
    let labels = Labels::of(document_type, "invoice_number");
    let titles = Labels::new(TITLES);
    let mut found = Vec::new();
    for (index, row) in rows.list.iter().enumerate() {
        if found.len() > MAX_CANDIDATES {
            break;
        }
        for label in labels.find_all(&row.tokens).into_iter().take(20) {
            let last = &row.tokens[label.tokens.end - 1].key;
            // The word for an invoice alone is also in titles and sentences.
            let says_number = ["no", "nr", "nummer", "number", "numero", "id", "reference"]
                .iter()
                .any(|word| last.ends_with(word))
                || row.tokens[label.tokens.start].key == "no";
            let strength = if says_number { 3.0 } else { 2.0 } + 0.04 * length(label.length)
                - if label.exact { 0.0 } else { 0.3 };
            let before = foreign_before(&row.tokens[..label.tokens.start]);
            let right = right_of(row, label.tokens.end, dates).map(|(at, cost)| {
                scored(
                    identifier(&row.tokens[at].text),
                    &row.tokens[at..=at],
                    row.page,
                    strength - cost - before,
                )
            });
            if let Some(right) = right {
                found.push(right);
            } else if let Some((token, page)) =
                below(rows, index, &around(&row.tokens[label.tokens.clone()]), dates)
            {
                let value = identifier(&token.text);
                found.push(scored(
                    value,
                    std::slice::from_ref(token),
                    page,
                    strength - 0.5 - before,
                ));
            }
        }
        found.extend(titled(row, &titles, dates));
    }
    let texts: Vec<String> = found.iter().map(|scored| scored.value.clone()).collect();
    for scored in &mut found {
        let repeated = texts.iter().take(200).filter(|text| **text == scored.value).count();
        scored.score +=
            if scored.page == 1 { 0.5 } else { 0.0 } + if repeated > 1 { 0.4 } else { 0.0 };
        if scored.value.chars().filter(char::is_ascii_digit).count() < 2 {
            scored.score -= 1.0;
        }
    }
    best_first(found)
}

#[expect(clippy::cast_precision_loss, reason = "labels are short")]
fn length(length: usize) -> f32 {
    length.min(30) as f32
}

pub(super) fn best_first(mut found: Vec<Scored>) -> Vec<Scored> {
    found.sort_by(|a, b| b.score.total_cmp(&a.score));
    let mut kept: Vec<Scored> = Vec::new();
    for scored in found {
        if kept.len() < 8 && kept.iter().all(|other| other.value != scored.value) {
            kept.push(scored);
        }
    }
    kept
}

/// `Rechnung des Versicherers (575) Nr. 4711`: a title with a word or sign for *number* further on.
fn titled(row: &Row, titles: &Labels, dates: &[Found]) -> Option<Scored> {
    let title = titles.find_all(&row.tokens).into_iter().next()?;
    let rest = &row.tokens[title.tokens.end..];
    let sign = rest.iter().position(|token| token.key == "no" || token.key == "id")?;
    if sign > 7 {
        return None;
    }
    let between = &rest[..sign];
    let cost = foreign_before(between) + foreign_before(&row.tokens[..title.tokens.start]);
    let (at, further) = right_of(row, title.tokens.end + sign + 1, dates)?;
    let tokens = &row.tokens[at..=at];
    Some(scored(identifier(&tokens[0].text), tokens, row.page, 2.8 - cost - further))
}

/// How much the words before a label suggest another number.
fn foreign_before(tokens: &[Token]) -> f32 {
    let near = &tokens[tokens.len().saturating_sub(3)..];
    if near.iter().any(is_foreign) { 3.0 } else { 0.0 }
}

fn is_foreign(token: &Token) -> bool {
    FOREIGN.iter().any(|word| token.key.starts_with(word))
}

/// The first identifier to the right, and what makes it less likely.
fn right_of(row: &Row, from: usize, dates: &[Found]) -> Option<(usize, f32)> {
    let mut cost = 0.0;
    for (distance, at) in (from..row.tokens.len()).enumerate().take(8) {
        let token = &row.tokens[at];
        if is_identifier(&token.text) {
            if is_date(row.page, &token.area, dates) {
                return None;
            }
            let in_brackets = token.text.starts_with('(');
            return Some((at, cost + if in_brackets { 1.5 } else { 0.0 }));
        }
        if is_foreign(token) {
            cost += 2.5;
        } else if token.key.chars().filter(|char| char.is_alphabetic()).count() > 2 {
            cost += 1.0;
        }
        if distance > 5 {
            cost += 0.5;
        }
    }
    None
}

/// The identifier under a label.
fn below<'a>(
    rows: &'a Rows,
    index: usize,
    label: &Area,
    dates: &[Found],
) -> Option<(&'a Token, u32)> {
    let page = rows.list[index].page;
    for row in rows.list[index + 1..].iter().take(3) {
        if row.page != page || row.area.top - label.bottom > 2.0 * label.height().max(1.0) {
            return None;
        }
        let token = row.tokens.iter().find(|token| {
            token.area.left < label.right
                && token.area.right > label.left
                && is_identifier(&token.text)
        });
        if let Some(token) = token.filter(|token| !is_date(page, &token.area, dates)) {
            return Some((token, page));
        }
    }
    None
}

/// Whether no label was found.
fn is_unlabelled(scores: &[f32]) -> bool {
    scores.iter().all(|score| score.abs() < f32::EPSILON)
}

fn is_identifier(text: &str) -> bool {
    let text = identifier(text);
    let digits = text.chars().filter(char::is_ascii_digit).count();
    digits > 0
        && (2..=40).contains(&text.len())
        && text.chars().all(|char| char.is_alphanumeric() || "-/._".contains(char))
        && !text.ends_with('%')
}

fn identifier(text: &str) -> String {
    text.trim_matches(|char: char| !char.is_alphanumeric()).to_owned()
}

fn is_date(page: u32, area: &Area, dates: &[Found]) -> bool {
    dates.iter().any(|date| {
        date.page == page
            && date
                .area
                .is_some_and(|date| date.within(area).extent() > 0.5 * area.extent().max(0.1))
    })
}

pub(crate) fn dates(rows: &Rows, document_type: &DocumentType, found: &[Found]) -> Dates {
    let issue = Labels::of(document_type, "issue_date");
    let due = Labels::of(document_type, "due_date");
    let other = Labels::new(OTHER_DATES);
    let numbers = Labels::of(document_type, "invoice_number");
    let titles = Labels::new(TITLES);
    let mut dates = Dates::default();
    for date in found {
        let Some((index, at)) = place(rows, date) else { continue };
        let row = &rows.list[index];
        let label = text_before(row, at, found);
        let mut scores = class(label, [&issue, &due, &other]);
        if is_unlabelled(&scores) {
            let above = text_above(rows, index, &row.tokens[at].area);
            scores = class(&above, [&issue, &due, &other]).map(|score| score * 0.9);
        }
        let from = label.last().is_some_and(|token| FROM.contains(&token.key.as_str()));
        let is_title = numbers.find(label).is_some() || titles.find(label).is_some();
        if scores[0] == 0.0 && from && is_title && !label.iter().any(is_foreign) {
            scores[0] = 3.2;
        }
        let wrapped = index.checked_sub(1).map(|above| &rows.list[above]);
        if is_unlabelled(&scores)
            && at == 0
            && wrapped.is_some_and(|row| ends_with_from(row, &titles))
        {
            scores[0] = 2.5;
        }
        let place = row.area.top / rows.size(row.page).1;
        if is_unlabelled(&scores) && row.page == 1 {
            scores[0] = if place < 0.4 { 0.6 } else { 0.1 }
                - if label.iter().any(is_foreign) { 1.0 } else { 0.0 };
        }
        if row.page == 1 && scores[0] > 0.0 {
            scores[0] += 0.3;
        }
        if scores[2] > 0.0 {
            scores[0] -= 2.0;
            scores[1] -= 2.0;
        }
        let with = |score: f32| Scored {
            value: date.normalised(),
            raw: date.raw.clone(),
            area: date.area,
            page: date.page,
            score,
            is_alternative: date.source == domain::FieldSource::OcrAlternative,
        };
        if scores[0] > 0.0 {
            dates.issue.push(with(scores[0]));
        }
        if scores[1] > 0.0 {
            dates.due.push(with(scores[1]));
        }
    }
    dates.issue = best_first(std::mem::take(&mut dates.issue));
    dates.due = best_first(std::mem::take(&mut dates.due));
    dates
}

/// `… Nr. 4711 vom`, and the date is in the next row.
fn ends_with_from(row: &Row, titles: &Labels) -> bool {
    row.tokens.last().is_some_and(|token| FROM.contains(&token.key.as_str()))
        && titles.find(&row.tokens).is_some()
}

/// The row of a date and its first token there.
fn place(rows: &Rows, date: &Found) -> Option<(usize, usize)> {
    let area = date.area?;
    let middle = f32::midpoint(area.top, area.bottom);
    rows.list.iter().enumerate().find_map(|(index, row)| {
        if row.page != date.page || row.area.top > middle || row.area.bottom < middle {
            return None;
        }
        let at = row.tokens.iter().position(|token| {
            token.area.within(&area).extent() > 0.5 * token.area.extent().max(0.1)
        })?;
        Some((index, at))
    })
}

/// The tokens before a date, up to another date.
fn text_before<'a>(row: &'a Row, at: usize, dates: &[Found]) -> &'a [Token] {
    let start = (0..at)
        .rev()
        .take(14)
        .take_while(|before| !is_date(row.page, &row.tokens[*before].area, dates))
        .last()
        .unwrap_or(at);
    &row.tokens[start..at]
}

fn text_above(rows: &Rows, index: usize, area: &Area) -> Vec<Token> {
    let page = rows.list[index].page;
    for row in rows.list[index.saturating_sub(2)..index].iter().rev() {
        if row.page != page || area.top - row.area.bottom > 2.0 * area.height().max(1.0) {
            break;
        }
        let segment = row.ranges().into_iter().find(|range| {
            let segment = around(&row.tokens[range.clone()]);
            segment.left < area.right && segment.right > area.left
        });
        if let Some(range) = segment {
            return row.tokens[range].to_vec();
        }
    }
    Vec::new()
}

/// Scores of the labels that end nearest to the value.
fn class<const N: usize>(tokens: &[Token], labels: [&Labels; N]) -> [f32; N] {
    let found = labels.map(|labels| {
        labels
            .find_all(tokens)
            .into_iter()
            .filter(|found| found.exact)
            .max_by_key(|found| (found.tokens.end, found.length))
    });
    let last = found.iter().flatten().map(|found| (found.tokens.end, found.length)).max();
    found.map(|found| match found {
        Some(found) if Some((found.tokens.end, found.length)) == last => {
            let between = &tokens[found.tokens.end..];
            let foreign = between.iter().chain(&tokens[..found.tokens.start]).any(is_foreign);
            2.5 + 0.05 * length(found.length)
                - 0.3 * length(between.iter().filter(|token| token.key.len() > 2).count())
                - if foreign { 1.5 } else { 0.0 }
        }
        _ => 0.0,
    })
}
