//! A beam search over the candidates of fields that constraints connect.

use std::collections::{BTreeMap, BTreeSet};

use super::Outcome;
use super::checks::evaluate;
use super::outcome::none_probability;
use crate::parsed::ParsedField;
use crate::types::Constraint;

const BEAM: usize = 300;
const CANDIDATES: usize = 6;
/// What a constraint that holds, or that does not, adds to the log-odds of a combination.
const HOLDS: f64 = 3.0;
const FAILS: f64 = -2.0;
const IN_ORDER: f64 = 0.5;

#[derive(Clone)]
struct State {
    /// For each field of the search the index of its candidate.
    choices: Vec<Option<usize>>,
    score: f64,
}

/// Chooses a candidate for each field.
pub(super) fn choose(
    fields: &[ParsedField],
    constraints: &[Constraint],
) -> BTreeMap<String, Outcome> {
    let connected: BTreeSet<&str> = constraints.iter().flat_map(names).collect();
    let searched: Vec<&ParsedField> =
        fields.iter().filter(|field| connected.contains(field.name.as_str())).collect();
    let best = search(&searched, constraints);
    let mut chosen: BTreeMap<String, Outcome> = fields
        .iter()
        .filter(|field| !connected.contains(field.name.as_str()))
        .map(|field| (field.name.clone(), Outcome::best(field)))
        .collect();
    for (field, index) in searched.iter().zip(best) {
        chosen.insert(field.name.clone(), Outcome::of(field, index));
    }
    chosen
}

fn search(fields: &[&ParsedField], constraints: &[Constraint]) -> Vec<Option<usize>> {
    let mut states = vec![State { choices: Vec::new(), score: 0.0 }];
    for (at, field) in fields.iter().enumerate() {
        let mut next = Vec::with_capacity(states.len() * (CANDIDATES + 1));
        // A constraint counts once all its fields have been chosen.
        let complete: Vec<&Constraint> = constraints
            .iter()
            .filter(|constraint| {
                let last = fields
                    .iter()
                    .rposition(|field| names(constraint).contains(&field.name.as_str()));
                last == Some(at)
            })
            .collect();
        for state in &states {
            let candidates = field.candidates.iter().take(CANDIDATES).enumerate();
            let options = candidates
                .map(|(index, candidate)| (Some(index), f64::from(candidate.score)))
                .chain([(None, logit(none_probability(field)).min(0.0))]);
            for (choice, score) in options {
                let mut choices = state.choices.clone();
                choices.push(choice);
                let mut state = State { choices, score: state.score + score };
                state.score += agreement(fields, &state.choices, &complete);
                next.push(state);
            }
        }
        next.sort_by(|a, b| b.score.total_cmp(&a.score));
        next.truncate(BEAM);
        states = next;
    }
    states.into_iter().next().map(|state| state.choices).unwrap_or_default()
}

fn agreement(
    fields: &[&ParsedField],
    choices: &[Option<usize>],
    constraints: &[&Constraint],
) -> f64 {
    let value = |name: &str| {
        let at = fields.iter().position(|field| field.name == name)?;
        let index = (*choices.get(at)?)?;
        Some(fields[at].candidates[index].value.clone())
    };
    constraints
        .iter()
        .map(|constraint| match evaluate(constraint, &value) {
            // An order of dates holds by chance half of the time.
            Some((Some(holds), ..)) if matches!(constraint, Constraint::DateOrder { .. }) => {
                if holds {
                    IN_ORDER
                } else {
                    -IN_ORDER
                }
            }
            Some((Some(true), ..)) => HOLDS,
            Some((Some(false), ..)) => FAILS,
            _ => 0.0,
        })
        .sum()
}

fn logit(probability: f64) -> f64 {
    (probability / (1.0 - probability).max(1e-5)).ln()
}

/// The fields of a constraint.
pub(super) fn names(constraint: &Constraint) -> Vec<&str> {
    match constraint {
        Constraint::Sum { total, add, subtract, when, .. } => std::iter::once(total)
            .chain(add)
            .chain(subtract)
            .chain(when.keys())
            .map(String::as_str)
            .collect(),
        Constraint::Product { product, factors, when, .. } => {
            std::iter::once(product).chain(factors).chain(when.keys()).map(String::as_str).collect()
        }
        Constraint::DateOrder { earlier, later, .. } => vec![earlier, later],
        Constraint::LineSum { .. } => Vec::new(),
    }
}
