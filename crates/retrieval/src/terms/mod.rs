//! Texts become terms, for documents and for queries alike.
