//! The commands about documents and batches.

use std::path::PathBuf;

use clap::builder::PossibleValue;
use clap::{Args, Subcommand, ValueEnum};

use super::{BatchArg, IdArg, ListArgs, ServerArgs, at_least_one};

#[derive(Debug, Args)]
pub(crate) struct IngestArgs {
    /// Files, folders (with all files in them that are not hidden), patterns such as '*.pdf', or - for
    /// standard input.
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// The file name for standard input.
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// The title, when you upload one document; its file name by default.
    #[arg(long, value_name = "TEXT", conflicts_with = "batch")]
    pub(crate) title: Option<String>,
    /// A tag for the documents; may be repeated.
    #[arg(long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// The password of encrypted files.
    #[arg(long, env = "DOCKET_FILE_PASSWORD", hide_env_values = true, value_name = "PASSWORD")]
    pub(crate) password: Option<String>,
    /// Create a batch of this name for the documents. All files are uploaded, also those uploaded before.
    #[arg(long, value_name = "NAME")]
    pub(crate) batch: Option<String>,
    /// Wait until all documents have been processed.
    #[arg(long)]
    pub(crate) wait: bool,
    /// Upload all files, also those that were uploaded before and have not changed.
    #[arg(long)]
    pub(crate) again: bool,
    /// How many files to upload at the same time.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = at_least_one)]
    pub(crate) parallel: usize,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
    /// Print a line of JSON for each file, and one for the summary.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DocsArgs {
    /// Only documents with this status.
    #[arg(long, default_value = "all", ignore_case = true, value_enum)]
    pub(crate) status: StatusArg,
    /// Only files of this type (pdf, docx, …).
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) kind: Option<String>,
    /// Only documents from this source (manual, batch, attachment, …).
    #[arg(long)]
    pub(crate) source: Option<String>,
    /// Only documents with this tag.
    #[arg(long)]
    pub(crate) tag: Option<String>,
    /// Only documents of this batch.
    #[arg(long, value_name = "NAME|ID")]
    pub(crate) batch: Option<BatchArg>,
    /// Only documents with this text in their title or file name.
    #[arg(long, value_name = "TEXT")]
    pub(crate) search: Option<String>,
    /// The order: newest or oldest upload first, by title (A to Z) or title_desc, or updated (latest change first).
    #[arg(long, value_name = "ORDER", default_value = "newest", ignore_case = true,
          value_parser = ["newest", "oldest", "title", "title_desc", "updated"])]
    pub(crate) sort: String,
    #[command(flatten)]
    pub(crate) list: ListArgs,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
    /// Print one JSON document instead of a table.
    #[arg(long)]
    pub(crate) json: bool,
}

impl DocsArgs {
    /// Whether the list is narrowed down.
    pub(crate) fn has_conditions(&self) -> bool {
        let Self { status, kind, source, tag, batch, search, .. } = self;
        *status != StatusArg::All
            || batch.is_some()
            || [kind, source, tag, search].into_iter().any(Option::is_some)
    }
}

/// A status by the word that tables show, or by the API's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StatusArg {
    All,
    Queued,
    Processing,
    Ready,
    Failed,
    Withdrawn,
    Rejected,
}

impl StatusArg {
    pub(crate) fn api_value(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Queued => "uploaded",
            Self::Processing => "processing",
            Self::Ready => "active",
            Self::Failed => "failed",
            Self::Withdrawn => "inactive",
            Self::Rejected => "rejected",
        }
    }
}

impl ValueEnum for StatusArg {
    fn value_variants<'a>() -> &'a [Self] {
        &[
            Self::All,
            Self::Queued,
            Self::Processing,
            Self::Ready,
            Self::Failed,
            Self::Withdrawn,
            Self::Rejected,
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let word = match self {
            Self::All => "all",
            Self::Queued => "queued",
            Self::Processing => "processing",
            Self::Ready => "ready",
            Self::Failed => "failed",
            Self::Withdrawn => "withdrawn",
            Self::Rejected => "rejected",
        };
        Some(PossibleValue::new(word).alias(self.api_value()))
    }
}

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The document.
    #[arg(value_name = "DOC_ID")]
    pub(crate) id: IdArg,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
    /// Print one JSON document instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RerunArgs {
    /// The documents.
    #[arg(required = true, value_name = "DOC_ID")]
    pub(crate) ids: Vec<IdArg>,
    /// The reason, which the run keeps.
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
    /// Start with this stage, and use the results of the earlier stages of the last run.
    #[arg(long, value_name = "STAGE")]
    pub(crate) from: Option<String>,
    /// An updated original for the document, which gets a new version. It must be a file of the same type.
    #[arg(long, value_name = "FILE", conflicts_with = "from")]
    pub(crate) file: Option<PathBuf>,
    /// The document type whose fields are extracted, or auto for the classifier's choice; by default as in the last run.
    #[arg(long = "type", value_name = "NAME", conflicts_with = "file")]
    pub(crate) document_type: Option<String>,
    /// The password of encrypted files; by default the one given before.
    #[arg(long, env = "DOCKET_FILE_PASSWORD", hide_env_values = true, value_name = "PASSWORD")]
    pub(crate) password: Option<String>,
    /// Wait until all documents have been processed.
    #[arg(long)]
    pub(crate) wait: bool,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
    /// Print one JSON document instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct BatchesArgs {
    #[command(subcommand)]
    pub(crate) command: Option<BatchesCommand>,
    #[command(flatten)]
    pub(crate) list: ListArgs,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
    /// Print one JSON document instead of a table.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BatchesCommand {
    /// Show a batch and what became of its documents.
    Show {
        /// The batch, by its name or its id.
        #[arg(value_name = "NAME|ID")]
        batch: BatchArg,
        #[command(flatten)]
        list: ListArgs,
        #[command(flatten)]
        server: ServerArgs,
        /// Print one JSON document instead of text.
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
pub(crate) struct DownloadArgs {
    /// The documents.
    #[arg(required = true, value_name = "DOC_ID")]
    pub(crate) ids: Vec<IdArg>,
    /// The file or folder to write to, - for standard output; by default the document's file name in the current
    /// folder. Several documents need a folder.
    #[arg(short, long, value_name = "FILE|DIR")]
    pub(crate) output: Option<PathBuf>,
    /// What to save.
    #[arg(long, value_enum, default_value_t = DownloadFormat::Original)]
    pub(crate) format: DownloadFormat,
    /// Overwrite existing files.
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DownloadFormat {
    /// The file that was uploaded
    Original,
    /// The text with headings and tables
    Markdown,
    /// The text alone
    Text,
    /// The pages with words, boxes and tables
    Json,
}

#[derive(Debug, Args)]
pub(crate) struct OpenArgs {
    /// The document.
    #[arg(value_name = "DOC_ID")]
    pub(crate) id: IdArg,
    /// Only print the address.
    #[arg(long)]
    pub(crate) print: bool,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
}

#[derive(Debug, Args)]
pub(crate) struct RmArgs {
    /// The documents.
    #[arg(required = true, value_name = "DOC_ID")]
    pub(crate) ids: Vec<IdArg>,
    /// Delete without asking.
    #[arg(short, long)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
    /// Print one JSON document instead of text; needs --yes.
    #[arg(long, requires = "yes")]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct TagArgs {
    /// The documents.
    #[arg(required = true, value_name = "DOC_ID")]
    pub(crate) ids: Vec<IdArg>,
    /// Add this tag; may be repeated.
    #[arg(long, value_name = "TAG")]
    pub(crate) add: Vec<String>,
    /// Remove this tag; may be repeated.
    #[arg(long, value_name = "TAG")]
    pub(crate) remove: Vec<String>,
    /// Replace all tags with these, separated by commas; '' removes all.
    #[arg(long, value_name = "TAGS", value_delimiter = ',', conflicts_with_all = ["add", "remove"])]
    pub(crate) set: Option<Vec<String>>,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
    /// Print one JSON document instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}
