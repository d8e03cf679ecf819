//! HTTP tests. Each has an application and a database of its own.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "in a test, a panic is the right answer to what cannot be"
)]

mod activation;
mod api_keys;
mod attachments;
mod audit;
mod audit_checkpoints;
mod authorisation;
mod batches;
mod config;
mod content_access;
mod dead_jobs;
mod document_lists;
mod document_types;
mod embedding_models;
mod event_reading;
mod event_streams;
mod guide;
mod idempotency;
mod intake;
mod jobs;
mod layout_memory;
mod limits;
mod metrics;
mod object_store;
mod openapi;
mod page_views;
mod pages;
mod problems;
mod quality;
mod readable_objects;
mod results;
mod search;
mod search_upkeep;
mod session;
mod shared_content;
mod short_ids;
mod tenant;
mod traces;
mod uploads;
mod users;
mod wrong_input;
