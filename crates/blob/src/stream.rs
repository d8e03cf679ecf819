//! Streams of stored objects, with checks of size and hash.

use std::fmt;
use std::ops::Range;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Bytes, BytesMut};
use domain::{ContentHash, StoredFile};
use futures_util::stream::{self, BoxStream};
use futures_util::{Stream, StreamExt, TryStreamExt};
use sha2::{Digest, Sha256};

use crate::error::{BlobError, Result};

/// The size and hash that were recorded when an object was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recorded {
    pub size: u64,
    pub sha256: ContentHash,
}

impl From<&StoredFile> for Recorded {
    fn from(file: &StoredFile) -> Self {
        Self { size: file.size_bytes, sha256: file.sha256 }
    }
}

/// An object, or a range of one, in chunks. It ends only after all its bytes: a source that stops early gives
/// [`BlobError::Damaged`], and so does a whole object with the wrong hash.
pub struct BlobStream {
    key: String,
    size: u64,
    range: Range<u64>,
    given: u64,
    hashing: Option<Box<Hashing>>,
    body: BoxStream<'static, Result<Bytes>>,
}

struct Hashing {
    digest: Sha256,
    expected: ContentHash,
}

impl BlobStream {
    pub(crate) fn new(
        key: String,
        size: u64,
        range: Range<u64>,
        body: BoxStream<'static, Result<Bytes>>,
    ) -> Self {
        Self { key, size, range, given: 0, hashing: None, body }
    }

    /// A stream of bytes in memory.
    pub fn of_bytes(key: impl Into<String>, bytes: Bytes) -> Self {
        let size = bytes.len() as u64;
        let body = stream::once(std::future::ready(Ok(bytes))).boxed();
        Self::new(key.into(), size, 0..size, body)
    }

    /// The size of the whole object, whatever the range.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The requested range, cut at the end of the object.
    pub fn range(&self) -> Range<u64> {
        self.range.clone()
    }

    /// Reads all of it into memory: for artifacts, whose size is known.
    pub async fn collect(self) -> Result<Bytes> {
        let mut whole = BytesMut::new();
        let mut pieces = self;
        while let Some(piece) = pieces.try_next().await? {
            whole.extend_from_slice(&piece);
        }
        Ok(whole.freeze())
    }

    /// Checks the size before the first byte.
    pub fn of_size(self, size: u64) -> Result<Self> {
        if self.size == size {
            return Ok(self);
        }
        let how = format!("it has {} bytes, and {size} were written", self.size);
        Err(BlobError::damaged(&self.key, how))
    }

    /// Checks the hash. The last chunk is held back until the hash is known, so that a reader of a damaged object gets fewer
    /// bytes than announced, and an error. A partial range cannot be checked.
    #[must_use]
    pub fn of_hash(mut self, expected: ContentHash) -> Self {
        if self.range == (0..self.size) {
            self.hashing = Some(Box::new(Hashing { digest: Sha256::new(), expected }));
        }
        self
    }

    /// Checks size and hash.
    pub fn checked(self, recorded: &Recorded) -> Result<Self> {
        Ok(self.of_size(recorded.size)?.of_hash(recorded.sha256))
    }

    /// Reads to the end and discards the bytes, to check the object.
    pub async fn read_through(mut self) -> Result<()> {
        while self.try_next().await?.is_some() {}
        Ok(())
    }

    /// Fails at the last chunk if the hash is wrong.
    fn check_piece(&mut self, piece: &Bytes) -> Result<()> {
        let wanted = self.range.end - self.range.start;
        let Some(hashing) = &mut self.hashing else { return Ok(()) };
        hashing.digest.update(piece);
        if self.given < wanted { Ok(()) } else { self.check_end() }
    }

    fn check_end(&mut self) -> Result<()> {
        let wanted = self.range.end - self.range.start;
        let Some(hashing) = self.hashing.take() else { return Ok(()) };
        let Hashing { digest, expected } = *hashing;
        let found = ContentHash(digest.finalize().into());
        if found == expected && self.given == wanted {
            return Ok(());
        }
        self.body = stream::empty().boxed();
        let how = format!("its SHA-256 is {found}, and {expected} was written");
        Err(BlobError::damaged(&self.key, how))
    }
}

impl Stream for BlobStream {
    type Item = Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let wanted = self.range.end - self.range.start;
        let next = std::task::ready!(self.body.poll_next_unpin(cx));
        Poll::Ready(match next {
            Some(Ok(piece)) => {
                self.given += piece.len() as u64;
                Some(self.check_piece(&piece).map(|()| piece))
            }
            None if self.given < wanted => {
                let how = format!("it ends after {} of {wanted} bytes", self.given);
                self.given = wanted;
                self.hashing = None;
                Some(Err(BlobError::damaged(&self.key, how)))
            }
            // Only an empty object is checked here; others were checked at their last chunk.
            None => self.check_end().err().map(Err),
            error => error,
        })
    }
}

impl fmt::Debug for BlobStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key, size, range, given, hashing: _, body: _ } = self;
        f.debug_struct("BlobStream")
            .field("key", key)
            .field("size", size)
            .field("range", range)
            .field("given", given)
            .finish_non_exhaustive()
    }
}

/// The range cut at the end of the object; `OutOfRange` when it starts after it.
pub(crate) fn within(range: Option<Range<u64>>, size: u64) -> Result<Range<u64>> {
    match range {
        None => Ok(0..size),
        Some(range) if range.start > size || (range.start == size && !range.is_empty()) => {
            Err(BlobError::OutOfRange { size })
        }
        Some(range) => {
            let end = range.end.min(size).max(range.start);
            Ok(range.start..end)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(sent: &[&'static [u8]]) -> BlobStream {
        let size = sent.iter().map(|piece| piece.len() as u64).sum();
        let body: Vec<_> = sent.iter().map(|piece| Ok(Bytes::from_static(piece))).collect();
        BlobStream::new("k".to_owned(), size, 0..size, stream::iter(body).boxed())
    }

    fn hash(bytes: &[u8]) -> ContentHash {
        ContentHash(Sha256::digest(bytes).into())
    }

    #[tokio::test]
    async fn a_damaged_object_is_never_read_completely() {
        let whole = pieces(&[b"ab", b"cd"]).of_hash(hash(b"abcd"));
        assert_eq!(whole.collect().await.unwrap(), "abcd");
        let mut damaged = pieces(&[b"ab", b"cX"]).of_hash(hash(b"abcd"));
        assert_eq!(damaged.try_next().await.unwrap(), Some(Bytes::from_static(b"ab")));
        assert!(matches!(damaged.try_next().await, Err(BlobError::Damaged { .. })));
        assert!(damaged.try_next().await.unwrap().is_none());
        let one_piece = pieces(&[b"abcX"]).of_hash(hash(b"abcd"));
        assert!(one_piece.collect().await.is_err());
        assert!(pieces(&[b"abc"]).of_size(4).is_err());
        assert!(pieces(&[b"abcd"]).of_size(4).is_ok());
        assert!(pieces(&[]).of_hash(hash(b"")).collect().await.unwrap().is_empty());
        assert!(pieces(&[]).of_hash(hash(b"abcd")).collect().await.is_err(), "cut to nothing");
    }

    #[test]
    #[expect(clippy::reversed_empty_ranges, reason = "a client may well ask for one")]
    fn a_range_is_cut_at_the_end_and_refused_after_it() {
        let cut = |range| within(range, 10).ok();
        assert_eq!(cut(None), Some(0..10));
        assert_eq!(cut(Some(2..5)), Some(2..5));
        assert_eq!(cut(Some(2..50)), Some(2..10));
        assert_eq!(cut(Some(5..2)), Some(5..5));
        assert_eq!(cut(Some(10..10)), Some(10..10));
        assert_eq!(cut(Some(10..11)), None);
        assert_eq!(cut(Some(11..11)), None);
        assert_eq!(within(None, 0).ok(), Some(0..0));
    }
}
