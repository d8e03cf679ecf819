//! `docket search` and `docket ask`.

use clap::{Args, ValueEnum};

use super::{BatchArg, IdArg, ServerArgs};

#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    /// The words to search for.
    #[arg(required = true, value_name = "WORD")]
    pub(crate) query: Vec<String>,
    /// How many passages to show.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) limit: u32,
    /// How to search.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) mode: SearchBy,
    #[command(flatten)]
    pub(crate) within: WithinArgs,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
    /// Print one JSON document instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum SearchBy {
    /// By words and by meaning
    #[default]
    Hybrid,
    /// By words only
    Lexical,
    /// By meaning only
    Vector,
}

#[derive(Debug, Args)]
pub(crate) struct AskArgs {
    /// The question.
    #[arg(required = true, value_name = "WORD")]
    pub(crate) question: Vec<String>,
    #[command(flatten)]
    pub(crate) within: WithinArgs,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
    /// Print one JSON document instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Which documents to search.
#[derive(Debug, Args)]
pub(crate) struct WithinArgs {
    /// Only in this document; may be repeated.
    #[arg(long = "doc", value_name = "DOC_ID")]
    pub(crate) documents: Vec<IdArg>,
    /// Only in files of this type (pdf, docx, …); may be repeated.
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) kinds: Vec<String>,
    /// Only in documents with this tag; may be repeated.
    #[arg(long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// Only in documents of this batch.
    #[arg(long, value_name = "NAME|ID")]
    pub(crate) batch: Option<BatchArg>,
}
