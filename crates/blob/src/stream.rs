//! Bytes on their way out.

use std::fmt;
use std::ops::Range;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Bytes, BytesMut};
use futures_util::stream::BoxStream;
use futures_util::{Stream, StreamExt, TryStreamExt};

use crate::error::{BlobError, Result};

/// An object, or a range of one, in pieces. Ends only after all its bytes: a source that stops early
/// gives [`BlobError::Damaged`].
pub struct BlobStream {
    key: String,
    size: u64,
    range: Range<u64>,
    given: u64,
    body: BoxStream<'static, Result<Bytes>>,
}

impl BlobStream {
    pub(crate) fn new(
        key: String,
        size: u64,
        range: Range<u64>,
        body: BoxStream<'static, Result<Bytes>>,
    ) -> Self {
        Self { key, size, range, given: 0, body }
    }

    /// Of the whole object, whatever the range.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The bytes that come; what was asked for, cut at the end of the object.
    pub fn range(&self) -> Range<u64> {
        self.range.clone()
    }

    /// All of it in memory: for artifacts, whose size their maker knows.
    pub async fn collect(self) -> Result<Bytes> {
        let mut whole = BytesMut::new();
        let mut pieces = self;
        while let Some(piece) = pieces.try_next().await? {
            whole.extend_from_slice(&piece);
        }
        Ok(whole.freeze())
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
                Some(Ok(piece))
            }
            None if self.given < wanted => {
                let how = format!("it ends after {} of {wanted} bytes", self.given);
                self.given = wanted;
                Some(Err(BlobError::Damaged { key: self.key.clone(), how }))
            }
            end_or_error => end_or_error,
        })
    }
}

impl fmt::Debug for BlobStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key, size, range, given, body: _ } = self;
        f.debug_struct("BlobStream")
            .field("key", key)
            .field("size", size)
            .field("range", range)
            .field("given", given)
            .finish_non_exhaustive()
    }
}

/// What of the range is there; `OutOfRange` when it starts behind the end.
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

    #[test]
    #[expect(clippy::reversed_empty_ranges, reason = "a client may well ask for one")]
    fn a_range_is_cut_at_the_end_and_refused_behind_it() {
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
