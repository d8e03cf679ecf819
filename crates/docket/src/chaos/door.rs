//! Where the documents of a chaos run go in.

use domain::{DocId, RunId, RunState};

/// A document to hand in. The same number has the same content, however often it is handed in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Paper {
    pub(super) number: usize,
    /// Sets the papers of one chaos run apart from those of another.
    pub(super) seed: u64,
}

impl Paper {
    pub(super) fn content(self) -> String {
        format!("Paper {} of the drill {}.\n", self.number, self.seed)
    }
}

/// The word that a document was accepted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Receipt {
    pub(super) doc_id: DocId,
    /// Where it is known that this content has been processed already, there is no run.
    pub(super) run_id: Option<RunId>,
}

/// No word. The document may have been accepted all the same.
#[derive(Debug)]
pub(super) struct NoWord;

/// Hands documents in and asks after them. Servers die meanwhile, so anything may stay unanswered.
pub(super) trait FrontDoor {
    async fn hand_in(&self, paper: Paper) -> Result<Receipt, NoWord>;

    async fn state_of(&self, run_id: RunId) -> Result<RunState, NoWord>;
}
