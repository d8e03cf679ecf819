//! The file of an upload in progress.

use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;

use bytes::Bytes;
use rustix::fs::{OFlags, fcntl_setfl};

use super::batch_size::{ALIGNMENT, is_aligned};
use super::disk::{create_private, remove_or_warn};
use crate::error::{Attempt, Result};
use crate::upload::{BlockingValue, on_blocking_thread};

/// Written on a blocking thread, a batch at a time. Dropping it before it is finished deletes the file.
pub(crate) struct StagedFile {
    path: PathBuf,
    writing: BlockingValue<Writing>,
}

/// The state of the thread. It is dropped when the thread has finished, so that a file that is just being created is deleted
/// too.
struct Writing {
    path: PathBuf,
    /// Created by the first write.
    file: Option<DirectFile>,
    /// The first failure; nothing is written after it.
    failure: Option<io::Error>,
    is_kept: bool,
}

/// A file that is written with direct I/O where possible: it saves a copy, and the fsync at the end has little to do.
struct DirectFile {
    file: File,
    length: usize,
    is_direct: bool,
    /// Not every file system supports it.
    is_refused: bool,
}

impl DirectFile {
    fn new(file: File) -> Self {
        Self { file, length: 0, is_direct: false, is_refused: false }
    }

    fn write_all(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            self.choose_mode(bytes)?;
            match self.file.write(bytes) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(written) => {
                    self.length += written;
                    bytes = &bytes[written..];
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::InvalidInput && self.is_direct => {
                    self.is_refused = true;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn choose_mode(&mut self, bytes: &[u8]) -> io::Result<()> {
        let direct = !self.is_refused && is_aligned(bytes) && self.length.is_multiple_of(ALIGNMENT);
        if direct == self.is_direct {
            return Ok(());
        }
        let flags = if direct { OFlags::DIRECT } else { OFlags::empty() };
        match fcntl_setfl(&self.file, flags) {
            Ok(()) => self.is_direct = direct,
            Err(_) if direct => self.is_refused = true,
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }
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
            file @ None => {
                file.insert(DirectFile::new(create_private(&self.path)?)).write_all(bytes)
            }
        }
    }

    /// The file stays open and therefore locked.
    fn keep(mut self) -> io::Result<Option<File>> {
        if let Some(written) = &self.file {
            written.file.sync_data()?;
        }
        self.is_kept = true;
        Ok(self.file.take().map(|written| written.file))
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
        Self { path, writing: BlockingValue::new(writing) }
    }

    /// Starts to write when the previous write has ended. So a failure shows one call later.
    pub(crate) async fn write(&mut self, bytes: Bytes) -> Result<()> {
        self.check_last_write().await?;
        self.writing.start(move |writing| writing.write(&bytes)).await
    }

    /// The content is durable when this returns. The file is locked until it is dropped.
    pub(crate) async fn finish(mut self) -> Result<Option<File>> {
        self.check_last_write().await?;
        let writing = self.writing.take().await?;
        let kept = on_blocking_thread(move || writing.keep()).await?;
        kept.attempt("write", &self.path)
    }

    async fn check_last_write(&mut self) -> Result<()> {
        match self.writing.wait().await?.failure.take() {
            None => Ok(()),
            Some(error) => Err(error).attempt("write", &self.path),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::aligned;

    fn piece(size: usize) -> Bytes {
        let mut piece = aligned(size);
        piece.extend_from_slice(&vec![7; size]);
        piece.freeze()
    }

    #[test]
    fn writes_of_any_length_follow_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let mut file = DirectFile::new(create_private(&path).unwrap());
        let mut length = 0;
        for size in [3 * ALIGNMENT, ALIGNMENT, 5, ALIGNMENT, 2 * ALIGNMENT - 5, ALIGNMENT, 1] {
            file.write_all(&piece(size)).unwrap();
            length += size;
            assert_eq!(file.length, length);
        }
        assert_eq!(std::fs::read(path).unwrap(), vec![7; length]);
    }

    /// As on file systems without direct I/O.
    #[test]
    fn a_file_without_direct_io_is_written_through_the_cache() {
        let mut file = DirectFile::new(File::options().write(true).open("/dev/null").unwrap());
        file.write_all(&piece(ALIGNMENT)).unwrap();
        assert!(file.is_refused && !file.is_direct);
        assert_eq!(file.length, ALIGNMENT);
    }
}
