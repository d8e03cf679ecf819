//! Measures retrieval: see `bench/README.md`.

fn main() {}
