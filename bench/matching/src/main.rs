//! Measures how well and how fast records are matched; see ../README.md.

fn main() {}
