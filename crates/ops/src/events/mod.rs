//! The events that followers of a tenant receive.

pub(crate) mod follow;
pub(crate) mod reader;
