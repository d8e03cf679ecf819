//! The totals of an invoice: amounts by their labels, and the combination whose arithmetic holds.

use std::collections::HashSet;

use pages::Area;
use rust_decimal::Decimal;

use super::lines::Item;
use crate::labels::Labels;
use crate::numbers::{Number, Separator, numbers};
use crate::rows::{Row, Rows, Token, around, text_of};
use crate::types::DocumentType;

/// Amounts that are no total: allowances, charges, prepayments, discounts.
const OTHERS: [&str; 62] = [
    "Gesamtbetrag der Zuschläge",
    "Gesamtbetrag der Abschläge",
    "Zuschläge",
    "Abschläge",
    "Zu-/Abschlag",
    "Rabatt",
    "Gesamtrabatt",
    "Artikelgesamtrabatt",
    "Rabattbetrag",
    "Skonto",
    "Skonto sofort",
    "Skontobetrag",
    "Anzahlung",
    "Anzahlungen",
    "Erhaltene Anzahlungen",
    "bereits gezahlt",
    "Versand",
    "Versandkosten",
    "Fracht",
    "Frachtbetrag",
    "Fracht-Verp-Vers",
    "Bruttopreis",
    "Nettopreis",
    "Einzelpreis",
    "Leergutwert",
    "Übertrag",
    "Basisbetrag",
    "Discount",
    "Shipping",
    "Freight",
    "Prepaid",
    "Amount paid",
    "Paid",
    "Payments",
    "Deposit",
    "Credits",
    "Rounding",
    "Unit price",
    "Taxable amount",
    "Carried forward",
    "Remise",
    "Acompte",
    "Frais de port",
    "Déjà payé",
    "Escompte",
    "Report",
    "Prix unitaire",
    "Sconto",
    "Acconto",
    "Spese di spedizione",
    "Trasporto",
    "Prezzo unitario",
    "Descuento",
    "Anticipo",
    "Gastos de envío",
    "Portes",
    "Korting",
    "Verzendkosten",
    "Aanbetaling",
    "Voldaan",
    "Lastschrift",
    "Gutschrift",
];
/// How many amounts of each total are combined.
const COMBINED: usize = 10;
/// Rows above an amount that may contain the header of its column.
const HEADER_ROWS: usize = 12;
/// More amounts are ignored: the work stays bounded.
const MAX_AMOUNTS: usize = 3_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Total {
    Lines,
    Basis,
    Tax,
    Grand,
    Due,
}

impl Total {
    pub(crate) const ALL: [Self; 5] = [Self::Lines, Self::Basis, Self::Tax, Self::Grand, Self::Due];

    pub(crate) fn field(self) -> &'static str {
        match self {
            Self::Lines => "line_total",
            Self::Basis => "tax_basis_total",
            Self::Tax => "tax_total",
            Self::Grand => "grand_total",
            Self::Due => "due_payable",
        }
    }
}

/// An amount that may be a total.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Amount {
    pub(crate) total: Total,
    pub(crate) value: Decimal,
    pub(crate) raw: String,
    pub(crate) area: Area,
    pub(crate) page: u32,
    pub(crate) currency: Option<&'static str>,
    pub(crate) score: f32,
    /// Calculated from others; it is not on the page.
    pub(crate) is_derived: bool,
}

pub(crate) struct TotalLabels {
    totals: Vec<(Total, Labels)>,
    others: Labels,
}

impl TotalLabels {
    pub(crate) fn new(document_type: &DocumentType) -> Self {
        let totals = Total::ALL.map(|total| (total, Labels::of(document_type, total.field())));
        Self { totals: totals.into(), others: Labels::new(OTHERS) }
    }

    /// The total that a text names, and how sure that is.
    fn class(&self, tokens: &[Token]) -> Option<(Total, f32)> {
        let other =
            self.others.find(tokens).filter(|found| found.exact).map_or(0, |found| found.length);
        let best = self
            .totals
            .iter()
            .filter_map(|(total, labels)| labels.find(tokens).map(|found| (*total, found)))
            .max_by_key(|(total, found)| {
                // "Total" alone is the grand total; a longer label says more.
                (found.exact, found.length, *total == Total::Grand)
            })?;
        let (total, found) = best;
        if other >= found.length || other > 0 && !found.exact {
            return None;
        }
        #[expect(clippy::cast_precision_loss, reason = "labels are short")]
        let length =
            |tokens: &[Token]| tokens.iter().map(|token| token.key.len()).sum::<usize>() as f32;
        #[expect(clippy::cast_precision_loss, reason = "labels are short")]
        let own = found.length as f32;
        // Words between the label and the amount weigh more than words before the label.
        let coverage = own
            / (own
                + length(&tokens[found.tokens.end..])
                + 0.4 * length(&tokens[..found.tokens.start]));
        Some((total, 1.5 + 2.0 * coverage - if found.exact { 0.0 } else { 0.7 }))
    }
}

/// Every amount with a label of a total, with arithmetic considered: the best of each total first.
pub(crate) fn totals(
    rows: &Rows,
    labels: &TotalLabels,
    separator: Separator,
    items: &[Item],
) -> Vec<Amount> {
    let mut amounts = labelled(rows, labels, separator, items);
    let lines: Vec<Decimal> =
        items.iter().filter_map(|item| item.line_total.as_ref()).map(|cell| cell.value).collect();
    combine(&mut amounts, (!lines.is_empty()).then(|| lines.into_iter().sum()));
    amounts.sort_by(|a, b| b.score.total_cmp(&a.score));
    amounts
}

fn labelled(
    rows: &Rows,
    labels: &TotalLabels,
    separator: Separator,
    items: &[Item],
) -> Vec<Amount> {
    let in_items: HashSet<(u32, u32, u32)> = items
        .iter()
        .flat_map(|item| [&item.line_total, &item.unit_price, &item.quantity])
        .flatten()
        .map(|cell| place(cell.page, &cell.area))
        .collect();
    let mut amounts: Vec<Amount> = Vec::new();
    for (index, row) in rows.list.iter().enumerate() {
        if amounts.len() >= MAX_AMOUNTS {
            break;
        }
        let found = numbers(&row.tokens, separator);
        let money: Vec<&Number> =
            found.iter().filter(|number| number.looks_like_money()).take(30).collect();
        for number in &money {
            if in_items.contains(&place(row.page, &around(&row.tokens[number.tokens.clone()]))) {
                continue;
            }
            let left = text_left(row, &found, number);
            // In a row such as `Tax 15 % on 100.00   15.00` the last amount is the one that is named.
            let is_last = number.tokens == money[money.len() - 1].tokens;
            let named =
                left.or_else(|| if is_last { text_left(row, &found, money[0]) } else { None });
            let own = named
                .and_then(|tokens| labels.class(tokens))
                .map(|(total, score)| (total, score - if is_last { 0.0 } else { 0.8 }));
            let above = || {
                let header = header_above(rows, index, number, separator)?;
                let (total, score) = labels.class(&header)?;
                // A row of sums: its label is a total, or only the currency.
                let sums = left.is_none_or(|tokens| {
                    labels.class(tokens).is_some()
                        || tokens.iter().all(|token| token.key.len() <= 3)
                });
                Some((total, score - 0.3 + if sums { 0.8 } else { 0.0 }))
            };
            let class = if money.len() > 1 { above().or(own) } else { own.or_else(above) };
            let Some((total, score)) = class else { continue };
            let tokens = &row.tokens[number.tokens.clone()];
            // Later rows are sums of earlier ones.
            #[expect(clippy::cast_precision_loss, reason = "the position matters only roughly")]
            let late = 0.5 * index as f32 / rows.list.len() as f32;
            amounts.push(Amount {
                total,
                value: number.value,
                raw: text_of(tokens),
                area: around(tokens),
                page: row.page,
                currency: number.currency,
                score: score + late,
                is_derived: false,
            });
        }
    }
    amounts
}

/// A place that can be compared exactly.
fn place(page: u32, area: &Area) -> (u32, u32, u32) {
    (page, area.left.to_bits(), area.top.to_bits())
}

/// The text between a number and the number before it in its row.
fn text_left<'a>(row: &'a Row, found: &[Number], number: &Number) -> Option<&'a [Token]> {
    let from = found
        .iter()
        .filter(|other| other.tokens.end <= number.tokens.start && other.looks_like_money())
        .map(|other| other.tokens.end)
        .max()
        .unwrap_or(0);
    let tokens = &row.tokens[from..number.tokens.start];
    // Only what belongs to the nearest label: not what is far to the left of it.
    let mut start = tokens.len();
    let mut letters = 0;
    while start > 0 {
        let token = &tokens[start - 1];
        let gap = tokens.get(start).map_or(0.0, |right| right.area.left - token.area.right);
        if letters > 3 && gap > 2.5 * token.area.height().max(1.0) {
            break;
        }
        letters += token.key.chars().filter(|char| char.is_alphabetic()).count();
        start -= 1;
    }
    let label = &tokens[start..];
    label.iter().any(|token| token.key.chars().any(char::is_alphabetic)).then_some(label)
}

/// The text above a number in its column.
fn header_above(
    rows: &Rows,
    index: usize,
    number: &Number,
    separator: Separator,
) -> Option<Vec<Token>> {
    let row = &rows.list[index];
    let area = around(&row.tokens[number.tokens.clone()]);
    for above in rows.list[index.saturating_sub(HEADER_ROWS)..index].iter().rev() {
        if above.page != row.page {
            return None;
        }
        let range = above.ranges().into_iter().find(|range| {
            let segment = around(&above.tokens[range.clone()]);
            segment.left < area.right && segment.right > area.left
        });
        let Some(range) = range else { continue };
        let tokens = &above.tokens[range];
        let overlapping: Vec<&Token> = tokens
            .iter()
            .filter(|token| token.area.left < area.right && token.area.right > area.left)
            .collect();
        let is_number = |token: &&Token| crate::numbers::parse(&token.text, separator).is_some();
        if overlapping.iter().all(is_number) && !overlapping.is_empty() {
            continue;
        }
        return (!tokens.iter().any(|token| is_number(&token))).then(|| tokens.to_vec());
    }
    None
}

/// Prefers amounts whose arithmetic holds: basis + tax = grand total, the sum of the lines = their total.
fn combine(amounts: &mut Vec<Amount>, lines: Option<Decimal>) {
    let cent = Decimal::new(2, 2);
    let equal = |a: Decimal, b: Decimal| (a - b).abs() <= cent;
    borrow(amounts, Total::Basis, Total::Lines, 1.2);
    borrow(amounts, Total::Lines, Total::Basis, 1.2);
    borrow(amounts, Total::Due, Total::Grand, 1.2);
    borrow(amounts, Total::Grand, Total::Due, 1.5);
    if amounts.iter().all(|amount| amount.total != Total::Basis && amount.total != Total::Tax) {
        borrow(amounts, Total::Grand, Total::Basis, 2.0);
        borrow(amounts, Total::Grand, Total::Lines, 2.0);
    }
    let best = |amounts: &[Amount], total: Total| -> Vec<usize> {
        let mut found: Vec<usize> =
            (0..amounts.len()).filter(|at| amounts[*at].total == total).collect();
        found.sort_by(|a, b| amounts[*b].score.total_cmp(&amounts[*a].score));
        found.truncate(COMBINED);
        found
    };
    let (bases, taxes, grands) =
        (best(amounts, Total::Basis), best(amounts, Total::Tax), best(amounts, Total::Grand));
    let mut chosen: Option<(f32, [Option<usize>; 3])> = None;
    for basis in &bases {
        for grand in &grands {
            for tax in taxes.iter().map(Some).chain([None]) {
                let (b, g) = (&amounts[*basis], &amounts[*grand]);
                let tax_value = tax.map_or(Decimal::ZERO, |tax| amounts[*tax].value);
                let holds = equal(b.value + tax_value, g.value);
                let from_lines =
                    lines.is_some_and(|lines| equal(lines, b.value) || equal(lines, g.value));
                let mut score = b.score + g.score + tax.map_or(0.0, |tax| amounts[*tax].score);
                score += if holds { 4.0 } else { 0.0 } + if from_lines { 0.7 } else { 0.0 };
                // Different places are better evidence than one amount for both.
                if b.area == g.area && b.page == g.page {
                    score -= 1.0;
                }
                if chosen.as_ref().is_none_or(|(best, _)| score > *best) {
                    chosen = Some((score, [Some(*basis), tax.copied(), Some(*grand)]));
                }
            }
        }
    }
    let Some((_, [net, tax, grand])) = chosen else {
        prefer_lines(amounts, lines);
        return;
    };
    for at in [net, tax, grand].into_iter().flatten() {
        amounts[at].score += 2.0;
    }
    let value = |at: Option<usize>| at.map(|at| amounts[at].value);
    if let (Some(net), Some(grand)) = (value(net), value(grand)) {
        let known = value(tax).unwrap_or_default();
        let missing = grand - net;
        let is_plausible = missing.is_sign_positive() == net.is_sign_positive()
            && missing.abs() < net.abs() * Decimal::new(35, 2);
        if !equal(net + known, grand) && is_plausible {
            derive(amounts, Total::Tax, missing);
        }
        // Prepayments make the payable amount smaller; larger ones are an error.
        for amount in amounts.iter_mut().filter(|amount| amount.total == Total::Due) {
            if equal(amount.value, grand) {
                amount.score += 0.3;
            } else if amount.value > grand && grand.is_sign_positive() {
                amount.score -= 1.0;
            }
        }
        for amount in amounts.iter_mut().filter(|amount| amount.total == Total::Lines) {
            if equal(amount.value, net) {
                amount.score += 0.3;
            }
        }
    }
    prefer_lines(amounts, lines);
}

fn prefer_lines(amounts: &mut [Amount], lines: Option<Decimal>) {
    let Some(lines) = lines else { return };
    for amount in amounts.iter_mut().filter(|amount| amount.total == Total::Lines) {
        if (amount.value - lines).abs() <= Decimal::new(2, 2) {
            amount.score += 1.5;
        }
    }
}

/// Amounts of one total are candidates of another: without charges the sum of the lines is the basis.
fn borrow(amounts: &mut Vec<Amount>, from: Total, to: Total, cost: f32) {
    let mut copies: Vec<Amount> = amounts
        .iter()
        .filter(|amount| amount.total == from)
        .map(|amount| Amount { total: to, score: amount.score - cost, ..amount.clone() })
        .collect();
    copies.sort_by(|a, b| b.score.total_cmp(&a.score));
    copies.truncate(COMBINED);
    amounts.extend(copies);
}

fn derive(amounts: &mut Vec<Amount>, total: Total, value: Decimal) {
    let best = amounts
        .iter()
        .filter(|amount| amount.total == total)
        .map(|amount| amount.score)
        .reduce(f32::max);
    amounts.push(Amount {
        total,
        value,
        raw: String::new(),
        area: Area::default(),
        page: 0,
        currency: None,
        score: best.map_or(2.0, |best| best + 0.1),
        is_derived: true,
    });
}
