//! The common part of embedders and cross-encoders.

use std::path::Path;
use std::sync::Arc;

use super::ModelError;
use super::bert::Bert;
use super::shape::Shape;
use super::tokens::{Sequence, Tokens};
use super::weights::Weights;
use super::workers::Workers;

/// Larger batches exceed the caches without being faster; smaller ones make the matrix products inefficient.
const MAX_BATCH_TOKENS: usize = 512;
/// A smaller batch is not worth another thread.
const MIN_BATCH_TOKENS: usize = 64;
const MAX_BATCH_SEQUENCES: usize = 256;

pub(super) struct Model {
    pub(super) shape: Shape,
    pub(super) tokens: Tokens,
    pub(super) bert: Arc<Bert>,
    pub(super) workers: Workers,
}

impl Model {
    /// Also returns the weights, for the layers outside of the encoder.
    pub(super) fn open(folder: &Path, threads: usize) -> Result<(Self, Weights), ModelError> {
        let shape = Shape::of(folder)?;
        let tokens = Tokens::open(folder, &shape)?;
        let mut weights = Weights::open(folder)?;
        let bert = Arc::new(Bert::read(shape.clone(), &mut weights)?);
        Ok((Self { shape, tokens, bert, workers: Workers::start(threads)? }, weights))
    }
}

/// Groups sequences of similar length into batches that take about the same time, at least one for each thread. The first
/// value gives the original index of each sequence.
pub(super) fn batches_of(
    sequences: Vec<Sequence>,
    threads: usize,
) -> (Vec<usize>, Vec<Vec<Sequence>>) {
    let tokens: usize = sequences.iter().map(|sequence| sequence.ids.len()).sum();
    let share = tokens.div_ceil(threads).clamp(MIN_BATCH_TOKENS, MAX_BATCH_TOKENS);
    let mut sorted: Vec<(usize, Sequence)> = sequences.into_iter().enumerate().collect();
    // The longest first, so that the last batches, when threads run out of work, are short.
    sorted.sort_by_key(|(place, sequence)| (std::cmp::Reverse(sequence.ids.len()), *place));
    let mut batches: Vec<Vec<Sequence>> = Vec::new();
    let mut order = Vec::with_capacity(sorted.len());
    let mut room = 0;
    for (place, sequence) in sorted {
        order.push(place);
        let length = sequence.ids.len();
        match batches.last_mut() {
            Some(batch) if length <= room && batch.len() < MAX_BATCH_SEQUENCES => {
                room -= length;
                batch.push(sequence);
            }
            _ => {
                room = share.saturating_sub(length);
                batches.push(vec![sequence]);
            }
        }
    }
    (order, batches)
}
