//! Pages → typed fields with evidence.
//!
//! 1. [`parse`] finds every typed value on the pages ([`candidates`]), scores each for each field of the document type,
//!    and keeps the best ones of each field.
//! 2. [`reconcile`] chooses the combination of candidates that satisfies the constraints of the type best.
//! 3. [`acceptance`] turns scores into calibrated confidences, and accepts the fields that the chosen error rate supports.
//!
//! An optional [`language_model`] adds candidates before the second step, each of which it must have from the page.
//!
//! Document text is data: nothing in it changes which code runs. Pages that come from users are handled in sandboxed
//! children ([`sandboxed`]).

pub mod acceptance;
pub mod calibration;
pub mod candidates;
pub mod classify;
pub mod collector;
pub mod contract_note;
pub mod e_invoice;
pub mod fold;
pub mod generic;
pub mod geometry;
mod invoice;
pub mod labelled;
mod labels;
pub mod language_model;
pub mod letter_spacing;
pub mod memory;
mod numbers;
pub mod outcomes;
pub mod parse;
pub mod parsed;
mod receipt;
pub mod reconcile;
mod rows;
pub mod sandboxed;
pub mod scan;
pub mod scoring;
pub mod statistics;
pub mod stored;
pub mod tenant_store;
pub mod types;
