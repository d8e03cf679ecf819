//! The factors of the gross amount: quantity and price.

use std::collections::BTreeMap;

use rust_decimal::Decimal;

use super::{BASES, Combination, Sum, TOTALS, bounded};
use crate::parsed::ParsedField;
use crate::reconcile::Outcome;
use crate::reconcile::checks::is_product;
use crate::types::Constraint;

/// What a product that is right adds to the log-odds of its factors.
const PRODUCT_HOLDS: f64 = 2.0;

/// Chooses the factors of the gross amount together.
pub(super) fn choose(
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
