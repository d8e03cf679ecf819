//! Runs tesseract on one picture, in a sandbox of its own.
//!
//! The picture is its standard input, a table of words (TSV) its standard output. It is a process of
//! this binary that locks itself down and becomes tesseract: see [`crate::sandbox::run_program`].
//!
//! Input that is no picture is a list of files to tesseract, which it then tries to open: one more
//! reason for the sandbox.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::process::Child as Process;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::document::Document;
use super::failure::{Bounds, ReadFailure};
use super::last_words::LastWords;
use super::nursery::Nursery;
use crate::ReadError;
use crate::sandbox::limits::ResourceLimits;
use crate::sandbox::{NOT_STARTED, Order, SandboxPolicy};

#[derive(Clone, Debug)]
pub struct TesseractSettings {
    /// How many run at once. Each uses one processor.
    pub at_once: usize,
    /// This binary; an absolute path.
    pub runner: PathBuf,
    /// What makes it the runner: the program's order comes after these.
    pub runner_arguments: Vec<OsString>,
    pub program: PathBuf,
    /// Whether it runs where a lock of the sandbox is missing.
    pub sandbox: SandboxPolicy,
    /// Where its language data are, when not where it looks by itself.
    pub data: Option<PathBuf>,
    /// What it may read: shared libraries, language data.
    pub readable: Vec<PathBuf>,
    /// Where its libraries are, when not where the system keeps them.
    pub libraries: Option<OsString>,
    pub memory: u64,
    pub cpu: Duration,
    pub wall: Duration,
    /// Bytes of the table.
    pub output: u64,
}

impl TesseractSettings {
    pub fn new(runner: impl Into<PathBuf>, runner_arguments: &[&str]) -> Self {
        let readable = ["/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib"];
        // Debian's libraries may be links through `/etc/alternatives`.
        let more = ["/etc/ld.so.cache", "/etc/alternatives"];
        let data = ["/usr/share/tesseract-ocr", "/usr/share/tessdata"];
        Self {
            at_once: 2,
            runner: runner.into(),
            runner_arguments: runner_arguments.iter().map(OsString::from).collect(),
            program: PathBuf::from("/usr/bin/tesseract"),
            sandbox: SandboxPolicy::Required,
            data: None,
            readable: readable.iter().chain(&more).chain(&data).map(PathBuf::from).collect(),
            libraries: None,
            memory: 1 << 30,
            cpu: Duration::from_mins(1),
            wall: Duration::from_mins(1),
            output: 64 << 20,
        }
    }
}

/// Cheap to clone.
#[derive(Clone, Debug)]
pub struct Tesseract(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    settings: TesseractSettings,
    places: Semaphore,
    nursery: OnceLock<Nursery>,
}

impl Tesseract {
    pub fn new(settings: TesseractSettings) -> Self {
        let places = Semaphore::new(settings.at_once.max(1));
        Self(Arc::new(Inner { settings, places, nursery: OnceLock::new() }))
    }

    pub fn is_installed(&self) -> bool {
        self.0.settings.program.is_file()
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
        let closed = |_| not_started("the pool is closed");
        let _place = self.0.places.acquire().await.map_err(closed)?;
        let process = self.start(picture, arguments).await?;
        let settings = &self.0.settings;
        // Giving up drops the process, which kills it.
        match timeout(settings.wall, self.finish(process)).await {
            Ok(finished) => finished,
            Err(_) => Err(ReadFailure::TimedOut { limit: settings.wall }),
        }
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
        if let Some(data) = &self.0.settings.data {
            arguments.extend(["--tessdata-dir".into(), data.into()]);
        }
        arguments.extend(options.iter().map(OsString::from));
        arguments.extend(["-c".into(), "tessedit_create_tsv=1".into()]);
        Ok(arguments)
    }

    async fn start(
        &self,
        picture: &Document,
        arguments: Vec<OsString>,
    ) -> Result<Process, ReadFailure> {
        let settings = &self.0.settings;
        let mut readable = settings.readable.clone();
        readable.extend(settings.data.clone());
        let order = Order {
            parent: std::process::id(),
            sandbox: settings.sandbox,
            limits: ResourceLimits { memory: settings.memory, cpu: settings.cpu },
            program: settings.program.clone(),
            readable,
            arguments,
        };
        let mut command = Command::new(&settings.runner);
        command
            .args(&settings.runner_arguments)
            .args(order.to_arguments())
            .env_clear()
            .env("OMP_THREAD_LIMIT", "1")
            .envs(settings.libraries.iter().map(|folders| ("LD_LIBRARY_PATH", folders)))
            .stdin(Stdio::from(picture.reopened().map_err(not_started)?))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        self.nursery()?.start(command).await.map_err(not_started)
    }

    async fn finish(&self, mut process: Process) -> Result<String, ReadFailure> {
        let settings = &self.0.settings;
        let missing = || not_started("it has no pipes");
        let stdout = process.stdout.take().ok_or_else(missing)?;
        let mut last_words = LastWords::listen(process.stderr.take().ok_or_else(missing)?);
        let mut table = Vec::new();
        let cut_off = |error: std::io::Error| ReadFailure::Garbled { what: error.to_string() };
        stdout.take(settings.output + 1).read_to_end(&mut table).await.map_err(cut_off)?;
        if table.len() as u64 > settings.output {
            return Err(ReadFailure::TooMuchOutput { limit: settings.output });
        }
        let status = process.wait().await.map_err(cut_off)?;
        let last_words = last_words.hear().await;
        if !status.success() {
            return Err(self.explain(status, last_words));
        }
        String::from_utf8(table).map_err(|_| ReadFailure::Garbled { what: "not text".to_owned() })
    }

    fn explain(&self, status: ExitStatus, last_words: String) -> ReadFailure {
        let Some(code) = status.code() else {
            let (memory, cpu) = (self.0.settings.memory, self.0.settings.cpu);
            return ReadFailure::of_death(status, last_words, Bounds { memory, cpu });
        };
        if code == i32::from(NOT_STARTED) {
            not_started(last_words.trim())
        } else if last_words.contains("Failed loading language") {
            ReadError::Missing { what: "a language of tesseract".to_owned() }.into()
        } else if code == 1 {
            // It fails in an orderly way only when it cannot open the picture.
            ReadError::damaged("tesseract cannot open the picture").into()
        } else {
            ReadFailure::Crashed { signal: None, code: Some(code), last_words }
        }
    }

    fn nursery(&self) -> Result<&Nursery, ReadFailure> {
        if let Some(nursery) = self.0.nursery.get() {
            return Ok(nursery);
        }
        let opened = Nursery::open().map_err(not_started)?;
        Ok(self.0.nursery.get_or_init(|| opened))
    }
}

fn not_started(why: impl ToString) -> ReadFailure {
    ReadFailure::NotStarted { why: why.to_string() }
}
