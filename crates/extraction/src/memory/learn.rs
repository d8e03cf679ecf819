//! Learning from a document whose fields a reviewer confirmed or corrected.

use std::collections::BTreeSet;

use domain::{Extraction, Field, FieldKind, FieldStatus};
use pages::Page;
use rust_decimal::Decimal;

use super::fingerprint::Fingerprint;
use super::places::{Place, places};
use super::recall::{Layout, fits};
use super::text::{self, TextRow};
use super::tokens::{self, Token};
use super::{Counts, FieldMemory, KnownPlace, MemoryEntry, Rule};
use crate::fold::folded_words;
use crate::scan::Scan;
use crate::types::{DocumentType, FieldSpec};

/// Values on later pages are not learnt.
pub const LEARNT_PAGES: usize = 20;
/// How many places are kept of a field.
const MAX_RULES: usize = 4;
/// How many amounts a sum may have.
const MAX_TERMS: usize = 6;
/// How many labelled amounts are tried as terms of a sum in all combinations.
const MAX_SUBSET: usize = 12;
/// How many places are kept that are of no field.
const MAX_OTHER_PLACES: usize = 96;
/// How many rows may be between two terms of a sum.
const MAX_TERM_GAP: usize = 3;

/// A document that a reviewer has read.
#[derive(Debug)]
pub struct ReviewedDocument {
    pub(super) places: Vec<Place>,
    /// The first rows, for fields of text.
    pub(super) rows: Vec<TextRow>,
    pub(super) layout: Layout,
}

impl ReviewedDocument {
    pub fn new(scan: &Scan, document_type: &DocumentType) -> Self {
        let places = places(scan, document_type);
        Self { places, rows: text::rows(&scan.rows), layout: Layout::of(scan) }
    }

    /// Takes the first [`LEARNT_PAGES`] pages.
    pub fn read<'p>(
        pages: impl IntoIterator<Item = &'p Page>,
        document_type: &DocumentType,
    ) -> Self {
        let mut scan = Scan::new();
        for page in pages.into_iter().take(LEARNT_PAGES) {
            scan.add(page);
        }
        scan.finish();
        Self::new(&scan, document_type)
    }

    pub fn fingerprint(&self) -> &Fingerprint {
        &self.layout.fingerprint
    }

    /// What the confirmed and corrected fields teach. `None` when none of them stands on the pages.
    pub fn learn(
        &self,
        document_type: &DocumentType,
        confirmed: &Extraction,
    ) -> Option<MemoryEntry> {
        if self.fingerprint().is_empty() {
            return None;
        }
        let (places, rows) = (self.places.as_slice(), self.rows.as_slice());
        let learner = Learner { document_type, places, rows, confirmed };
        let mut fields: Vec<FieldMemory> =
            document_type.fields.iter().filter_map(|spec| learner.field(spec)).collect();
        if fields.iter().all(|field| field.rules.is_empty() && field.texts.is_empty()) {
            return None;
        }
        let kept = kept(&self.places, &fields);
        for field in &mut fields {
            let index = |place: &usize| kept.iter().position(|known| known == place);
            field.unknown = field.unknown.iter().filter_map(index).collect();
            for rule in &mut field.rules {
                rule.terms = rule.terms.iter().filter_map(index).collect();
            }
        }
        let known = kept
            .iter()
            .filter_map(|place| self.places.get(*place))
            .map(|place| KnownPlace { kind: place.kind, context: place.context.clone() });
        Some(MemoryEntry {
            document_type: document_type.name.clone(),
            fingerprint: self.fingerprint().clone(),
            places: known.collect(),
            fields,
        })
    }
}

/// The places that an entry consists of, as indexes: those of its fields, and the first others of each kind that a field has.
fn kept(places: &[Place], fields: &[FieldMemory]) -> Vec<usize> {
    let named: BTreeSet<usize> =
        fields.iter().flat_map(|field| &field.rules).flat_map(|rule| rule.terms.clone()).collect();
    let mut others = 0;
    let mut is_kept = |(at, place): &(usize, &Place)| {
        if named.contains(at) {
            return true;
        }
        let is_wanted = fields.iter().any(|field| fits(field.kind, place.kind));
        others += usize::from(is_wanted);
        is_wanted && others <= MAX_OTHER_PLACES
    };
    places.iter().enumerate().filter(|found| is_kept(found)).map(|(at, _)| at).collect()
}

struct Learner<'a> {
    document_type: &'a DocumentType,
    places: &'a [Place],
    rows: &'a [TextRow],
    confirmed: &'a Extraction,
}

impl Learner<'_> {
    /// What the values of a field teach. A value that does not stand on the pages teaches nothing; that there is none, or that
    /// a sum is zero, teaches that all values are others.
    fn field(&self, spec: &FieldSpec) -> Option<FieldMemory> {
        let labels = label_tokens(spec);
        let reviewed = values_of(self.confirmed, &spec.name);
        let mut memory = FieldMemory {
            field: spec.name.clone(),
            kind: spec.kind,
            rules: Vec::new(),
            unknown: Vec::new(),
            constants: Vec::new(),
            texts: Vec::new(),
            choices: Vec::new(),
            counts: Counts::default(),
        };
        if text::is_text(spec.kind) {
            for field in reviewed {
                memory.constants.extend(field.value.as_deref().and_then(text::hash));
                memory.texts.extend(text::places(self.rows, field));
            }
            memory.texts.truncate(MAX_RULES);
            return (!memory.constants.is_empty()).then_some(memory);
        }
        let mut is_known = !reviewed.is_empty();
        for field in reviewed {
            if spec.kind == FieldKind::Choice {
                memory.choices.extend(field.value.clone());
            }
            if is_none(spec, field) {
                continue;
            }
            let rules = self.rules(spec, &labels, field);
            is_known &= !rules.is_empty();
            for rule in rules {
                if memory.rules.len() < MAX_RULES && !memory.rules.contains(&rule) {
                    memory.rules.push(rule);
                }
            }
        }
        memory.choices.sort_unstable();
        memory.choices.dedup();
        if !is_known {
            return None;
        }
        memory.unknown = self.unknown(spec, &memory.rules);
        Some(memory)
    }

    /// The places of which it is not known whether they belong to the field: they have the value of a term, or are zero.
    fn unknown(&self, spec: &FieldSpec, rules: &[Rule]) -> Vec<usize> {
        let terms: BTreeSet<usize> = rules.iter().flat_map(|rule| rule.terms.clone()).collect();
        let values: Vec<&str> = terms.iter().map(|at| self.places[*at].value.as_str()).collect();
        let is_unknown = |place: &Place| {
            let is_zero = decimal(&place.value).is_some_and(|value| value.is_zero());
            fits(spec.kind, place.kind)
                && (is_zero || values.iter().any(|value| place.is(spec.kind, value)))
        };
        let others = self.places.iter().enumerate().filter(|(at, _)| !terms.contains(at));
        others.filter(|(_, place)| is_unknown(place)).map(|(at, _)| at).collect()
    }

    fn rules(&self, spec: &FieldSpec, labels: &BTreeSet<Token>, field: &Field) -> Vec<Rule> {
        let Some(value) = field.value.as_deref() else { return Vec::new() };
        // Documents have many zeros, and most of them say nothing.
        if decimal(value).is_some_and(|value| value.is_zero()) {
            return Vec::new();
        }
        let fitting = || {
            let places = self.places.iter().enumerate();
            places.filter(|(_, place)| fits(spec.kind, place.kind))
        };
        let same: Vec<(usize, &Place)> =
            fitting().filter(|(_, place)| place.is(spec.kind, value)).collect();
        let same = self.distinct(spec, value, same);
        let rule = |at: usize, is_likely| Rule { terms: vec![at], is_likely };
        if same.is_empty() {
            if let Some(sum) = self.sum(spec, labels, field, value) {
                return vec![sum];
            }
            // A converted amount refers to the place of the other one.
            let source: Vec<(usize, &Place)> =
                fitting().filter(|(_, place)| is_marked(place, field)).collect();
            return match source.as_slice() {
                [(at, _)] => vec![rule(*at, true)],
                _ => Vec::new(),
            };
        }
        // The place of the value that the reviewer confirmed is more likely than other places with that value, and so are
        // those with a label of the type. The others count too: equal values are often equal by chance, and a reviewer who
        // confirms a value looks at the value.
        let is_confirmed = same.iter().any(|(_, place)| is_marked(place, field));
        let best = same.iter().map(|(_, place)| place.context.label_score(labels)).max();
        let is_likely = |place: &Place| {
            if is_confirmed {
                is_marked(place, field)
            } else {
                Some(place.context.label_score(labels)) == best
            }
        };
        let mut rules: Vec<Rule> =
            same.iter().map(|(at, place)| rule(*at, is_likely(place))).collect();
        rules.sort_by_key(|rule| !rule.is_likely);
        rules.truncate(MAX_RULES);
        rules
    }

    /// Without the places that rather belong to another field with the same value: without fees, the gross amount is the net
    /// amount. All of them when the labels do not tell.
    fn distinct<'p>(
        &self,
        spec: &FieldSpec,
        value: &str,
        places: Vec<(usize, &'p Place)>,
    ) -> Vec<(usize, &'p Place)> {
        let is_rival = |other: &&FieldSpec| {
            other.name != spec.name
                && other.kind == spec.kind
                && values_of(self.confirmed, &other.name)
                    .iter()
                    .filter_map(|field| field.value.as_deref())
                    .any(|other| equal(spec.kind, other, value))
        };
        let rivals: Vec<BTreeSet<Token>> =
            self.document_type.fields.iter().filter(is_rival).map(label_tokens).collect();
        let labels = label_tokens(spec);
        let is_own = |(_, place): &&(usize, &Place)| {
            let own = place.context.label_score(&labels);
            rivals.iter().all(|rival| place.context.label_score(rival) < own)
        };
        let own: Vec<(usize, &Place)> = if rivals.is_empty() {
            Vec::new()
        } else {
            places.iter().filter(is_own).copied().collect()
        };
        if own.is_empty() { places } else { own }
    }

    /// The amounts whose sum is the value: those that the field names, rows with a label of the field, or any that follow
    /// each other.
    fn sum(
        &self,
        spec: &FieldSpec,
        labels: &BTreeSet<Token>,
        field: &Field,
        value: &str,
    ) -> Option<Rule> {
        if !spec.additive {
            return None;
        }
        let total = decimal(value).filter(|total| !total.is_zero())?;
        let amounts: Vec<(usize, &Place)> = self
            .places
            .iter()
            .enumerate()
            .filter(|(_, place)| place.kind == FieldKind::Money && place.context.has_row_label())
            .collect();
        let labelled: Vec<(usize, &Place)> = amounts
            .iter()
            .copied()
            .filter(|(_, place)| place.context.label_score(labels) >= 4)
            .collect();
        named_terms(&amounts, field, total)
            .or_else(|| run_with_sum(&labelled, total))
            .or_else(|| subset_with_sum(&labelled, total))
            .or_else(|| run_with_sum(&amounts, total))
    }
}

/// Whether the reviewer said that the document has no such value. Only sums can be zero without standing on the page.
fn is_none(spec: &FieldSpec, field: &Field) -> bool {
    let value = field.value.as_deref();
    let is_zero = || value.and_then(decimal).is_some_and(|value| value.is_zero());
    value.is_none() || (spec.additive && is_zero())
}

/// Whether the place is the one that the field refers to.
fn is_marked(place: &Place, field: &Field) -> bool {
    let (Some(page), Some([left, top, right, bottom])) = (field.page, field.area) else {
        return false;
    };
    page == place.page
        && place.area.is_some_and(|area| {
            let (x, y) =
                (f32::midpoint(area.left, area.right), f32::midpoint(area.top, area.bottom));
            (left..=right).contains(&x) && (top..=bottom).contains(&y)
        })
}

/// The terms that a confirmed sum consists of: its raw text lists them, and its area contains those of its page.
fn named_terms(amounts: &[(usize, &Place)], field: &Field, total: Decimal) -> Option<Rule> {
    let raw = field.raw.as_deref()?;
    let mut free: Vec<(usize, &Place)> = amounts.to_vec();
    let mut terms = Vec::new();
    let mut sum = Decimal::ZERO;
    for part in raw.split(" + ") {
        let is_part = |(_, place): &(usize, &Place)| place.raw == part;
        let marked = free.iter().position(|found| is_part(found) && is_marked(found.1, field));
        let (at, place) = free.remove(marked.or_else(|| free.iter().position(is_part))?);
        sum = sum.checked_add(decimal(&place.value)?)?;
        terms.push(at);
    }
    terms.sort_unstable();
    (sum == total && terms.len() > 1).then_some(Rule { terms, is_likely: true })
}

/// A run of neighbouring amounts, the last of each row, with the given sum.
fn run_with_sum(amounts: &[(usize, &Place)], total: Decimal) -> Option<Rule> {
    // A row's last amount is what it adds to a sum; the ones before are bases and rates.
    let mut last: Vec<(usize, &Place)> = Vec::new();
    for (at, place) in amounts {
        if last.last().is_some_and(|(_, before)| before.row == place.row) {
            last.pop();
        }
        last.push((*at, place));
    }
    for from in 0..last.len() {
        let mut sum = Decimal::ZERO;
        let mut terms: Vec<(usize, &Place)> = Vec::new();
        for (at, place) in last.iter().skip(from) {
            let near = terms
                .last()
                .is_none_or(|(_, before)| place.row.abs_diff(before.row) <= MAX_TERM_GAP);
            let amount = decimal(&place.value);
            let (true, Some(amount)) = (near && terms.len() < MAX_TERMS, amount) else { break };
            let Some(more) = sum.checked_add(amount) else { break };
            sum = more;
            terms.push((*at, place));
            if sum == total && terms.len() > 1 {
                let terms = terms.into_iter().map(|(at, _)| at).collect();
                return Some(Rule { terms, is_likely: true });
            }
        }
    }
    None
}

/// The fewest of the amounts with the given sum, wherever they stand.
fn subset_with_sum(amounts: &[(usize, &Place)], total: Decimal) -> Option<Rule> {
    let amounts: Vec<(usize, Decimal)> = amounts
        .iter()
        .filter_map(|(at, place)| Some((*at, decimal(&place.value)?)))
        .filter(|(_, amount)| !amount.is_zero() && *amount < total)
        .take(MAX_SUBSET)
        .collect();
    let of = |mask: u32| {
        let chosen = amounts.iter().enumerate().filter(move |(at, _)| mask & (1 << at) != 0);
        chosen.map(|(_, amount)| *amount)
    };
    let sum =
        |mask: u32| of(mask).try_fold(Decimal::ZERO, |sum, (_, amount)| sum.checked_add(amount));
    let fitting = (0..1_u32 << amounts.len()).filter(|mask| sum(*mask) == Some(total));
    let fewest = fitting.min_by_key(|mask| mask.count_ones())?;
    Some(Rule { terms: of(fewest).map(|(at, _)| at).collect(), is_likely: true })
}

/// The fields of this name that a reviewer confirmed or corrected; of every trade or line for a field of one.
pub(super) fn values_of<'a>(confirmed: &'a Extraction, name: &str) -> Vec<&'a Field> {
    let found: Vec<&Field> = match name.split_once("[].") {
        Some(("trades", name)) => {
            confirmed.trades.iter().filter_map(|trade| trade.get(name)).collect()
        }
        Some(("lines", name)) => confirmed.lines.iter().filter_map(|line| line.get(name)).collect(),
        _ => confirmed.fields.get(name).into_iter().collect(),
    };
    let is_reviewed =
        |field: &&Field| matches!(field.status, FieldStatus::Confirmed | FieldStatus::Corrected);
    found.into_iter().filter(is_reviewed).collect()
}

/// The words of the field's labels in all languages.
fn label_tokens(spec: &FieldSpec) -> BTreeSet<Token> {
    let words = spec.labels.values().flatten().flat_map(|label| folded_words(label));
    words.map(|word| tokens::hash(&word)).collect()
}

pub(super) fn equal(kind: FieldKind, found: &str, confirmed: &str) -> bool {
    match kind {
        FieldKind::Money | FieldKind::Quantity | FieldKind::Number | FieldKind::Percent => {
            decimal(found).is_some_and(|found| Some(found) == decimal(confirmed))
        }
        _ => found == confirmed,
    }
}

/// Signs are how an issuer prints a debit; they do not matter for where a value stands.
pub(super) fn decimal(value: &str) -> Option<Decimal> {
    value.parse::<Decimal>().ok().map(|value| value.abs())
}
