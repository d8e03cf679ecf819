//! The file of an upload under way.

use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;

use bytes::Bytes;

use super::disk::{create_private, remove_or_warn};
use crate::error::{Attempt, Result};
use crate::upload::Relay;

/// Written on a blocking thread, a batch at a time. Dropped before it is finished, the file goes.
pub(crate) struct StagedFile {
    path: PathBuf,
    writing: Relay<Writing>,
    is_finished: bool,
}

/// The file is made by the first write, and the first failure is kept.
struct Writing {
    file: io::Result<Option<File>>,
}

impl Writing {
    fn write(&mut self, path: &std::path::Path, bytes: &[u8]) {
        let Ok(file) = &mut self.file else { return };
        let made = match file.take() {
            Some(file) => Ok(file),
            None => create_private(path),
        };
        self.file = made.and_then(|mut file| file.write_all(bytes).map(|()| Some(file)));
    }

    fn sync(self) -> io::Result<()> {
        match self.file? {
            Some(file) => file.sync_data(),
            None => Ok(()),
        }
    }
}

impl StagedFile {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, writing: Relay::new(Writing { file: Ok(None) }), is_finished: false }
    }

    /// Begins to write it when what came before is written. So a failure shows one call later.
    pub(crate) async fn write(&mut self, bytes: Bytes) -> Result<()> {
        self.fail_if_the_last_write_did().await?;
        let path = self.path.clone();
        self.writing.hand_over(move |writing| writing.write(&path, &bytes)).await
    }

    /// What was written lasts when this returns.
    pub(crate) async fn finish(mut self) -> Result<()> {
        self.fail_if_the_last_write_did().await?;
        let writing = self.writing.take().await?;
        let synced = crate::upload::on_blocking_thread(move || writing.sync()).await?;
        synced.attempt("write", &self.path)?;
        self.is_finished = true;
        Ok(())
    }

    async fn fail_if_the_last_write_did(&mut self) -> Result<()> {
        let writing = self.writing.rest().await?;
        match std::mem::replace(&mut writing.file, Ok(None)) {
            Ok(file) => {
                writing.file = Ok(file);
                Ok(())
            }
            Err(error) => Err(error).attempt("write", &self.path),
        }
    }
}

impl Drop for StagedFile {
    fn drop(&mut self) {
        if !self.is_finished {
            // A write under way goes on into a file without a name.
            remove_or_warn(&self.path);
        }
    }
}
