//! Comparing the object store with the database: is everything there, is it what was written, and is there more?
//!
//! Rows are read a page at a time and objects as they are listed, so the memory stays the same however much there is.
//! Documents may come and go meanwhile: what is younger than a day is not called orphaned, and an original that
//! seems to be missing is looked up again.

use blob::{ArtifactPlace, BlobError, Blobs, Recorded};
use chrono::{DateTime, Utc};
use domain::{Artifact, ContentHash, DocId, RunId, StageName, TenantId};
use futures_util::{StreamExt, TryStreamExt, stream};
use store::{KnownArtifacts, KnownOriginal};

use crate::documents::read_pages::PICTURES;
use crate::{Objects, OpsError};

/// What is wrong with an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ObjectTrouble {
    /// The database refers to it, and it is not there.
    Missing,
    /// It is not what was written.
    Damaged { how: String },
    /// Nothing in the database refers to it.
    Orphaned,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectFinding {
    pub key: String,
    pub doc_id: Option<DocId>,
    pub trouble: ObjectTrouble,
    /// What to do about it.
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

/// What a check tells while it goes on.
#[derive(Clone, Debug)]
pub enum CheckStep {
    Found(ObjectFinding),
    Progress(ObjectTotals),
}

/// An object that the database knows.
struct Expected {
    at: Place,
    recorded: Recorded,
    doc_id: Option<DocId>,
}

enum Place {
    Original(TenantId, ContentHash),
    Artifact(ArtifactPlace),
}

struct Check<'a> {
    objects: &'a Objects,
    is_quick: bool,
    totals: ObjectTotals,
    tell: &'a mut (dyn FnMut(CheckStep) + Send),
}

impl Objects {
    /// Quick: whether everything is there in its size. Otherwise every byte is read and compared with its hash.
    pub async fn check_objects(
        &self,
        is_quick: bool,
        tell: &mut (dyn FnMut(CheckStep) + Send),
    ) -> Result<ObjectTotals, OpsError> {
        self.blobs.verify().await?;
        let mut check = Check { objects: self, is_quick, totals: ObjectTotals::default(), tell };
        check.originals().await?;
        check.artifacts().await?;
        check.orphaned_originals().await?;
        check.orphaned_artifacts().await?;
        Ok(check.totals)
    }
}

impl Check<'_> {
    /// Rows that are read together, and objects of a listing.
    const ROWS: i64 = 500;
    const PAGE: usize = 500;
    /// Objects that are read at the same time.
    const AT_ONCE: usize = 8;

    async fn originals(&mut self) -> Result<(), OpsError> {
        let mut last: Option<KnownOriginal> = None;
        loop {
            let mut across = self.objects.store.across_tenants().await?;
            let page = across.known_originals(last.as_ref(), Self::ROWS).await?;
            across.commit().await?;
            let Some(end) = page.last() else { return Ok(()) };
            last = Some(*end);
            let expected = page.iter().map(|known| Expected {
                at: Place::Original(known.tenant_id, known.sha256),
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
            let expected: Vec<Expected> = page.iter().flat_map(artifacts_of).collect();
            let Some(end) = page.pop() else { return Ok(()) };
            last = Some(end);
            self.totals.artifacts += expected.len() as u64;
            self.compare(expected).await?;
        }
    }

    async fn compare(&mut self, expected: Vec<Expected>) -> Result<(), OpsError> {
        let (objects, is_quick) = (self.objects, self.is_quick);
        self.totals.bytes += expected.iter().map(|object| object.recorded.size).sum::<u64>();
        let looked = stream::iter(expected)
            .map(|object| async move { trouble_of(objects, object, is_quick).await })
            .buffer_unordered(Self::AT_ONCE);
        let mut looked = std::pin::pin!(looked);
        while let Some(finding) = looked.try_next().await? {
            if let Some(finding) = finding {
                self.found(finding);
            }
        }
        (self.tell)(CheckStep::Progress(self.totals));
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
                self.orphaned(Place::Original(*tenant, *hash).key(), None);
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

    /// What is younger may belong to a document that is just coming in.
    fn settled_before(&self) -> DateTime<Utc> {
        self.objects.store.clock().now() - chrono::Duration::days(1)
    }

    fn orphaned(&mut self, key: String, doc_id: Option<DocId>) {
        let advice = "Nothing refers to it. Delete it when no backup of the database needs it.";
        let trouble = ObjectTrouble::Orphaned;
        self.found(ObjectFinding { key, doc_id, trouble, advice: advice.to_owned() });
    }

    fn found(&mut self, finding: ObjectFinding) {
        match &finding.trouble {
            ObjectTrouble::Missing => self.totals.missing += 1,
            ObjectTrouble::Damaged { .. } => self.totals.damaged += 1,
            ObjectTrouble::Orphaned => self.totals.orphaned += 1,
        }
        (self.tell)(CheckStep::Found(finding));
    }
}

/// What a stage took over from an earlier run is looked at there.
fn artifacts_of(known: &KnownArtifacts) -> Vec<Expected> {
    let expected = |artifact: &Artifact| {
        let file = artifact.file()?;
        let place: ArtifactPlace = file.key.parse().ok()?;
        let recorded = Recorded::from(&file);
        let doc_id = Some(place.doc);
        let is_own = place.run == known.run_id;
        is_own.then_some(Expected { at: Place::Artifact(place), recorded, doc_id })
    };
    known.artifacts.iter().filter_map(expected).collect()
}

async fn trouble_of(
    objects: &Objects,
    object: Expected,
    is_quick: bool,
) -> Result<Option<ObjectFinding>, OpsError> {
    let trouble = match look_at(&objects.blobs, &object, is_quick).await {
        Ok(()) => return Ok(None),
        Err(BlobError::NotFound { .. }) => ObjectTrouble::Missing,
        Err(BlobError::Damaged { how, .. }) => ObjectTrouble::Damaged { how },
        Err(error) => return Err(error.into()),
    };
    if trouble == ObjectTrouble::Missing && !is_needed(objects, &object).await? {
        return Ok(None);
    }
    let (key, advice) = (object.at.key(), object.at.advice(object.doc_id));
    Ok(Some(ObjectFinding { key, doc_id: object.doc_id, trouble, advice }))
}

async fn look_at(blobs: &Blobs, object: &Expected, is_quick: bool) -> Result<(), BlobError> {
    match &object.at {
        Place::Original(tenant, _) => {
            blobs.check_original(*tenant, &object.recorded, is_quick).await
        }
        Place::Artifact(place) => blobs.check_artifact(place, &object.recorded, is_quick).await,
    }
}

/// An upload may have announced an original and given up, and the cleanup task may have removed one since.
async fn is_needed(objects: &Objects, object: &Expected) -> Result<bool, OpsError> {
    let Place::Original(tenant, hash) = &object.at else { return Ok(true) };
    if object.doc_id.is_none() {
        return Ok(false);
    }
    let mut across = objects.store.across_tenants().await?;
    let unknown = across.unknown_originals(&[(*tenant, *hash)]).await?;
    across.commit().await?;
    Ok(unknown.is_empty())
}

impl Place {
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
                None => "Run the document again.".to_owned(),
            },
        }
    }
}
