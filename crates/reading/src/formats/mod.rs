//! One reader for each kind of file.

pub mod pdf;
