//! The protocol between parent and child.
//!
//! ```text
//! parent → child   ChildConfig, then for each job an Envelope (with its files as descriptors)
//! child → parent   Greeting, then for each job the handler's frames, then Done or Failed
//! ```
//!
//! A *frame* is `length:u32 unpacked:u32 bytes`, little-endian: how many bytes follow, and how many they
//! become when they are unpacked. Nothing here unpacks them: only a handler and its caller know what its frames
//! contain. The claimed size counts against the job's output, so code that unpacks a frame must not accept
//! more than that. Messages of the protocol itself are postcard and never packed.
//!
//! A child writes one byte before each frame that says what the frame contains, the [`Tag`]. Large content is
//! split into several frames, so that a hostile child cannot make its parent allocate much memory.

use std::io::{self, Read, Write};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::{SandboxPolicy, SandboxStatus};

/// Both sides are the same binary, unless the file was replaced while Docket was running.
pub(crate) const VERSION: u16 = 4;
/// The largest frame, unpacked.
pub const MAX_FRAME: u32 = 16 << 20;
/// How many files one request can have.
pub(crate) const MAX_FILES: usize = 8;
/// The two lengths that a frame begins with.
pub(crate) const LENGTHS: usize = 8;

/// What a frame of a child contains. The protocol uses capital letters; handlers may use all others.
pub type Tag = u8;
pub(crate) const GREETING: Tag = b'G';
/// The job is done.
pub(crate) const DONE: Tag = b'D';
/// The job failed: the frame is the handler's error.
pub(crate) const FAILED: Tag = b'F';

/// Names a handler in jobs, with the version of its requests and answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HandlerName {
    pub name: &'static str,
    pub version: u16,
}

/// The parent's first message.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ChildConfig {
    pub(crate) version: u16,
    /// The child ends together with this process.
    pub(crate) parent: u32,
    pub(crate) memory: u64,
    pub(crate) cpu_seconds: u64,
    pub(crate) sandbox: SandboxPolicy,
}

/// The child's first message.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Greeting {
    Ready {
        version: u16,
        sandbox: SandboxStatus,
        /// The handlers that it has, each with its version.
        handlers: Vec<(String, u16)>,
    },
    /// A required lock is missing, so the child takes no document.
    Unprotected {
        sandbox: SandboxStatus,
    },
    NotReady {
        why: String,
    },
}

/// An encoded request.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Envelope {
    pub(crate) handler: String,
    /// Encoded in the handler's own types.
    pub(crate) request: Vec<u8>,
}

/// Encodes a message of the protocol.
pub(crate) fn to_frame<T: Serialize>(message: &T) -> io::Result<Vec<u8>> {
    let bytes = postcard::to_stdvec(message).map_err(io::Error::other)?;
    let length = u32::try_from(bytes.len()).map_err(io::Error::other)?.to_le_bytes();
    Ok([&length, &length, bytes.as_slice()].concat())
}

/// Decodes a message of the protocol.
pub(crate) fn from_frame<T: DeserializeOwned>(frame: &[u8]) -> io::Result<T> {
    let bytes = frame.get(LENGTHS..).unwrap_or_default();
    match postcard::take_from_bytes(bytes) {
        Ok((message, [])) => Ok(message),
        Ok(_) => Err(io::Error::new(io::ErrorKind::InvalidData, "a message is too long")),
        Err(_) => Err(io::Error::new(io::ErrorKind::InvalidData, "a message cannot be decoded")),
    }
}

/// Reads the next message of the parent, which the child trusts.
pub(crate) fn read_message<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<T> {
    let mut frame = vec![0; LENGTHS];
    from.read_exact(&mut frame)?;
    let (length, _) = lengths(&frame).ok_or(io::ErrorKind::InvalidData)?;
    from.take(u64::from(length)).read_to_end(&mut frame)?;
    from_frame(&frame)
}

/// Writes a frame of a child. A frame that the parent would refuse is an ordinary error here.
pub(crate) fn write_frame(to: &mut impl Write, tag: Tag, frame: &[u8]) -> io::Result<()> {
    let fits = lengths(frame).is_some_and(|(length, unpacked)| {
        length.max(unpacked) <= MAX_FRAME && frame.len() == LENGTHS + length as usize
    });
    if !fits {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    to.write_all(&[tag])?;
    to.write_all(frame)
}

/// The length and the unpacked length that a frame begins with.
pub(crate) fn lengths(frame: &[u8]) -> Option<(u32, u32)> {
    let (length, rest) = frame.split_first_chunk()?;
    let (unpacked, _) = rest.split_first_chunk()?;
    Some((u32::from_le_bytes(*length), u32::from_le_bytes(*unpacked)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_child_refuses_a_frame_that_the_parent_would_refuse() {
        let mut claims_too_much = to_frame(&"hello").unwrap();
        claims_too_much[4..8].copy_from_slice(&(MAX_FRAME + 1).to_le_bytes());
        let mut truncated = to_frame(&"hello").unwrap();
        truncated.pop();
        for frame in [claims_too_much, truncated, Vec::new()] {
            let mut written = Vec::new();
            assert!(write_frame(&mut written, b'x', &frame).is_err() && written.is_empty());
        }
    }
}
