//! Finding the values of a model on the pages, and adding them to the candidates.

use std::collections::BTreeSet;

use pages::Part;
use pages::artifact::ArtifactError;
use serde::{Deserialize, Serialize};

use super::claims::Claims;
use super::merge::{Counts, Merge};
use super::places::{SearchedPage, found_on};
use super::reply::Reply;
use crate::candidates::Conventions;
use crate::geometry::View;
use crate::letter_spacing;
use crate::parsed::Parsed;
use crate::scoring::labels::LabelIndex;
use crate::types::DocumentType;

/// The answer of a model for one window.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WindowReply {
    /// The pages of the window.
    pub pages: BTreeSet<u32>,
    pub text: String,
}

/// The candidates with those of a model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Grounded {
    pub parsed: Parsed,
    /// Values that were found on the pages.
    pub found: u32,
    /// Values that were not.
    pub dropped: u32,
    /// Answers that cannot be read.
    pub invalid: u32,
}

/// Reads the pages one by one. What was dropped is counted and becomes a warning.
pub fn ground(
    parts: impl Iterator<Item = Result<Part, ArtifactError>>,
    document_type: &DocumentType,
    replies: Vec<WindowReply>,
    mut parsed: Parsed,
) -> Result<Grounded, ArtifactError> {
    let mut claims: Vec<Claims> = Vec::new();
    let (mut invalid, mut excess) = (0, 0);
    for WindowReply { pages, text } in replies {
        match Reply::read(document_type, &text) {
            Ok(reply) => {
                excess += reply.excess;
                claims.push(Claims::new(document_type, pages, reply));
            }
            Err(_) => invalid += 1,
        }
    }
    let conventions = find_places(parts, document_type, &mut claims)?;
    let mut merge = Merge { document_type, conventions, counts: Counts::default() };
    merge.add(&claims, &mut parsed);
    let Counts { found, dropped, other_items } = merge.counts;
    let dropped = dropped + excess;
    warn(&mut parsed.warnings, invalid, dropped, other_items);
    Ok(Grounded { parsed, found, dropped, invalid })
}

fn find_places(
    parts: impl Iterator<Item = Result<Part, ArtifactError>>,
    document_type: &DocumentType,
    claims: &mut [Claims],
) -> Result<Conventions, ArtifactError> {
    let mut labels = LabelIndex::new(document_type);
    let mut conventions = Conventions::default();
    for part in parts {
        let Part::Page(page) = part? else { continue };
        if !claims.iter().any(|claims| claims.pages.contains(&page.number)) {
            continue;
        }
        let page = letter_spacing::join(&page);
        let view = View::new(&page);
        let searched = SearchedPage::new(&view, found_on(&view));
        searched.conventions(&mut conventions);
        for claims in claims.iter_mut().filter(|claims| claims.pages.contains(&page.number)) {
            for claim in claims.all_mut() {
                let spec = &document_type.fields[claim.field];
                searched.find(spec, claim, &mut labels);
            }
        }
    }
    Ok(conventions)
}

fn warn(warnings: &mut Vec<String>, invalid: u32, dropped: u32, other_items: u32) {
    if invalid > 0 {
        warnings
            .push("An answer of the language model could not be read and was not used.".to_owned());
    }
    if dropped > 0 {
        let values = if dropped == 1 { "1 value" } else { &format!("{dropped} values") };
        warnings.push(format!(
            "The language model returned {values} that the pages do not contain. They were not used."
        ));
    }
    if other_items > 0 {
        warnings.push(format!(
            "The language model lists trades or lines that were not found otherwise ({other_items}). Check whether some are missing."
        ));
    }
}
