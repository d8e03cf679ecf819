//! One module for each kind of file.

pub mod picture;
