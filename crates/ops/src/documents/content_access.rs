//! Access to the content of a document. All of it is decided here.
//!
//! A route that serves bytes or text names the [`ReadableObject`] that it serves and gets a [`PermittedRun`] or a
//! [`PermittedOriginal`]. `ops` reads the object store only through these (a test in `testkit` enforces it).
//!
//! The rules, for a caller who sees the document (nobody sees a deleted document):
//! - Everyone can read the run of the active version, and search finds it. While no version is active, everyone can read
//!   the latest run.
//! - Older runs need `ReadOlderRuns`. Their results do not: the history of results is for everyone.
//! - A run without a mask that applies now needs `ReadMaskedOriginals`, unless it is the active one: a new mask takes
//!   effect on a document with its next run.
//! - The original needs `ReadMaskedOriginals` if a mask applies to the document or to a file contained in it, or if a
//!   contained file was deleted.
//! - An owner who has not presented the password of a document can read only its original, which they uploaded.

use std::collections::HashSet;
use std::ops::Range;
use std::time::Duration;

use blob::{ArtifactPlace, BlobStream, Blobs, Download, Recorded};
use domain::{
    Action, Artifact, Caller, Clock, ContentHash, ContentNeed, DocId, MaskRule, ReadableObject,
    RunId, Scope, TenantId, TenantRules,
};
use futures_util::TryStreamExt;
use reading::pool::Document;
use store::{ContainedFile, ContentFacts, Masking, RunFacts, RunRank, Tx};
use url::Url;

use crate::objects::RecentlyChecked;
use crate::{Content, OpsError};

/// What a role may read beyond what everyone who sees the document may.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ContentRights {
    older_runs: bool,
    masked_content: bool,
}

impl ContentRights {
    pub(crate) fn of(caller: &Caller) -> Self {
        Self {
            older_runs: caller.permit(Action::ReadOlderRuns).is_ok(),
            masked_content: caller.permit(Action::ReadMaskedOriginals).is_ok(),
        }
    }
}

/// Objects up to this size are verified against their hash before the first byte is sent.
const VERIFIED_FIRST: u64 = 4 << 20;

/// A run whose output the caller may read.
#[derive(Clone, Debug)]
pub(crate) struct PermittedRun {
    pub(crate) scope: Scope,
    pub(crate) doc_id: DocId,
    pub(crate) run_id: RunId,
    pub(crate) file_name: String,
    pub(crate) media_type: String,
    content: Option<ContentHash>,
}

/// An artifact as a stage listed it.
#[derive(Clone, Debug)]
pub(crate) struct ListedArtifact {
    pub(crate) place: ArtifactPlace,
    /// `None` for objects that no stage listed, such as page images.
    pub(crate) recorded: Option<Recorded>,
}

impl ListedArtifact {
    /// `None` if the artifact is not an object, such as an attachment that became a document.
    pub(crate) fn of(artifact: &Artifact) -> Option<Self> {
        let file = artifact.file()?;
        Some(Self { place: file.key.parse().ok()?, recorded: Some(Recorded::from(&file)) })
    }
}

/// An original that the caller may read unmasked.
#[derive(Clone, Debug)]
pub(crate) struct PermittedOriginal {
    pub(crate) file_name: String,
    pub(crate) media_type: String,
    pub(crate) content: ContentHash,
    /// As uploaded; `None` if it is no longer recorded.
    size: Option<u64>,
    tenant: TenantId,
}

impl Content {
    /// Permits the caller to read `object` of a run: the given one, or else the one that is served.
    pub(crate) async fn permit_run(
        &self,
        caller: &Caller,
        object: ReadableObject,
        doc_id: DocId,
        run_id: Option<RunId>,
    ) -> Result<PermittedRun, OpsError> {
        let scope = caller.permit(Action::SeeDocuments)?;
        let mut tx = self.store.read(&scope).await?;
        let facts = permit_run_in(&mut tx, caller, object, doc_id, run_id).await;
        tx.commit().await?;
        let facts = facts?;
        let run = facts.run.ok_or_else(not_processed)?;
        Ok(PermittedRun {
            scope,
            doc_id,
            run_id: run.run_id,
            file_name: facts.file_name,
            media_type: facts.media_type,
            content: run.content,
        })
    }

    /// Permits the caller to read the original of a document.
    pub(crate) async fn permit_original(
        &self,
        tx: &mut Tx,
        caller: &Caller,
        object: ReadableObject,
        doc_id: DocId,
    ) -> Result<PermittedOriginal, OpsError> {
        let facts = tx.content_facts(&[(doc_id, None)]).await?.into_iter().next();
        let facts = facts.ok_or(OpsError::NotFound("document"))?;
        let within = tx.contained_files(doc_id).await?;
        decide(object, ContentRights::of(caller), &facts, &within)?;
        let content = tx.original_of(doc_id).await?;
        let content = content.ok_or(OpsError::OriginalDeleted)?;
        Ok(PermittedOriginal {
            file_name: facts.file_name,
            media_type: facts.media_type,
            content,
            size: tx.size_of_original(&content).await?,
            tenant: caller.tenant_id,
        })
    }
}

/// Permits the caller to read `object` of a run in the transaction that reads it: the given run, or else the one that is
/// served.
pub(crate) async fn permit_run_in(
    tx: &mut Tx,
    caller: &Caller,
    object: ReadableObject,
    doc_id: DocId,
    run_id: Option<RunId>,
) -> Result<ContentFacts, OpsError> {
    let facts = tx.content_facts(&[(doc_id, run_id)]).await?.into_iter().next();
    let facts = facts.ok_or(OpsError::NotFound("document"))?;
    decide(object, ContentRights::of(caller), &facts, &[])?;
    Ok(facts)
}

/// Which of these runs the caller may read. `None` as the run stands for the one that is served.
pub(crate) async fn readable_runs(
    tx: &mut Tx,
    object: ReadableObject,
    rights: ContentRights,
    runs: &[(DocId, Option<RunId>)],
) -> Result<HashSet<(DocId, RunId)>, OpsError> {
    if runs.is_empty() {
        return Ok(HashSet::new());
    }
    let facts = tx.content_facts(runs).await?;
    let readable = facts.iter().filter(|facts| decide(object, rights, facts, &[]).is_ok());
    Ok(readable.filter_map(|facts| Some((facts.doc_id, facts.run.as_ref()?.run_id))).collect())
}

/// The decision. `within` are the files contained in the document, which only its original contains.
fn decide(
    object: ReadableObject,
    rights: ContentRights,
    facts: &ContentFacts,
    within: &[ContainedFile],
) -> Result<(), OpsError> {
    match object.needs() {
        ContentNeed::Nothing => Ok(()),
        ContentNeed::Original => decide_original(rights, facts, within),
        ContentNeed::Run => facts.run.as_ref().map_or(Ok(()), |run| decide_run(rights, facts, run)),
        ContentNeed::AnyRun => {
            let rights = ContentRights { older_runs: true, ..rights };
            facts.run.as_ref().map_or(Ok(()), |run| decide_run(rights, facts, run))
        }
        ContentNeed::ActiveRun => match &facts.run {
            Some(run) if run.rank == RunRank::Active => decide_run(rights, facts, run),
            _ => Err(OpsError::NotFound("document")),
        },
    }
}

fn decide_run(rights: ContentRights, facts: &ContentFacts, run: &RunFacts) -> Result<(), OpsError> {
    if !run.knows_password {
        return Err(OpsError::Withheld {
            code: "password_required",
            problem: "This document is protected by a password. To read it, upload it again with its password.",
        });
    }
    if run.rank == RunRank::Active {
        return Ok(());
    }
    let lacks = |mask: &MaskRule| !run.masks.iter().any(|applied| applied.covers(mask));
    if !rights.masked_content && masks_in_force(&facts.rules, &facts.masking).iter().any(lacks) {
        return Err(OpsError::Withheld {
            code: "run_is_before_mask",
            problem: "A mask was added after this run. Only administrators can read its output.",
        });
    }
    if run.rank == RunRank::Older && !rights.older_runs {
        return Err(OpsError::Withheld {
            code: "run_is_older",
            problem: "A later run replaced this one. Only administrators and reviewers can read its output.",
        });
    }
    Ok(())
}

fn decide_original(
    rights: ContentRights,
    facts: &ContentFacts,
    within: &[ContainedFile],
) -> Result<(), OpsError> {
    let is_masked = |masking: &Masking| !masks_in_force(&facts.rules, masking).is_empty();
    let masked = is_masked(&facts.masking) || within.iter().any(|file| is_masked(&file.masking));
    if masked && !rights.masked_content {
        return Err(OpsError::Withheld {
            code: "original_is_masked",
            problem: "Parts of this document are masked. Only administrators can read the original; others can read \
                      its pages and text.",
        });
    }
    if within.iter().any(|file| file.is_deleted) && !rights.masked_content {
        return Err(OpsError::Withheld {
            code: "original_holds_deleted",
            problem: "This document contains a file that was deleted. Only administrators can read the original; \
                      others can read its pages and text.",
        });
    }
    Ok(())
}

/// The masks of the served run, and those that the next run would have.
fn masks_in_force(rules: &TenantRules, masking: &Masking) -> Vec<MaskRule> {
    let names = masking.file_names.iter().map(String::as_str);
    let mut masks = rules.masks_for_names(masking.kind, names);
    masks.extend(masking.applied.iter().cloned());
    masks
}

impl PermittedRun {
    /// Reads an artifact of the run. A stage that was not repeated has its artifacts in an earlier run with the same masks.
    /// Small objects are verified against their hash before the first byte is sent, others while they are sent.
    pub(crate) async fn read(
        &self,
        blobs: &Blobs,
        listed: &ListedArtifact,
    ) -> Result<BlobStream, OpsError> {
        let stream = self.read_range(blobs, listed, None).await?;
        if stream.size() > VERIFIED_FIRST {
            return Ok(stream);
        }
        Ok(BlobStream::of_bytes(listed.place.key(), stream.collect().await?))
    }

    /// Reads a range of an artifact. Checks that the object has the recorded size.
    pub(crate) async fn read_range(
        &self,
        blobs: &Blobs,
        listed: &ListedArtifact,
        range: Option<Range<u64>>,
    ) -> Result<BlobStream, OpsError> {
        let ListedArtifact { place, recorded } = listed;
        if (place.tenant, place.doc) != (self.scope.tenant_id(), self.doc_id) {
            return Err(OpsError::NotFound("artifact"));
        }
        let stream = blobs.read_artifact(place, range).await?;
        match recorded {
            Some(recorded) => Ok(stream.checked(recorded)?),
            None => Ok(stream),
        }
    }

    /// The original, for rendering its pages under the masks of the run. The caller must not expose it otherwise.
    /// A file is verified against its hash from time to time, not for each page.
    pub(crate) async fn original_to_render(
        &self,
        blobs: &Blobs,
        checked: &RecentlyChecked,
        clock: &dyn Clock,
    ) -> Result<Document, OpsError> {
        let content = self.content.ok_or(OpsError::OriginalDeleted)?;
        open_original(blobs, self.scope.tenant_id(), content, checked, clock).await
    }
}

/// An original for the children that read it. A file is compared with its hash once in a while.
async fn open_original(
    blobs: &Blobs,
    tenant: TenantId,
    content: ContentHash,
    checked: &RecentlyChecked,
    clock: &dyn Clock,
) -> Result<Document, OpsError> {
    let key = format!("original of {tenant}: {content}");
    let opened = if checked.contains(&key, clock) {
        blobs.reopen_original(tenant, &content).await?
    } else {
        blobs.open_original(tenant, &content).await?
    };
    if let Some(file) = opened {
        checked.record(key, clock);
        return Document::from_file(file).map_err(disk_error);
    }
    let original = blobs.read_original(tenant, &content, None).await?;
    Document::from_stream(original.map_err(OpsError::from), disk_error).await
}

impl PermittedOriginal {
    pub(crate) fn tenant(&self) -> TenantId {
        self.tenant
    }

    /// For a child that renders it.
    pub(crate) async fn open(
        &self,
        blobs: &Blobs,
        checked: &RecentlyChecked,
        clock: &dyn Clock,
    ) -> Result<Document, OpsError> {
        open_original(blobs, self.tenant, self.content, checked, clock).await
    }

    pub(crate) async fn read(
        &self,
        blobs: &Blobs,
        range: Option<Range<u64>>,
    ) -> Result<BlobStream, OpsError> {
        let stream = blobs.read_original(self.tenant, &self.content, range).await?;
        match self.size {
            Some(size) => Ok(stream.of_size(size)?),
            None => Ok(stream),
        }
    }

    /// A presigned URL of the object store; `None` if the store has none. Only the size is checked, because the bytes do
    /// not pass through this process.
    pub(crate) async fn presigned_url(
        &self,
        blobs: &Blobs,
        expires_in: Duration,
        content_disposition: &str,
    ) -> Result<Option<Url>, OpsError> {
        let download =
            Download { expires_in, content_disposition, media_type: self.media_type.as_str() };
        let url = blobs.sign_original(self.tenant, &self.content, download).await?;
        if url.is_some() {
            self.read(blobs, Some(0..0)).await?;
        }
        Ok(url)
    }
}

pub(crate) fn not_processed() -> OpsError {
    OpsError::Conflict {
        code: "not_read_yet",
        problem:
            "This document has not been processed yet, or processing failed. Check its status."
                .to_owned(),
    }
}

pub(crate) fn disk_error(error: std::io::Error) -> OpsError {
    OpsError::internal("buffering the original", error)
}

#[cfg(test)]
mod tests;
