//! Opens the object store of a command, and makes sure that it is the one that belongs to the database.

use anyhow::{Context, Result};
use blob::{BlobUrl, Blobs, Settings};
use domain::Random;
use store::Store;

use crate::config::Config;
use crate::data_dir::DataDir;

/// How a command uses the object store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ObjectStoreUse {
    /// It must be the right one: the command stores or processes documents.
    Required,
    /// It may be unreachable. If the command uses it, it must be the right one.
    Optional,
    /// The operator says that it is the right one: the database adopts it.
    Adopt,
}

/// Sends no request to a bucket that the database knows: whether it answers is checked by the readiness probe. Creates a
/// folder only while the database knows of no documents that would be in it.
pub(crate) async fn open(
    config: &Config,
    data_dir: &DataDir,
    store: &Store,
    random: &dyn Random,
    wanted: ObjectStoreUse,
) -> Result<Blobs> {
    let own = || BlobUrl::Folder(data_dir.blobs_folder());
    let url = config.intake.blob_url.clone().unwrap_or_else(own);
    let known = ops::registered_object_store(store).await?;
    let folder_must_exist = known.id.is_some() || known.has_originals;
    let settings = Settings { folder_must_exist, ..Settings::from_environment() };
    let blobs = Blobs::open_with(&url, &settings)
        .with_context(|| format!("the object store {url} cannot be opened"))?;
    match (wanted, known.id) {
        (ObjectStoreUse::Required, _) => ops::bind_object_store(store, &blobs, random).await?,
        (ObjectStoreUse::Adopt, _) => {
            ops::adopt_object_store(store, &blobs, random).await?;
        }
        (ObjectStoreUse::Optional, Some(id)) => blobs.expect_store(id),
        (ObjectStoreUse::Optional, None) => {}
    }
    Ok(blobs)
}
