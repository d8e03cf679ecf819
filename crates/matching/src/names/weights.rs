//! Written by `bench-matching fit-names`.

/// The weights of [`features`](super::features).
pub const WEIGHTS: [f64; super::FEATURES] = [
    0.491, 0.547, -3.588, -0.000, -1.366, 0.000, -0.000, 0.550, 0.653, -0.164, 0.000, 0.754, 0.000,
    1.961, -0.306, -2.508,
];
