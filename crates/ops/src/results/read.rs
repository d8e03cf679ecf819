//! Reading and comparing the results of a document.

use domain::{Action, Caller, DocId, ReadableObject, ResultDiff};
use store::{ResultRecord, Tx};

use super::{ComparedResults, ResultListPage, Results};
use crate::OpsError;
use crate::documents::content_access::{ContentRights, permit_run_in, readable_runs};

impl Results {
    /// A version of the result of a document, or the current one.
    pub async fn find_result(
        &self,
        caller: &Caller,
        doc_id: DocId,
        result_version: Option<u32>,
    ) -> Result<ResultRecord, OpsError> {
        let scope = caller.permit(Action::SeeDocuments)?;
        let mut tx = self.store.read(&scope).await?;
        let found = permitted_result(&mut tx, caller, doc_id, result_version).await;
        tx.commit().await?;
        found
    }

    /// How one version of the result differs from another.
    pub async fn compare_results(
        &self,
        caller: &Caller,
        doc_id: DocId,
        (before, after): (u32, u32),
    ) -> Result<ComparedResults, OpsError> {
        let scope = caller.permit(Action::SeeDocuments)?;
        let mut tx = self.store.read(&scope).await?;
        let before = permitted_result(&mut tx, caller, doc_id, Some(before)).await?;
        let after = permitted_result(&mut tx, caller, doc_id, Some(after)).await?;
        tx.commit().await?;
        let diff = ResultDiff::of(&before.extraction, &after.extraction);
        Ok(ComparedResults { before, after, diff })
    }

    /// The results of a document that the caller may read, the latest version first.
    pub async fn list_results(
        &self,
        caller: &Caller,
        doc_id: DocId,
        before: Option<u32>,
        limit: u32,
    ) -> Result<ResultListPage, OpsError> {
        let scope = caller.permit(Action::SeeDocuments)?;
        let mut tx = self.store.read(&scope).await?;
        permit_run_in(&mut tx, caller, ReadableObject::ResultInList, doc_id, None).await?;
        let limit = limit as usize;
        let (mut items, mut before) = (Vec::new(), before);
        // Results from before a mask are left out, so one reading may not fill the page.
        while items.len() <= limit {
            let found = tx.list_results(doc_id, before, PORTION).await?;
            let Some(last) = found.last() else { break };
            before = Some(last.result_version);
            items.extend(readable(&mut tx, caller, found).await?);
        }
        tx.commit().await?;
        let has_more = items.len() > limit;
        items.truncate(limit);
        let next = items.last().filter(|_| has_more).map(|last| last.result_version);
        Ok(ResultListPage { items, next })
    }
}

/// How many results are read at once: each may be large.
const PORTION: i64 = 20;

async fn permitted_result(
    tx: &mut Tx,
    caller: &Caller,
    doc_id: DocId,
    result_version: Option<u32>,
) -> Result<ResultRecord, OpsError> {
    let found = tx.find_result(doc_id, result_version).await?;
    let object = match result_version {
        None => ReadableObject::Result,
        Some(_) => ReadableObject::OlderResult,
    };
    // Without a result this still tells an unknown document from one that was not extracted.
    let run_id = found.as_ref().map(|result| result.run_id);
    permit_run_in(tx, caller, object, doc_id, run_id).await?;
    found.ok_or(OpsError::NotFound("result"))
}

async fn readable(
    tx: &mut Tx,
    caller: &Caller,
    found: Vec<ResultRecord>,
) -> Result<Vec<ResultRecord>, OpsError> {
    let runs: Vec<_> = found.iter().map(|result| (result.doc_id, Some(result.run_id))).collect();
    let rights = ContentRights::of(caller);
    let readable = readable_runs(tx, ReadableObject::ResultInList, rights, &runs).await?;
    let is_readable = |result: &ResultRecord| readable.contains(&(result.doc_id, result.run_id));
    Ok(found.into_iter().filter(is_readable).collect())
}
