//! The total of a receipt: by its label, and because payment − change and the rounding lead to it.

use std::collections::BTreeMap;

use domain::FieldSource;
use pages::Area;
use rust_decimal::Decimal;

use crate::labels::Labels;
use crate::numbers::{Separator, parse};
use crate::parsed::Candidate;
use crate::rows::{Row, Rows, Token, around, text_of};

/// Amounts beyond this number are ignored.
const MAX_AMOUNTS: usize = 500;

/// What the text before an amount says.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Meaning {
    Total,
    /// Before discounts, service charge or tax.
    Subtotal,
    Payment,
    Change,
    Rounding,
    /// Tax, quantity, discount, points.
    Other,
    Unknown,
}

struct Amount {
    value: Decimal,
    meaning: Meaning,
    raw: String,
    area: Area,
    page: u32,
    is_alternative: bool,
    row: usize,
}

const SUBTOTALS: [&str; 12] = [
    "subtotal",
    "sub total",
    "zwischensumme",
    "sous total",
    "subtotale",
    "subtotaal",
    "total before",
    "total excl",
    "total excluded tax",
    "total excluding gst",
    "total sales excluding",
    "total sales excluding gst",
];
const PAYMENTS: [&str; 27] = [
    "cash",
    "tendered",
    "cash tendered",
    "visa",
    "master",
    "mastercard",
    "card",
    "debit",
    "credit card",
    "amex",
    "paid",
    "payment",
    "bar",
    "gegeben",
    "ec karte",
    "kartenzahlung",
    "girocard",
    "espèces",
    "carte",
    "carte bancaire",
    "contanti",
    "contante",
    "efectivo",
    "tarjeta",
    "contant",
    "pin",
    "gasb",
];
const CHANGES: [&str; 14] = [
    "change",
    "change due",
    "cash change",
    "balance",
    "rückgeld",
    "zurück",
    "wechselgeld",
    "rendu",
    "monnaie",
    "resto",
    "cambio",
    "wisselgeld",
    "terug",
    "baki",
];
const ROUNDINGS: [&str; 10] = [
    "rounding",
    "rounding adj",
    "rounding adjustment",
    "round",
    "rnd",
    "rounding adjust",
    "rundung",
    "arrondi",
    "arrotondamento",
    "afronding",
];
const OTHERS: [&str; 38] = [
    "total qty",
    "total quantity",
    "total item",
    "total items",
    "total discount",
    "total disc",
    "total savings",
    "total saving",
    "total gst",
    "total tax",
    "gst",
    "tax",
    "vat",
    "sst",
    "service charge",
    "svc",
    "discount",
    "disc",
    "total includes",
    "total gst 6",
    "points",
    "item count",
    "qty",
    "tel",
    "amount tax",
    "gst summary",
    "gst payable",
    "mwst",
    "ust",
    "tva",
    "iva",
    "btw",
    "rabatt",
    "remise",
    "sconto",
    "descuento",
    "korting",
    "total rounding",
];

/// The total's candidates.
pub(super) fn totals(rows: &Rows, labels: &Labels) -> Vec<Candidate> {
    let amounts = amounts(rows, labels);
    let of = |meaning: Meaning| amounts.iter().filter(move |amount| amount.meaning == meaning);
    let cent = Decimal::new(1, 2);
    let near = |a: Decimal, b: Decimal| (a - b).abs() < cent;
    let mut best: BTreeMap<Decimal, (f32, usize)> = BTreeMap::new();
    let last = amounts.len().max(1);
    for (at, amount) in amounts.iter().enumerate() {
        let base = match amount.meaning {
            Meaning::Total => 3.0,
            Meaning::Payment => 1.2,
            Meaning::Subtotal => 1.0,
            Meaning::Unknown => 0.2,
            Meaning::Change | Meaning::Rounding | Meaning::Other => -1.5,
        };
        #[expect(clippy::cast_precision_loss, reason = "there are few amounts")]
        let late = 0.3 * at as f32 / last as f32;
        let alternative = if amount.is_alternative { 0.8 } else { 0.0 };
        let score = base + late - alternative;
        let entry = best.entry(amount.value.normalize()).or_insert((score, at));
        if score > entry.0 {
            *entry = (score, at);
        }
    }
    let mut found = Vec::new();
    for (value, (score, at)) in best {
        let amount = &amounts[at];
        let mut score = score;
        let places: Vec<usize> = amounts
            .iter()
            .filter(|other| near(other.value, value))
            .map(|other| other.row)
            .collect();
        let repeated = places.iter().collect::<std::collections::BTreeSet<_>>().len();
        #[expect(clippy::cast_precision_loss, reason = "at most three")]
        let often = repeated.saturating_sub(1).min(3) as f32;
        score += 0.35 * often;
        // Paid − change.
        let is_paid = of(Meaning::Payment).take(20).any(|paid| {
            of(Meaning::Change).take(20).any(|change| {
                near(paid.value - change.value, value)
                    && paid.value >= change.value
                    && change.row != amount.row
            })
        });
        if is_paid && value > Decimal::ZERO {
            score += 2.0;
        }
        // Before rounding + rounding.
        let is_rounded = of(Meaning::Rounding)
            .take(10)
            .filter(|rounding| !rounding.value.is_zero())
            .any(|rounding| {
                amounts.iter().take(200).any(|before| {
                    matches!(before.meaning, Meaning::Total | Meaning::Subtotal | Meaning::Unknown)
                        && before.row < rounding.row
                        && (near(before.value + rounding.value, value)
                            || near(before.value - rounding.value.abs(), value))
                        && rounding.value.abs() < Decimal::new(6, 2)
                })
            });
        if is_rounded {
            score += 0.8;
        }
        if value <= Decimal::ZERO {
            score -= 4.0;
        }
        found.push(Candidate {
            value: value_text(value),
            raw: amount.raw.clone(),
            page: Some(amount.page),
            area: rows.placed().then_some(amount.area),
            source: if amount.is_alternative {
                FieldSource::OcrAlternative
            } else {
                FieldSource::Page
            },
            score,
            currency: None,
        });
    }
    found
}

/// With two decimals, as receipts write amounts.
fn value_text(value: Decimal) -> String {
    let mut value = value;
    if value.scale() < 2 {
        value.rescale(2);
    }
    value.to_string()
}

fn amounts(rows: &Rows, labels: &Labels) -> Vec<Amount> {
    let meanings = Meanings::new(labels);
    let mut amounts = Vec::new();
    for (index, row) in rows.list.iter().enumerate() {
        for (value, tokens, is_alternative) in row_amounts(row) {
            if amounts.len() >= MAX_AMOUNTS {
                return amounts;
            }
            let before = &row.tokens[..tokens.start];
            let letters = |tokens: &[Token]| {
                tokens
                    .iter()
                    .flat_map(|token| token.key.chars())
                    .filter(|char| char.is_alphabetic())
                    .count()
            };
            let mut meaning = meanings.of(before);
            // Its label may be in a row of its own, a little higher or lower.
            if meaning == Meaning::Unknown && letters(before) <= 3 {
                let area = around(&row.tokens[tokens.clone()]);
                meaning = neighbour(rows, index, &area, &meanings);
            }
            let own = &row.tokens[tokens];
            amounts.push(Amount {
                value,
                meaning,
                raw: text_of(own),
                area: around(own),
                page: row.page,
                is_alternative,
                row: index,
            });
        }
    }
    amounts
}

/// The meaning of a row without an amount that overlaps the amount's height.
fn neighbour(rows: &Rows, index: usize, area: &Area, meanings: &Meanings<'_>) -> Meaning {
    let middle = f32::midpoint(area.top, area.bottom);
    let first = index.saturating_sub(2);
    for other in &rows.list[first..(index + 3).min(rows.list.len())] {
        let away = (f32::midpoint(other.area.top, other.area.bottom) - middle).abs();
        if other.page != rows.list[index].page
            || away > 0.8 * area.height().max(1.0)
            || !row_amounts(other).is_empty()
        {
            continue;
        }
        if other.area.right <= area.left + area.width() {
            let meaning = meanings.of(&other.tokens);
            if meaning != Meaning::Unknown {
                return meaning;
            }
        }
    }
    Meaning::Unknown
}

struct Meanings<'a> {
    total: &'a Labels,
    others: [(Meaning, Labels); 5],
}

impl<'a> Meanings<'a> {
    fn new(total: &'a Labels) -> Self {
        Self {
            total,
            others: [
                (Meaning::Subtotal, Labels::new(SUBTOTALS)),
                (Meaning::Payment, Labels::new(PAYMENTS)),
                (Meaning::Change, Labels::new(CHANGES)),
                (Meaning::Rounding, Labels::new(ROUNDINGS)),
                (Meaning::Other, Labels::new(OTHERS)),
            ],
        }
    }

    fn of(&self, tokens: &[Token]) -> Meaning {
        let tokens: Vec<Token> = tokens.iter().map(corrected).collect();
        let length = |labels: &Labels| {
            labels.find(&tokens).filter(|found| found.exact).map_or(0, |found| found.length)
        };
        let total = length(self.total);
        let other = self
            .others
            .iter()
            .map(|(meaning, labels)| (*meaning, length(labels)))
            .max_by_key(|(_, length)| *length);
        match other {
            Some((meaning, length)) if length > total => {
                // `Total incl. GST` is a total although it names the tax.
                let inclusive = tokens.iter().any(|token| token.key.starts_with("inc"));
                if total > 0 && inclusive && meaning == Meaning::Other {
                    Meaning::Total
                } else {
                    meaning
                }
            }
            _ if total > 0 => {
                let names_tax = tokens
                    .iter()
                    .any(|token| matches!(token.key.as_str(), "gst" | "tax" | "vat" | "sst"));
                let names_count = tokens.iter().any(|token| {
                    matches!(
                        token.key.as_str(),
                        "qty" | "item" | "items" | "discount" | "saving" | "savings" | "disc"
                    )
                });
                let inclusive = tokens.iter().any(|token| {
                    token.key.starts_with("inc")
                        || token.key.contains("incl")
                        || token.key == "with"
                });
                let exclusive = tokens
                    .iter()
                    .any(|token| token.key.starts_with("exc") || token.key.contains("excl"));
                if exclusive {
                    Meaning::Subtotal
                } else if names_count || names_tax && !inclusive {
                    Meaning::Other
                } else {
                    Meaning::Total
                }
            }
            _ => Meaning::Unknown,
        }
    }
}

/// A token whose word OCR nearly read.
fn corrected(token: &Token) -> Token {
    const WORDS: [&str; 8] =
        ["total", "amount", "change", "rounding", "subtotal", "discount", "grand", "tendered"];
    let plain: String = token
        .key
        .chars()
        .map(|char| match char {
            '0' => 'o',
            '1' => 'l',
            char => char,
        })
        .collect();
    let other = token.other.as_deref().map(crate::rows::key);
    let word = WORDS.iter().find(|word| {
        let is_near = |text: &str| {
            text.len() + 1 >= word.len()
                && text.len() <= 12
                && strsim::osa_distance(text, word) <= 1
        };
        is_near(&plain) || other.as_deref().is_some_and(is_near)
    });
    match word {
        Some(word) if token.key != *word && token.key != "totals" => {
            Token { key: (*word).to_owned(), ..token.clone() }
        }
        _ => token.clone(),
    }
}

/// Amounts with two decimals in a row, also where OCR separated the decimals: `64. 15`, and those of the other reading.
fn row_amounts(row: &Row) -> Vec<(Decimal, std::ops::Range<usize>, bool)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < row.tokens.len() {
        let token = &row.tokens[at];
        let joined = row.tokens.get(at + 1).and_then(|next| {
            let gap = next.area.left - token.area.right;
            let close = gap < 0.9 * token.area.height().max(1.0);
            let cents = next.text.len() == 2 && next.text.bytes().all(|byte| byte.is_ascii_digit());
            let has_mark = token.text.ends_with(['.', ',']);
            let digits = token.text.trim_start_matches(|char: char| !char.is_ascii_digit());
            let whole = !digits.is_empty()
                && digits.len() <= 6
                && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.' || byte == b',');
            let is_last = at + 2 == row.tokens.len();
            (close
                && cents
                && whole
                && (has_mark || is_last && digits.bytes().all(|byte| byte.is_ascii_digit())))
            .then(|| amount(&format!("{}.{}", digits.trim_end_matches(['.', ',']), next.text)))
            .flatten()
        });
        if let Some(value) = joined {
            found.push((value, at..at + 2, false));
            at += 2;
            continue;
        }
        let own = amount(&token.text);
        if let Some(value) = own {
            found.push((value, at..at + 1, false));
        }
        if let Some(value) =
            token.other.as_deref().and_then(amount).filter(|value| Some(*value) != own)
        {
            found.push((value, at..at + 1, own.is_some()));
        }
        at += 1;
    }
    found
}

/// An amount with exactly two decimals.
fn amount(text: &str) -> Option<Decimal> {
    // OCR reads a dollar sign as an S.
    let text = text.trim_start_matches(['S', ':', '*', '=']);
    let number = parse(text, Separator(Some('.')))?;
    let negative = text.contains("(-") || text.starts_with('-');
    (number.value.scale() == 2 && !number.is_percent).then_some(if negative {
        -number.value.abs()
    } else {
        number.value
    })
}
