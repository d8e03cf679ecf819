//! Which documents may influence answers.

use domain::{Action, Caller};
use store::{After, KnowledgeBaseRecord};

use crate::{OpsError, Page, PageRequest, Search};

/// A document that may influence answers.
pub type KnownDocument = KnowledgeBaseRecord;

impl Search {
    /// What the caller's searches and questions see, newest first. What is not listed here influences no
    /// answer.
    pub async fn list_knowledge_base(
        &self,
        caller: &Caller,
        request: &PageRequest,
    ) -> Result<Page<KnownDocument>, OpsError> {
        let scope = caller.permit(Action::SeeKnowledgeBase)?;
        let mut tx = self.store.read(&scope).await?;
        let documents = tx.list_knowledge_base(&request.window()).await?;
        tx.commit().await?;
        let place = |known: &KnowledgeBaseRecord| After {
            moment: known.activated_at,
            id: known.doc_version_id,
        };
        Ok(request.page_of(documents, place))
    }
}
