//! `docket search` and `docket ask`.

use clap::{Args, ValueEnum};
use uuid::Uuid;

use super::{ServerArgs, id};

#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    /// What is looked for.
    #[arg(required = true, value_name = "WORD")]
    pub(crate) query: Vec<String>,
    /// How many passages to show.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) limit: u32,
    /// By words and meaning, or by one of them.
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
    #[default]
    Hybrid,
    Lexical,
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

/// Which documents to look in.
#[derive(Debug, Args)]
pub(crate) struct WithinArgs {
    /// Only in these documents; may be repeated.
    #[arg(long = "doc", value_name = "DOC_ID", value_parser = id)]
    pub(crate) documents: Vec<Uuid>,
    /// Only in files of this kind (pdf, docx, …); may be repeated.
    #[arg(long = "type", value_name = "KIND")]
    pub(crate) kinds: Vec<String>,
    /// Only in documents with this tag; may be repeated.
    #[arg(long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// Only in documents of this batch.
    #[arg(long, value_name = "BATCH_ID", value_parser = id)]
    pub(crate) batch: Option<Uuid>,
}
