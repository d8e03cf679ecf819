//! `server.log`, the standard error of PostgreSQL, and the reason of a failure that its last lines give.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::disk;
use super::error::{Attempt, PrivateServerError, Result};

/// A longer log is truncated at the next start.
const LIMIT: u64 = 4 << 20;
/// How much is read to find the reason of a failure.
const TAIL: u64 = 64 << 10;

#[derive(Debug)]
pub(super) struct ServerLog {
    folder: PathBuf,
    path: PathBuf,
}

/// A position in the log where the output of one child process begins.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark(u64);

/// Why a child process ended unexpectedly.
#[derive(Debug)]
pub(super) enum Ending {
    /// Processes of an earlier server are still ending, or another server is starting: retry soon.
    Retry(PrivateServerError),
    Failed(PrivateServerError),
}

impl ServerLog {
    pub(super) fn in_folder(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), path: folder.join("server.log") }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Opens the log for a new server, before any process writes to it.
    pub(super) fn open(&self) -> Result<(File, Mark)> {
        let file = self.append()?;
        let length = file.metadata().attempt("read", &self.path)?.len();
        if length <= LIMIT {
            return Ok((file, Mark(length)));
        }
        file.set_len(0).attempt("truncate", &self.path)?;
        Ok((file, Mark(0)))
    }

    /// Opens the log while a server may write to it: its content stays.
    pub(super) fn append(&self) -> Result<File> {
        OpenOptions::new()
            .append(true)
            .create(true)
            .mode(0o600)
            .open(&self.path)
            .attempt("open", &self.path)
    }

    /// Finds the reason of a child's end in its output since `mark`.
    pub(super) fn explain(&self, mark: Mark) -> Ending {
        let said = self.since(mark).unwrap_or_default();
        if contains_any(&said, &["No space left on device", "Disk quota exceeded"]) {
            return Ending::Failed(disk::full(&self.folder, disk::NEEDED_TO_START));
        }
        let Some(words) = last_error(&said) else {
            // The log is on the same disk: when that is full, PostgreSQL cannot log anything.
            let silent = || self.did_not_start("it ended without a message");
            let full = disk::require(&self.folder, disk::NEEDED_TO_START).err();
            return Ending::Failed(full.unwrap_or_else(silent));
        };
        if contains_any(words, &["is still in use", "already exists"]) {
            return Ending::Retry(self.did_not_start(words));
        }
        if contains_any(words, &["Permission denied", "Read-only file system"]) {
            let (path, source) = (self.folder.clone(), io::Error::other(words));
            return Ending::Failed(PrivateServerError::NotWritable { path, source });
        }
        Ending::Failed(self.did_not_start(words))
    }

    fn did_not_start(&self, said: &str) -> PrivateServerError {
        let said = said.trim_end_matches('.').to_owned();
        PrivateServerError::DidNotStart { said, log: self.path.clone() }
    }

    fn since(&self, Mark(mark): Mark) -> io::Result<String> {
        let mut log = File::open(&self.path)?;
        let length = fs::metadata(&self.path)?.len();
        log.seek(SeekFrom::Start(mark.max(length.saturating_sub(TAIL))))?;
        let mut said = Vec::new();
        log.take(TAIL).read_to_end(&mut said)?;
        Ok(String::from_utf8_lossy(&said).into_owned())
    }
}

fn contains_any(text: &str, phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| text.contains(phrase))
}

/// The message of the last line with a fatal error, otherwise of the last line.
fn last_error(said: &str) -> Option<&str> {
    let fatal = ["FATAL:", "PANIC:", "error:"].iter().find_map(|severity| {
        let line = said.lines().rfind(|line| line.contains(severity))?;
        line.split_once(severity).map(|(_, words)| words)
    });
    fatal.or_else(|| said.lines().rfind(|line| !line.trim().is_empty())).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_fatal_line_counts_whatever_follows_it() {
        let said = "2026-01-01 [7] FATAL:  could not map anonymous shared memory\n\
                    2026-01-01 [7] HINT:  This error usually means…\n\
                    2026-01-01 [7] LOG:  database system is shut down\n";
        assert_eq!(last_error(said), Some("could not map anonymous shared memory"));
    }

    #[test]
    fn without_a_fatal_line_the_last_one_counts() {
        assert_eq!(last_error("initdb: error: no such locale\n"), Some("no such locale"));
        assert_eq!(
            last_error("postgres: cannot load libz\n\n"),
            Some("postgres: cannot load libz")
        );
        assert_eq!(last_error("\n"), None);
    }

    #[test]
    fn a_mark_hides_the_output_of_an_earlier_child() {
        let folder = tempfile::tempdir().unwrap();
        let log = ServerLog::in_folder(folder.path());
        fs::write(log.path(), "FATAL:  old problem\n").unwrap();
        let (_, mark) = log.open().unwrap();
        fs::write(log.path(), "FATAL:  old problem\nFATAL:  new problem.\n").unwrap();
        let Ending::Failed(error) = log.explain(mark) else { panic!("no retry") };
        let log = log.path().display();
        let sentence = format!("PostgreSQL did not start: new problem (more in {log}).");
        assert_eq!(error.to_string(), sentence);
    }

    #[test]
    fn a_log_that_is_too_long_is_truncated() {
        let folder = tempfile::tempdir().unwrap();
        let log = ServerLog::in_folder(folder.path());
        File::create(log.path()).unwrap().set_len(LIMIT + 1).unwrap();
        let (file, Mark(mark)) = log.open().unwrap();
        assert_eq!((file.metadata().unwrap().len(), mark), (0, 0));
    }
}
