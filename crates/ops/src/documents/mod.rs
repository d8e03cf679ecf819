//! Documents and batches: handing them in, finding them, and reading what is known of them.

mod acceptable_kind;
pub(crate) mod admit_upload;
pub(crate) mod artifacts;
pub(crate) mod batches;
pub(crate) mod content_access;
mod deactivate;
mod delete;
pub(crate) mod facets;
pub(crate) mod find_ids;
pub(crate) mod forget_passwords;
pub(crate) mod intake;
pub(crate) mod links;
pub(crate) mod list;
pub(crate) mod read_pages;
pub(crate) mod recent_reads;
mod rename;
mod storage_room;
pub(crate) mod submit;
pub(crate) mod sweep_originals;
pub(crate) mod tags;
pub(crate) mod take_in_part;
mod update_original;

use std::sync::Arc;

use blob::Blobs;
use blob::links::LinkKey;
use reading::reader::Reader;
use store::Store;
use tokio::sync::Semaphore;

use crate::objects::RecentlyChecked;
use crate::once::RequestSeal;
use crate::tenants::limits::SpecialLimits;
use crate::{Access, Intake};
use admit_upload::UploadSlots;
use recent_reads::RecentReads;

/// The documents of a tenant: finding them, tagging them, taking them out of service.
pub struct Documents {
    pub(crate) store: Store,
    pub(crate) intake: Intake,
}

/// Handing documents in.
pub struct Uploads {
    pub(crate) store: Store,
    pub(crate) blobs: Blobs,
    pub(crate) request_seal: RequestSeal,
    pub(crate) access: Arc<Access>,
    pub(crate) intake: Intake,
    pub(crate) limits: Arc<SpecialLimits>,
    pub(crate) upload_slots: UploadSlots,
}

/// The bytes and texts of documents, for those who may read them (`content_access.rs`).
pub struct Content {
    pub(crate) store: Store,
    pub(crate) blobs: Blobs,
    pub(crate) link_key: LinkKey,
    pub(crate) recent_reads: RecentReads,
    pub(crate) recently_checked: RecentlyChecked,
    /// Bounds how many pages are rendered at once.
    pub(crate) renderings: Semaphore,
    pub(crate) reader: Option<Reader>,
}
