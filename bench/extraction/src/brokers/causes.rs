//! Why a value is wrong although a document of the broker was confirmed, and what the candidates allow at best.

use extraction::contract_note::same_form;
use extraction::memory::{Layout, MemoryEntry, Recall};
use extraction::types::DocumentType;

use super::Document;
use super::truth::Trade;

/// Whether the expected value is among the candidates of a field. `None` for sums, which need not stand on the page, and
/// for choices, which are always possible.
pub(super) fn is_candidate(
    document_type: &DocumentType,
    document: &Document,
    field: &str,
    trade: &Trade,
) -> Option<bool> {
    let spec = document_type.fields.iter().find(|spec| spec.group() == (Some("trades"), field))?;
    if spec.additive || field == "side" {
        return None;
    }
    let mut fitting = document.scan.mentions.iter().filter(|mention| mention.found.fits(spec.kind));
    Some(
        fitting
            .any(|mention| trade.is_right(field, Some(&mention.found.normalised())) == Some(true)),
    )
}

/// What the memory said about a value that is wrong.
pub(super) fn cause(
    document_type: &DocumentType,
    document: &Document,
    field: &str,
    trade: &Trade,
    entry: &MemoryEntry,
) -> String {
    let similarity = entry.fingerprint.similarity(&document.scan.fingerprint);
    if is_candidate(document_type, document, field, trade) == Some(false) {
        return format!("{similarity:.2} no candidate");
    }
    let name = format!("trades[].{field}");
    if !entry.fields.iter().any(|memory| memory.field == name) {
        return format!("{similarity:.2} not learnt");
    }
    let Some(spec) = document_type.fields.iter().find(|spec| spec.name == name) else {
        return String::new();
    };
    let entries = std::slice::from_ref(entry);
    let recall = Recall::new(entries, &Layout::of(&document.scan), &document_type.name);
    let recall = recall.of_form("trades[].side", same_form(trade.side));
    if recall.is_empty() {
        return format!("{similarity:.2} layout not recognised");
    }
    if field == "side" || spec.additive {
        return format!("{similarity:.2}");
    }
    let (mut right, mut wrong) = ((f32::MIN, String::new()), (f32::MIN, String::new()));
    for mention in document.scan.mentions.iter().filter(|mention| mention.found.fits(spec.kind)) {
        let support = recall.support(spec, &recall.compare(mention)).log_odds;
        let is_right = trade.is_right(field, Some(&mention.found.normalised())) == Some(true);
        let best = if is_right { &mut right } else { &mut wrong };
        if support > best.0 {
            *best = (support, mention.found.normalised());
        }
    }
    let judged = if right.0 <= 0.0 && wrong.0 <= 0.0 {
        "nothing matches"
    } else if right.0 > wrong.0 {
        "outvoted"
    } else {
        "other matches"
    };
    format!(
        "{similarity:.2} {judged}: {:.1} for the right, {:.1} for {}",
        right.0, wrong.0, wrong.1
    )
}
