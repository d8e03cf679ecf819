//! The stages of the pipeline: one small module each.
//!
//! A stage gets what it works on by name, reads it from the object store, and leaves artifacts there.
//! It knows no SQL and no queue: when it runs, how often, and what comes after is the engine's.

/// A stage is a name (`NAME`), settings and the method that does the work: all stages say so in the same words.
macro_rules! stage {
    ($stage:ty, $work:ident $(, $has_work:ident)?) => {
        impl engine::Stage for $stage {
            fn name(&self) -> &domain::StageName {
                const { &Self::NAME }
            }

            fn settings(&self) -> &engine::StageSettings {
                &self.settings
            }

            $(fn has_work(&self, earlier: &domain::EarlierArtifacts) -> bool {
                $has_work(earlier)
            })?

            fn run<'a>(&'a self, work: &'a engine::Work) -> engine::StageFuture<'a> {
                Box::pin(self.$work(work))
            }
        }
    };
}

mod desk;
mod index;
mod ingest;
mod layout;
mod ocr;
mod preprocess;

use std::fmt;
use std::sync::Arc;

use domain::{IdGen, StageName};
use engine::Stages;
use retrieval::embedding::VectorShelf;

pub use desk::Desk;
pub use index::Index;
pub use ingest::Ingest;
pub use layout::Layout;
pub use ocr::Ocr;
pub use preprocess::{FrontDoor, Preprocess, TakingIn};

/// Every stage there is, in the pipeline's order.
pub const NAMES: [StageName; 5] =
    [Ingest::NAME, Preprocess::NAME, Ocr::NAME, Layout::NAME, Index::NAME];

/// The stages that hand documents to reading children.
pub const READING: [StageName; 3] = [Preprocess::NAME, Ocr::NAME, Layout::NAME];

/// What stages are given to work with.
#[derive(Clone)]
pub struct Equipment {
    pub desk: Desk,
    /// For chunks.
    pub ids: Arc<dyn IdGen>,
    pub door: Arc<dyn FrontDoor>,
    pub shelf: Arc<dyn VectorShelf>,
    /// Jobs of one reading stage that run at once.
    pub children: usize,
}

impl fmt::Debug for Equipment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Equipment").field("desk", &self.desk).finish_non_exhaustive()
    }
}

/// The stages of [`NAMES`].
///
/// *Architecture invariant:* this is the one place where a stage is plugged in.
pub fn registered(equipment: Equipment) -> Stages {
    let Equipment { desk, ids, door, shelf, children } = equipment;
    Stages::default()
        .with(Ingest::new(desk.blobs.clone()))
        .with(Preprocess::new(desk.clone(), door, children))
        .with(Ocr::new(desk.clone(), children))
        .with(Layout::new(desk.clone(), children))
        .with(Index::new(desk, ids, shelf, children))
}
