//! The amounts of a trade: `net = gross ± fees ± taxes`, where fees and taxes are sums of amounts of the page.
//!
//! Every combination of a net amount, a gross amount and a subset of the fees and taxes has a score: the log-odds of its
//! members, and a bonus when the sum is right. The probability of a field is what the combinations with its value have
//! together.

use std::collections::{BTreeMap, HashMap};

use domain::FieldSource;
use rust_decimal::{Decimal, RoundingStrategy};

use super::Outcome;
use super::checks::is_product;
use super::outcome::none_probability;
use super::search;
use crate::parsed::{Candidate, ParsedField};
use crate::types::Constraint;

/// The most fees and taxes whose subsets are tried.
pub(super) const MAX_PARTS: usize = 10;
const TOTALS: usize = 6;
const BASES: usize = 8;
const RATES: usize = 2;
/// What a sum that is right adds to the log-odds of a combination: with fees or taxes; without any, when both amounts are
/// equal; and with a converted amount, which is rounded.
const SUM_HOLDS: f64 = 5.0;
const EQUAL: f64 = 1.0;
const CONVERTED_SUM_HOLDS: f64 = 3.0;
const SUM_FAILS: f64 = -3.0;
const PRODUCT_HOLDS: f64 = 2.0;
/// The same amount twice in one sum is unlikely: documents repeat them.
const REPEATED: f64 = -2.5;
const MOST: f32 = 7.0;

/// The constraint that connects the amounts.
struct Sum<'c> {
    total: &'c str,
    base: &'c str,
    additive: Vec<&'c str>,
    /// Whether fees and taxes increase the total.
    increases: bool,
}

/// A fee or tax.
#[derive(Clone)]
struct Part<'p> {
    field: usize,
    candidate: &'p Candidate,
    value: Decimal,
    score: f64,
}

/// A gross amount in the currency of the total.
#[derive(Clone)]
enum Base {
    Candidate(usize),
    Converted(usize, Decimal),
    Derived(Decimal),
}

struct Combination<'p> {
    total: usize,
    base: Base,
    value: Decimal,
    parts: Vec<Part<'p>>,
    score: f64,
}

pub(super) fn choose(
    fields: &[ParsedField],
    constraints: &[Constraint],
) -> BTreeMap<String, Outcome> {
    let Some(sum) = applicable(fields, constraints) else {
        let plain: Vec<ParsedField> =
            fields.iter().filter(|field| !field.additive).cloned().collect();
        let mut chosen = search::choose(&plain, constraints);
        for field in fields.iter().filter(|field| field.additive) {
            chosen.insert(field.name.clone(), sum_of_likely(field));
        }
        return chosen;
    };
    let others: Vec<ParsedField> = fields
        .iter()
        .filter(|f| !f.additive && f.name != sum.total && f.name != sum.base)
        .cloned()
        .collect();
    let orders: Vec<Constraint> = constraints
        .iter()
        .filter(|constraint| matches!(constraint, Constraint::DateOrder { .. }))
        .cloned()
        .collect();
    let mut chosen = search::choose(&others, &orders);
    let find = |name: &str| fields.iter().find(|field| field.name == name);
    let (Some(totals), Some(bases)) = (find(sum.total), find(sum.base)) else { return chosen };
    let combinations = combinations(fields, &sum, totals, bases);
    let Some(best) = combinations.iter().max_by(|a, b| a.score.total_cmp(&b.score)) else {
        chosen.insert(sum.total.to_owned(), Outcome::best(totals));
        chosen.insert(sum.base.to_owned(), Outcome::best(bases));
        for field in fields.iter().filter(|field| field.additive) {
            chosen.insert(field.name.clone(), sum_of_likely(field));
        }
        return chosen;
    };
    let share = |same: &dyn Fn(&Combination<'_>) -> bool| share(&combinations, best, same);
    let total_value = &totals.candidates[best.total].value;
    let probability = share(&|other| totals.candidates[other.total].value == *total_value);
    chosen.insert(
        sum.total.to_owned(),
        Outcome { probability, ..Outcome::of(totals, Some(best.total)) },
    );
    let probability = share(&|other| other.value == best.value);
    chosen.insert(sum.base.to_owned(), Outcome { probability, ..base_outcome(bases, best) });
    for (at, name) in sum.additive.iter().enumerate() {
        let value = part_sum(best, at);
        let probability = share(&|other| part_sum(other, at) == value);
        let Some(field) = find(name) else { continue };
        chosen.insert(
            (*name).to_owned(),
            Outcome { probability, ..additive_outcome(field, best, at) },
        );
    }
    choose_factors(fields, constraints, &sum, best, bases, &mut chosen);
    chosen
}

/// The sum constraint whose conditions the best candidates satisfy, if its terms are one amount and additive fields.
fn applicable<'c>(fields: &[ParsedField], constraints: &'c [Constraint]) -> Option<Sum<'c>> {
    let find = |name: &str| fields.iter().find(|field| field.name == name);
    constraints.iter().find_map(|constraint| {
        let Constraint::Sum { total, add, subtract, when, .. } = constraint else { return None };
        let applies = when.iter().all(|(name, wanted)| {
            find(name)
                .and_then(|field| field.candidates.first())
                .is_some_and(|best| best.value == *wanted)
        });
        let is_additive = |name: &&String| find(name).is_some_and(|field| field.additive);
        let plain: Vec<&String> = add.iter().filter(|name| !is_additive(name)).collect();
        let increasing: Vec<&str> = add.iter().filter(is_additive).map(String::as_str).collect();
        let decreasing: Vec<&str> =
            subtract.iter().filter(is_additive).map(String::as_str).collect();
        let one_direction = increasing.is_empty() != decreasing.is_empty();
        let (true, true, [base]) = (applies, one_direction, plain.as_slice()) else { return None };
        let increases = !increasing.is_empty();
        let additive = if increases { increasing } else { decreasing };
        Some(Sum { total, base, additive, increases })
    })
}

/// The conversion of an amount in another currency.
#[derive(Clone, Copy, PartialEq)]
enum Conversion {
    None,
    Multiply(Decimal),
    Divide(Decimal),
}

impl Conversion {
    fn apply(self, amount: Decimal) -> Option<Decimal> {
        let converted = match self {
            Self::None => return None,
            Self::Multiply(rate) => amount.checked_mul(rate)?,
            Self::Divide(rate) => amount.checked_div(rate)?,
        };
        Some(cents(converted))
    }
}

fn cents(amount: Decimal) -> Decimal {
    let mut rounded = amount.round_dp_with_strategy(2, RoundingStrategy::MidpointAwayFromZero);
    rounded.rescale(2);
    rounded
}

fn conversions(fields: &[ParsedField], currency: Option<&str>) -> Vec<Conversion> {
    let mut conversions = vec![Conversion::None];
    let mut amounts = fields.iter().flat_map(|field| &field.candidates);
    if !amounts.any(|amount| differs(amount.currency.as_deref(), currency)) {
        return conversions;
    }
    let rates = fields.iter().find(|field| field.name == "exchange_rate");
    for candidate in rates.iter().flat_map(|field| &field.candidates).take(RATES) {
        // Rates have more digits than amounts.
        let rate = candidate.value.parse::<Decimal>().ok();
        let rate = rate.filter(|rate| !rate.is_zero() && rate.scale() >= 3);
        if let Some(rate) = rate {
            conversions.extend([Conversion::Multiply(rate), Conversion::Divide(rate)]);
        }
    }
    conversions
}

fn combinations<'p>(
    fields: &'p [ParsedField],
    sum: &Sum<'_>,
    totals: &ParsedField,
    bases: &ParsedField,
) -> Vec<Combination<'p>> {
    let mut combinations = Vec::new();
    let mut tables: Vec<(Considered<'_>, Subsets<'p>)> = Vec::new();
    for (total, candidate) in totals.candidates.iter().take(TOTALS).enumerate() {
        let Ok(amount) = candidate.value.parse::<Decimal>() else { continue };
        let score = bounded(candidate.score);
        let currency = candidate.currency.as_deref();
        for conversion in conversions(fields, currency) {
            for page in [candidate.page, None] {
                let considered = Considered { currency, conversion, page };
                let known = tables.iter().position(|(known, _)| *known == considered);
                let at = known.unwrap_or_else(|| {
                    tables.push((considered, Subsets::new(parts(fields, sum, considered))));
                    tables.len() - 1
                });
                let context = Total { index: total, amount, score, currency, conversion };
                with_bases(&context, sum, bases, &tables[at].1, &mut combinations);
            }
        }
    }
    combinations
}

/// Which fees and taxes are considered: of all pages, or only of the page of the total, because later pages repeat them in
/// the calculation of taxes.
#[derive(Clone, Copy, PartialEq)]
struct Considered<'s> {
    currency: Option<&'s str>,
    conversion: Conversion,
    page: Option<u32>,
}

struct Total<'t> {
    index: usize,
    amount: Decimal,
    score: f64,
    currency: Option<&'t str>,
    conversion: Conversion,
}

fn with_bases<'p>(
    total: &Total<'_>,
    sum: &Sum<'_>,
    bases: &ParsedField,
    subsets: &Subsets<'p>,
    combinations: &mut Vec<Combination<'p>>,
) {
    for (at, candidate) in bases.candidates.iter().take(BASES).enumerate() {
        let Ok(amount) = candidate.value.parse::<Decimal>() else { continue };
        let foreign = differs(candidate.currency.as_deref(), total.currency);
        let (value, base) = if foreign {
            let Some(converted) = total.conversion.apply(amount) else { continue };
            (converted, Base::Converted(at, converted))
        } else {
            (amount, Base::Candidate(at))
        };
        let rest = if sum.increases { total.amount - value } else { value - total.amount };
        let score = total.score + bounded(candidate.score);
        for (missed, subset) in subsets.with_sum(rest) {
            let bonus = match (foreign, subset.mask) {
                (true, _) => CONVERTED_SUM_HOLDS,
                (false, 0) => EQUAL,
                (false, _) => SUM_HOLDS,
            };
            combinations.push(Combination {
                total: total.index,
                base: base.clone(),
                value,
                parts: subsets.parts(subset.mask),
                score: score + subset.score + bonus - f64::from(missed) * 0.7,
            });
        }
        for subset in subsets.likely() {
            combinations.push(Combination {
                total: total.index,
                base: base.clone(),
                value,
                parts: subsets.parts(subset.mask),
                score: score + subset.score + SUM_FAILS,
            });
        }
    }
    let none = none_probability(bases);
    let none = (none / (1.0 - none).max(1e-4)).ln().clamp(-5.0, 0.0);
    for subset in subsets.likely() {
        let rest = subsets.parts(subset.mask).iter().map(|part| part.value).sum::<Decimal>();
        let value = if sum.increases { total.amount - rest } else { total.amount + rest };
        if value.is_sign_negative() {
            continue;
        }
        combinations.push(Combination {
            total: total.index,
            base: Base::Derived(value),
            value,
            parts: subsets.parts(subset.mask),
            score: total.score + none + subset.score,
        });
    }
}

fn differs(one: Option<&str>, other: Option<&str>) -> bool {
    one.zip(other).is_some_and(|(one, other)| one != other)
}

fn bounded(score: f32) -> f64 {
    f64::from(score.clamp(-MOST, MOST))
}

/// The fees and taxes in a currency. An amount that fits both counts as what it fits better.
fn parts<'p>(
    fields: &'p [ParsedField],
    sum: &Sum<'_>,
    considered: Considered<'_>,
) -> Vec<Part<'p>> {
    let Considered { currency, conversion, page } = considered;
    let mut parts: Vec<Part<'p>> = Vec::new();
    for (at, name) in sum.additive.iter().enumerate() {
        let field = fields.iter().find(|field| field.name == *name);
        let candidates = field.iter().flat_map(|field| &field.candidates);
        for candidate in candidates.filter(|candidate| page.is_none() || candidate.page == page) {
            let Ok(amount) = candidate.value.parse::<Decimal>() else { continue };
            let foreign = differs(candidate.currency.as_deref(), currency);
            let value = if foreign { conversion.apply(amount) } else { Some(amount) };
            let Some(value) = value.filter(|value| !value.is_zero()) else { continue };
            let score = bounded(candidate.score) - if foreign { 0.5 } else { 0.0 };
            let same_place = |part: &&mut Part<'_>| {
                part.candidate.page == candidate.page
                    && part.candidate.area == candidate.area
                    && part.candidate.raw == candidate.raw
                    && candidate.area.is_some()
            };
            match parts.iter_mut().find(same_place) {
                Some(known) if known.score < score => {
                    *known = Part { field: at, candidate, value, score };
                }
                Some(_) => {}
                None => parts.push(Part { field: at, candidate, value, score }),
            }
        }
    }
    // An amount that the row also gives in the currency of settlement is not converted.
    let settled: Vec<&Candidate> = parts
        .iter()
        .map(|part| part.candidate)
        .filter(|candidate| !differs(candidate.currency.as_deref(), currency))
        .collect();
    let given = |candidate: &Candidate| {
        settled.iter().any(|other| {
            other.page == candidate.page
                && other.area.zip(candidate.area).is_some_and(|(a, b)| (a.top - b.top).abs() < 3.0)
        })
    };
    parts.retain(|part| {
        !differs(part.candidate.currency.as_deref(), currency) || !given(part.candidate)
    });
    parts.sort_by(|a, b| b.score.total_cmp(&a.score));
    parts.truncate(MAX_PARTS);
    parts
}

#[derive(Clone, Copy)]
struct Subset {
    mask: u32,
    score: f64,
}

/// All subsets of the parts, by their sums.
struct Subsets<'p> {
    all: Vec<Part<'p>>,
    /// The best subsets of each sum, in cents.
    by_sum: HashMap<i64, Vec<Subset>>,
    likely: Vec<Subset>,
}

impl<'p> Subsets<'p> {
    fn new(all: Vec<Part<'p>>) -> Self {
        let mut by_sum: HashMap<i64, Vec<Subset>> = HashMap::new();
        let mut likely: Vec<Subset> = Vec::new();
        for mask in 0..1_u32 << all.len() {
            let members: Vec<&Part<'_>> = members(&all, mask).collect();
            let score = members.iter().map(|part| part.score).sum::<f64>() + repetitions(&members);
            let sum = key(members.iter().map(|part| part.value).sum());
            let subset = Subset { mask, score };
            insert(by_sum.entry(sum).or_default(), subset, 2);
            insert(&mut likely, subset, 4);
        }
        Self { all, by_sum, likely }
    }

    /// The best subsets with this sum, or with one that misses it by a cent.
    fn with_sum(&self, sum: Decimal) -> impl Iterator<Item = (u8, Subset)> {
        let key = key(sum);
        let near = [(0, key), (1, key - 1), (1, key + 1)];
        near.into_iter().filter(move |(_, key)| *key >= 0 && !sum.is_sign_negative()).flat_map(
            |(missed, key)| {
                let found = self.by_sum.get(&key).map_or(&[][..], Vec::as_slice);
                // Nothing is no part of a sum that misses by a cent.
                found
                    .iter()
                    .filter(move |subset| missed == 0 || subset.mask != 0)
                    .map(move |s| (missed, *s))
            },
        )
    }

    fn likely(&self) -> impl Iterator<Item = Subset> {
        self.likely.iter().copied()
    }

    fn parts(&self, mask: u32) -> Vec<Part<'p>> {
        members(&self.all, mask).cloned().collect()
    }
}

fn members<'a, 'p>(all: &'a [Part<'p>], mask: u32) -> impl Iterator<Item = &'a Part<'p>> {
    all.iter().enumerate().filter(move |(at, _)| mask & (1 << at) != 0).map(|(_, part)| part)
}

fn repetitions(members: &[&Part<'_>]) -> f64 {
    let repeated = members.iter().enumerate().filter(|(at, part)| {
        members[..*at].iter().any(|other| other.value == part.value && other.field == part.field)
    });
    repeated.map(|_| REPEATED).sum()
}

/// Keeps the best subsets, the best first.
fn insert(subsets: &mut Vec<Subset>, subset: Subset, most: usize) {
    let at = subsets.partition_point(|known| known.score >= subset.score);
    if at < most {
        subsets.insert(at, subset);
        subsets.truncate(most);
    }
}

/// An amount in cents.
fn key(amount: Decimal) -> i64 {
    let scaled = cents(amount).checked_mul(Decimal::ONE_HUNDRED);
    scaled
        .and_then(|scaled| {
            i64::try_from(scaled.trunc().mantissa() / 10_i128.pow(scaled.trunc().scale())).ok()
        })
        .unwrap_or(i64::MAX / 2)
}

/// The share of the combinations with some property, each weighted by its score.
fn share(
    combinations: &[Combination<'_>],
    best: &Combination<'_>,
    same: &dyn Fn(&Combination<'_>) -> bool,
) -> f64 {
    let weight = |combination: &Combination<'_>| (combination.score - best.score).exp();
    let total: f64 = combinations.iter().map(weight).sum();
    combinations.iter().filter(|combination| same(combination)).map(weight).sum::<f64>() / total
}

fn part_sum(combination: &Combination<'_>, field: usize) -> Decimal {
    combination.parts.iter().filter(|part| part.field == field).map(|part| part.value).sum()
}

fn base_outcome(bases: &ParsedField, best: &Combination<'_>) -> Outcome {
    let derived = |value: Decimal, from: Option<&Candidate>| Candidate {
        value: value.to_string(),
        raw: from.map(|from| from.raw.clone()).unwrap_or_default(),
        page: from.and_then(|from| from.page),
        area: from.and_then(|from| from.area),
        source: derived_source(from.into_iter()),
        score: from.map_or(0.0, |from| from.score),
        currency: None,
    };
    match best.base {
        Base::Candidate(index) => Outcome::of(bases, Some(index)),
        Base::Converted(index, value) => Outcome {
            chosen: Some(derived(value, bases.candidates.get(index))),
            ..Outcome::of(bases, None)
        },
        Base::Derived(value) => {
            Outcome { chosen: Some(derived(value, None)), ..Outcome::of(bases, None) }
        }
    }
}

fn additive_outcome(field: &ParsedField, best: &Combination<'_>, at: usize) -> Outcome {
    let parts: Vec<&Part<'_>> = best.parts.iter().filter(|part| part.field == at).collect();
    let chosen =
        combined(&parts.iter().map(|part| (part.candidate, part.value)).collect::<Vec<_>>());
    let is_part = |candidate: &&Candidate| {
        !parts.iter().any(|part| {
            part.candidate.area == candidate.area && part.candidate.raw == candidate.raw
        })
    };
    let others = field.candidates.iter().filter(is_part).take(5).cloned().collect();
    Outcome { chosen: Some(chosen), probability: 0.0, others }
}

/// The source of a value that follows from others. What follows from a choice of a language model is one too.
fn derived_source<'c>(mut from: impl Iterator<Item = &'c Candidate>) -> FieldSource {
    if from.any(|candidate| candidate.source == FieldSource::LanguageModel) {
        FieldSource::LanguageModel
    } else {
        FieldSource::Derived
    }
}

/// The sum of amounts as one candidate. The sum of none is zero.
fn combined(parts: &[(&Candidate, Decimal)]) -> Candidate {
    let value: Decimal = parts.iter().map(|(_, value)| *value).sum();
    let raw: Vec<&str> = parts.iter().map(|(candidate, _)| candidate.raw.as_str()).collect();
    let page = parts.first().and_then(|(candidate, _)| candidate.page);
    let areas = parts.iter().filter(|(c, _)| c.page == page).filter_map(|(c, _)| c.area);
    let score = parts.iter().map(|(candidate, _)| candidate.score).fold(f32::MAX, f32::min);
    let source = match parts {
        [(candidate, value)] if candidate.value.parse() == Ok(*value) => candidate.source,
        parts => derived_source(parts.iter().map(|(candidate, _)| *candidate)),
    };
    Candidate {
        value: value.to_string(),
        raw: raw.join(" + "),
        page,
        area: areas.reduce(|all, area| all.around(&area)),
        source,
        score: if parts.is_empty() { 0.0 } else { score },
        currency: parts.first().and_then(|(candidate, _)| candidate.currency.clone()),
    }
}

/// The sum of the candidates that are more likely a term than not.
fn sum_of_likely(field: &ParsedField) -> Outcome {
    let likely: Vec<(&Candidate, Decimal)> = field
        .candidates
        .iter()
        .filter(|candidate| candidate.score > 0.0)
        .filter_map(|candidate| candidate.value.parse().ok().map(|value| (candidate, value)))
        .collect();
    let others = field.candidates.iter().filter(|c| c.score <= 0.0).take(5).cloned().collect();
    if likely.is_empty() {
        return Outcome { chosen: None, probability: 0.0, others };
    }
    Outcome { chosen: Some(combined(&likely)), probability: 0.5, others }
}

/// Chooses the factors of the gross amount together: quantity and price.
fn choose_factors(
    fields: &[ParsedField],
    constraints: &[Constraint],
    sum: &Sum<'_>,
    best: &Combination<'_>,
    bases: &ParsedField,
    chosen: &mut BTreeMap<String, Outcome>,
) {
    let factors = constraints.iter().find_map(|constraint| match constraint {
        Constraint::Product { product, factors, .. } if product == sum.base => {
            Some(factors.as_slice())
        }
        _ => None,
    });
    let Some([first, second]) = factors else { return };
    let find = |name: &String| fields.iter().find(|field| field.name == *name);
    let (Some(one), Some(two)) = (find(first), find(second)) else { return };
    // The price may be in the currency of another gross amount.
    let mut products = vec![best.value];
    products.extend(bases.candidates.iter().filter_map(|c| c.value.parse::<Decimal>().ok()));
    let mut top: Option<(f64, usize, Option<usize>)> = None;
    for (at, a) in one.candidates.iter().take(TOTALS).enumerate() {
        let none = (bounded(a.score), at, None);
        if top.is_none_or(|(score, ..)| none.0 > score) {
            top = Some(none);
        }
        let Ok(quantity) = a.value.parse::<Decimal>() else { continue };
        for (index, b) in two.candidates.iter().take(BASES).enumerate() {
            let Ok(price) = b.value.parse::<Decimal>() else { continue };
            let holds = quantity != Decimal::ONE
                && products.iter().any(|product| is_product(*product, &[quantity, price]));
            let bonus = if holds { PRODUCT_HOLDS } else { 0.0 };
            let score = bounded(a.score) + bounded(b.score).min(0.0) + bonus;
            if top.is_none_or(|(known, ..)| score > known) {
                top = Some((score, at, Some(index)));
            }
        }
    }
    let Some((_, quantity, price)) = top else { return };
    let outcome = Outcome::of(one, Some(quantity));
    chosen.insert(first.clone(), outcome);
    let price = price.or((!two.candidates.is_empty()).then_some(0));
    chosen.insert(second.clone(), Outcome::of(two, price));
}
