//! Documents and batches: uploading and listing them, and reading their content.

pub(crate) mod accept_attachment;
mod acceptable_kind;
pub(crate) mod admit_upload;
pub(crate) mod artifacts;
pub(crate) mod batches;
pub(crate) mod content_access;
mod deactivate;
mod delete;
pub(crate) mod dry_run;
pub(crate) mod facets;
pub(crate) mod find_ids;
pub(crate) mod intake;
pub(crate) mod layout_memory;
pub(crate) mod learn_layout;
pub(crate) mod links;
pub(crate) mod list;
pub(crate) mod originals_cleanup;
pub(crate) mod page_view;
pub(crate) mod password_cleanup;
pub(crate) mod read_pages;
pub(crate) mod recent_reads;
mod rename;
mod storage_usage;
pub(crate) mod submit;
pub(crate) mod tags;
mod update_original;

use std::sync::Arc;

use blob::Blobs;
use blob::links::LinkKey;
use reading::reader::Reader;
use store::Store;
use tokio::sync::Semaphore;

use crate::idempotency::RequestHmac;
use crate::objects::RecentlyChecked;
use crate::tenant_slots::TenantSlots;
use crate::tenants::limit_overrides::TenantLimitOverrides;
use crate::{Access, Intake};
use admit_upload::UploadSlots;
use recent_reads::RecentReads;

/// The documents of a tenant: listing, tagging, withdrawing and deleting them.
pub struct Documents {
    pub(crate) store: Store,
    pub(crate) intake: Intake,
}

/// Uploading documents.
pub struct Uploads {
    pub(crate) store: Store,
    pub(crate) blobs: Blobs,
    pub(crate) request_hmac: RequestHmac,
    pub(crate) access: Arc<Access>,
    pub(crate) intake: Intake,
    pub(crate) limits: Arc<TenantLimitOverrides>,
    pub(crate) upload_slots: UploadSlots,
}

/// The content of documents, for callers who may read it (`content_access.rs`).
pub struct Content {
    pub(crate) store: Store,
    pub(crate) blobs: Blobs,
    pub(crate) link_key: LinkKey,
    pub(crate) recent_reads: RecentReads,
    pub(crate) recently_checked: RecentlyChecked,
    /// Bounds how many pages are rendered at once.
    pub(crate) renderings: Semaphore,
    pub(crate) dry_runs: TenantSlots,
    pub(crate) reader: Option<Reader>,
}
