//! The object store and the database: that they belong together, and that what one knows the other has.

mod check;
mod recently_checked;
mod tie;

pub use check::{CheckStep, ObjectFinding, ObjectTotals, ObjectTrouble};
pub(crate) use recently_checked::RecentlyChecked;
pub use tie::{KnownObjectStore, adopt_object_store, known_object_store, tie_object_store};
