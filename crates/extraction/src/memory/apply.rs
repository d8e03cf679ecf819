//! Applies the memory to the fields that a parser found, whatever the document type. Contract notes consider typed values
//! while they score candidates; for them only text is left.

use super::recall::{MIN_STRENGTH, Recall, Support};
use super::text;
use crate::candidates::Found;
use crate::parsed::{Candidate, Parsed, ParsedField};
use crate::scan::Scan;
use crate::types::{DocumentType, FieldSpec};

/// The most values of a document that are compared with the memory.
const MAX_MENTIONS: usize = 1_000;
/// The log-odds of a value that only the memory found, before what the memory says is added.
const UNKNOWN: f32 = -1.0;

/// Changes the candidates of the document's own fields, not those of trades and lines.
pub(crate) fn apply(
    document_type: &DocumentType,
    scan: &Scan,
    recall: &Recall<'_>,
    parsed: &mut Parsed,
) {
    if recall.is_empty() {
        return;
    }
    let has_trades = !parsed.trades.is_empty();
    let rows = text::rows(&scan.rows);
    let mentions = scan.mentions.iter().take(if has_trades { 0 } else { MAX_MENTIONS });
    let compared: Vec<_> =
        mentions.map(|mention| (&mention.found, recall.compare(mention))).collect();
    for spec in document_type.fields.iter().filter(|spec| spec.group().0.is_none()) {
        if !recall.knows_field(&spec.name) {
            continue;
        }
        let said: Vec<(Candidate, Support)> = if text::is_text(spec.kind) {
            let found = text::recalled(recall, &rows, &spec.name);
            found.into_iter().map(|(found, strength)| (found, recall.full(strength))).collect()
        } else {
            let fitting = compared.iter().filter(|(found, _)| found.fits(spec.kind));
            let supported =
                fitting.map(|(found, compared)| (candidate(found), recall.support(spec, compared)));
            strongest(supported)
        };
        change(spec, said, parsed);
    }
}

/// What is said about each value: the strongest statement about one of its places.
fn strongest(said: impl Iterator<Item = (Candidate, Support)>) -> Vec<(Candidate, Support)> {
    let mut values: Vec<(Candidate, Support)> = Vec::new();
    for (candidate, support) in said {
        match values.iter_mut().find(|(known, _)| known.value == candidate.value) {
            Some(known) if known.1.log_odds < support.log_odds => *known = (candidate, support),
            Some(_) => {}
            None => values.push((candidate, support)),
        }
    }
    values
}

fn change(spec: &FieldSpec, said: Vec<(Candidate, Support)>, parsed: &mut Parsed) {
    let at = parsed.fields.iter().position(|field| field.name == spec.name);
    let at = at.unwrap_or_else(|| {
        parsed.fields.push(ParsedField::new(&spec.name, Vec::new()));
        parsed.fields.len() - 1
    });
    let Some(field) = parsed.fields.get_mut(at) else { return };
    for (found, support) in said {
        let same = field.candidates.iter_mut().find(|known| is_same(spec, known, &found));
        match same {
            Some(known) => {
                known.score += support.log_odds;
                if support.is_match {
                    *known = known.clone().remembered();
                }
            }
            None if support.is_match => {
                let score = UNKNOWN + support.log_odds;
                field.candidates.push(Candidate { score, ..found.remembered() });
            }
            None => {}
        }
    }
    field.candidates.sort_by(|a, b| b.score.total_cmp(&a.score));
}

fn is_same(spec: &FieldSpec, one: &Candidate, other: &Candidate) -> bool {
    if text::is_text(spec.kind) {
        return text::hash(&one.value).is_some()
            && text::hash(&one.value) == text::hash(&other.value);
    }
    super::learn::equal(spec.kind, &one.value, &other.value)
}

fn candidate(found: &Found) -> Candidate {
    Candidate {
        value: found.normalised(),
        raw: found.raw.clone(),
        page: Some(found.page),
        area: found.area,
        source: found.source,
        score: 0.0,
        currency: found.currency.clone(),
    }
}

impl Recall<'_> {
    /// What a text is worth that the memory found with this strength.
    fn full(&self, strength: f32) -> Support {
        Support { log_odds: self.boost() * strength, is_match: strength >= MIN_STRENGTH }
    }
}
