//! Finds the records that describe the same thing as the fields of a document.

pub mod compare;
pub mod keys;
pub mod names;
pub mod normalise;
pub mod roles;
pub mod search;
pub mod weights;
