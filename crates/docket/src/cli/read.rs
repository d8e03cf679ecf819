//! The commands that read local files.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct ReadArgs {
    /// The file; - for standard input.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The output format.
    #[arg(long, value_enum, default_value_t = ReadFormat::Text)]
    pub(crate) format: ReadFormat,
    /// The password of an encrypted file.
    #[arg(long, env = "DOCKET_FILE_PASSWORD", hide_env_values = true, value_name = "PASSWORD")]
    pub(crate) password: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ExtractArgs {
    /// The file; - for standard input.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The document type, or auto to recognise it.
    #[arg(long = "type", value_name = "NAME", default_value = ExtractArgs::AUTOMATIC_TYPE)]
    pub(crate) document_type: String,
    /// A JSON file with the definition of a document type of your own.
    #[arg(long, value_name = "FILE")]
    pub(crate) types: Option<PathBuf>,
    /// The password of an encrypted file.
    #[arg(long, env = "DOCKET_FILE_PASSWORD", hide_env_values = true, value_name = "PASSWORD")]
    pub(crate) password: Option<String>,
    /// Print one JSON document instead of a table.
    #[arg(long)]
    pub(crate) json: bool,
}

impl ExtractArgs {
    pub(crate) const AUTOMATIC_TYPE: &str = domain::AUTOMATIC_TYPE;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReadFormat {
    /// The text alone
    Text,
    /// The text with headings and tables
    Markdown,
    /// The pages with words, boxes and tables
    Json,
    /// The pages in Docket's own binary format, for tools
    Pages,
}

#[derive(Debug, Args)]
pub(crate) struct ReadWorkerArgs {
    /// Load the models of the second OCR engine.
    #[arg(long)]
    pub(crate) ocr: bool,
    /// Run another program in the sandbox.
    #[arg(long, conflicts_with = "ocr")]
    pub(crate) run: bool,
    /// The program and its arguments.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) order: Vec<OsString>,
}
