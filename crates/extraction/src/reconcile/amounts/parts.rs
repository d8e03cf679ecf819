//! Fees and taxes, and their subsets by sum.

use std::collections::HashMap;

use rust_decimal::Decimal;

use super::conversion::{Conversion, cents, differs};
use super::{Sum, bounded};
use crate::parsed::{Candidate, ParsedField};

/// The most fees and taxes whose subsets are tried.
const MAX_PARTS: usize = 10;
/// The same amount twice in one sum is unlikely: documents repeat them.
const REPEATED: f64 = -2.5;

/// A fee or tax.
#[derive(Clone)]
pub(super) struct Part<'p> {
    pub(super) field: usize,
    pub(super) candidate: &'p Candidate,
    pub(super) value: Decimal,
    pub(super) score: f64,
}

/// Which fees and taxes are considered: of all pages, or only of the page of the total, because later pages repeat them in
/// the calculation of taxes.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Considered<'s> {
    pub(super) currency: Option<&'s str>,
    pub(super) conversion: Conversion,
    pub(super) page: Option<u32>,
}

/// The fees and taxes in a currency. An amount that fits both counts as what it fits better.
pub(super) fn parts<'p>(
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
pub(super) struct Subset {
    pub(super) mask: u32,
    pub(super) score: f64,
}

/// All subsets of the parts, by their sums.
pub(super) struct Subsets<'p> {
    all: Vec<Part<'p>>,
    /// The best subsets of each sum, in cents.
    by_sum: HashMap<i64, Vec<Subset>>,
    likely: Vec<Subset>,
}

impl<'p> Subsets<'p> {
    pub(super) fn new(all: Vec<Part<'p>>) -> Self {
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
    pub(super) fn with_sum(&self, sum: Decimal) -> impl Iterator<Item = (u8, Subset)> {
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

    pub(super) fn likely(&self) -> impl Iterator<Item = Subset> {
        self.likely.iter().copied()
    }

    pub(super) fn parts(&self, mask: u32) -> Vec<Part<'p>> {
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
