//! The object store and the database: that they belong together, and that what one knows the other has.

mod check;
mod recently_checked;
mod tie;

use blob::Blobs;
use store::Store;

pub use check::{CheckStep, ObjectFinding, ObjectTotals, ObjectTrouble};
pub(crate) use recently_checked::RecentlyChecked;
pub use tie::{KnownObjectStore, adopt_object_store, known_object_store, tie_object_store};

/// The object store, compared with the database.
pub struct Objects {
    pub(crate) store: Store,
    pub(crate) blobs: Blobs,
}
