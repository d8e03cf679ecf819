//! Constraints as checks of chosen values, with their numbers as a readable sum.

use std::collections::BTreeMap;
use std::fmt::Write;

use chrono::NaiveDate;
use domain::{Check, Extraction, FieldGroup};
use rust_decimal::Decimal;

use crate::types::{Constraint, DocumentType, split_group};

/// Amounts are rounded to cents, each for itself.
pub(super) const CENT: Decimal = Decimal::from_parts(11, 0, 0, false, 3);

/// A constraint of one group, with the names of its fields as they are within the group. `None` if it is about another
/// group, or about several.
pub(super) fn within_group(constraint: &Constraint, group: Option<&str>) -> Option<Constraint> {
    let short = |name: &String| {
        let (own, short) = split_group(name);
        (own == group).then(|| short.to_owned())
    };
    let all = |names: &Vec<String>| names.iter().map(short).collect::<Option<Vec<_>>>();
    let conditions = |when: &BTreeMap<String, String>| {
        when.iter()
            .map(|(name, value)| short(name).map(|name| (name, value.clone())))
            .collect::<Option<BTreeMap<_, _>>>()
    };
    match constraint {
        Constraint::Sum { name, total, add, subtract, optional, when } => Some(Constraint::Sum {
            name: name.clone(),
            total: short(total)?,
            add: all(add)?,
            subtract: all(subtract)?,
            optional: all(optional)?,
            when: conditions(when)?,
        }),
        Constraint::Product { name, product, factors, when } => Some(Constraint::Product {
            name: name.clone(),
            product: short(product)?,
            factors: all(factors)?,
            when: conditions(when)?,
        }),
        Constraint::DateOrder { name, earlier, later } => Some(Constraint::DateOrder {
            name: name.clone(),
            earlier: short(earlier)?,
            later: short(later)?,
        }),
        Constraint::LineSum { .. } => None,
    }
}

/// The value of a field, for a check.
pub(super) type Values<'v> = dyn Fn(&str) -> Option<String> + 'v;

/// The checks of the document's own fields, and of sums over its lines or trades.
pub(super) fn header(
    document_type: &DocumentType,
    extraction: &Extraction,
) -> Vec<(Check, Vec<String>)> {
    let values = |name: &str| value(&extraction.fields, name);
    let mut checks = Vec::new();
    for constraint in &document_type.constraints {
        if let Constraint::LineSum { name, field, total } = constraint {
            checks.extend(line_sum(extraction, name, field, total));
        } else if let Some(constraint) = within_group(constraint, None)
            && let Some((passed, detail, names)) = evaluate(&constraint, &values)
        {
            checks.push((Check { name: constraint.name().to_owned(), passed, detail }, names));
        }
    }
    checks
}

/// The checks of one trade or line.
pub(super) fn of_group(
    document_type: &DocumentType,
    extraction: &Extraction,
    group: &str,
    index: usize,
) -> Vec<(Check, Vec<String>)> {
    let items = if group == "trades" { &extraction.trades } else { &extraction.lines };
    let Some(fields) = items.get(index) else { return Vec::new() };
    let values = |name: &str| value(fields, name);
    let mut checks = Vec::new();
    for constraint in &document_type.constraints {
        let Some(constraint) = within_group(constraint, Some(group)) else { continue };
        let Some((passed, detail, names)) = evaluate(&constraint, &values) else { continue };
        let name = if items.len() > 1 {
            format!("{group}.{index}.{}", constraint.name())
        } else {
            constraint.name().to_owned()
        };
        let paths = names.iter().map(|name| format!("{group}.{index}.{name}")).collect();
        checks.push((Check { name, passed, detail }, paths));
    }
    checks
}

fn value(fields: &FieldGroup, name: &str) -> Option<String> {
    fields.get(name).and_then(|field| field.value.clone())
}

/// Whether a constraint holds, with its numbers and the fields it used. `None` when it does not apply; the result is
/// `None` when a value is missing.
pub(super) fn evaluate(
    constraint: &Constraint,
    values: &Values<'_>,
) -> Option<(Option<bool>, String, Vec<String>)> {
    let applies = |when: &BTreeMap<String, String>| {
        when.iter().all(|(name, wanted)| values(name).as_ref() == Some(wanted))
    };
    match constraint {
        Constraint::Sum { total, add, subtract, optional, when, .. } => {
            applies(when).then(|| sum(total, add, subtract, optional, values))
        }
        Constraint::Product { product, factors, when, .. } => {
            applies(when).then(|| self::product(product, factors, values))
        }
        Constraint::DateOrder { earlier, later, .. } => {
            let names = vec![earlier.clone(), later.clone()];
            let dates = [values(earlier), values(later)];
            let [Some(first), Some(second)] = &dates else {
                return Some((None, missing(&names, values), names));
            };
            let dates = first.parse::<NaiveDate>().ok().zip(second.parse::<NaiveDate>().ok());
            let passed = dates.map(|(first, second)| first <= second);
            let relation = if passed == Some(false) { ">" } else { "≤" };
            Some((passed, format!("{first} {relation} {second}"), names))
        }
        Constraint::LineSum { .. } => None,
    }
}

fn sum(
    total: &str,
    add: &[String],
    subtract: &[String],
    optional: &[String],
    values: &Values<'_>,
) -> (Option<bool>, String, Vec<String>) {
    let mut names = vec![total.to_owned()];
    let mut detail = String::new();
    let mut result = Decimal::ZERO;
    let mut complete = true;
    for (terms, sign) in [(add, 1), (subtract, -1)] {
        for name in terms {
            names.push(name.clone());
            match number(values(name)) {
                Some(number) => {
                    let term = number * Decimal::from(sign);
                    result += term;
                    push_term(&mut detail, term);
                }
                None if optional.contains(name) => {}
                None => complete = false,
            }
        }
    }
    let Some(expected) = number(values(total)).filter(|_| complete) else {
        return (None, missing(&names, values), names);
    };
    let passed = (expected - result).abs() <= CENT;
    let _ = write!(detail, " {} {}", if passed { "=" } else { "≠" }, plain(expected));
    (Some(passed), detail, names)
}

fn push_term(detail: &mut String, term: Decimal) {
    let written = match (detail.is_empty(), term.is_sign_negative()) {
        (true, _) => plain(term),
        (false, true) => format!(" − {}", plain(term.abs())),
        (false, false) => format!(" + {}", plain(term)),
    };
    detail.push_str(&written);
}

fn product(
    product: &str,
    factors: &[String],
    values: &Values<'_>,
) -> (Option<bool>, String, Vec<String>) {
    let mut names = vec![product.to_owned()];
    names.extend(factors.iter().cloned());
    let numbers: Option<Vec<Decimal>> = factors.iter().map(|name| number(values(name))).collect();
    let expected = number(values(product));
    let (Some(numbers), Some(expected)) = (numbers, expected) else {
        return (None, missing(&names, values), names);
    };
    let passed = is_product(expected, &numbers);
    let factors: Vec<String> = numbers.iter().map(|number| plain(*number)).collect();
    let relation = if passed { "=" } else { "≠" };
    (Some(passed), format!("{} {relation} {}", factors.join(" × "), plain(expected)), names)
}

/// Whether a number is a product, when each factor is rounded to the digits that it shows.
pub(super) fn is_product(product: Decimal, factors: &[Decimal]) -> bool {
    let Some(result) =
        factors.iter().try_fold(Decimal::ONE, |all, factor| all.checked_mul(*factor))
    else {
        return false;
    };
    let mut tolerance = CENT;
    for factor in factors {
        let unit = Decimal::new(5, (factor.scale() + 1).min(28));
        if factor.scale() > 0 && !factor.is_zero() {
            let share = result.checked_div(*factor).and_then(|rest| rest.checked_mul(unit));
            tolerance += share.map_or(Decimal::ZERO, |share| share.abs());
        }
    }
    (product - result).abs() <= tolerance
}

fn line_sum(
    extraction: &Extraction,
    name: &str,
    field: &str,
    total: &str,
) -> Option<(Check, Vec<String>)> {
    let (group, short) = split_group(field);
    let group = group.unwrap_or("lines");
    let items = if group == "trades" { &extraction.trades } else { &extraction.lines };
    if items.is_empty() {
        return None;
    }
    let mut paths = vec![total.to_owned()];
    paths.extend((0..items.len()).map(|index| format!("{group}.{index}.{short}")));
    let numbers: Option<Vec<Decimal>> =
        items.iter().map(|item| number(value(item, short))).collect();
    let expected = number(value(&extraction.fields, total));
    let (Some(numbers), Some(expected)) = (numbers, expected) else {
        let detail = format!("{total} or {field} is missing");
        return Some((Check { name: name.to_owned(), passed: None, detail }, paths));
    };
    let result: Decimal = numbers.iter().sum();
    let passed = (expected - result).abs() <= CENT;
    let mut detail = String::new();
    for number in numbers.iter().take(12) {
        push_term(&mut detail, *number);
    }
    if numbers.len() > 12 {
        detail.push_str(" + …");
    }
    let _ = write!(detail, " {} {}", if passed { "=" } else { "≠" }, plain(expected));
    Some((Check { name: name.to_owned(), passed: Some(passed), detail }, paths))
}

fn missing(names: &[String], values: &Values<'_>) -> String {
    let missing: Vec<&str> =
        names.iter().filter(|name| values(name).is_none()).map(String::as_str).collect();
    format!("missing: {}", missing.join(", "))
}

pub(super) fn number(value: Option<String>) -> Option<Decimal> {
    value.and_then(|value| value.parse().ok())
}

fn plain(number: Decimal) -> String {
    number.to_string()
}
