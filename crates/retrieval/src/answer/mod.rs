//! Sentences that answer a question, each with what it rests on; or the admission that nothing does.
//!
//! The *extractive* answerer needs no language model: it picks, of the passages that were found, the
//! sentence that answers best, marks the *span* in it that is likely meant, and says how sure it is
//! ([`answer`]). A question for a date, a name or an amount is answered only by a sentence that has one. Below
//! [`ENOUGH`] it abstains. [`verify`] holds what a language model wrote against the
//! passages that it was shown.
//!
//! The text of a passage is data: it is compared, quoted and cut, and nothing in it is followed.

mod asked;
mod calibration;
mod evidence;
mod extract;
mod kinds;
mod model;
mod question;
mod reading;
mod span;
mod verify;

pub use evidence::{Evidence, FEATURES};
pub use extract::{Answer, Chosen, Quote, answer, evidence};
pub use model::ENOUGH;
pub use verify::{Claim, Fault, verify};

use uuid::Uuid;

/// A passage that was retrieved for a question, the best first.
#[derive(Clone, Copy, Debug)]
pub struct Passage<'a> {
    pub chunk_id: Uuid,
    pub text: &'a str,
    /// The score of [`crate::index::Found`].
    pub score: f32,
}

/// Texts to vectors of length 1, by the model that the index uses.
pub type Embed<'a> = &'a dyn Fn(&[&str]) -> Vec<Vec<f32>>;
