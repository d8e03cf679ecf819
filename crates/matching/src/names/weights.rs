//! Written by `bench-matching fit-names`.

/// The weights of [`features`](super::features).
pub const WEIGHTS: [f64; super::FEATURES] =
    [-4.0, 3.0, -2.0, -6.0, -1.0, 2.0, -1.0, 2.0, 2.0, 0.0, 0.0, 0.0, 0.3, 1.0];
