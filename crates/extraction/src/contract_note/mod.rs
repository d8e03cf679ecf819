//! Contract notes: confirmations of purchases, sales and income from securities, with one or several trades.

mod header;
mod securities;
mod segments;
mod side;

use domain::{FieldKind, FieldSource};
use rust_decimal::Decimal;

use crate::memory::{Compared, Recall, Support};
use crate::parsed::{Candidate, Parsed, ParsedField};
use crate::scan::Scan;
use crate::scoring::features::{self, Agreement};
use crate::scoring::labels::{Hit, LabelIndex};
use crate::scoring::model::SHARED;
use crate::scoring::{Mention, Model, terms};
use crate::types::{DocumentType, FieldSpec};

pub use segments::{Segment, segments};
pub use side::{SIDES, same_form, side_choice, side_features};

/// The most candidates of a field that are kept.
const MAX_CANDIDATES: usize = 10;
const MAX_PARTS: usize = 24;
/// Parts of a sum with a lower score are dropped.
const LEAST_PART_SCORE: f32 = -5.0;

/// A trade's mentions with the features that scoring and training share.
#[derive(Debug)]
pub struct Prepared<'s> {
    pub mentions: Vec<&'s Mention>,
    pub features: Vec<Vec<String>>,
    pub hits: Vec<Vec<Hit>>,
    /// What earlier documents of the issuer taught, and how each mention compares with it.
    recall: Option<(&'s Recall<'s>, Vec<Compared>)>,
}

impl<'s> Prepared<'s> {
    pub fn new(scan: &'s Scan, segment: &Segment, labels: &mut LabelIndex) -> Self {
        let mentions: Vec<&Mention> =
            scan.mentions.iter().filter(|mention| segment.rows.contains(&mention.row)).collect();
        let hits: Vec<Vec<Hit>> =
            mentions.iter().map(|mention| labels.find(&mention.context)).collect();
        let agreement = Agreement::new(&mentions, &hits, labels);
        let features = mentions
            .iter()
            .enumerate()
            .map(|(index, mention)| {
                let terms = features::terms(labels, &hits[index]);
                let mut features = features::local(mention);
                features.extend(agreement.features(index, mention, &terms));
                features.extend(terms);
                features
            })
            .collect();
        Self { mentions, features, hits, recall: None }
    }

    /// Considers what earlier documents of the issuer taught.
    pub(crate) fn remember(&mut self, recall: &'s Recall<'s>) {
        let compared = self.mentions.iter().map(|mention| recall.compare(mention));
        self.recall = (!recall.is_empty()).then(|| (recall, compared.collect()));
    }

    fn support(&self, spec: &FieldSpec, at: usize) -> Support {
        let Some((recall, compared)) = &self.recall else { return Support::default() };
        compared.get(at).map_or_else(Support::default, |compared| recall.support(spec, compared))
    }

    /// Adds the features that depend on the side.
    pub fn set_side(&mut self, side: &str) {
        for features in &mut self.features {
            features::with_side(side, features);
        }
    }

    /// The indexes of the mentions that may fill a field.
    pub fn fitting(&self, spec: &FieldSpec) -> Vec<usize> {
        let kind = spec.kind;
        (0..self.mentions.len()).filter(|&at| fits(self.mentions[at], kind)).collect()
    }
}

/// Whether a mention may be the value of a field of a contract note.
fn fits(mention: &Mention, kind: FieldKind) -> bool {
    let found = &mention.found;
    match kind {
        // Amounts of Swiss and French notes stand below a currency, not beside one.
        FieldKind::Money => found.fits(kind) && found.decimals <= 10,
        FieldKind::Quantity => {
            found.fits(kind) && found.number().is_some_and(|number| !number.is_zero())
        }
        kind => found.fits(kind),
    }
}

/// Finds the trades of a contract note.
pub fn parse(document_type: &DocumentType, scan: &Scan, model: &Model) -> Parsed {
    parse_with_memory(document_type, scan, model, &Recall::default())
}

/// Finds the trades of a contract note, with what earlier documents of its issuer taught.
pub fn parse_with_memory(
    document_type: &DocumentType,
    scan: &Scan,
    model: &Model,
    recall: &Recall<'_>,
) -> Parsed {
    let mut labels = LabelIndex::with_terms(document_type, terms::CONTRACT_NOTE);
    let mut parsed = Parsed { document_type: document_type.name.clone(), ..Parsed::default() };
    for segment in segments(scan) {
        parsed.trades.push(trade(document_type, scan, &segment, &mut labels, model, recall));
    }
    header::fields(document_type, scan, &mut labels, model, recall, &mut parsed);
    parsed
}

fn trade(
    document_type: &DocumentType,
    scan: &Scan,
    segment: &Segment,
    labels: &mut LabelIndex,
    model: &Model,
    recall: &Recall<'_>,
) -> Vec<ParsedField> {
    let mut prepared = Prepared::new(scan, segment, labels);
    let sides = side::candidates(document_type, scan, segment, model, recall);
    let best = sides.first().map(|best| best.value.clone()).unwrap_or_default();
    let recall = recall.of_form("trades[].side", side::same_form(&best));
    prepared.remember(&recall);
    if !best.is_empty() {
        prepared.set_side(&best);
    }
    let mut fields = vec![ParsedField::new("side", sides)];
    for (index, spec) in document_type.fields.iter().enumerate() {
        let (Some("trades"), name) = spec.group() else { continue };
        match name {
            "side" | "security_name" | "price_currency" | "currency" => {}
            _ => fields.push(field(&prepared, index, spec, name, model)),
        }
    }
    securities::add(scan, segment, &prepared, &mut fields);
    fields
}

/// Scores the candidates of one field.
pub(crate) fn field(
    prepared: &Prepared<'_>,
    index: usize,
    spec: &FieldSpec,
    name: &str,
    model: &Model,
) -> ParsedField {
    let mut remembered = Vec::new();
    let mut scored: Vec<(usize, f32)> = prepared
        .fitting(spec)
        .into_iter()
        .map(|at| {
            let shared = features::label(index, &prepared.hits[at]);
            let score = model.score(name, &prepared.features[at]) + model.score(SHARED, &shared);
            let support = prepared.support(spec, at);
            if support.is_match {
                remembered.push(at);
            }
            (at, score + support.log_odds)
        })
        .collect();
    if spec.additive {
        scored.retain(|(_, score)| *score >= LEAST_PART_SCORE);
        scored.sort_by(|a, b| b.1.total_cmp(&a.1));
        scored.truncate(MAX_PARTS);
        let parts = scored.iter().map(|&(at, score)| {
            let part = candidate(prepared.mentions[at], score);
            if remembered.contains(&at) { part.remembered() } else { part }
        });
        return ParsedField { additive: true, ..ParsedField::new(name, parts.collect()) };
    }
    let candidates = log_odds(prepared, scored, &remembered, model.none(name), spec.kind);
    ParsedField::new(name, candidates)
}

/// Turns scores into log-odds among the candidates and the choice of none. Equal values count together.
fn log_odds(
    prepared: &Prepared<'_>,
    mut scored: Vec<(usize, f32)>,
    remembered: &[usize],
    none: f32,
    kind: FieldKind,
) -> Vec<Candidate> {
    scored.sort_by(|a, b| b.1.total_cmp(&a.1));
    let top = scored.first().map_or(none, |(_, score)| score.max(none));
    let total: f32 =
        scored.iter().map(|(_, score)| (score - top).exp()).sum::<f32>() + (none - top).exp();
    let mut candidates: Vec<(Candidate, f32)> = Vec::new();
    for (at, score) in scored {
        let probability = (score - top).exp() / total;
        let candidate = candidate(prepared.mentions[at], 0.0);
        let candidate = if remembered.contains(&at) { candidate.remembered() } else { candidate };
        let same = |other: &Candidate| {
            let equal = other.value == candidate.value
                || (kind != FieldKind::Date
                    && absolute(other) == absolute(&candidate)
                    && absolute(other).is_some());
            equal && (other.currency == candidate.currency || kind != FieldKind::Money)
        };
        match candidates.iter_mut().find(|(other, _)| same(other)) {
            Some((_, sum)) => *sum += probability,
            None => candidates.push((candidate, probability)),
        }
    }
    candidates.sort_by(|a, b| b.1.total_cmp(&a.1));
    candidates.truncate(MAX_CANDIDATES);
    candidates
        .into_iter()
        .map(|(candidate, probability)| Candidate { score: logit(probability), ..candidate })
        .collect()
}

/// The log-odds of a probability, within what a model may claim.
fn logit(probability: f32) -> f32 {
    let bounded = probability.clamp(1e-5, 1.0 - 1e-5);
    (bounded / (1.0 - bounded)).ln()
}

fn absolute(candidate: &Candidate) -> Option<Decimal> {
    candidate.value.parse::<Decimal>().ok().map(|number| number.abs().normalize())
}

fn candidate(mention: &Mention, score: f32) -> Candidate {
    let found = &mention.found;
    let value = match found.number() {
        Some(number) => number.abs().to_string(),
        None => found.normalised(),
    };
    Candidate {
        value,
        raw: found.raw.clone(),
        page: Some(found.page),
        area: found.area,
        source: found.source,
        score,
        currency: found.currency.clone(),
    }
}

/// A candidate whose value follows from others.
fn derived(value: &str, score: f32) -> Candidate {
    Candidate {
        value: value.to_owned(),
        raw: String::new(),
        page: None,
        area: None,
        source: FieldSource::Derived,
        score,
        currency: None,
    }
}
