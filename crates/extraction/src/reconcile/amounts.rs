//! The amounts of a trade: `net = gross ± fees ± taxes`, where fees and taxes are sums of amounts of the page.
//!
//! Every combination of a net amount, a gross amount and a subset of the fees and taxes has a score: the log-odds of its
//! members, and a bonus when the sum is right. The probability of a field is what the combinations with its value have
//! together.

mod conversion;
mod factors;
mod outcomes;
mod parts;

use std::collections::BTreeMap;

use rust_decimal::Decimal;

use conversion::{Conversion, conversions, converted_to, differs};
use outcomes::{additive_outcome, base_outcome, part_sum, share, sum_of_likely};
use parts::{Considered, Part, Subsets, parts};

use super::Outcome;
use super::outcome::none_probability;
use super::search;
use crate::parsed::ParsedField;
use crate::types::Constraint;

const TOTALS: usize = 6;
const BASES: usize = 8;
/// What a sum that is right adds to the log-odds of a combination: with fees or taxes; without any, when both amounts are
/// equal; and with a converted amount, which is rounded.
const SUM_HOLDS: f64 = 5.0;
const EQUAL: f64 = 1.0;
const CONVERTED_SUM_HOLDS: f64 = 3.0;
const SUM_FAILS: f64 = -3.0;
/// What speaks for a net amount that another one before it is converted to.
const IS_CONVERTED: f64 = 2.0;
const MOST: f32 = 7.0;

/// The constraint that connects the amounts.
struct Sum<'c> {
    total: &'c str,
    base: &'c str,
    additive: Vec<&'c str>,
    /// Whether fees and taxes increase the total.
    increases: bool,
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
    factors::choose(fields, constraints, &sum, best, bases, &mut chosen);
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

fn combinations<'p>(
    fields: &'p [ParsedField],
    sum: &Sum<'_>,
    totals: &'p ParsedField,
    bases: &ParsedField,
) -> Vec<Combination<'p>> {
    let mut combinations = Vec::new();
    let mut tables: Vec<(Considered<'p>, Subsets<'p>)> = Vec::new();
    let table = |considered: Considered<'p>, tables: &mut Vec<(Considered<'p>, Subsets<'p>)>| {
        let known = tables.iter().position(|(known, _)| *known == considered);
        known.unwrap_or_else(|| {
            tables.push((considered, Subsets::new(parts(fields, sum, considered))));
            tables.len() - 1
        })
    };
    for (total, candidate) in totals.candidates.iter().take(TOTALS).enumerate() {
        let Ok(amount) = candidate.value.parse::<Decimal>() else { continue };
        let settlement = amount;
        let score = bounded(candidate.score);
        let currency = candidate.currency.as_deref();
        for conversion in conversions(fields, currency) {
            for page in [candidate.page, None] {
                let at = table(Considered { currency, conversion, page }, &mut tables);
                let context = Total { index: total, amount, score, currency, conversion };
                with_bases(&context, sum, bases, &tables[at].1, &mut combinations);
            }
        }
        for foreign in converted_to(fields, &totals.candidates, total) {
            let before = &totals.candidates[foreign.index];
            let Ok(amount) = before.value.parse::<Decimal>() else { continue };
            let currency = before.currency.as_deref();
            let conversion = Conversion::None;
            let at = table(Considered { currency, conversion, page: None }, &mut tables);
            let score = score + IS_CONVERTED;
            let context = Total { index: total, amount, score, currency, conversion };
            let mut found = Vec::new();
            with_bases(&context, sum, bases, &tables[at].1, &mut found);
            combinations.extend(
                found
                    .into_iter()
                    .filter_map(|found| settled(found, settlement, foreign.conversion, sum)),
            );
        }
    }
    combinations
}

/// A combination in another currency, converted to that of settlement. The gross amount follows from the others, because
/// each is rounded for itself.
fn settled<'p>(
    mut combination: Combination<'p>,
    settlement: Decimal,
    conversion: Conversion,
    sum: &Sum<'_>,
) -> Option<Combination<'p>> {
    for part in &mut combination.parts {
        part.value = conversion.apply(part.value)?;
    }
    let rest = combination.parts.iter().map(|part| part.value).sum::<Decimal>();
    let value = if sum.increases { settlement - rest } else { settlement + rest };
    combination.base = match combination.base {
        Base::Candidate(at) | Base::Converted(at, _) => Base::Converted(at, value),
        Base::Derived(_) => Base::Derived(value),
    };
    Some(Combination { value, ..combination })
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

fn bounded(score: f32) -> f64 {
    f64::from(score.clamp(-MOST, MOST))
}
