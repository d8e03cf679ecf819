//! Colours for terminals, and the words for the states of documents, runs, jobs and batches.
//!
//! Standard output is coloured when it is a terminal; `--color` and the environment variables `NO_COLOR`, `CLICOLOR`
//! and `CLICOLOR_FORCE` decide otherwise. JSON is never coloured.

use std::io;

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use domain::{BatchStatus, DocumentStatus, JobState};

/// Applies `--color` to everything that this process prints.
pub(crate) fn choose(choice: clap::ColorChoice) {
    match choice {
        clap::ColorChoice::Auto => ColorChoice::Auto,
        clap::ColorChoice::Always => ColorChoice::Always,
        clap::ColorChoice::Never => ColorChoice::Never,
    }
    .write_global();
}

/// Whether standard output is coloured.
pub(crate) fn is_on() -> bool {
    AutoStream::choice(&io::stdout()) != ColorChoice::Never
}

/// The text in the colour of a state, when standard output is coloured.
pub(crate) fn paint(text: &str, tone: Tone) -> String {
    if is_on() { painted(text, tone) } else { text.to_owned() }
}

pub(crate) fn painted(text: &str, tone: Tone) -> String {
    let style = tone.style();
    format!("{style}{text}{style:#}")
}

/// What a state means for whoever reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    Good,
    Busy,
    Bad,
    Off,
}

impl Tone {
    fn style(self) -> Style {
        match self {
            Self::Good => AnsiColor::Green.on_default(),
            Self::Busy => AnsiColor::Yellow.on_default(),
            Self::Bad => AnsiColor::Red.on_default(),
            Self::Off => Style::new().dimmed(),
        }
    }
}

/// The tone of a state by the word that a table shows for it.
pub(crate) fn tone_of(word: &str) -> Option<Tone> {
    match word {
        "Ready" | "Completed" | "succeeded" | "ok" => Some(Tone::Good),
        "Pending" | "Processing" | "Open" | "running" | "queued" | "pending" | "processing" => {
            Some(Tone::Busy)
        }
        "Failed" | "Rejected" | "Partly failed" | "Needs attention" | "failed" | "MISSING" => {
            Some(Tone::Bad)
        }
        "Withdrawn" => Some(Tone::Off),
        _ => None,
    }
}

/// What people read; the API's value stays in JSON.
pub(crate) fn document_status(status: DocumentStatus) -> &'static str {
    match status {
        DocumentStatus::Uploaded | DocumentStatus::Processing => "Processing",
        DocumentStatus::Active => "Ready",
        DocumentStatus::Failed => "Failed",
        DocumentStatus::Inactive => "Withdrawn",
        DocumentStatus::Rejected => "Rejected",
    }
}

pub(crate) fn batch_status(status: BatchStatus) -> &'static str {
    match status {
        BatchStatus::Open => "Open",
        BatchStatus::Processing => "Processing",
        BatchStatus::Completed => "Completed",
        BatchStatus::Partial => "Partly failed",
    }
}

pub(crate) fn job_status(status: JobState) -> &'static str {
    match status {
        JobState::Pending => "Pending",
        JobState::Processing => "Processing",
        JobState::Completed => "Completed",
        JobState::Dead => "Needs attention",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_has_a_tone() {
        let documents = DocumentStatus::ALL.iter().map(|status| document_status(*status));
        let batches = BatchStatus::ALL.iter().map(|status| batch_status(*status));
        let jobs = JobState::ALL.iter().map(|status| job_status(*status));
        for word in documents.chain(batches).chain(jobs) {
            assert!(tone_of(word).is_some(), "{word}");
        }
    }

    #[test]
    fn a_painted_word_ends_its_colour() {
        assert_eq!(painted("Failed", Tone::Bad), "\u{1b}[31mFailed\u{1b}[0m");
    }
}
