//! The results of the documents of a batch.

use std::collections::HashMap;

use domain::{Action, BatchId, Caller, DocId, ReadableObject};
use store::{After, BatchItemRecord, ResultRecord, Tx};

use crate::access::continued_access::ContinuedAccess;
use crate::documents::content_access::{ContentRights, readable_runs};
use crate::{Batches, OpsError, Page, PageRequest};

/// A document of a batch.
#[derive(Clone, Debug)]
pub struct BatchResult {
    pub item: BatchItemRecord,
    /// Its current result, if it has one that the caller may read.
    pub result: Option<ResultRecord>,
}

/// A caller who reads all results of a batch, page by page, within one request.
#[derive(Debug)]
pub struct BatchReading {
    caller: Caller,
    batch_id: BatchId,
    access: ContinuedAccess,
}

impl Batches {
    pub fn begin_reading(&self, caller: &Caller, batch_id: BatchId) -> BatchReading {
        let access = self.access.continued_access(caller);
        BatchReading { caller: caller.clone(), batch_id, access }
    }

    /// The next page, if the caller still has access.
    pub async fn read_on(
        &self,
        reading: &mut BatchReading,
        request: &PageRequest,
    ) -> Result<Page<BatchResult>, OpsError> {
        if !reading.access.is_valid().await {
            return Err(OpsError::AccessEnded);
        }
        self.list_batch_results(&reading.caller, reading.batch_id, request).await
    }

    /// The documents of a batch in the order they were added, each with its result.
    pub async fn list_batch_results(
        &self,
        caller: &Caller,
        batch_id: BatchId,
        request: &PageRequest,
    ) -> Result<Page<BatchResult>, OpsError> {
        let scope = caller.permit(Action::SeeDocuments)?;
        let mut tx = self.store.read(&scope).await?;
        tx.find_batch(batch_id).await?.ok_or(OpsError::NotFound("batch"))?;
        let items = tx.list_batch_items(batch_id, &request.window()).await?;
        let page =
            request.page_of(items, |item| After { moment: item.added_at, id: item.doc_id.0 });
        let documents: Vec<DocId> = page.items.iter().map(|item| item.doc_id).collect();
        let mut results = readable_results(&mut tx, caller, &documents).await?;
        tx.commit().await?;
        let with_result =
            |item: BatchItemRecord| BatchResult { result: results.remove(&item.doc_id), item };
        Ok(Page { items: page.items.into_iter().map(with_result).collect(), next: page.next })
    }
}

async fn readable_results(
    tx: &mut Tx,
    caller: &Caller,
    documents: &[DocId],
) -> Result<HashMap<DocId, ResultRecord>, OpsError> {
    let found = tx.current_results(documents).await?;
    let runs: Vec<_> = found.iter().map(|result| (result.doc_id, Some(result.run_id))).collect();
    let rights = ContentRights::of(caller);
    let readable = readable_runs(tx, ReadableObject::BatchExtraction, rights, &runs).await?;
    let is_readable = |result: &ResultRecord| readable.contains(&(result.doc_id, result.run_id));
    let found = found.into_iter().filter(is_readable);
    Ok(found.map(|result| (result.doc_id, result)).collect())
}
