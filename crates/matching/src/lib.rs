//! Finds the records that describe the same thing as the fields of a document.
