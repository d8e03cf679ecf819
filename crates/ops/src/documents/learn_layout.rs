//! Learning from a review: where the confirmed values stand, for later documents of the same issuer.

use domain::{Action, AuditAction, AuditEntry, Caller, DocId, Entity, Extraction, ReadableObject};
use extraction::memory::{
    Counts, Fingerprint, LEARNT_PAGES, MemoryEntry, ReviewedDocument, Verdict,
};
use extraction::types::DocumentType;
use serde_json::json;
use store::{LayoutMemoryRecord, LayoutMemoryVerdict, NewLayoutMemory, Tx};

use crate::{Content, OpsError};

/// How many entries of a tenant are compared with a document.
pub(crate) const MAX_COMPARED: i64 = 24;
/// How many documents of one form are remembered.
const MAX_OF_ONE_FORM: usize = 8;
/// From this similarity on, two documents have the same form.
const SAME_FORM: f32 = 0.8;
/// How many documents a tenant's memory consists of.
const MAX_OF_TENANT: i64 = 5_000;

/// What a review taught.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Learnt {
    /// How many fields were found on the pages.
    pub fields: usize,
    /// How often earlier entries were right about this document, and how often wrong.
    pub right: usize,
    pub wrong: usize,
}

impl Content {
    /// Learns from the fields that a reviewer confirmed or corrected, and counts which earlier entries were right about them.
    /// To be called once the review is committed. A document that taught something before is learnt again, but not counted
    /// again.
    pub async fn learn_from_review(
        &self,
        caller: &Caller,
        doc_id: DocId,
        document_type: DocumentType,
        confirmed: Extraction,
    ) -> Result<Learnt, OpsError> {
        let scope = caller.permit(Action::EditResults)?;
        let run = self.permit_run(caller, ReadableObject::Page, doc_id, None).await?;
        let pages = self.first_pages(&run, LEARNT_PAGES).await?;
        let name = document_type.name.clone();
        let read = move || {
            let document = ReviewedDocument::read(&pages, &document_type);
            let learnt = document.learn(&document_type, &confirmed);
            (document, learnt, confirmed)
        };
        let (document, learnt, confirmed) = blocking(read).await?;
        let Some(entry) = learnt else { return Ok(Learnt::default()) };

        let mut tx = self.store.begin(&scope).await?;
        let bands = entry.fingerprint.bands();
        let similar = tx.similar_layouts(&bands, MAX_COMPARED).await?;
        let (records, entries) = readable(similar, Some(doc_id));
        let judge = {
            let entries = entries.clone();
            move || document.judge(&entries, &confirmed)
        };
        let verdicts = blocking(judge).await?;
        let new = NewLayoutMemory { doc_id, document_type: name, bands, entry: entry.to_json() };
        let Some(is_first) = tx.put_layout_memory(&new).await? else {
            tx.rollback().await?;
            return Err(OpsError::NotFound("document"));
        };
        let verdicts = if is_first { verdicts } else { Vec::new() };
        tx.count_layout_memory(&counted(&verdicts, &records)).await?;
        evict(&mut tx, &entry.fingerprint, &records, &entries).await?;
        let right = verdicts.iter().filter(|verdict| verdict.is_right).count();
        let learnt = Learnt { fields: entry.fields.len(), right, wrong: verdicts.len() - right };
        let fields: Vec<&str> = entry.fields.iter().map(|field| field.field.as_str()).collect();
        tx.append_audit(AuditEntry {
            action: AuditAction::LayoutLearnt,
            entity: Entity::Document(doc_id),
            detail: json!({
                "document_type": new.document_type,
                "fields": fields,
                "earlier_right": learnt.right,
                "earlier_wrong": learnt.wrong,
            }),
        })
        .await?;
        tx.commit().await?;
        Ok(learnt)
    }
}

/// The entries that this version of Docket can read, with their counts. Those of one document can be left out.
pub(crate) fn readable(
    records: Vec<LayoutMemoryRecord>,
    except: Option<DocId>,
) -> (Vec<LayoutMemoryRecord>, Vec<MemoryEntry>) {
    let others = records.into_iter().filter(|record| Some(record.doc_id) != except);
    others
        .filter_map(|record| match MemoryEntry::read(record.entry.clone()) {
            Ok(mut entry) => {
                for field in &mut entry.fields {
                    let (right, wrong) = record.counts.get(&field.field).copied().unwrap_or_default();
                    field.counts = Counts { right, wrong };
                }
                Some((record, entry))
            }
            Err(error) => {
                tracing::warn!(memory_id = %record.memory_id, %error, "skipped an entry of the layout memory");
                None
            }
        })
        .unzip()
}

fn counted(verdicts: &[Verdict], records: &[LayoutMemoryRecord]) -> Vec<LayoutMemoryVerdict> {
    let verdict = |verdict: &Verdict| {
        Some(LayoutMemoryVerdict {
            memory_id: records.get(verdict.entry)?.memory_id,
            field: verdict.field.clone(),
            is_right: verdict.is_right,
        })
    };
    verdicts.iter().filter_map(verdict).collect()
}

/// Keeps the memory bounded: of one form the entries that were right most often, then those that were used last; of the
/// tenant as many as `MAX_OF_TENANT`.
async fn evict(
    tx: &mut Tx,
    fingerprint: &Fingerprint,
    records: &[LayoutMemoryRecord],
    entries: &[MemoryEntry],
) -> Result<(), OpsError> {
    let mut of_form: Vec<(f32, &LayoutMemoryRecord)> = records
        .iter()
        .zip(entries)
        .filter(|(_, entry)| entry.fingerprint.similarity(fingerprint) >= SAME_FORM)
        .map(|(record, entry)| (entry.reliability(), record))
        .collect();
    of_form.sort_by(|(a, first), (b, second)| {
        b.total_cmp(a).then(second.last_used_at.cmp(&first.last_used_at))
    });
    // The new entry is one of them.
    for (_, surplus) in of_form.into_iter().skip(MAX_OF_ONE_FORM - 1) {
        tx.delete_layout_memory(surplus.memory_id).await?;
    }
    tx.evict_layout_memory(MAX_OF_TENANT).await?;
    Ok(())
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, OpsError> {
    let worked = tokio::task::spawn_blocking(work).await;
    worked.map_err(|error| OpsError::internal("learning from a review", error))
}
