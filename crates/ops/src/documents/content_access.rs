//! Who may read what of a document: the one place that decides.
//!
//! A route that serves bytes or text names the [`ReadableObject`] that it serves and gets a [`PermittedRun`] or a
//! [`PermittedOriginal`], through which alone the object store is read (a test in `testkit` holds `ops` to that).
//!
//! The rules, for a caller who sees the document; a deleted document is seen by nobody:
//! - The run of the active version is read by everyone, and found. While no version is active, the latest run is.
//! - Older runs need `ReadOlderRuns`.
//! - A run that lacks a mask that holds now needs `ReadMaskedOriginals`, unless it is the active one: a new mask
//!   takes effect on a document with its next run.
//! - The original of a document that masks hold for, or for a file within it, needs `ReadMaskedOriginals`; so does
//!   one that holds a deleted file.
//! - An owner who has not shown the password of a document reads nothing but its original, which they brought.

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

/// What a role may read beyond what everyone may who sees the document.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ContentRights {
    older_runs: bool,
    behind_masks: bool,
}

impl ContentRights {
    pub(crate) fn of(caller: &Caller) -> Self {
        Self {
            older_runs: caller.permit(Action::ReadOlderRuns).is_ok(),
            behind_masks: caller.permit(Action::ReadMaskedOriginals).is_ok(),
        }
    }
}

/// What is not larger is compared with its hash before the first byte is handed out.
const CHECKED_FIRST: u64 = 4 << 20;

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
    /// `None` for what is not listed, such as pictures of pages.
    pub(crate) recorded: Option<Recorded>,
}

impl ListedArtifact {
    /// `None` for what is no object, such as an attachment that became a document.
    pub(crate) fn of(artifact: &Artifact) -> Option<Self> {
        let file = artifact.file()?;
        Some(Self { place: file.key.parse().ok()?, recorded: Some(Recorded::from(&file)) })
    }
}

/// An original that the caller may read as it came in.
#[derive(Clone, Debug)]
pub(crate) struct PermittedOriginal {
    pub(crate) file_name: String,
    pub(crate) media_type: String,
    pub(crate) content: ContentHash,
    /// As it came in; `None` when that is not known any more.
    size: Option<u64>,
    tenant: TenantId,
}

impl Content {
    /// A run of a document, or the one that is served, when the caller may read `object` of it.
    pub(crate) async fn permit_run(
        &self,
        caller: &Caller,
        object: ReadableObject,
        doc_id: DocId,
        run_id: Option<RunId>,
    ) -> Result<PermittedRun, OpsError> {
        let scope = caller.permit(Action::SeeDocuments)?;
        let mut tx = self.store.read(&scope).await?;
        let facts = tx.content_facts(&[(doc_id, run_id)]).await?.into_iter().next();
        tx.commit().await?;
        let facts = facts.ok_or(OpsError::NotFound("document"))?;
        decide(object, ContentRights::of(caller), &facts, &[])?;
        let run = facts.run.ok_or_else(not_read)?;
        Ok(PermittedRun {
            scope,
            doc_id,
            run_id: run.run_id,
            file_name: facts.file_name,
            media_type: facts.media_type,
            content: run.content,
        })
    }

    /// The original of a document, when the caller may read it.
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
        let content = content.ok_or(OpsError::NotFound("original: it was deleted"))?;
        Ok(PermittedOriginal {
            file_name: facts.file_name,
            media_type: facts.media_type,
            content,
            size: tx.size_of_original(&content).await?,
            tenant: caller.tenant_id,
        })
    }
}

/// Which of these runs the caller may read; without one, of the run that is served.
pub(crate) async fn readable_runs(
    tx: &mut Tx,
    object: ReadableObject,
    rights: ContentRights,
    wanted: &[(DocId, Option<RunId>)],
) -> Result<HashSet<(DocId, RunId)>, OpsError> {
    if wanted.is_empty() {
        return Ok(HashSet::new());
    }
    let facts = tx.content_facts(wanted).await?;
    let readable = facts.iter().filter(|facts| decide(object, rights, facts, &[]).is_ok());
    Ok(readable.filter_map(|facts| Some((facts.doc_id, facts.run.as_ref()?.run_id))).collect())
}

/// The decision. `within` are the files that came within the document; only originals hold them.
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
            problem: "this document is protected by a password; upload it again with its password to read it",
        });
    }
    if run.rank == RunRank::Active {
        return Ok(());
    }
    let lacks = |mask: &MaskRule| !run.masks.iter().any(|applied| applied.covers(mask));
    if !rights.behind_masks && masks_in_force(&facts.rules, &facts.masking).iter().any(lacks) {
        return Err(OpsError::Withheld {
            code: "run_is_before_mask",
            problem: "this run was made before a mask was added; only administrators can read what it left",
        });
    }
    if run.rank == RunRank::Older && !rights.older_runs {
        return Err(OpsError::Withheld {
            code: "run_is_older",
            problem: "a later run took the place of this one; only administrators and reviewers can read what it left",
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
    if masked && !rights.behind_masks {
        return Err(OpsError::Withheld {
            code: "original_is_masked",
            problem: "parts of this document are masked; only administrators can read the original, others can read \
                      its pages and text",
        });
    }
    if within.iter().any(|file| file.is_deleted) && !rights.behind_masks {
        return Err(OpsError::Withheld {
            code: "original_holds_deleted",
            problem: "this document holds a file that was deleted; only administrators can read the original, others \
                      can read its pages and text",
        });
    }
    Ok(())
}

/// The masks of the run that is served, and those that the next run would have.
fn masks_in_force(rules: &TenantRules, masking: &Masking) -> Vec<MaskRule> {
    let names = masking.file_names.iter().map(String::as_str);
    let mut masks = rules.masks_for_names(masking.kind, names);
    masks.extend(masking.applied.iter().cloned());
    masks
}

impl PermittedRun {
    /// What a stage of the run left. A stage that was not repeated left it in an earlier run with the same masks.
    /// What is small is compared with its hash before anything of it is handed out; the rest on its way out.
    pub(crate) async fn read(
        &self,
        blobs: &Blobs,
        listed: &ListedArtifact,
    ) -> Result<BlobStream, OpsError> {
        let stream = self.read_range(blobs, listed, None).await?;
        if stream.size() > CHECKED_FIRST {
            return Ok(stream);
        }
        Ok(BlobStream::of_bytes(listed.place.key(), stream.collect().await?))
    }

    /// A part of it, in an object of the recorded size.
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

    /// The original, for drawing its pages under the masks of the run. It must not be shown as it is.
    /// A file is compared with its hash once in a while, not for each page.
    pub(crate) async fn original_to_draw(
        &self,
        blobs: &Blobs,
        checked: &RecentlyChecked,
        clock: &dyn Clock,
    ) -> Result<Document, OpsError> {
        let content = self.content.ok_or(OpsError::NotFound("original: it was deleted"))?;
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
        checked.note(key, clock);
        return Document::from_file(file).map_err(of_disk);
    }
    let original = blobs.read_original(tenant, &content, None).await?;
    Document::from_stream(original.map_err(OpsError::from), of_disk).await
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

    /// Where the object store itself hands it out for so long; `None` when it does not. Only its size is checked:
    /// its bytes do not pass here.
    pub(crate) async fn address(
        &self,
        blobs: &Blobs,
        expires_in: Duration,
        content_disposition: &str,
    ) -> Result<Option<Url>, OpsError> {
        let download =
            Download { expires_in, content_disposition, media_type: self.media_type.as_str() };
        let address = blobs.sign_original(self.tenant, &self.content, download).await?;
        if address.is_some() {
            self.read(blobs, Some(0..0)).await?;
        }
        Ok(address)
    }
}

pub(crate) fn not_read() -> OpsError {
    OpsError::Conflict {
        code: "not_read_yet",
        problem: "the document has not been read yet, or could not be; look at its status"
            .to_owned(),
    }
}

fn of_disk(error: std::io::Error) -> OpsError {
    OpsError::internal("holding the original", error)
}

#[cfg(test)]
mod tests {
    use domain::{FileKind, Role};
    use uuid::Uuid;

    use super::*;

    const EVERYONE: ContentRights = ContentRights { older_runs: false, behind_masks: false };
    const REVIEWER: ContentRights = ContentRights { older_runs: true, behind_masks: false };
    const ADMINISTRATOR: ContentRights = ContentRights { older_runs: true, behind_masks: true };

    fn mask(top: f32) -> MaskRule {
        MaskRule { area: [0.0, top, 1.0, 1.0], ..MaskRule::default() }
    }

    /// A run with these masks, of a document that is served with those.
    fn facts(standing: RunRank, run: &[MaskRule], served: &[MaskRule]) -> ContentFacts {
        ContentFacts {
            doc_id: DocId(Uuid::nil()),
            file_name: "a.pdf".to_owned(),
            media_type: "application/pdf".to_owned(),
            masking: masking(served),
            rules: TenantRules::default(),
            run: Some(RunFacts {
                run_id: RunId(Uuid::nil()),
                rank: standing,
                masks: run.to_vec(),
                content: None,
                knows_password: true,
            }),
        }
    }

    fn masking(applied: &[MaskRule]) -> Masking {
        let file_names = vec!["a.pdf".to_owned()];
        Masking { kind: FileKind::Pdf, file_names, applied: applied.to_vec() }
    }

    fn code(decided: Result<(), OpsError>) -> &'static str {
        match decided {
            Ok(()) => "readable",
            Err(OpsError::Withheld { code, .. }) => code,
            Err(OpsError::NotFound(_)) => "not_found",
            Err(_) => "another error",
        }
    }

    fn artifact(rights: ContentRights, facts: &ContentFacts) -> &'static str {
        code(decide(ReadableObject::Artifact, rights, facts, &[]))
    }

    #[test]
    fn roles_have_the_rights_that_the_permission_table_gives_them() {
        let rights = |role| {
            let caller = Caller { role, ..Caller::system(TenantId(Uuid::nil())) };
            let ContentRights { older_runs, behind_masks } = ContentRights::of(&caller);
            (older_runs, behind_masks)
        };
        assert_eq!(rights(Role::Admin), (true, true));
        assert_eq!(rights(Role::Reviewer), (true, false));
        for role in [Role::User, Role::Viewer, Role::Auditor, Role::ApiClient] {
            assert_eq!(rights(role), (false, false), "{role}");
        }
    }

    #[test]
    fn older_runs_are_for_administrators_and_reviewers() {
        let older = facts(RunRank::Older, &[], &[]);
        assert_eq!(artifact(EVERYONE, &older), "run_is_older");
        assert_eq!(artifact(REVIEWER, &older), "readable");
        for standing in [RunRank::Active, RunRank::Latest] {
            assert_eq!(artifact(EVERYONE, &facts(standing, &[], &[])), "readable", "{standing:?}");
        }
    }

    #[test]
    fn runs_from_before_a_mask_are_for_administrators() {
        let masks = [mask(0.5)];
        let before = facts(RunRank::Older, &[], &masks);
        assert_eq!(artifact(EVERYONE, &before), "run_is_before_mask");
        assert_eq!(artifact(REVIEWER, &before), "run_is_before_mask");
        assert_eq!(artifact(ADMINISTRATOR, &before), "readable");
        let covered = facts(RunRank::Older, &[mask(0.2)], &masks);
        assert_eq!(artifact(REVIEWER, &covered), "readable", "it blanked out more");
        let since_removed = facts(RunRank::Older, &[], &[]);
        assert_eq!(artifact(REVIEWER, &since_removed), "readable");
    }

    #[test]
    fn a_new_mask_hides_the_latest_run_of_a_withdrawn_document_and_not_the_active_one() {
        let rules = TenantRules { masks: vec![mask(0.5)], ..TenantRules::default() };
        let with_rules =
            |standing| ContentFacts { rules: rules.clone(), ..facts(standing, &[], &[]) };
        assert_eq!(artifact(REVIEWER, &with_rules(RunRank::Latest)), "run_is_before_mask");
        assert_eq!(artifact(EVERYONE, &with_rules(RunRank::Active)), "readable");
    }

    #[test]
    fn originals_that_masks_hold_for_are_for_administrators() {
        let original = |rights, facts: &ContentFacts, within: &[ContainedFile]| {
            code(decide(ReadableObject::Original, rights, facts, within))
        };
        let plain = facts(RunRank::Active, &[], &[]);
        assert_eq!(original(EVERYONE, &plain, &[]), "readable");
        let masked = facts(RunRank::Active, &[mask(0.5)], &[mask(0.5)]);
        assert_eq!(original(REVIEWER, &masked, &[]), "original_is_masked");
        assert_eq!(original(ADMINISTRATOR, &masked, &[]), "readable");
        let by_rule = TenantRules { masks: vec![mask(0.5)], ..TenantRules::default() };
        let not_yet = ContentFacts { rules: by_rule, ..plain.clone() };
        assert_eq!(original(EVERYONE, &not_yet, &[]), "original_is_masked");
        let within = |applied: &[MaskRule], is_deleted| {
            [ContainedFile { masking: masking(applied), is_deleted }]
        };
        assert_eq!(original(EVERYONE, &plain, &within(&[], false)), "readable");
        assert_eq!(original(EVERYONE, &plain, &within(&[mask(0.5)], false)), "original_is_masked");
        assert_eq!(original(REVIEWER, &plain, &within(&[], true)), "original_holds_deleted");
        assert_eq!(original(ADMINISTRATOR, &plain, &within(&[], true)), "readable");
    }

    #[test]
    fn an_owner_without_the_password_has_only_the_original() {
        let mut locked = facts(RunRank::Active, &[], &[]);
        if let Some(run) = &mut locked.run {
            run.knows_password = false;
        }
        for object in ReadableObject::ALL {
            let expected = match object.needs() {
                ContentNeed::Nothing | ContentNeed::Original => "readable",
                ContentNeed::Run | ContentNeed::ActiveRun => "password_required",
            };
            assert_eq!(code(decide(*object, ADMINISTRATOR, &locked, &[])), expected, "{object:?}");
        }
    }

    #[test]
    fn only_the_active_run_is_found() {
        for standing in [RunRank::Latest, RunRank::Older] {
            let facts = facts(standing, &[], &[]);
            let decided = decide(ReadableObject::SearchHit, ADMINISTRATOR, &facts, &[]);
            assert_eq!(code(decided), "not_found", "{standing:?}");
        }
    }
}
