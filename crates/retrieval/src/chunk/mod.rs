//! Blocks of pages become chunks: pieces of a few hundred tokens that keep together what belongs together.
