//! Tenants: adding them, and their rules, limits and usage.

pub(crate) mod create;
pub(crate) mod limits;
pub(crate) mod list;
pub(crate) mod overview;
