//! The file of an upload under way.

use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;

use bytes::Bytes;

use super::disk::{create_private, remove_or_warn};
use crate::error::{Attempt, Result};
use crate::upload::{Relay, on_blocking_thread};

/// How much is written before the disk is told to begin: the fsync at the end then has little left to
/// wait for.
const FLUSHED_AT_ONCE: usize = 16 * 1024 * 1024;

/// Written on a blocking thread, a batch at a time, and flushed on another. Dropped before it is
/// finished, the file goes.
pub(crate) struct StagedFile {
    path: PathBuf,
    writing: Relay<Writing>,
    /// The result is kept: a disk tells of a failure only once.
    flushing: Relay<io::Result<()>>,
    not_flushed: usize,
}

/// What the thread has. It is dropped when the thread is done with it, so that a file that is just
/// being made goes as well.
struct Writing {
    path: PathBuf,
    /// Made by the first write.
    file: Option<File>,
    /// The first failure; nothing is written after it.
    failure: Option<io::Error>,
    is_kept: bool,
}

impl Writing {
    fn write(&mut self, bytes: &[u8]) {
        if self.failure.is_none() {
            self.failure = self.try_to_write(bytes).err();
        }
    }

    fn try_to_write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.file {
            Some(file) => file.write_all(bytes),
            file @ None => file.insert(create_private(&self.path)?).write_all(bytes),
        }
    }

    fn keep(mut self) -> io::Result<()> {
        if let Some(file) = &self.file {
            file.sync_data()?;
        }
        self.is_kept = true;
        Ok(())
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        if self.file.is_some() && !self.is_kept {
            remove_or_warn(&self.path);
        }
    }
}

impl StagedFile {
    pub(super) fn new(path: PathBuf) -> Self {
        let writing = Writing { path: path.clone(), file: None, failure: None, is_kept: false };
        Self { path, writing: Relay::new(writing), flushing: Relay::new(Ok(())), not_flushed: 0 }
    }

    /// Begins to write it when what came before is written. So a failure shows one call later.
    pub(crate) async fn write(&mut self, bytes: Bytes) -> Result<()> {
        self.fail_if_the_last_write_did().await?;
        if self.not_flushed >= FLUSHED_AT_ONCE && !self.flushing.is_working() {
            self.begin_to_flush().await?;
        }
        self.not_flushed += bytes.len();
        self.writing.hand_over(move |writing| writing.write(&bytes)).await
    }

    async fn begin_to_flush(&mut self) -> Result<()> {
        let Some(file) = &self.writing.rest().await?.file else { return Ok(()) };
        let file = file.try_clone().attempt("write", &self.path)?;
        self.not_flushed = 0;
        let flush = move |so_far: &mut io::Result<()>| {
            if so_far.is_ok() {
                *so_far = file.sync_data();
            }
        };
        self.flushing.hand_over(flush).await
    }

    /// What was written lasts when this returns.
    pub(crate) async fn finish(mut self) -> Result<()> {
        self.fail_if_the_last_write_did().await?;
        self.flushing.take().await?.attempt("write", &self.path)?;
        let writing = self.writing.take().await?;
        let kept = on_blocking_thread(move || writing.keep()).await?;
        kept.attempt("write", &self.path)
    }

    async fn fail_if_the_last_write_did(&mut self) -> Result<()> {
        match self.writing.rest().await?.failure.take() {
            None => Ok(()),
            Some(error) => Err(error).attempt("write", &self.path),
        }
    }
}
