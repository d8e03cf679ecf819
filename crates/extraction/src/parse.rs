//! Finds the values of a document's fields on its pages.
//!
//! Pages pass by one after the other. What stays of them is bounded ([`Scan`]), so a document of 3,000 pages needs no more
//! memory than one of a hundred.

use pages::Part;
use pages::artifact::ArtifactError;
use thiserror::Error;

use crate::candidates;
use crate::classify::classify;
use crate::collector::Collector;
use crate::geometry::View;
use crate::memory::{self, Layout, MemoryEntry, Recall};
use crate::parsed::Parsed;
use crate::scan::Scan;
use crate::scoring::Model;
use crate::types::DocumentType;
use crate::{contract_note, e_invoice, generic, labelled, letter_spacing};

/// The remark of a result whose type the classifier did not decide.
const NOT_RECOGNISED: &str = "No document type was recognised, so the labelled values of the document were extracted. \
     Rerun the document with a type to extract its fields.";

/// What to look for.
#[derive(Clone, Debug, Default)]
pub struct ParseRequest {
    /// The types that the classifier chooses from.
    pub types: Vec<DocumentType>,
    /// The name of the type, when a user chose it.
    pub wanted: Option<String>,
    pub memory: Vec<MemoryEntry>,
}

#[derive(Debug, Error)]
pub enum ExtractError {
    #[error(transparent)]
    Pages(#[from] ArtifactError),
    #[error("there is no document type '{0}'")]
    UnknownType(String),
}

/// Reads the pages one by one. Without a wanted type the classifier chooses one. When it abstains, the labelled values are
/// extracted ([`generic`]); a document without words has no type and no fields.
pub fn parse(
    parts: impl Iterator<Item = Result<Part, ArtifactError>>,
    request: &ParseRequest,
) -> Result<Parsed, ExtractError> {
    let find = |name: &str| request.types.iter().find(|known| known.name == name);
    let wanted = match &request.wanted {
        Some(name) => Some(find(name).ok_or_else(|| ExtractError::UnknownType(name.clone()))?),
        None => None,
    };
    let mut scan = Scan::new();
    let mut electronic = e_invoice::Collector::default();
    let mut labelled_values = generic::Collector::default();
    let mut by_rows = Collector::default();
    for part in parts {
        match part? {
            Part::Head(head) => electronic.head(&head),
            Part::Attachment(attachment) => electronic.attachment(&attachment),
            Part::Page(page) => {
                let page = letter_spacing::join(&page);
                let view = View::new(&page);
                let found = candidates::find(&view);
                electronic.page(&view, &found);
                labelled_values.page(&view, &found);
                by_rows.page(&page, &found);
                scan.add_found(&view, found);
            }
            Part::Tail(_) => {}
        }
    }
    scan.finish();
    let is_invoice = electronic.is_invoice()
        && wanted.is_none_or(|wanted| wanted.name == e_invoice::DOCUMENT_TYPE)
        && find(e_invoice::DOCUMENT_TYPE).is_some();
    if is_invoice {
        return Ok(electronic.finish());
    }
    let remembered = || Recall::document_type(&request.memory, &scan.fingerprint).and_then(find);
    let chosen = wanted.or_else(remembered).or_else(|| classify(&request.types, &scan));
    let has_words = !scan.rows.is_empty();
    let fallback = || find(generic::DOCUMENT_TYPE).filter(|_| has_words);
    let Some(document_type) = chosen.or_else(fallback) else {
        return Ok(Parsed::default());
    };
    let recall = Recall::new(&request.memory, &Layout::of(&scan), &document_type.name);
    let mut parsed = if document_type.name == generic::DOCUMENT_TYPE {
        labelled_values.finish()
    } else if let Some(parsed) = by_rows.finish(document_type) {
        parsed
    } else {
        of_type(document_type, &scan, &recall)
    };
    if chosen.is_none() {
        parsed.warnings.push(NOT_RECOGNISED.to_owned());
    }
    memory::apply(document_type, &scan, &recall, &mut parsed);
    parsed.warnings.extend(electronic.finish().warnings);
    warn(&scan, &mut parsed);
    Ok(parsed)
}

/// The fields of a type with a list of fields.
fn of_type(document_type: &DocumentType, scan: &Scan, recall: &Recall<'_>) -> Parsed {
    let model = Model::contract_note();
    let has_trades = document_type.fields.iter().any(|spec| spec.group().0 == Some("trades"));
    if has_trades {
        return contract_note::parse_with_memory(document_type, scan, model, recall);
    }
    Parsed {
        document_type: document_type.name.clone(),
        fields: labelled::fields(document_type, scan, model),
        ..Parsed::default()
    }
}

fn warn(scan: &Scan, parsed: &mut Parsed) {
    let is_ambiguous =
        scan.mentions.iter().any(|m| m.found.date().is_some() && m.found.is_ambiguous());
    if is_ambiguous {
        parsed.warnings.push("The order of day and month of a date is ambiguous.".to_owned());
    }
    if scan.truncated {
        parsed
            .warnings
            .push("The document is long: values in its middle were not considered.".to_owned());
    }
}

#[cfg(test)]
mod tests;
