//! Adding the values that were found on the pages to the candidates of the rules.
//!
//! Where a model and the rules agree, the score of the candidate is raised. A value that only the model chose becomes
//! another candidate, whose score depends on whether a label of the field is near it. Both are bounded, so that a model alone
//! never outweighs a strong label.

use std::collections::BTreeSet;

use domain::FieldSource;

use super::claims::{Claim, Claims, Meaning, same_value};
use super::places::Place;
use crate::candidates::Conventions;
use crate::parsed::{Candidate, Parsed, ParsedField};
use crate::types::{DocumentType, FieldSpec, pattern};

/// How much the agreement of a model raises a score, in log-odds, and up to which score.
const AGREEMENT: f32 = 1.5;
const MOST_AGREED: f32 = 3.0;
/// The share of the agreement that counts for a value without a label: a labelled one must not lose to it.
const UNLABELLED_SHARE: f32 = 0.4;
/// The log-odds of a value that only the model chose.
const LABELLED: f32 = 0.4;
const UNLABELLED: f32 = -1.0;
/// The same for a term of a sum. Its score is compared with none: a wrong term spoils the sum, where elsewhere a wrong value is
/// only another candidate.
const TERM_AGREEMENT: f32 = 1.0;
const LABELLED_TERM: f32 = -0.5;
const UNLABELLED_TERM: f32 = -3.0;
/// The distance between two pages, in points.
const PAGE_HEIGHT: f32 = 10_000.0;
/// How many candidates of a field identify the trade or line that they are of.
const IDENTIFYING: usize = 3;

/// What became of the claims.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) found: u32,
    pub(super) dropped: u32,
    /// Trades and lines that only the model has, although the rules have some.
    pub(super) other_items: u32,
}

pub(super) struct Merge<'a> {
    pub(super) document_type: &'a DocumentType,
    pub(super) conventions: Conventions,
    pub(super) counts: Counts,
}

/// A claim with the places where it was found.
struct Evidence<'c> {
    field: usize,
    options: Vec<LocatedValue<'c>>,
}

/// One place, with the value that it has there.
struct LocatedValue<'c> {
    value: String,
    place: &'c Place,
}

impl Merge<'_> {
    pub(super) fn add(&mut self, claims: &[Claims], parsed: &mut Parsed) {
        let mut header: Vec<Evidence<'_>> = Vec::new();
        for claim in claims.iter().flat_map(|claims| &claims.header) {
            header.extend(self.evidence(claim));
        }
        self.support_all(&header, &mut parsed.fields, &[]);
        for (group, items) in [("trades", &mut parsed.trades), ("lines", &mut parsed.lines)] {
            let mut own: Vec<Vec<Evidence<'_>>> = Vec::new();
            let of_group = claims.iter().flat_map(|claims| &claims.items);
            for (_, claims) in of_group.filter(|(name, _)| *name == group) {
                own.push(claims.iter().filter_map(|claim| self.evidence(claim)).collect());
            }
            if items.is_empty() {
                *items = self.new_items(group, &own);
            } else {
                self.match_items(&own, items);
            }
        }
    }

    /// Counts the claim, and returns it with its places when it has any.
    fn evidence<'c>(&mut self, claim: &'c Claim) -> Option<Evidence<'c>> {
        let spec = &self.document_type.fields[claim.field];
        let options = claim.meaning.as_ref().map(|meaning| self.options(spec, meaning, claim));
        let options = options.unwrap_or_default();
        if options.is_empty() {
            self.counts.dropped += 1;
            return None;
        }
        self.counts.found += 1;
        Some(Evidence { field: claim.field, options })
    }

    /// The best places first: those that print what the model wrote, then those with a label.
    fn options<'c>(
        &self,
        spec: &FieldSpec,
        meaning: &Meaning,
        claim: &'c Claim,
    ) -> Vec<LocatedValue<'c>> {
        let patterns: Vec<_> = spec.patterns.iter().filter_map(|text| pattern(text).ok()).collect();
        let matches = |value: &str| {
            patterns.is_empty() || patterns.iter().any(|pattern| pattern.is_match(value))
        };
        let is_trade = spec.group().0 == Some("trades");
        let value = |place: &Place| {
            let value = place.value(meaning, &self.conventions)?;
            // The side of a trade says in which direction its amounts go.
            let unsigned = value
                .strip_prefix('-')
                .filter(|_| is_trade && matches!(meaning, Meaning::Numbers(_)));
            Some(unsigned.map_or(value.clone(), str::to_owned))
        };
        let mut options: Vec<LocatedValue<'_>> = claim
            .places
            .iter()
            .filter_map(|place| Some(LocatedValue { value: value(place)?, place }))
            .filter(|option| matches(&option.value))
            .collect();
        options.sort_by_key(|option| (!option.place.is_labelled, !option.place.is_exact));
        options
    }

    /// Adds what is known about the fields of a document, trade or line. `near` are places of the same trade or line.
    fn support_all(
        &self,
        evidence: &[Evidence<'_>],
        fields: &mut Vec<ParsedField>,
        near: &[(u32, f32)],
    ) {
        let mut supported: Vec<(usize, String)> = Vec::new();
        for evidence in evidence {
            let spec = &self.document_type.fields[evidence.field];
            let is_known = |option: &LocatedValue<'_>| {
                supported.iter().any(|(field, value)| {
                    *field == evidence.field && same_value(spec.kind, value, &option.value)
                })
            };
            if evidence.options.iter().any(is_known) {
                continue;
            }
            let name = spec.group().1;
            let at = fields.iter().position(|field| field.name == name).unwrap_or_else(|| {
                let new =
                    ParsedField { additive: spec.additive, ..ParsedField::new(name, Vec::new()) };
                fields.push(new);
                fields.len() - 1
            });
            if let Some(value) = support(spec, evidence, &mut fields[at], near) {
                supported.push((evidence.field, value));
            }
        }
    }

    /// Adds what a model says about trades or lines to those that the rules found.
    fn match_items(&mut self, claimed: &[Vec<Evidence<'_>>], items: &mut [Vec<ParsedField>]) {
        let mut taken: BTreeSet<usize> = BTreeSet::new();
        for evidence in claimed.iter().filter(|evidence| !evidence.is_empty()) {
            let agreements = |item: &[ParsedField]| {
                evidence.iter().map(|evidence| self.agreement(evidence, item)).sum::<u32>()
            };
            let best = (0..items.len())
                .filter(|at| !taken.contains(at))
                .map(|at| (agreements(&items[at]), at))
                .max_by_key(|(agreements, at)| (*agreements, std::cmp::Reverse(*at)));
            let is_only = items.len() == 1 && claimed.len() == 1;
            match best {
                Some((agreements, at)) if agreements > 0 || is_only => {
                    taken.insert(at);
                    let near = places_of(&items[at]);
                    self.support_all(evidence, &mut items[at], &near);
                }
                _ => {
                    // The next window may repeat the last trade or line.
                    let is_repeated = items.iter().any(|item| agreements(item) > 1);
                    self.counts.other_items += u32::from(!is_repeated);
                }
            }
        }
    }

    fn agreement(&self, evidence: &Evidence<'_>, item: &[ParsedField]) -> u32 {
        let spec = &self.document_type.fields[evidence.field];
        let field = item.iter().find(|field| field.name == spec.group().1);
        let candidates =
            field.into_iter().flat_map(|field| field.candidates.iter().take(IDENTIFYING));
        let mut values = candidates.map(|candidate| &candidate.value);
        let agrees = values.any(|value| {
            evidence.options.iter().any(|option| same_value(spec.kind, value, &option.value))
        });
        u32::from(agrees)
    }

    /// Trades or lines that only the model found, in the order of the pages.
    fn new_items(&self, group: &str, claimed: &[Vec<Evidence<'_>>]) -> Vec<Vec<ParsedField>> {
        let specs = self.document_type.fields.iter().filter(|spec| spec.group().0 == Some(group));
        let least = specs.count().min(2);
        let mut taken: BTreeSet<(u32, usize)> = BTreeSet::new();
        let mut items: Vec<((u32, f32), Vec<ParsedField>)> = Vec::new();
        for evidence in claimed.iter().filter(|evidence| evidence.len() >= least) {
            // The rarest value says where the item is. When all its places are taken, the item is a repetition.
            let Some(rarest) = evidence.iter().min_by_key(|evidence| evidence.options.len()) else {
                continue;
            };
            let key = |place: &Place| (place.page, place.word);
            let mut free =
                rarest.options.iter().filter(|option| !taken.contains(&key(option.place)));
            let Some(anchor) = free.next().map(|option| option.place) else { continue };
            let near = [(anchor.page, anchor.top)];
            for evidence in evidence {
                if let Some(option) = nearest(&evidence.options, &near) {
                    taken.insert(key(option.place));
                }
            }
            taken.insert(key(anchor));
            let mut fields = Vec::new();
            self.support_all(evidence, &mut fields, &near);
            items.push(((anchor.page, anchor.top), fields));
        }
        items.sort_by(|a, b| a.0.0.cmp(&b.0.0).then(a.0.1.total_cmp(&b.0.1)));
        items.into_iter().map(|(_, fields)| fields).collect()
    }
}

/// Where the best candidates of the fields are.
fn places_of(fields: &[ParsedField]) -> Vec<(u32, f32)> {
    let best = fields.iter().filter_map(|field| field.candidates.first());
    best.filter_map(|candidate| Some((candidate.page?, candidate.area?.top))).collect()
}

/// The option that is nearest to one of the places; without places the first.
fn nearest<'o, 'c>(
    options: &'o [LocatedValue<'c>],
    near: &[(u32, f32)],
) -> Option<&'o LocatedValue<'c>> {
    let distance = |option: &LocatedValue<'_>| {
        let apart = near.iter().map(|(page, top)| {
            #[expect(clippy::cast_precision_loss, reason = "a distance to compare")]
            let pages = option.place.page.abs_diff(*page) as f32;
            pages * PAGE_HEIGHT + (option.place.top - top).abs()
        });
        apart.reduce(f32::min).unwrap_or_default()
    };
    options.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)))
}

/// Raises the candidate with the same value, or adds one. Returns the value.
fn support(
    spec: &FieldSpec,
    evidence: &Evidence<'_>,
    field: &mut ParsedField,
    near: &[(u32, f32)],
) -> Option<String> {
    let first = field.candidates.first().map(|candidate| candidate.value.clone());
    let matching = |candidate: &Candidate| {
        evidence.options.iter().any(|option| same_value(spec.kind, &candidate.value, &option.value))
    };
    let (agreement, labelled, unlabelled) = if spec.additive {
        (TERM_AGREEMENT, LABELLED_TERM, UNLABELLED_TERM)
    } else {
        (AGREEMENT, LABELLED, UNLABELLED)
    };
    let score =
        |option: &LocatedValue<'_>| if option.place.is_labelled { labelled } else { unlabelled };
    let agreed = field.candidates.iter_mut().find(|candidate| matching(candidate));
    let value = if let Some(candidate) = agreed {
        let alone = evidence.options.iter().map(score).fold(unlabelled, f32::max);
        let is_labelled = evidence.options.iter().any(|option| option.place.is_labelled);
        let agreement = if is_labelled { agreement } else { agreement * UNLABELLED_SHARE };
        let raised = candidate.score.max((candidate.score + agreement).min(MOST_AGREED));
        candidate.score = raised.max(alone);
        candidate.value.clone()
    } else {
        let option = nearest(&evidence.options, near)?;
        field.candidates.push(Candidate {
            value: option.value.clone(),
            raw: option.place.raw.clone(),
            page: Some(option.place.page),
            area: option.place.area,
            source: option.place.source(),
            score: score(option),
            currency: option.place.currency(),
        });
        option.value.clone()
    };
    field.candidates.sort_by(|a, b| b.score.total_cmp(&a.score));
    // What the rules did not prefer was chosen by the model.
    if let Some(best) = field.candidates.first_mut()
        && first.is_some_and(|first| first != best.value)
        && best.source == FieldSource::Page
    {
        best.source = FieldSource::LanguageModel;
    }
    Some(value)
}
