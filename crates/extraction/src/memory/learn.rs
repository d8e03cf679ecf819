//! Learning from a document whose fields a reviewer confirmed or corrected.

use std::collections::BTreeSet;

use domain::{Extraction, Field, FieldKind, FieldStatus};
use pages::Page;
use rust_decimal::Decimal;

use super::fingerprint::Fingerprint;
use super::places::{Place, places};
use super::recall::fits;
use super::tokens::{self, Token};
use super::{Counts, FieldMemory, MemoryEntry, Rule};
use crate::fold::folded_words;
use crate::scan::Scan;
use crate::types::{DocumentType, FieldSpec};

/// Values on later pages are not learnt.
pub const LEARNT_PAGES: usize = 20;
/// How many places are kept of a field.
const MAX_RULES: usize = 4;
/// How many amounts a sum may have.
const MAX_TERMS: usize = 6;
/// How many rows may be between two terms of a sum.
const MAX_TERM_GAP: usize = 3;

/// A document that a reviewer has read.
#[derive(Debug)]
pub struct ReviewedDocument {
    pub(super) places: Vec<Place>,
    fingerprint: Fingerprint,
}

impl ReviewedDocument {
    pub fn new(scan: &Scan, document_type: &DocumentType) -> Self {
        Self { places: places(scan, document_type), fingerprint: scan.fingerprint.clone() }
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
        &self.fingerprint
    }

    /// What the confirmed and corrected fields teach. `None` when none of them stands on the pages.
    pub fn learn(
        &self,
        document_type: &DocumentType,
        confirmed: &Extraction,
    ) -> Option<MemoryEntry> {
        if self.fingerprint.is_empty() {
            return None;
        }
        let learner = Learner { places: &self.places, confirmed };
        let fields: Vec<FieldMemory> =
            document_type.fields.iter().filter_map(|spec| learner.field(spec)).collect();
        if fields.is_empty() {
            return None;
        }
        let (document_type, fingerprint) = (document_type.name.clone(), self.fingerprint.clone());
        Some(MemoryEntry { document_type, fingerprint, fields })
    }
}

struct Learner<'a> {
    places: &'a [Place],
    confirmed: &'a Extraction,
}

impl Learner<'_> {
    fn field(&self, spec: &FieldSpec) -> Option<FieldMemory> {
        let labels = label_tokens(spec);
        let mut rules: Vec<Rule> = Vec::new();
        for field in values_of(self.confirmed, &spec.name) {
            for rule in self.rules(spec, &labels, field) {
                if rules.len() < MAX_RULES && !rules.contains(&rule) {
                    rules.push(rule);
                }
            }
        }
        let field = spec.name.clone();
        (!rules.is_empty()).then(|| FieldMemory {
            field,
            kind: spec.kind,
            rules,
            counts: Counts::default(),
        })
    }

    fn rules(&self, spec: &FieldSpec, labels: &BTreeSet<Token>, field: &Field) -> Vec<Rule> {
        let Some(value) = field.value.as_deref() else { return Vec::new() };
        // Documents have many zeros, and most of them say nothing.
        if decimal(value).is_some_and(|value| value.is_zero()) {
            return Vec::new();
        }
        let same: Vec<&Place> = self
            .places
            .iter()
            .filter(|place| fits(spec.kind, place.kind) && place.is(spec.kind, value))
            .collect();
        if same.is_empty() {
            return self.sum(spec, labels, value).into_iter().collect();
        }
        // The place of the value that the reviewer confirmed decides between equal values, then the labels of the type.
        let marked: Vec<&Place> =
            same.iter().copied().filter(|place| is_marked(place, field)).collect();
        if !marked.is_empty() {
            return rules_of(&marked);
        }
        let score = |place: &Place| place.context.label_score(labels);
        let best = same.iter().map(|place| score(place)).max().unwrap_or_default();
        let likely: Vec<&Place> = same.into_iter().filter(|place| score(place) == best).collect();
        rules_of(&likely)
    }

    /// The amounts whose sum is the value: rows with a label of the field, or any that follow each other.
    fn sum(&self, spec: &FieldSpec, labels: &BTreeSet<Token>, value: &str) -> Option<Rule> {
        if spec.kind != FieldKind::Money {
            return None;
        }
        let total = decimal(value).filter(|total| !total.is_zero())?;
        let amounts: Vec<&Place> = self
            .places
            .iter()
            .filter(|place| place.kind == FieldKind::Money && place.context.has_row_label())
            .collect();
        let labelled: Vec<&Place> = amounts
            .iter()
            .copied()
            .filter(|place| place.context.label_score(labels) >= 4)
            .collect();
        run_with_sum(&labelled, total).or_else(|| run_with_sum(&amounts, total))
    }
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

/// The rules for places of which it is not known which one counts.
fn rules_of(places: &[&Place]) -> Vec<Rule> {
    let rule = |place: &&Place| Rule {
        terms: vec![place.context.clone()],
        places: u32::try_from(places.len()).unwrap_or(u32::MAX),
    };
    places.iter().take(MAX_RULES).map(rule).collect()
}

/// A run of neighbouring amounts, the last of each row, with the given sum.
fn run_with_sum(amounts: &[&Place], total: Decimal) -> Option<Rule> {
    // A row's last amount is what it adds to a sum; the ones before are bases and rates.
    let mut last: Vec<&Place> = Vec::new();
    for place in amounts {
        if last.last().is_some_and(|before| before.row == place.row) {
            last.pop();
        }
        last.push(place);
    }
    for from in 0..last.len() {
        let mut sum = Decimal::ZERO;
        let mut terms: Vec<&Place> = Vec::new();
        for place in last.iter().skip(from) {
            let near =
                terms.last().is_none_or(|before| place.row.abs_diff(before.row) <= MAX_TERM_GAP);
            let amount = decimal(&place.value);
            let (true, Some(amount)) = (near && terms.len() < MAX_TERMS, amount) else { break };
            let Some(more) = sum.checked_add(amount) else { break };
            sum = more;
            terms.push(place);
            if sum == total && terms.len() > 1 {
                return Some(Rule {
                    terms: terms.into_iter().map(|place| place.context.clone()).collect(),
                    places: 1,
                });
            }
        }
    }
    None
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
