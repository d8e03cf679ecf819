//! How well a candidate fits a field: a linear model over the words around the value, its place and its form.
//!
//! 1. [`Mention`]: a candidate with its context, the words beside, above and below it.
//! 2. [`labels`]: which labels of the document type are in the context, and which other [`terms`].
//! 3. [`features`]: context, place and form as named features.
//! 4. [`model`]: learned weights of the features; [`training`] fits them.

pub mod features;
pub mod labels;
pub mod mention;
pub mod model;
pub mod terms;
pub mod training;

pub use mention::{Context, Mention};
pub use model::Model;
