//! Extractors: parse requests into the arguments of handlers. A rejection is a problem document.

mod body;
mod caller;
mod client;
mod json;
mod mismatch;
mod page;
mod path;
mod query;
mod upload;

pub(crate) use body::{Body, IdempotentBody};
pub(crate) use caller::SignedInCaller;
pub(crate) use client::{Client, peer_of};
pub(crate) use json::from_value;
pub(crate) use mismatch::{Mismatch, Wording};
pub(crate) use page::{cursor_of, page_request};
pub(crate) use path::{Id, Path};
pub(crate) use query::Query;
pub(crate) use upload::{FormPart, Upload, is_form};
