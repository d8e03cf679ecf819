//! The routes, one file per resource.

pub(crate) mod api_keys;
pub(crate) mod audit;
pub(crate) mod batches;
pub(crate) mod config;
pub(crate) mod docs;
pub(crate) mod document_lists;
pub(crate) mod documents;
pub(crate) mod events;
pub(crate) mod files;
pub(crate) mod health;
pub(crate) mod ids;
pub(crate) mod jobs;
pub(crate) mod mcp;
pub(crate) mod metrics;
pub(crate) mod page_views;
pub(crate) mod pages;
pub(crate) mod quality;
pub(crate) mod rerun;
pub(crate) mod runs;
pub(crate) mod search;
pub(crate) mod session;
pub(crate) mod tenant;
pub(crate) mod users;
pub(crate) mod worker_health;
