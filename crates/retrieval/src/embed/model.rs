//! What a model that embeds and one that compares have in common.

use std::path::Path;
use std::sync::Arc;

use super::ModelError;
use super::bert::Bert;
use super::shape::Shape;
use super::tokens::{Sequence, Tokens};
use super::weights::Weights;
use super::workers::Workers;

/// Tokens that go through the encoder together. More fill the caches without being faster for each,
/// fewer leave the matrix products short.
const TOKENS_OF_A_BATCH: usize = 512;
const SEQUENCES_OF_A_BATCH: usize = 256;

pub(super) struct Model {
    pub(super) shape: Shape,
    pub(super) tokens: Tokens,
    pub(super) bert: Arc<Bert>,
    pub(super) workers: Workers,
}

impl Model {
    /// The weights come along, for what else is to be read from them.
    pub(super) fn open(folder: &Path, threads: usize) -> Result<(Self, Weights), ModelError> {
        let shape = Shape::of(folder)?;
        let tokens = Tokens::open(folder, &shape)?;
        let mut weights = Weights::open(folder)?;
        let bert = Arc::new(Bert::read(shape.clone(), &mut weights)?);
        Ok((Self { shape, tokens, bert, workers: Workers::start(threads)? }, weights))
    }
}

/// Sequences of like length together, so that batches take about the same time. The first part of the
/// answer says which sequence each one of the batches was.
pub(super) fn batches_of(sequences: Vec<Sequence>) -> (Vec<usize>, Vec<Vec<Sequence>>) {
    let mut sorted: Vec<(usize, Sequence)> = sequences.into_iter().enumerate().collect();
    // The longest first: what is left for the end, when threads run out of work, is short.
    sorted.sort_by_key(|(place, sequence)| (std::cmp::Reverse(sequence.ids.len()), *place));
    let mut batches: Vec<Vec<Sequence>> = Vec::new();
    let mut order = Vec::with_capacity(sorted.len());
    let mut room = 0;
    for (place, sequence) in sorted {
        order.push(place);
        let length = sequence.ids.len();
        match batches.last_mut() {
            Some(batch) if length <= room && batch.len() < SEQUENCES_OF_A_BATCH => {
                room -= length;
                batch.push(sequence);
            }
            _ => {
                room = TOKENS_OF_A_BATCH.saturating_sub(length);
                batches.push(vec![sequence]);
            }
        }
    }
    (order, batches)
}
