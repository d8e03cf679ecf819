//! Runs tesseract on one picture, in a sandbox of its own.
//!
//! The picture is its standard input, a table of words (TSV) its standard output.
//!
//! Input that is no picture is a list of files to tesseract, which it then tries to open: one more
//! reason for the sandbox.

use std::ffi::OsString;
use std::path::PathBuf;

use sandbox::pool::{ChildFailure, Document, Finished, ProgramRunner, RunnerSettings};

use super::failure::ReadFailure;
use crate::ReadError;

/// Cheap to clone.
#[derive(Clone, Debug)]
pub struct Tesseract {
    runner: ProgramRunner,
    data: Option<PathBuf>,
}

/// How any tesseract is run, wherever it is.
pub fn tesseract_settings(runner: impl Into<PathBuf>, runner_arguments: &[&str]) -> RunnerSettings {
    let mut settings = RunnerSettings::new(runner, runner_arguments, "/usr/bin/tesseract");
    let data = ["/usr/share/tesseract-ocr", "/usr/share/tessdata"];
    settings.readable.extend(data.map(PathBuf::from));
    // One processor for each that runs.
    settings.environment.push(("OMP_THREAD_LIMIT".into(), "1".into()));
    settings
}

impl Tesseract {
    /// `data` is where its language data are, when not where it looks by itself.
    pub fn new(mut settings: RunnerSettings, data: Option<PathBuf>) -> Self {
        settings.readable.extend(data.clone());
        Self { runner: ProgramRunner::new(settings), data }
    }

    pub fn is_installed(&self) -> bool {
        self.runner.program().is_file()
    }

    /// The words of a picture (PNG, JPEG, TIFF, PNM) as tesseract's table. `languages` are tesseract's
    /// own names (`eng`); `options` go to it as they are (`--psm`, `6`).
    pub async fn recognise(
        &self,
        picture: &Document,
        languages: &[&str],
        options: &[&str],
    ) -> Result<String, ReadFailure> {
        if !self.is_installed() {
            return Err(ReadError::Missing { what: "tesseract".to_owned() }.into());
        }
        let arguments = self.arguments(languages, options)?;
        let Finished { code, output, stderr_tail } = self.runner.run(picture, arguments).await?;
        if code != 0 {
            return Err(explain(code, stderr_tail));
        }
        String::from_utf8(output).map_err(|_| ChildFailure::garbled("not text").into())
    }

    fn arguments(&self, languages: &[&str], options: &[&str]) -> Result<Vec<OsString>, ReadError> {
        // They become part of a file's name.
        let is_name = |language: &&str| {
            !language.is_empty()
                && language.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        };
        if let Some(language) = languages.iter().find(|language| !is_name(language)) {
            return Err(ReadError::unsupported(format!("the language `{language}`")));
        }
        let mut arguments: Vec<OsString> = vec!["stdin".into(), "stdout".into()];
        if !languages.is_empty() {
            arguments.extend(["-l".into(), languages.join("+").into()]);
        }
        if let Some(data) = &self.data {
            arguments.extend(["--tessdata-dir".into(), data.into()]);
        }
        arguments.extend(options.iter().map(OsString::from));
        arguments.extend(["-c".into(), "tessedit_create_tsv=1".into()]);
        Ok(arguments)
    }
}

fn explain(code: i32, stderr_tail: String) -> ReadFailure {
    if stderr_tail.contains("Failed loading language") {
        ReadError::Missing { what: "a language of tesseract".to_owned() }.into()
    } else if code == 1 {
        // It fails in an orderly way only when it cannot open the picture.
        ReadError::damaged("tesseract cannot open the picture").into()
    } else {
        ChildFailure::Crashed { signal: None, code: Some(code), stderr_tail }.into()
    }
}
