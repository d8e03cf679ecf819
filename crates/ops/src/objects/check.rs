//! Compares the object store with the database: finds missing, damaged and orphaned objects.
//!
//! Rows are read a page at a time and objects as they are listed, so memory use does not depend on their number.
//! Documents may be added and deleted meanwhile: an object younger than a day is never reported as orphaned, and an
//! original that seems to be missing is looked up again.

use blob::{ArtifactPlace, BlobError, Blobs, Recorded};
use chrono::{DateTime, Utc};
use domain::{Artifact, ContentHash, DocId, RunId, StageName, TenantId};
use futures_util::{StreamExt, TryStreamExt, stream};
use store::{KnownArtifacts, KnownOriginal};

use crate::documents::read_pages::PICTURES;
use crate::{Objects, OpsError};

/// What is wrong with an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ObjectProblem {
    /// The database refers to it, but it does not exist.
    Missing,
    /// Its content differs from what was written.
    Damaged { how: String },
    /// Nothing in the database refers to it.
    Orphaned,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectFinding {
    pub key: String,
    pub doc_id: Option<DocId>,
    pub problem: ObjectProblem,
    /// How to repair it.
    pub advice: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ObjectTotals {
    pub originals: u64,
    pub artifacts: u64,
    /// Of both.
    pub bytes: u64,
    pub missing: u64,
    pub damaged: u64,
    pub orphaned: u64,
}

impl ObjectTotals {
    pub fn is_sound(&self) -> bool {
        self.missing + self.damaged + self.orphaned == 0
    }
}

/// Output of a check while it runs.
#[derive(Clone, Debug)]
pub enum CheckStep {
    Finding(ObjectFinding),
    Progress(ObjectTotals),
}

/// An object that the database refers to.
struct ExpectedObject {
    location: ObjectLocation,
    recorded: Recorded,
    doc_id: Option<DocId>,
}

enum ObjectLocation {
    Original(TenantId, ContentHash),
    Artifact(ArtifactPlace),
}

struct Check<'a> {
    objects: &'a Objects,
    is_quick: bool,
    totals: ObjectTotals,
    report: &'a mut (dyn FnMut(CheckStep) + Send),
}

impl Objects {
    /// A quick check compares sizes only. Otherwise every object is read and verified against its hash.
    pub async fn check_objects(
        &self,
        is_quick: bool,
        report: &mut (dyn FnMut(CheckStep) + Send),
    ) -> Result<ObjectTotals, OpsError> {
        self.blobs.verify().await?;
        let mut check = Check { objects: self, is_quick, totals: ObjectTotals::default(), report };
        check.originals().await?;
        check.artifacts().await?;
        check.orphaned_originals().await?;
        check.orphaned_artifacts().await?;
        Ok(check.totals)
    }
}

impl Check<'_> {
    /// Rows, and objects of a listing, that are read together.
    const ROWS: i64 = 500;
    const PAGE: usize = 500;
    /// Objects that are checked concurrently.
    const CONCURRENCY: usize = 8;

    async fn originals(&mut self) -> Result<(), OpsError> {
        let mut last: Option<KnownOriginal> = None;
        loop {
            let mut across = self.objects.store.across_tenants().await?;
            let page = across.known_originals(last.as_ref(), Self::ROWS).await?;
            across.commit().await?;
            let Some(end) = page.last() else { return Ok(()) };
            last = Some(*end);
            let expected = page.iter().map(|known| ExpectedObject {
                location: ObjectLocation::Original(known.tenant_id, known.sha256),
                recorded: Recorded { size: known.size, sha256: known.sha256 },
                doc_id: known.doc_id,
            });
            self.totals.originals += page.len() as u64;
            self.compare(expected.collect()).await?;
        }
    }

    async fn artifacts(&mut self) -> Result<(), OpsError> {
        let mut last: Option<KnownArtifacts> = None;
        loop {
            let mut across = self.objects.store.across_tenants().await?;
            let mut page = across.known_artifacts(last.as_ref(), Self::ROWS).await?;
            across.commit().await?;
            let expected: Vec<ExpectedObject> = page.iter().flat_map(artifacts_of).collect();
            let Some(end) = page.pop() else { return Ok(()) };
            last = Some(end);
            self.totals.artifacts += expected.len() as u64;
            self.compare(expected).await?;
        }
    }

    async fn compare(&mut self, expected: Vec<ExpectedObject>) -> Result<(), OpsError> {
        let (objects, is_quick) = (self.objects, self.is_quick);
        self.totals.bytes += expected.iter().map(|object| object.recorded.size).sum::<u64>();
        let findings = stream::iter(expected)
            .map(|object| async move { problem_of(objects, object, is_quick).await })
            .buffer_unordered(Self::CONCURRENCY);
        let mut findings = std::pin::pin!(findings);
        while let Some(finding) = findings.try_next().await? {
            if let Some(finding) = finding {
                self.found(finding);
            }
        }
        (self.report)(CheckStep::Progress(self.totals));
        Ok(())
    }

    async fn orphaned_originals(&mut self) -> Result<(), OpsError> {
        let settled = self.settled_before();
        let mut listing = self.objects.blobs.list_originals().try_chunks(Self::PAGE);
        while let Some(found) = listing.next().await {
            let mut found = found.map_err(|error| error.1)?;
            found.retain(|object| object.last_modified < settled);
            let names: Vec<_> = found.iter().map(|object| (object.tenant, object.sha256)).collect();
            let mut across = self.objects.store.across_tenants().await?;
            let unknown = across.unknown_originals(&names).await?;
            across.commit().await?;
            for (tenant, hash) in unknown.into_iter().filter_map(|place| names.get(place)) {
                self.orphaned(ObjectLocation::Original(*tenant, *hash).key(), None);
            }
        }
        Ok(())
    }

    async fn orphaned_artifacts(&mut self) -> Result<(), OpsError> {
        let settled = self.settled_before();
        let mut listing = self.objects.blobs.list_all_artifacts().try_chunks(Self::PAGE);
        while let Some(found) = listing.next().await {
            let mut found = found.map_err(|error| error.1)?;
            found.retain(|object| object.last_modified < settled);
            let name = |place: &ArtifactPlace| -> (RunId, StageName, String) {
                (place.run, place.stage.clone(), place.key())
            };
            let names: Vec<_> = found.iter().map(|object| name(&object.place)).collect();
            let mut across = self.objects.store.across_tenants().await?;
            let unknown = across.unknown_artifacts(&names, &PICTURES).await?;
            across.commit().await?;
            for object in unknown.into_iter().filter_map(|place| found.get(place)) {
                self.orphaned(object.place.key(), Some(object.place.doc));
            }
        }
        Ok(())
    }

    /// Younger objects may belong to a document that is being uploaded.
    fn settled_before(&self) -> DateTime<Utc> {
        self.objects.store.clock().now() - chrono::Duration::days(1)
    }

    fn orphaned(&mut self, key: String, doc_id: Option<DocId>) {
        let advice =
            "Nothing refers to this object. Delete it if no backup of the database needs it.";
        let problem = ObjectProblem::Orphaned;
        self.found(ObjectFinding { key, doc_id, problem, advice: advice.to_owned() });
    }

    fn found(&mut self, finding: ObjectFinding) {
        match &finding.problem {
            ObjectProblem::Missing => self.totals.missing += 1,
            ObjectProblem::Damaged { .. } => self.totals.damaged += 1,
            ObjectProblem::Orphaned => self.totals.orphaned += 1,
        }
        (self.report)(CheckStep::Finding(finding));
    }
}

/// Skips artifacts that a stage reuses from an earlier run: they are checked with that run.
fn artifacts_of(known: &KnownArtifacts) -> Vec<ExpectedObject> {
    let expected = |artifact: &Artifact| {
        let file = artifact.file()?;
        let place: ArtifactPlace = file.key.parse().ok()?;
        let recorded = Recorded::from(&file);
        let doc_id = Some(place.doc);
        let is_own = place.run == known.run_id;
        is_own.then_some(ExpectedObject {
            location: ObjectLocation::Artifact(place),
            recorded,
            doc_id,
        })
    };
    known.artifacts.iter().filter_map(expected).collect()
}

async fn problem_of(
    objects: &Objects,
    object: ExpectedObject,
    is_quick: bool,
) -> Result<Option<ObjectFinding>, OpsError> {
    let problem = match check_object(&objects.blobs, &object, is_quick).await {
        Ok(()) => return Ok(None),
        Err(BlobError::NotFound { .. }) => ObjectProblem::Missing,
        Err(BlobError::Damaged { how, .. }) => ObjectProblem::Damaged { how },
        Err(error) => return Err(error.into()),
    };
    if problem == ObjectProblem::Missing && !is_needed(objects, &object).await? {
        return Ok(None);
    }
    let (key, advice) = (object.location.key(), object.location.advice(object.doc_id));
    Ok(Some(ObjectFinding { key, doc_id: object.doc_id, problem, advice }))
}

async fn check_object(
    blobs: &Blobs,
    object: &ExpectedObject,
    is_quick: bool,
) -> Result<(), BlobError> {
    match &object.location {
        ObjectLocation::Original(tenant, _) => {
            blobs.check_original(*tenant, &object.recorded, is_quick).await
        }
        ObjectLocation::Artifact(place) => {
            blobs.check_artifact(place, &object.recorded, is_quick).await
        }
    }
}

/// Whether a missing original is still needed: its upload may have been abandoned after the announcement, or the cleanup may
/// have removed it since.
async fn is_needed(objects: &Objects, object: &ExpectedObject) -> Result<bool, OpsError> {
    let ObjectLocation::Original(tenant, hash) = &object.location else { return Ok(true) };
    if object.doc_id.is_none() {
        return Ok(false);
    }
    let mut across = objects.store.across_tenants().await?;
    let unknown = across.unknown_originals(&[(*tenant, *hash)]).await?;
    across.commit().await?;
    Ok(unknown.is_empty())
}

impl ObjectLocation {
    fn key(&self) -> String {
        match self {
            Self::Original(tenant, hash) => blob::key_of_original(*tenant, hash),
            Self::Artifact(place) => place.key(),
        }
    }

    fn advice(&self, doc_id: Option<DocId>) -> String {
        match self {
            Self::Original(..) => {
                "Restore the object from a backup, or upload the document again.".to_owned()
            }
            Self::Artifact(place) => match doc_id {
                Some(doc_id) => {
                    format!("Run `docket rerun {doc_id} --from {}`.", place.stage)
                }
                None => "Rerun the document.".to_owned(),
            },
        }
    }
}
