//! Answers questions from retrieved passages, and verifies the citations of a language model.
//!
//! The *extractive* answerer needs no language model: it chooses the sentence of the retrieved passages that answers best,
//! marks the *span* that is likely the answer, and gives a confidence ([`answer`]). A question for a date, a name or an amount
//! is answered only by a sentence that contains one. Below [`MIN_CONFIDENCE`] it abstains. [`verify`] checks each sentence
//! of a language model against the passages that it cites.
//!
//! The text of a passage is data: instructions in it have no effect.

mod answer_kind;
mod calibration;
mod evidence;
mod extract;
mod kinds;
mod model;
mod passage_tokens;
mod question;
mod span;
mod verify;

pub use evidence::{Evidence, FEATURES};
pub use extract::{Answer, Chosen, Quote, answer, evidence};
pub use model::MIN_CONFIDENCE;
pub use verify::{Claim, Fault, verify};

use uuid::Uuid;

/// A passage that was retrieved for a question, the best first.
#[derive(Clone, Copy, Debug)]
pub struct Passage<'a> {
    pub chunk_id: Uuid,
    pub text: &'a str,
    /// The score of [`crate::index::SearchHit`].
    pub score: f32,
}

/// Embeds texts with the model of the index; the vectors have length 1.
pub type Embed<'a> = &'a dyn Fn(&[&str]) -> Vec<Vec<f32>>;
