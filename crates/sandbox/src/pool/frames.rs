//! Frames from a process that may lie, on the parent's side.

use bytes::{Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt};

use super::protocol::{LENGTHS, MAX_FRAME, Tag, lengths};

/// The tag and two lengths.
const HEADER: usize = 1 + LENGTHS;
/// What is set aside at a time, whatever length a frame says it has.
const STEP: usize = 64 << 10;

/// Why there is no next frame.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Broken {
    /// The pipe is closed: the child is dead, or as good as.
    Ended,
    Garbled(&'static str),
    TooMuch,
}

#[derive(Debug)]
pub(crate) struct FrameReader<R> {
    from: R,
    heard: BytesMut,
}

impl<R: AsyncRead + Unpin> FrameReader<R> {
    pub(crate) fn new(from: R) -> Self {
        Self { from, heard: BytesMut::new() }
    }

    /// The next frame, unopened, and its cost in bytes, which `allowed` must cover. A call that was
    /// given up can be made again: nothing is lost.
    pub(crate) async fn next(&mut self, allowed: u64) -> Result<(Tag, Bytes, u64), Broken> {
        self.hear(HEADER).await?;
        let header = self.heard.split_first().map(|(tag, frame)| (*tag, lengths(frame)));
        let Some((tag, Some((length, unpacked)))) = header else { return Err(Broken::Ended) };
        let cost = u64::from(length.max(unpacked)) + HEADER as u64;
        if cost > allowed {
            return Err(Broken::TooMuch);
        }
        if length > MAX_FRAME || unpacked > MAX_FRAME {
            return Err(Broken::Garbled("a frame is too large"));
        }
        let whole = HEADER + length as usize;
        self.hear(whole).await?;
        let frame = self.heard.split_to(whole).freeze();
        Ok((tag, frame.slice(1..), cost))
    }

    /// Whether the child has said anything that nobody asked for.
    pub(crate) fn is_quiet(&self) -> bool {
        self.heard.is_empty()
    }

    async fn hear(&mut self, wanted: usize) -> Result<(), Broken> {
        while self.heard.len() < wanted {
            self.heard.reserve(STEP);
            match self.from.read_buf(&mut self.heard).await {
                Ok(1..) => {}
                Ok(0) | Err(_) => return Err(Broken::Ended),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::protocol::{framed, opened, write_frame};
    use super::*;

    async fn first(bytes: &[u8], allowed: u64) -> Result<(Bytes, u64), Broken> {
        let (_, frame, cost) = FrameReader::new(bytes).next(allowed).await?;
        Ok((frame, cost))
    }

    fn written(text: &str) -> Vec<u8> {
        let mut bytes = Vec::new();
        write_frame(&mut bytes, b'x', &framed(&text).unwrap()).unwrap();
        bytes
    }

    #[tokio::test]
    async fn a_frame_arrives() {
        let (frame, cost) = first(&written("hello"), 100).await.unwrap();
        assert_eq!((opened::<String>(&frame).unwrap().as_str(), cost), ("hello", 15));
    }

    #[tokio::test]
    async fn a_frame_that_says_too_much_costs_no_memory() {
        let mut lie = vec![b'x'; 9];
        lie[1..5].copy_from_slice(&1024_u32.to_le_bytes());
        lie[5..].copy_from_slice(&(MAX_FRAME + 1).to_le_bytes());
        assert!(matches!(first(&lie, u64::MAX).await, Err(Broken::Garbled(_))));
        assert_eq!(first(&lie, 1 << 20).await, Err(Broken::TooMuch));
    }

    #[tokio::test]
    async fn a_cut_off_frame_is_the_end() {
        let bytes = written("hello");
        for length in 0..bytes.len() {
            assert_eq!(first(&bytes[..length], 100).await, Err(Broken::Ended));
        }
    }

    #[tokio::test]
    async fn garbage_is_an_error() {
        assert!(matches!(first(b"garbage, too", u64::MAX).await, Err(Broken::Garbled(_))));
        let (frame, _) = first(b"x\x04\0\0\0\x09\0\0\0garbage", 100).await.unwrap();
        assert!(opened::<String>(&frame).is_err());
    }
}
