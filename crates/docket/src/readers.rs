//! The children that read documents, and what they need.

use anyhow::Context;
use reading::reader::{Reader, ReaderSettings};
use reading::tools::Tools;

use crate::config::ReadConfig;

/// Starts nothing yet.
pub(crate) fn reader(config: &ReadConfig) -> anyhow::Result<Reader> {
    let program = std::env::current_exe().context("this program's own file is not to be found")?;
    Ok(Reader::new(ReaderSettings {
        program,
        children: config.children,
        tools: Tools::find(),
        languages: config.languages.clone(),
        longest_job: ReaderSettings::LONGEST_JOB,
    }))
}
