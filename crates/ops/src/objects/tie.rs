//! Tying the object store to the database: both keep one id.
//!
//! A process works only with the store whose marker has the id of the database. Without that, a folder that is not
//! mounted would take documents in and hide them once it is mounted. A database without an id (a new one, or one of an
//! earlier Docket) takes a store only when that cannot be the wrong one.

use blob::{BlobError, Blobs, StoreId};
use domain::{ContentHash, Random, TenantId};
use futures_util::TryStreamExt;
use store::Store;

use crate::OpsError;

/// How many originals are looked for in a store without a marker.
const SAMPLE: i64 = 20;

/// What the database says of its store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownObjectStore {
    pub id: Option<StoreId>,
    /// Whether there are documents, whose originals must be somewhere.
    pub has_originals: bool,
}

/// To be asked before the store is opened: a folder that the database knows is not made when it is missing.
pub async fn known_object_store(store: &Store) -> Result<KnownObjectStore, OpsError> {
    let mut across = store.across_tenants().await?;
    let id = across.object_store_id().await?.map(StoreId);
    let has_originals = !across.served_originals(1).await?.is_empty();
    across.commit().await?;
    Ok(KnownObjectStore { id, has_originals })
}

/// Makes sure that the store belongs to the database, or refuses with what to do. From then on the store is held to
/// it ([`Blobs::expect_store`]). A bucket that cannot be reached now is not refused when the database knows it:
/// nothing is written there before its marker was read.
pub async fn tie_object_store(
    store: &Store,
    blobs: &Blobs,
    random: &dyn Random,
) -> Result<(), OpsError> {
    let known = known_object_store(store).await?;
    if let Some(id) = known.id {
        return hold_to(blobs, id, known.has_originals).await;
    }
    let mut across = store.across_tenants().await?;
    let sample = across.served_originals(SAMPLE).await?;
    across.commit().await?;
    let id = choose(blobs, &sample, random).await?;
    // Whoever starts at the same time waits for the row, and then finds the marker written.
    let mut across = store.across_tenants().await?;
    if across.insert_object_store_id(id.0).await? {
        blobs.prepare().await?;
        blobs.write_marker(id).await?;
        across.commit().await?;
        blobs.expect_store(id);
        tracing::info!(store = blobs.location(), id = %id.0, "the object store is tied to this database");
        return Ok(());
    }
    across.rollback().await?;
    let known = known_object_store(store).await?;
    hold_to(blobs, known.id.unwrap_or(id), known.has_originals).await
}

/// Takes this store for the database's, because the operator says so.
pub async fn adopt_object_store(
    store: &Store,
    blobs: &Blobs,
    random: &dyn Random,
) -> Result<StoreId, OpsError> {
    let known = known_object_store(store).await?;
    blobs.prepare().await?;
    // The id of the store stays: another database may know it.
    let id = if let Some(id) = blobs.read_marker().await? {
        id
    } else {
        let id = known.id.unwrap_or_else(|| new_id(random));
        blobs.write_marker(id).await?;
        id
    };
    let mut across = store.across_tenants().await?;
    across.set_object_store(id.0).await?;
    across.commit().await?;
    blobs.expect_store(id);
    Ok(id)
}

async fn hold_to(blobs: &Blobs, id: StoreId, has_originals: bool) -> Result<(), OpsError> {
    blobs.expect_store(id);
    match blobs.verify().await {
        Ok(()) => {}
        // Copied without its empty folders.
        Err(BlobError::FolderLost { .. }) if !has_originals => {}
        Err(error) if blobs.is_bucket() && !matches!(error, BlobError::OtherStore { .. }) => {
            tracing::warn!(%error, "the object store is not available; Docket waits for it");
        }
        Err(error) => return Err(error.into()),
    }
    Ok(blobs.prepare().await?)
}

/// The id of a store that the database has not met.
async fn choose(
    blobs: &Blobs,
    originals: &[(TenantId, ContentHash)],
    random: &dyn Random,
) -> Result<StoreId, OpsError> {
    let marker = blobs.read_marker().await?;
    if originals.is_empty() {
        let is_somebody_elses =
            marker.is_some() && blobs.list_originals().try_next().await?.is_some();
        if is_somebody_elses {
            return Err(refusal(blobs, "holds the documents of another database"));
        }
    } else if !has_one_of(blobs, originals).await? {
        return Err(refusal(blobs, "has none of the originals that the database knows"));
    }
    Ok(marker.unwrap_or_else(|| new_id(random)))
}

async fn has_one_of(
    blobs: &Blobs,
    originals: &[(TenantId, ContentHash)],
) -> Result<bool, OpsError> {
    for (tenant, hash) in originals {
        match blobs.size_of_original(*tenant, hash).await {
            Ok(_) => return Ok(true),
            Err(BlobError::NotFound { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(false)
}

fn refusal(blobs: &Blobs, what: &str) -> OpsError {
    OpsError::Conflict {
        code: "other_object_store",
        problem: format!(
            "The object store {} {what}. If it is a disk or a network share, mount it; if blob_url names the wrong \
             place, correct it. If it is the right one all the same, run `docket check --adopt`.",
            blobs.location()
        ),
    }
}

fn new_id(random: &dyn Random) -> StoreId {
    let mut bytes = [0; 16];
    random.fill(&mut bytes);
    StoreId(uuid::Builder::from_random_bytes(bytes).into_uuid())
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[derive(Debug)]
    struct Sevens;

    impl Random for Sevens {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(7);
        }
    }

    #[test]
    fn an_id_is_a_random_uuid() {
        let StoreId(id) = new_id(&Sevens);
        assert_eq!(id.get_version_num(), 4);
        assert_ne!(id, Uuid::nil());
    }
}
