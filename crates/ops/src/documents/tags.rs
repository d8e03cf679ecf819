//! Words that people sort their documents by.

use domain::{Action, AuditAction, AuditEntry, Caller, DocId, Entity};
use serde_json::json;

use crate::{Documents, OpsError};

/// Of one document.
pub const MOST_TAGS: usize = 50;
const LONGEST_TAG: usize = 100;

impl Documents {
    /// Replaces a document's tags.
    pub async fn tag_document(
        &self,
        caller: &Caller,
        doc_id: DocId,
        tags: Vec<String>,
    ) -> Result<Vec<String>, OpsError> {
        let scope = caller.permit(Action::EditResults)?;
        let tags = checked_tags(tags)?;
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

/// Without blanks around them, in order, each once.
pub(crate) fn checked_tags(tags: Vec<String>) -> Result<Vec<String>, OpsError> {
    let mut tags: Vec<String> = tags.iter().map(|tag| tag.trim().to_owned()).collect();
    tags.retain(|tag| !tag.is_empty());
    tags.sort();
    tags.dedup();
    let fits = |tag: &String| tag.chars().count() <= LONGEST_TAG && !tag.contains(char::is_control);
    if tags.len() > MOST_TAGS || !tags.iter().all(fits) {
        return Err(OpsError::invalid(
            "tags",
            format!("a document has {MOST_TAGS} tags of {LONGEST_TAG} characters at most"),
        ));
    }
    Ok(tags)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_trimmed_sorted_and_each_there_once() {
        let tags = [" rent ", "2026", "rent", ""].map(str::to_owned).to_vec();
        assert_eq!(checked_tags(tags).unwrap(), ["2026", "rent"]);
        assert!(checked_tags(vec!["a\u{0}b".to_owned()]).is_err());
        assert!(checked_tags((0..51).map(|n| n.to_string()).collect()).is_err());
    }
}
