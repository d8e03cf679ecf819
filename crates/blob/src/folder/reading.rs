//! Reads a file in chunks.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use bytes::{Bytes, BytesMut};
use domain::ContentHash;
use futures_util::StreamExt;
use futures_util::stream;
use sha2::{Digest, Sha256};

use super::disk::Disk;
use crate::BlobStream;
use crate::error::{Attempt, BlobError, Result};
use crate::stream::within;
use crate::upload::on_blocking_thread;

const PIECE: u64 = 256 * 1024;

struct Reading {
    file: File,
    path: PathBuf,
    left: Range<u64>,
}

/// Blocks. An open file stays readable when it is replaced or deleted.
pub(super) fn open(disk: &Disk, key: String, range: Option<Range<u64>>) -> Result<BlobStream> {
    let path = disk.path_of(&key);
    let file = open_file(disk, &key)?;
    let size = file.metadata().attempt("read", &path)?.len();
    let range = within(range, size)?;
    let reading = Reading { file, path, left: range.clone() };
    let body = stream::try_unfold(reading, |reading| async {
        on_blocking_thread(move || next_piece(reading)).await?
    });
    Ok(BlobStream::new(key, size, range, body.boxed()))
}

/// Reads all of it once, and compares it with its hash. The file's position is not used.
pub(super) fn open_checked(disk: &Disk, key: &str, expected: ContentHash) -> Result<File> {
    let file = open_file(disk, key)?;
    let mut digest = Sha256::new();
    let mut piece = vec![0; usize::try_from(PIECE).unwrap_or(usize::MAX)];
    let mut at = 0;
    loop {
        let read = read_some(&file, &mut piece, at).attempt("read", &disk.path_of(key))?;
        if read == 0 {
            break;
        }
        at += read as u64;
        digest.update(&piece[..read]);
    }
    let found = ContentHash(digest.finalize().into());
    if found == expected {
        return Ok(file);
    }
    let how = format!("its SHA-256 is {found}, and {expected} was written");
    Err(BlobError::damaged(key, how))
}

pub(super) fn open_file(disk: &Disk, key: &str) -> Result<File> {
    let path = disk.path_of(key);
    match File::open(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(BlobError::NotFound { key: key.to_owned() })
        }
        opened => opened.attempt("read", &path),
    }
}

fn next_piece(mut reading: Reading) -> Result<Option<(Bytes, Reading)>> {
    let wanted = PIECE.min(reading.left.end - reading.left.start);
    if wanted == 0 {
        return Ok(None);
    }
    let mut piece = BytesMut::zeroed(usize::try_from(wanted).unwrap_or(usize::MAX));
    let read = read_some(&reading.file, &mut piece, reading.left.start);
    let read = read.attempt("read", &reading.path)?;
    if read == 0 {
        // Shorter than it was when it was opened: the stream says so.
        return Ok(None);
    }
    piece.truncate(read);
    reading.left.start += read as u64;
    Ok(Some((piece.freeze(), reading)))
}

fn read_some(file: &File, into: &mut [u8], at: u64) -> io::Result<usize> {
    loop {
        match file.read_at(into, at) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => return read,
        }
    }
}
