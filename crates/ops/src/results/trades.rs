//! The trades of current results.

use domain::{Action, Caller, DocId, ReadableObject, TradeId};
use store::{After, TradeFilter, TradeRecord, Tx, Window};

use super::Results;
use crate::documents::content_access::{ContentRights, permit_run_in, readable_runs};
use crate::{OpsError, Page};

/// How many trades are read at once.
const PORTION: i64 = 200;

impl Results {
    /// The trades that the caller may read and that fit, newest first.
    ///
    /// Trades of unreadable runs are left out before the page is counted, so that neither the page nor its cursor shows
    /// whether they fit the filter.
    pub async fn list_trades(
        &self,
        caller: &Caller,
        filter: &TradeFilter,
        after: Option<After>,
        limit: u32,
    ) -> Result<Page<TradeRecord>, OpsError> {
        let scope = caller.permit(Action::SeeDocuments)?;
        let mut tx = self.store.read(&scope).await?;
        let limit = limit as usize;
        let place = |trade: &TradeRecord| After { moment: trade.created_at, id: trade.trade_id.0 };
        let (mut items, mut after) = (Vec::new(), after);
        while items.len() <= limit {
            let window = Window { after, skip: 0, limit: PORTION };
            let found = tx.list_trades(filter, &window).await?;
            let Some(last) = found.last() else { break };
            after = Some(place(last));
            items.extend(readable_trades(&mut tx, caller, found).await?);
        }
        tx.commit().await?;
        let has_more = items.len() > limit;
        items.truncate(limit);
        let next = items.last().filter(|_| has_more).map(place);
        Ok(Page { items, next })
    }

    pub async fn find_trade(
        &self,
        caller: &Caller,
        trade_id: TradeId,
    ) -> Result<TradeRecord, OpsError> {
        let scope = caller.permit(Action::SeeDocuments)?;
        let mut tx = self.store.read(&scope).await?;
        let trade = tx.find_trade(trade_id).await?.ok_or(OpsError::NotFound("trade"))?;
        let object = ReadableObject::Trade;
        permit_run_in(&mut tx, caller, object, trade.doc_id, Some(trade.run_id)).await?;
        tx.commit().await?;
        Ok(trade)
    }
}

/// The trades of a document, in their order; none when the caller may not read them.
pub(crate) async fn trades_of_document(
    tx: &mut Tx,
    caller: &Caller,
    doc_id: DocId,
) -> Result<Vec<TradeRecord>, OpsError> {
    let found = tx.trades_of_document(doc_id).await?;
    readable_trades(tx, caller, found).await
}

async fn readable_trades(
    tx: &mut Tx,
    caller: &Caller,
    found: Vec<TradeRecord>,
) -> Result<Vec<TradeRecord>, OpsError> {
    let mut runs: Vec<_> = found.iter().map(|trade| (trade.doc_id, Some(trade.run_id))).collect();
    runs.dedup();
    let rights = ContentRights::of(caller);
    let readable = readable_runs(tx, ReadableObject::TradeInList, rights, &runs).await?;
    let is_readable = |trade: &TradeRecord| readable.contains(&(trade.doc_id, trade.run_id));
    Ok(found.into_iter().filter(is_readable).collect())
}
