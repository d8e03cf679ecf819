//! The parent's ear: frames from a process that may lie.

use bytes::{Bytes, BytesMut};
use serde::de::DeserializeOwned;
use tokio::io::{AsyncRead, AsyncReadExt};

use super::protocol::{MAX_FRAME, Tag};
use crate::artifact;

/// The tag and two lengths.
const HEADER: usize = 9;
/// What is set aside at a time, whatever length a frame says it has.
const STEP: usize = 64 << 10;

/// Why there is no next frame.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Broken {
    /// The pipe is closed: the child is dead, or as good as.
    Ended,
    Garbled(String),
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

    /// The next message and its cost in bytes, which `allowed` must cover.
    pub(crate) async fn next_message<T: DeserializeOwned>(
        &mut self,
        allowed: u64,
    ) -> Result<(T, u64), Broken> {
        match self.next(allowed).await? {
            (Tag::Message, frame, cost) => Ok((opened(&frame)?, cost)),
            _ => Err(Broken::Garbled("a part is out of place".to_owned())),
        }
    }

    /// The next frame, unopened, and its cost in bytes, which `allowed` must cover. A call that was
    /// given up can be made again: nothing is lost.
    pub(crate) async fn next(&mut self, allowed: u64) -> Result<(Tag, Bytes, u64), Broken> {
        self.hear(HEADER).await?;
        let tag = self.heard.first().copied().and_then(Tag::of);
        let tag = tag.ok_or_else(|| Broken::Garbled("a frame has no known tag".to_owned()))?;
        let (packed, unpacked) = self.lengths();
        let cost = u64::from(packed.max(unpacked)) + HEADER as u64;
        if cost > allowed {
            return Err(Broken::TooMuch);
        }
        if packed > MAX_FRAME || unpacked > MAX_FRAME {
            return Err(Broken::Garbled("a frame is too large".to_owned()));
        }
        let whole = HEADER + packed as usize;
        self.hear(whole).await?;
        let frame = self.heard.split_to(whole).freeze();
        Ok((tag, frame.slice(1..), cost))
    }

    /// Whether the child has said anything that nobody asked for.
    pub(crate) fn is_quiet(&self) -> bool {
        self.heard.is_empty()
    }

    fn lengths(&self) -> (u32, u32) {
        let length = |at: usize| {
            let bytes = self.heard.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
            bytes.map_or(u32::MAX, u32::from_le_bytes)
        };
        (length(1), length(5))
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

/// Opens a message.
pub(crate) fn opened<T: DeserializeOwned>(frame: &[u8]) -> Result<T, Broken> {
    artifact::read_frame(&mut &*frame).map_err(|error| Broken::Garbled(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::super::protocol::write_message;
    use super::*;

    async fn first(bytes: &[u8], allowed: u64) -> Result<(String, u64), Broken> {
        FrameReader::new(bytes).next_message(allowed).await
    }

    fn framed(text: &str) -> Vec<u8> {
        let mut bytes = Vec::new();
        write_message(&mut bytes, &text).unwrap();
        bytes
    }

    #[tokio::test]
    async fn a_frame_arrives() {
        let (text, cost) = first(&framed("hello"), 100).await.unwrap();
        assert_eq!((text.as_str(), cost), ("hello", 16));
    }

    #[tokio::test]
    async fn a_frame_that_says_too_much_costs_no_memory() {
        let mut lie = vec![b'm'; 9];
        lie[1..5].copy_from_slice(&1024_u32.to_le_bytes());
        lie[5..].copy_from_slice(&(MAX_FRAME + 1).to_le_bytes());
        assert!(matches!(first(&lie, u64::MAX).await, Err(Broken::Garbled(_))));
        assert_eq!(first(&lie, 1 << 20).await, Err(Broken::TooMuch));
    }

    #[tokio::test]
    async fn a_cut_off_frame_is_the_end() {
        let bytes = framed("hello");
        for length in 0..bytes.len() {
            assert_eq!(first(&bytes[..length], 100).await, Err(Broken::Ended));
        }
    }

    #[tokio::test]
    async fn garbage_is_an_error() {
        assert!(matches!(first(b"garbage, too", 100).await, Err(Broken::Garbled(_))));
        assert!(matches!(
            first(b"m\x04\0\0\0\x09\0\0\0garbage", 100).await,
            Err(Broken::Garbled(_))
        ));
    }
}
