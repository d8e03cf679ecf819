//! The knowledge base: the documents that search and answers can use.

use domain::{Action, Caller};
use store::{After, KnowledgeBaseRecord};

use crate::{OpsError, Page, PageRequest, Search};

/// A document that search and answers can use.
pub type KnowledgeBaseDocument = KnowledgeBaseRecord;

impl Search {
    /// The documents that the caller's searches and answers can use, newest first. Others influence no answer.
    pub async fn list_knowledge_base(
        &self,
        caller: &Caller,
        request: &PageRequest,
    ) -> Result<Page<KnowledgeBaseDocument>, OpsError> {
        let scope = caller.permit(Action::SeeKnowledgeBase)?;
        let mut tx = self.store.read(&scope).await?;
        let documents = tx.list_knowledge_base(&request.window()).await?;
        tx.commit().await?;
        let cursor = |known: &KnowledgeBaseRecord| After {
            moment: known.activated_at,
            id: known.doc_version_id,
        };
        Ok(request.page_of(documents, cursor))
    }
}
