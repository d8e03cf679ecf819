//! Pictures of text become words.

pub mod pp;
pub mod tesseract;
