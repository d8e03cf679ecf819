//! Binds the object store to the database: both have the same id.
//!
//! A process uses a store only if the id in its marker is the id in the database. Otherwise a mount point that is not
//! mounted would accept documents, which would be hidden once it is mounted. A database without an id (a new one, or one
//! of an earlier Docket) is bound to a store only if that cannot be the wrong one.

use blob::{BlobError, Blobs, StoreId};
use domain::{ContentHash, Random, TenantId};
use futures_util::TryStreamExt;
use store::Store;

use crate::OpsError;

/// How many originals to look up in a store without a marker.
const SAMPLE_SIZE: i64 = 20;

/// The store that the database is bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisteredObjectStore {
    pub id: Option<StoreId>,
    /// Whether there are documents, whose originals must exist.
    pub has_originals: bool,
}

/// Call it before opening the store: a missing folder must not be created if the database is bound to it.
pub async fn registered_object_store(store: &Store) -> Result<RegisteredObjectStore, OpsError> {
    let mut across = store.across_tenants().await?;
    let id = across.object_store_id().await?.map(StoreId);
    let has_originals = !across.served_originals(1).await?.is_empty();
    across.commit().await?;
    Ok(RegisteredObjectStore { id, has_originals })
}

/// Checks that the store belongs to the database, binds it if it is new, or fails with advice. From then on the store is
/// checked before use ([`Blobs::expect_store`]). A bound bucket may be unreachable now: nothing is written to it before
/// its marker was read.
pub async fn bind_object_store(
    store: &Store,
    blobs: &Blobs,
    random: &dyn Random,
) -> Result<(), OpsError> {
    let registered = registered_object_store(store).await?;
    if let Some(id) = registered.id {
        return expect(blobs, id, registered.has_originals).await;
    }
    let mut across = store.across_tenants().await?;
    let sample = across.served_originals(SAMPLE_SIZE).await?;
    across.commit().await?;
    let id = choose_id(blobs, &sample, random).await?;
    // A process that starts at the same time waits for the row, and then finds the marker.
    let mut across = store.across_tenants().await?;
    if across.insert_object_store_id(id.0).await? {
        blobs.prepare().await?;
        blobs.write_marker(id).await?;
        across.commit().await?;
        blobs.expect_store(id);
        tracing::info!(store = blobs.location(), id = %id.0, "the object store is bound to this database");
        return Ok(());
    }
    across.rollback().await?;
    let registered = registered_object_store(store).await?;
    expect(blobs, registered.id.unwrap_or(id), registered.has_originals).await
}

/// Binds this store to the database on the operator's request, without checks.
pub async fn adopt_object_store(
    store: &Store,
    blobs: &Blobs,
    random: &dyn Random,
) -> Result<StoreId, OpsError> {
    let registered = registered_object_store(store).await?;
    blobs.prepare().await?;
    // The store keeps its id: another database may be bound to it.
    let id = if let Some(id) = blobs.read_marker().await? {
        id
    } else {
        let id = registered.id.unwrap_or_else(|| new_id(random));
        blobs.write_marker(id).await?;
        id
    };
    let mut across = store.across_tenants().await?;
    across.set_object_store(id.0).await?;
    across.commit().await?;
    blobs.expect_store(id);
    Ok(id)
}

async fn expect(blobs: &Blobs, id: StoreId, has_originals: bool) -> Result<(), OpsError> {
    blobs.expect_store(id);
    match blobs.verify().await {
        Ok(()) => {}
        // The store was copied without its empty folders.
        Err(BlobError::FolderLost { .. }) if !has_originals => {}
        Err(error) if blobs.is_bucket() && !matches!(error, BlobError::OtherStore { .. }) => {
            tracing::warn!(%error, "the object store is unavailable; waiting for it");
        }
        Err(error) => return Err(error.into()),
    }
    Ok(blobs.prepare().await?)
}

/// The id for a store that the database is not bound to yet.
async fn choose_id(
    blobs: &Blobs,
    originals: &[(TenantId, ContentHash)],
    random: &dyn Random,
) -> Result<StoreId, OpsError> {
    let marker = blobs.read_marker().await?;
    if originals.is_empty() {
        let has_other_documents =
            marker.is_some() && blobs.list_originals().try_next().await?.is_some();
        if has_other_documents {
            return Err(refusal(blobs, "contains the documents of another database"));
        }
    } else if !has_one_of(blobs, originals).await? {
        return Err(refusal(blobs, "has none of the originals that the database refers to"));
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
            "The object store {} {what}. If it is a disk or a network share, mount it. If blob_url names the wrong \
             store, correct it. If it is the right store nevertheless, run `docket check --adopt`.",
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
    struct FixedRandom;

    impl Random for FixedRandom {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(7);
        }
    }

    #[test]
    fn an_id_is_a_random_uuid() {
        let StoreId(id) = new_id(&FixedRandom);
        assert_eq!(id.get_version_num(), 4);
        assert_ne!(id, Uuid::nil());
    }
}
