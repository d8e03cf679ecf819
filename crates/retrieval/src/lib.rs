//! Finding and answering, from exactly what the caller may see.
//!
//! ```text
//! blocks of pages ─ chunk ─► chunks ─ embed ─► vectors ┐
//!                               └──── terms ─► terms   ┴► index ─► hits ─ answer ─► sentences that cite
//! ```
//!
//! Nothing here reads a database, a file that was handed in, or the network: the `index` stage makes
//! chunks, `store` keeps them, `ops` fills an [`index`] with what is active and asks it.

pub mod answer;
pub mod chunk;
pub mod embed;
pub mod embedding;
pub mod index;
#[cfg(test)]
mod random_texts;
pub mod sentences;
pub mod snippet;
pub mod terms;

/// Of two vectors of length 1.
pub fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
