//! Named features of a mention. The names are the keys of the learned weights.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use domain::{FieldKind, FieldSource};
use rust_decimal::Decimal;

use super::Mention;
use super::labels::{Hit, LabelIndex, Match, Place};

/// The most numbers that are multiplied and added with each other to see which agree.
const MAX_AGREEING: usize = 160;
/// How many of the largest amounts are main amounts.
const MAIN_AMOUNTS: usize = 3;

/// The features of a mention that do not depend on the field: words around it, place and form.
pub fn local(mention: &Mention) -> Vec<String> {
    let mut features = Vec::with_capacity(64);
    words(mention, &mut features);
    form(mention, &mut features);
    features
}

fn words(mention: &Mention, features: &mut Vec<String>) {
    let context = &mention.context;
    for (at, word) in context.left.iter().enumerate() {
        features.push(format!("l={word}"));
        if at < 3
            && let Some(ending) = ending(word)
        {
            features.push(format!("le={ending}"));
        }
    }
    match context.left.as_slice() {
        [first, second, ..] => {
            features.push(format!("l1={first}"));
            features.push(format!("l2={second}_{first}"));
        }
        [first] => features.push(format!("l1={first}")),
        [] => features.push("l1=".to_owned()),
    }
    if let Some(word) = context.left.first()
        && let Some(ending) = ending(word)
    {
        features.push(format!("l1e={ending}"));
    }
    each(features, "r", &context.right);
    if let Some(word) = context.right.first() {
        features.push(format!("r1={word}"));
    }
    each(features, "u", &context.above);
    each(features, "h", &context.header);
    each(features, "h", &context.column);
    each(features, "k", &context.key);
    each(features, "s", &context.section);
    each(features, "a", &context.aligned);
    each(features, "n", &context.next[..context.next.len().min(2)]);
    if context.left.is_empty() {
        each(features, "p", &context.previous);
    } else {
        each(features, "q", &context.previous[..context.previous.len().min(3)]);
    }
    if let Some(first) = &context.first {
        features.push(format!("f={first}"));
    }
}

fn each(features: &mut Vec<String>, prefix: &str, words: &[String]) {
    for word in words {
        features.push(format!("{prefix}={word}"));
    }
}

/// The last letters of a long word: in German the last part of a compound says what it is.
fn ending(word: &str) -> Option<&str> {
    (word.len() > 7 && word.is_ascii()).then(|| &word[word.len() - 6..])
}

fn form(mention: &Mention, features: &mut Vec<String>) {
    let Mention { found, context, .. } = mention;
    features.push(format!("kind={}", found.kind));
    features.push(format!("decimals={}", found.decimals.min(5)));
    let flags = [
        (found.currency.is_some(), "currency"),
        (found.unit.is_some(), "unit"),
        (found.joined, "joined"),
        (found.is_ambiguous(), "ambiguous"),
        (found.source == FieldSource::OcrAlternative, "alternative"),
        (found.number().is_some_and(|n| n.is_sign_negative() && !n.is_zero()), "negative"),
        (found.number().is_some_and(|n| n.is_zero()), "zero"),
    ];
    features.extend(flags.iter().filter(|(is, _)| *is).map(|(_, name)| (*name).to_owned()));
    if let Some(number) = found.number() {
        let digits = number.trunc().abs().to_string().len();
        features.push(format!("digits={}", digits.min(8)));
        if found.decimals == 0 {
            features.push("integer".to_owned());
        }
    }
    let (position, count) = context.position;
    features.push(format!("between={}", context.values_between.min(3)));
    features.push(match (position, count) {
        (_, 0 | 1) => "only".to_owned(),
        (0, _) => "first".to_owned(),
        (at, count) if at + 1 == count => "last".to_owned(),
        _ => "middle".to_owned(),
    });
    features.push(format!("page={}", found.page.min(3)));
    if let Some(band) = context.band {
        features.push(format!("band={band}"));
    }
    let is_alone = count <= 1 && context.left.is_empty() && context.right.is_empty();
    let flags =
        [(context.timed, "timed"), (context.after_place, "after place"), (is_alone, "alone")];
    features.extend(flags.iter().filter(|(is, _)| *is).map(|(_, name)| (*name).to_owned()));
}

/// Which labels and terms are around a mention, by their names: in all languages the same.
pub fn terms(index: &LabelIndex, hits: &[Hit]) -> Vec<String> {
    let mut features: Vec<String> = hits
        .iter()
        .map(|hit| format!("@{} {}", index.name(hit.field), side_of(hit.place)))
        .collect();
    features.sort_unstable();
    features.dedup();
    features
}

/// Where a label is, less exactly than [`Place`].
fn side_of(place: Place) -> &'static str {
    match place {
        Place::Left | Place::Key => "left",
        Place::Row => "row",
        Place::Above | Place::Header => "above",
        Place::Aligned => "aligned",
        Place::Previous => "previous",
        Place::Right => "right",
        Place::Next => "next",
        Place::Section => "section",
    }
}

/// Whether a label at this place is most likely that of the value.
fn is_near(place: Place) -> bool {
    matches!(place, Place::Left | Place::Key | Place::Above | Place::Header | Place::Aligned)
}

/// The features of a label: how it was recognised, and where it is.
pub fn label(field: usize, hits: &[Hit]) -> Vec<String> {
    let mut features = Vec::new();
    for hit in hits {
        let whose = if hit.field == field { "own" } else { "foreign" };
        let how = match hit.matched {
            Match::Exact if hit.words > 1 => "phrase",
            Match::Exact => "exact",
            Match::Stemmed => "stem",
            Match::Fuzzy => "fuzzy",
        };
        if hit.field == field || matches!(hit.place, Place::Left | Place::Above | Place::Key) {
            features.push(format!("label {whose} {:?} {how}", hit.place));
        }
    }
    features.sort_unstable();
    features.dedup();
    if !hits.iter().any(|hit| hit.field == field) {
        features.push("label none".to_owned());
    }
    features
}

/// What the mentions of one document or trade say about each other.
#[derive(Debug)]
pub struct Agreement {
    repeated: BTreeMap<String, usize>,
    /// Absolute amounts, the largest first, without repetitions.
    amounts: Vec<Decimal>,
    dates: Vec<NaiveDate>,
    currency: Option<String>,
    /// For each mention its roles in calculations: see [`ROLES`].
    roles: Vec<[bool; ROLES.len()]>,
    /// For each mention its position among the amounts.
    order: Vec<Option<usize>>,
    money: usize,
    isin_row: Option<usize>,
    /// The dates that are labelled as the day of settlement.
    settled: Vec<NaiveDate>,
    /// Whether a date is labelled as the trade date.
    has_trade_date: bool,
}

const ROLES: [&str; 8] =
    ["factor", "product", "sum", "term", "converted", "converts", "main factor", "main product"];

impl Agreement {
    /// `hits` are the labels around each mention.
    pub fn new(mentions: &[&Mention], hits: &[Vec<Hit>], index: &LabelIndex) -> Self {
        let mut repeated = BTreeMap::new();
        for mention in mentions {
            *repeated.entry(repetition_key(mention)).or_default() += 1;
        }
        let money = mentions.iter().filter(|mention| mention.found.kind == FieldKind::Money);
        let mut amounts: Vec<Decimal> =
            money.clone().filter_map(|mention| mention.found.number()).map(|n| n.abs()).collect();
        amounts.sort_unstable_by(|a, b| b.cmp(a));
        amounts.dedup();
        let mut currencies: BTreeMap<&str, usize> = BTreeMap::new();
        for mention in money {
            if let Some(currency) = &mention.found.currency {
                *currencies.entry(currency).or_default() += 1;
            }
        }
        let currency =
            currencies.iter().max_by_key(|(_, count)| **count).map(|(c, _)| (*c).to_owned());
        let mut dates: Vec<NaiveDate> = mentions.iter().filter_map(|m| m.found.date()).collect();
        dates.sort_unstable();
        dates.dedup();
        let isin_row = mentions.iter().find(|m| m.found.kind == FieldKind::Isin).map(|m| m.row);
        let mut count = 0;
        let mut order = Vec::with_capacity(mentions.len());
        for mention in mentions {
            let is_money = mention.found.kind == FieldKind::Money;
            order.push(is_money.then_some(count));
            count += usize::from(is_money);
        }
        let roles = roles(mentions);
        let labelled = |name: &str| -> Vec<NaiveDate> {
            let is_labelled = |hits: &[Hit]| {
                hits.iter().any(|hit| is_near(hit.place) && index.name(hit.field) == name)
            };
            let dates = mentions.iter().zip(hits).filter(|(_, hits)| is_labelled(hits));
            dates.filter_map(|(mention, _)| mention.found.date()).collect()
        };
        Self {
            repeated,
            amounts,
            dates,
            currency,
            roles,
            order,
            money: count,
            isin_row,
            settled: labelled("settlement_date"),
            has_trade_date: !labelled("trade_date").is_empty(),
        }
    }

    /// The features of the mention with this index.
    pub fn features(&self, index: usize, mention: &Mention, terms: &[String]) -> Vec<String> {
        let mut features = Vec::with_capacity(8);
        let count = self.repeated.get(&repetition_key(mention)).copied().unwrap_or(1);
        features.push(format!("times={}", count.min(4)));
        if let Some(number) = mention.found.number() {
            let rank = self.amounts.iter().position(|amount| *amount == number.abs());
            if let Some(rank) = rank {
                features.push(format!("rank={}", rank.min(4)));
            }
            if let Some(order) = self.order[index] {
                features.push(format!("order={}", order * 5 / self.money.max(1)));
                if order + 1 == self.money {
                    features.push("last amount".to_owned());
                }
            }
            for (role, name) in self.roles[index].iter().zip(ROLES) {
                if *role {
                    features.push(name.to_owned());
                }
            }
        }
        if let (Some(own), Some(common)) = (&mention.found.currency, &self.currency) {
            features.push(format!("common currency={}", own == common));
        }
        if let Some(date) = mention.found.date() {
            let ends = [(self.dates.first(), "earliest"), (self.dates.last(), "latest")];
            features.extend(
                ends.iter()
                    .filter(|(end, _)| *end == Some(&date))
                    .map(|(_, name)| (*name).to_owned()),
            );
            features.push(format!("dates={}", self.dates.len().min(5)));
            self.add_order(date, terms, &mut features);
        }
        if let Some(isin) = self.isin_row {
            features.push(match mention.row.cmp(&isin) {
                std::cmp::Ordering::Equal => "row of isin".to_owned(),
                std::cmp::Ordering::Less => format!("before isin={}", (isin - mention.row).min(6)),
                std::cmp::Ordering::Greater => {
                    format!("after isin={}", distance(mention.row - isin))
                }
            });
        }
        features
    }
}

impl Agreement {
    /// How a date relates to the others: how long before the settlement it is, and whether another follows soon.
    fn add_order(&self, date: NaiveDate, terms: &[String], features: &mut Vec<String>) {
        let days = |other: &NaiveDate| (*other - date).num_days();
        if let Some(nearest) = self.settled.iter().map(days).min_by_key(|days| days.abs()) {
            features.push(format!("settled={}", interval(nearest)));
        }
        let follows = self.dates.iter().map(days).filter(|days| *days > 0).min();
        let precedes = self.dates.iter().map(|other| -days(other)).filter(|days| *days > 0).min();
        features.push(format!("follows={}", follows.map_or("none", interval)));
        features.push(format!("precedes={}", precedes.map_or("none", interval)));
        if !self.has_trade_date {
            features.push("unlabelled".to_owned());
            features.extend(terms.iter().map(|term| format!("unlabelled {term}")));
        }
    }
}

fn interval(days: i64) -> &'static str {
    match days {
        i64::MIN..=-1 => "before",
        0 => "0",
        1 => "1",
        2..=5 => "5",
        6..=20 => "20",
        _ => "far",
    }
}

fn distance(rows: usize) -> &'static str {
    match rows {
        0..=1 => "1",
        2..=3 => "3",
        4..=8 => "8",
        9..=16 => "16",
        _ => "far",
    }
}

fn repetition_key(mention: &Mention) -> String {
    match mention.found.number() {
        Some(number) => number.abs().normalize().to_string(),
        None => mention.found.normalised(),
    }
}

/// A number of the document.
struct Number {
    index: usize,
    value: f64,
    decimals: u8,
    is_money: bool,
}

/// For each mention its roles in calculations of two others: a factor of a product, the product, a sum, a term, an
/// amount that another one before it was converted to, and that other one.
fn roles(mentions: &[&Mention]) -> Vec<[bool; ROLES.len()]> {
    let mut roles = vec![[false; ROLES.len()]; mentions.len()];
    let numbers = numbers(mentions);
    let mut sorted: Vec<(f64, usize)> =
        numbers.iter().filter(|n| n.decimals == 2).map(|n| (n.value, n.index)).collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let hits = |target: f64, tolerance: f64| {
        let from = sorted.partition_point(|(value, _)| *value < target - tolerance);
        sorted[from..].iter().take_while(move |(value, _)| *value <= target + tolerance)
    };
    let currency = |index: usize| mentions[index].found.currency.as_deref();
    let mut largest: Vec<f64> =
        numbers.iter().filter(|n| n.is_money && n.decimals == 2).map(|n| n.value).collect();
    largest.sort_by(|a, b| b.total_cmp(a));
    largest.dedup();
    let large = largest.get(MAIN_AMOUNTS.min(largest.len()).saturating_sub(1)).copied();
    for a in &numbers {
        for b in &numbers {
            let others = |index: usize| index != a.index && index != b.index;
            // A product of a number with 1 says nothing.
            let trivial = (a.value - 1.0).abs() < 1e-9 || (b.value - 1.0).abs() < 1e-9;
            if a.index != b.index && !a.is_money && !trivial && b.decimals >= 1 {
                for &(_, product) in hits(a.value * b.value, 0.006).filter(|hit| others(hit.1)) {
                    roles[a.index][0] = true;
                    roles[product][1] = true;
                    // Tax rates are factors too; the product of quantity and price is one of the largest amounts.
                    if large.is_some_and(|large| a.value * b.value >= large - 0.006) {
                        roles[a.index][6] = true;
                        roles[product][7] = true;
                    }
                }
            }
            if a.index < b.index && a.is_money && b.is_money {
                for &(_, sum) in hits(a.value + b.value, 0.001).filter(|hit| others(hit.1)) {
                    roles[sum][2] = true;
                    roles[a.index][3] = true;
                    roles[b.index][3] = true;
                }
            }
            // A rate may be written like an amount: `1 EUR = 1,172292 USD`.
            if a.is_money && a.decimals == 2 && b.decimals >= 3 && !trivial {
                for target in [a.value * b.value, a.value / b.value] {
                    for &(_, later) in hits(target, 0.006).filter(|hit| hit.1 > a.index) {
                        if currency(later) != currency(a.index) && currency(later).is_some() {
                            roles[later][4] = true;
                            roles[a.index][5] = true;
                        }
                    }
                }
            }
        }
    }
    roles
}

fn numbers(mentions: &[&Mention]) -> Vec<Number> {
    let mut numbers = Vec::new();
    for (index, mention) in mentions.iter().enumerate() {
        let Mention { found, .. } = mention;
        let is_amount =
            matches!(found.kind, FieldKind::Money | FieldKind::Quantity | FieldKind::Number);
        let Some(number) = found.number().filter(|_| is_amount) else { continue };
        let Ok(value) = number.abs().to_string().parse::<f64>() else { continue };
        if value > 0.0 && value < 1e12 && numbers.len() < MAX_AGREEING {
            let is_money = found.kind == FieldKind::Money;
            numbers.push(Number { index, value, decimals: found.decimals, is_money });
        }
    }
    numbers
}

/// Words whose meaning depends on the side of the trade: each feature of the nearest words again, with the side.
pub fn with_side(side: &str, features: &mut Vec<String>) {
    const CONJOINED: [&str; 11] =
        ["l1=", "l2=", "l=", "l1e=", "le=", "h=", "u=", "a=", "k=", "@", "unlabelled @"];
    let joined: Vec<String> = features
        .iter()
        .filter(|feature| CONJOINED.iter().any(|prefix| feature.starts_with(prefix)))
        .map(|feature| format!("{side} {feature}"))
        .collect();
    features.extend(joined);
    features.push(format!("side={side}"));
}
