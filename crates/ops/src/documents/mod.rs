//! Documents and batches: handing them in, finding them, and reading what is known of them.

pub(crate) mod acceptable_kind;
pub(crate) mod admit_upload;
pub(crate) mod batches;
pub(crate) mod content_access;
pub(crate) mod download;
pub(crate) mod facets;
pub(crate) mod forget_passwords;
pub(crate) mod intake;
pub(crate) mod list;
pub(crate) mod read_pages;
pub(crate) mod recent_reads;
pub(crate) mod storage_room;
pub(crate) mod submit;
pub(crate) mod sweep_originals;
pub(crate) mod tags;
pub(crate) mod take_in_part;
pub(crate) mod update_original;
