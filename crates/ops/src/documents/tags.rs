//! Tagging documents.

use domain::{Action, AuditAction, AuditEntry, Caller, DocId, Entity};
use serde_json::json;

use crate::{Documents, OpsError};

/// Per document.
pub const MAX_TAGS: usize = 50;
const MAX_TAG_LENGTH: usize = 100;

impl Documents {
    /// Replaces a document's tags.
    pub async fn tag_document(
        &self,
        caller: &Caller,
        doc_id: DocId,
        tags: Vec<String>,
    ) -> Result<Vec<String>, OpsError> {
        let scope = caller.permit(Action::EditResults)?;
        let tags = normalized_tags(tags)?;
        let mut tx = self.store.begin(&scope).await?;
        if !tx.set_tags(doc_id, &tags).await? {
            tx.rollback().await?;
            return Err(OpsError::NotFound("document"));
        }
        tx.append_audit(AuditEntry {
            action: AuditAction::DocumentTagged,
            entity: Entity::Document(doc_id),
            detail: json!({ "tags": tags }),
        })
        .await?;
        tx.commit().await?;
        Ok(tags)
    }
}

/// Trims, sorts and deduplicates tags, and checks the limits.
pub(crate) fn normalized_tags(tags: Vec<String>) -> Result<Vec<String>, OpsError> {
    let mut tags: Vec<String> = tags.iter().map(|tag| tag.trim().to_owned()).collect();
    tags.retain(|tag| !tag.is_empty());
    tags.sort();
    tags.dedup();
    let fits =
        |tag: &String| tag.chars().count() <= MAX_TAG_LENGTH && !tag.contains(char::is_control);
    if tags.len() > MAX_TAGS || !tags.iter().all(fits) {
        return Err(OpsError::invalid(
            "tags",
            format!(
                "A document can have at most {MAX_TAGS} tags of at most {MAX_TAG_LENGTH} characters each."
            ),
        ));
    }
    Ok(tags)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_trimmed_sorted_and_deduplicated() {
        let tags = [" rent ", "2026", "rent", ""].map(str::to_owned).to_vec();
        assert_eq!(normalized_tags(tags).unwrap(), ["2026", "rent"]);
        assert!(normalized_tags(vec!["a\u{0}b".to_owned()]).is_err());
        assert!(normalized_tags((0..51).map(|n| n.to_string()).collect()).is_err());
    }
}
