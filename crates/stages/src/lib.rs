//! The stages of the pipeline: one small module each.
//!
//! A stage gets what it works on by name, reads it from the object store, and leaves artifacts there.
//! It knows no SQL and no queue: when it runs, how often, and what comes after is the engine's.

/// A stage is a name, settings and the method that does the work: all stages say so in the same words.
macro_rules! stage {
    ($stage:ty, $work:ident $(, $has_work:ident)?) => {
        impl engine::Stage for $stage {
            fn name(&self) -> &domain::StageName {
                &self.name
            }

            fn settings(&self) -> &engine::StageSettings {
                &self.settings
            }

            $(fn has_work(&self, earlier: &engine::Earlier) -> bool {
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

pub use desk::Desk;
pub use index::Index;
pub use ingest::Ingest;
pub use layout::Layout;
pub use ocr::Ocr;
pub use preprocess::{FrontDoor, Preprocess, TakingIn};
