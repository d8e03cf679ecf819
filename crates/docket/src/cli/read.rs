//! The commands that read files of this machine.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct ReadArgs {
    /// The file; - for standard input.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// How to print it.
    #[arg(long, value_enum, default_value_t = ReadFormat::Text)]
    pub(crate) format: ReadFormat,
    /// For a file that is encrypted.
    #[arg(long, env = "DOCKET_FILE_PASSWORD", hide_env_values = true, value_name = "PASSWORD")]
    pub(crate) password: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReadFormat {
    Text,
    Markdown,
    /// Pages with words, areas, blocks, tables.
    Json,
}

#[derive(Debug, Args)]
pub(crate) struct ReadWorkerArgs {
    /// With the models of the second OCR engine.
    #[arg(long)]
    pub(crate) ocr: bool,
    /// Become another program, shut in.
    #[arg(long, conflicts_with = "ocr")]
    pub(crate) run: bool,
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) order: Vec<OsString>,
}
