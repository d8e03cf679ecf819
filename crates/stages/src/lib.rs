//! The stages of the pipeline: one small module each.
//!
//! A stage gets what it works on by name, reads it from the object store, and leaves artifacts there.
//! It knows no SQL and no queue: when it runs, how often, and what comes after is the engine's.

/// A stage is a name (`NAME`), settings and the method that does the work: all stages say so in the same words.
macro_rules! stage {
    ($stage:ty, $input:ident $(, $has_work:ident)?) => {
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

            fn run<'a>(&'a self, input: &'a engine::StageInput) -> engine::StageFuture<'a> {
                Box::pin(self.$input(input))
            }
        }
    };
}

mod context;
mod index;
mod ingest;
mod layout;
mod ocr;
mod preprocess;

use std::fmt;
use std::sync::Arc;

use domain::{IdGen, StageName};
use engine::Stages;
use retrieval::embedding::EmbeddingStore;

pub use context::StageContext;
pub use index::Index;
pub use ingest::Ingest;
pub use layout::Layout;
pub use ocr::Ocr;
pub use preprocess::{DocumentSubmitter, Preprocess, SubmitFuture};

/// Every stage there is, in the pipeline's order.
pub const NAMES: [StageName; 5] =
    [Ingest::NAME, Preprocess::NAME, Ocr::NAME, Layout::NAME, Index::NAME];

/// The stages that hand documents to reading children.
pub const READING: [StageName; 3] = [Preprocess::NAME, Ocr::NAME, Layout::NAME];

/// What stages are given to work with.
#[derive(Clone)]
pub struct Equipment {
    pub context: StageContext,
    /// For chunks.
    pub ids: Arc<dyn IdGen>,
    pub submitter: Arc<dyn DocumentSubmitter>,
    pub embedding_store: Arc<dyn EmbeddingStore>,
    /// Jobs of one reading stage that run at once.
    pub children: usize,
}

impl fmt::Debug for Equipment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Equipment").field("context", &self.context).finish_non_exhaustive()
    }
}

/// The stages of [`NAMES`].
///
/// *Architecture invariant:* this is the one place where a stage is plugged in.
pub fn registered(equipment: Equipment) -> Stages {
    let Equipment { context, ids, submitter, embedding_store, children } = equipment;
    Stages::default()
        .with(Ingest::new(context.blobs.clone()))
        .with(Preprocess::new(context.clone(), submitter, children))
        .with(Ocr::new(context.clone(), children))
        .with(Layout::new(context.clone(), children))
        .with(Index::new(context, ids, embedding_store, children))
}
