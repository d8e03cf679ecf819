//! Reads the frames of a child, which the parent does not trust.

use bytes::{Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt};

use super::protocol::{LENGTHS, MAX_FRAME, Tag, lengths};

/// The tag and two lengths.
const HEADER: usize = 1 + LENGTHS;
/// How much memory is reserved at a time, whatever length a frame claims.
const STEP: usize = 64 << 10;

/// Why there is no next frame.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum FrameError {
    /// The pipe is closed: the child has exited or is about to.
    Ended,
    Garbled(&'static str),
    TooMuch,
}

#[derive(Debug)]
pub(crate) struct FrameReader<R> {
    from: R,
    buffer: BytesMut,
}

impl<R: AsyncRead + Unpin> FrameReader<R> {
    pub(crate) fn new(from: R) -> Self {
        Self { from, buffer: BytesMut::new() }
    }

    /// The next frame, not decoded, and its cost in bytes, which must not exceed `allowed`. Cancel safe: a
    /// call may be dropped and repeated.
    pub(crate) async fn next(&mut self, allowed: u64) -> Result<(Tag, Bytes, u64), FrameError> {
        self.fill(HEADER).await?;
        let header = self.buffer.split_first().map(|(tag, frame)| (*tag, lengths(frame)));
        let Some((tag, Some((length, unpacked)))) = header else { return Err(FrameError::Ended) };
        let cost = u64::from(length.max(unpacked)) + HEADER as u64;
        if cost > allowed {
            return Err(FrameError::TooMuch);
        }
        if length > MAX_FRAME || unpacked > MAX_FRAME {
            return Err(FrameError::Garbled("a frame is too large"));
        }
        let whole = HEADER + length as usize;
        self.fill(whole).await?;
        let frame = self.buffer.split_to(whole).freeze();
        Ok((tag, frame.slice(1..), cost))
    }

    /// Whether no bytes wait that do not belong to a job.
    pub(crate) fn is_empty(&self) -> bool {
        self.buffer.is_empty()
    }

    async fn fill(&mut self, length: usize) -> Result<(), FrameError> {
        while self.buffer.len() < length {
            self.buffer.reserve(STEP);
            match self.from.read_buf(&mut self.buffer).await {
                Ok(1..) => {}
                Ok(0) | Err(_) => return Err(FrameError::Ended),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::protocol::{from_frame, to_frame, write_frame};
    use super::*;

    async fn first(bytes: &[u8], allowed: u64) -> Result<(Bytes, u64), FrameError> {
        let (_, frame, cost) = FrameReader::new(bytes).next(allowed).await?;
        Ok((frame, cost))
    }

    fn written(text: &str) -> Vec<u8> {
        let mut bytes = Vec::new();
        write_frame(&mut bytes, b'x', &to_frame(&text).unwrap()).unwrap();
        bytes
    }

    #[tokio::test]
    async fn a_frame_is_read() {
        let (frame, cost) = first(&written("hello"), 100).await.unwrap();
        assert_eq!((from_frame::<String>(&frame).unwrap().as_str(), cost), ("hello", 15));
    }

    #[tokio::test]
    async fn a_frame_that_claims_too_much_costs_no_memory() {
        let mut claim = vec![b'x'; 9];
        claim[1..5].copy_from_slice(&1024_u32.to_le_bytes());
        claim[5..].copy_from_slice(&(MAX_FRAME + 1).to_le_bytes());
        assert!(matches!(first(&claim, u64::MAX).await, Err(FrameError::Garbled(_))));
        assert_eq!(first(&claim, 1 << 20).await, Err(FrameError::TooMuch));
    }

    #[tokio::test]
    async fn a_truncated_frame_is_the_end() {
        let bytes = written("hello");
        for length in 0..bytes.len() {
            assert_eq!(first(&bytes[..length], 100).await, Err(FrameError::Ended));
        }
    }

    #[tokio::test]
    async fn garbage_is_an_error() {
        assert!(matches!(first(b"garbage, too", u64::MAX).await, Err(FrameError::Garbled(_))));
        let (frame, _) = first(b"x\x04\0\0\0\x09\0\0\0garbage", 100).await.unwrap();
        assert!(from_frame::<String>(&frame).is_err());
    }
}
