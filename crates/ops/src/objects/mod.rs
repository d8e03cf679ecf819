//! Consistency of the object store and the database: that they belong together, and that every object exists.

mod binding;
mod check;
mod recently_checked;

use blob::Blobs;
use store::Store;

pub use binding::{
    RegisteredObjectStore, adopt_object_store, bind_object_store, registered_object_store,
};
pub use check::{CheckStep, ObjectFinding, ObjectProblem, ObjectTotals};
pub(crate) use recently_checked::RecentlyChecked;

/// The object store, compared with the database.
pub struct Objects {
    pub(crate) store: Store,
    pub(crate) blobs: Blobs,
}
