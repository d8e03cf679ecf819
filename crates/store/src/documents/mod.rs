//! Documents, their versions, runs, originals and batches.

mod batches;
mod blobs;
mod content;
mod event_reading;
mod events;
mod lists;
mod read;
mod runs;
mod short_ids;
mod submit;

pub use batches::{BatchItemRecord, BatchName, BatchRecord, NewBatch, OptionalRunState};
pub(crate) use batches::{BatchRow, update_batches};
pub use blobs::AbandonedBlob;
pub(crate) use blobs::content_hash;
pub use content::{ContainedFile, ContentFacts, Masking, RunFacts, RunRank};
pub use event_reading::{Audience, NotVisible, ProgressRecord, ResumedAt};
pub use events::EventRecord;
pub use lists::{
    DocumentFilter, DocumentOrder, DocumentPlace, DocumentProgress, DocumentWindow,
    ExaminedDocuments, Facet, FacetCounts, SortKey, ValueCount,
};
pub use read::{DocumentRecord, PartRecord, StageArtifacts, VersionRecord};
pub use runs::{RunRecord, StageRecord};
pub use short_ids::IdKind;
pub use submit::{Submission, Submitted};
