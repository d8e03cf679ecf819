//! Runs tesseract on one picture, in its own sandbox.
//!
//! Tesseract reads the picture from standard input and writes a table of words (TSV) to standard output. It treats input
//! that is not a picture as a list of files to open, which the sandbox prevents.

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

/// The settings for running tesseract.
pub fn tesseract_settings(runner: impl Into<PathBuf>, runner_arguments: &[&str]) -> RunnerSettings {
    let mut settings = RunnerSettings::new(runner, runner_arguments, "/usr/bin/tesseract");
    let data = ["/usr/share/tesseract-ocr", "/usr/share/tessdata"];
    settings.readable.extend(data.map(PathBuf::from));
    // One processor per process.
    settings.environment.push(("OMP_THREAD_LIMIT".into(), "1".into()));
    settings
}

impl Tesseract {
    /// `data` is the folder with the language data, unless it is the default.
    pub fn new(mut settings: RunnerSettings, data: Option<PathBuf>) -> Self {
        settings.readable.extend(data.clone());
        Self { runner: ProgramRunner::new(settings), data }
    }

    pub fn is_installed(&self) -> bool {
        self.runner.program().is_file()
    }

    /// Returns the words of a picture (PNG, JPEG, TIFF, PNM) as tesseract's table. `languages` are tesseract's names
    /// (`eng`); `options` are passed on unchanged (`--psm`, `6`).
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
        // Language names become part of a file name.
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
        // A regular exit with an error means that it cannot open the picture.
        ReadError::damaged("tesseract cannot open the picture").into()
    } else {
        ChildFailure::Crashed { signal: None, code: Some(code), stderr_tail }.into()
    }
}
