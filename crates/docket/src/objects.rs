//! The object store behind a command, opened and held to the one that belongs to the database.

use anyhow::{Context, Result};
use blob::{BlobUrl, Blobs, Settings};
use domain::Random;
use store::Store;

use crate::config::Config;
use crate::data_dir::DataDir;

/// What a command wants of the object store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// It must be the right one: the command stores documents or works on them.
    Tied,
    /// It may be away. Should the command use it, it must be the right one.
    IfThere,
    /// The operator says that it is the right one.
    Adopted,
}

/// Says nothing to a bucket that the database knows: whether it answers is a matter of readiness. A folder is made
/// only while the database knows of no documents that would be in it.
pub(crate) async fn open(
    config: &Config,
    data_dir: &DataDir,
    store: &Store,
    random: &dyn Random,
    wanted: Wanted,
) -> Result<Blobs> {
    let own = || BlobUrl::Folder(data_dir.blobs_folder());
    let url = config.intake.blob_url.clone().unwrap_or_else(own);
    let known = ops::registered_object_store(store).await?;
    let folder_must_exist = known.id.is_some() || known.has_originals;
    let settings = Settings { folder_must_exist, ..Settings::from_environment() };
    let blobs = Blobs::open_with(&url, &settings)
        .with_context(|| format!("the object store {url} cannot be opened"))?;
    match (wanted, known.id) {
        (Wanted::Tied, _) => ops::bind_object_store(store, &blobs, random).await?,
        (Wanted::Adopted, _) => {
            ops::adopt_object_store(store, &blobs, random).await?;
        }
        (Wanted::IfThere, Some(id)) => blobs.expect_store(id),
        (Wanted::IfThere, None) => {}
    }
    Ok(blobs)
}
