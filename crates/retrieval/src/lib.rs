//! Search and answers, restricted to what the caller may see.
//!
//! ```text
//! blocks of pages ─ chunk ─► chunks ─ embed ─► vectors ┐
//!                               └──── terms ─► terms   ┴► index ─► hits ─ answer ─► sentences that cite
//! ```
//!
//! This crate reads neither the database nor uploaded files nor the network: the `index` stage creates chunks, `store`
//! stores them, and `ops` fills an [`index`] with the active documents and searches it.

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

/// The cosine of two vectors of length 1.
pub fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
