//! The stages of the pipeline, one module each.
//!
//! A stage reads its input from the object store and stores artifacts there. It knows neither SQL nor the queue: the
//! engine decides when and how often it runs, and which stage follows.

/// Implements `engine::Stage` with the stage's `NAME`, its `settings` and the method that does the work.
macro_rules! stage {
    ($stage:ty, $run:ident $(, $has_work:ident)?) => {
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
                Box::pin(self.$run(input))
            }
        }
    };
}

mod context;
mod index;
mod ingest;
mod language_model;
mod layout;
mod ocr;
mod package;
mod parse;
mod preprocess;
mod reconcile;

use std::fmt;
use std::sync::Arc;

use domain::{IdGen, StageName};
use engine::Stages;
use extraction::tenant_store::ExtractionStore;
use retrieval::embedding::EmbeddingStore;

pub use context::StageContext;
pub use index::Index;
pub use ingest::Ingest;
pub use language_model::LanguageModelUse;
pub use layout::Layout;
pub use ocr::Ocr;
pub use package::Package;
pub use parse::Parse;
pub use preprocess::{DocumentSubmitter, Preprocess, SubmitFuture};
pub use reconcile::Reconcile;

/// All stages, in the pipeline's order.
pub const NAMES: [StageName; 8] = [
    Ingest::NAME,
    Preprocess::NAME,
    Ocr::NAME,
    Layout::NAME,
    Index::NAME,
    Parse::NAME,
    Reconcile::NAME,
    Package::NAME,
];

/// The stages that send documents to reading children.
pub const READING: [StageName; 5] =
    [Preprocess::NAME, Ocr::NAME, Layout::NAME, Parse::NAME, Reconcile::NAME];

/// What the stages depend on.
#[derive(Clone)]
pub struct StageDependencies {
    pub context: StageContext,
    /// For the ids of chunks.
    pub ids: Arc<dyn IdGen>,
    pub submitter: Arc<dyn DocumentSubmitter>,
    pub embedding_store: Arc<dyn EmbeddingStore>,
    pub extraction_store: Arc<dyn ExtractionStore>,
    /// `None`: fields are extracted by rules only.
    pub language_model: Option<LanguageModelUse>,
    /// How many jobs of one reading stage run at once.
    pub children: usize,
}

impl fmt::Debug for StageDependencies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StageDependencies").field("context", &self.context).finish_non_exhaustive()
    }
}

/// The stages of [`NAMES`].
///
/// *Architecture invariant:* this is the only place that registers stages.
pub fn registered(dependencies: StageDependencies) -> Stages {
    let StageDependencies {
        context,
        ids,
        submitter,
        embedding_store,
        extraction_store,
        language_model,
        children,
    } = dependencies;
    let parse = Parse::new(context.clone(), Arc::clone(&extraction_store), children);
    Stages::default()
        .with(Ingest::new(context.blobs.clone()))
        .with(Preprocess::new(context.clone(), submitter, children))
        .with(Ocr::new(context.clone(), children))
        .with(Layout::new(context.clone(), children))
        .with(Index::new(context.clone(), ids, embedding_store, children))
        .with(parse.with_language_model(language_model))
        .with(Reconcile::new(context.clone(), Arc::clone(&extraction_store), children))
        .with(Package::new(context, extraction_store))
}
