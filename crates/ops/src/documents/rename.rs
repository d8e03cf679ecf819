//! Renaming a document.

use domain::{Action, AuditAction, AuditEntry, Caller, DocId, Entity};
use serde_json::json;

use crate::{Documents, OpsError};

const MAX_TITLE_CHARS: usize = 300;

impl Documents {
    /// Replaces a document's title and returns it. Callers who may edit all documents change it for everyone, other
    /// owners only for themselves: several owners can share the content, and each has a title of their own.
    pub async fn rename_document(
        &self,
        caller: &Caller,
        doc_id: DocId,
        title: &str,
    ) -> Result<String, OpsError> {
        let scope = caller.permit(Action::RenameDocuments)?;
        let title = checked_title(title)?;
        let mut tx = self.store.begin(&scope).await?;
        if !tx.rename_document(doc_id, &title).await? {
            tx.rollback().await?;
            return Err(OpsError::NotFound("document"));
        }
        let mut detail = json!({ "title": title });
        if let Some(owner) = scope.only_own() {
            detail["owner"] = json!(owner.to_string());
        }
        tx.append_audit(AuditEntry {
            action: AuditAction::DocumentRenamed,
            entity: Entity::Document(doc_id),
            detail,
        })
        .await?;
        tx.commit().await?;
        Ok(title)
    }
}

/// The title without spaces around it.
fn checked_title(title: &str) -> Result<String, OpsError> {
    let title = title.trim();
    let problem = if title.is_empty() {
        "enter a title".to_owned()
    } else if title.chars().count() > MAX_TITLE_CHARS {
        format!("the title is too long; use at most {MAX_TITLE_CHARS} characters")
    } else if title.contains(char::is_control) {
        "the title must be one line without control characters".to_owned()
    } else {
        return Ok(title.to_owned());
    };
    Err(OpsError::invalid("title", problem))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_trimmed_and_limited() {
        assert_eq!(checked_title("  Lease, 2026 ").unwrap(), "Lease, 2026");
        assert_eq!(checked_title(&"ä".repeat(300)).unwrap().chars().count(), 300);
        for wrong in ["", " \t ", "two\nlines", "nul\0", &"a".repeat(301)] {
            assert!(checked_title(wrong).is_err(), "{wrong:?}");
        }
    }
}
