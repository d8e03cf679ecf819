//! Sentences that answer a question, each with what it rests on; or the admission that nothing does.
