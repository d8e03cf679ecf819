//! Finds the values of a document's fields on its pages.

use pages::Part;
use pages::artifact::ArtifactError;
use thiserror::Error;

use crate::memory::MemoryEntry;
use crate::parsed::{Candidate, Parsed, ParsedField};
use crate::types::DocumentType;

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

/// Reads the pages one by one.
pub fn parse(
    parts: impl Iterator<Item = Result<Part, ArtifactError>>,
    request: &ParseRequest,
) -> Result<Parsed, ExtractError> {
    let mut candidates: Vec<Candidate> = Vec::new();
    for part in parts {
        let Part::Page(page) = part? else { continue };
        for word in &page.words {
            let text = word.text.trim_matches(|c: char| !c.is_ascii_alphanumeric());
            let is_isin = text.len() == 12
                && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
                && text.bytes().take(2).all(|byte| byte.is_ascii_uppercase())
                && text.ends_with(|c: char| c.is_ascii_digit());
            if is_isin && candidates.len() < 8 {
                candidates.push(Candidate {
                    value: text.to_owned(),
                    raw: word.text.clone(),
                    page: Some(page.number),
                    area: word.area,
                    source: domain::FieldSource::Page,
                    score: 2.0,
                    currency: None,
                });
            }
        }
    }
    let has_isin = |of: &&DocumentType| of.fields.iter().any(|field| field.name == "isin");
    let chosen = match &request.wanted {
        Some(name) => Some(
            request
                .types
                .iter()
                .find(|of| of.name == *name)
                .ok_or_else(|| ExtractError::UnknownType(name.clone()))?,
        ),
        None if candidates.is_empty() => None,
        None => request.types.iter().find(has_isin),
    };
    let Some(chosen) = chosen else { return Ok(Parsed::default()) };
    let mut fields = Vec::new();
    if has_isin(&chosen) {
        fields.push(ParsedField::new("isin", candidates));
    }
    Ok(Parsed { document_type: chosen.name.clone(), fields, ..Parsed::default() })
}
