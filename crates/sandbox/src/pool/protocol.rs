//! What parent and child say to each other.
//!
//! ```text
//! parent → child   Terms, then for each job an Envelope (its files ride along as descriptors)
//! child → parent   Greeting, then for each job the handler's frames, then Done or Failed
//! ```
//!
//! A *frame* is `length:u32 unpacked:u32 bytes`, little-endian: how many bytes follow, and how many they
//! become when they are unpacked. Nothing here unpacks them: what is in a handler's frames is between the
//! handler and whoever asked it. The size that a frame claims is what it is charged for, so whoever unpacks
//! one must not accept more than that. Our own messages are postcard, never packed.
//!
//! What a child says has a byte before each frame that tells what it holds, the [`Tag`]. No frame is large:
//! what may be comes in pieces, so that a hostile child cannot make its parent set much memory aside.

use std::io::{self, Read, Write};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::{SandboxPolicy, SandboxStatus};

/// Both sides are the same binary, unless somebody replaced the file under a running one.
pub(crate) const VERSION: u16 = 4;
/// The largest frame, unpacked.
pub const MAX_FRAME: u32 = 16 << 20;
/// How many files can ride along with one request.
pub(crate) const MAX_HANDED: usize = 8;
/// The two lengths that a frame begins with.
pub(crate) const LENGTHS: usize = 8;

/// What a frame from a child holds. Capital letters are ours; handlers use what they like of the rest.
pub type Tag = u8;
pub(crate) const GREETING: Tag = b'G';
/// The job is done.
pub(crate) const DONE: Tag = b'D';
/// The job is over: the frame is the handler's error.
pub(crate) const FAILED: Tag = b'F';

/// What jobs name a handler by, and the version of what it is asked and answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HandlerName {
    pub name: &'static str,
    pub version: u16,
}

/// The first thing a child is told.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Terms {
    pub(crate) version: u16,
    /// The process to end with.
    pub(crate) parent: u32,
    pub(crate) memory: u64,
    pub(crate) cpu_seconds: u64,
    pub(crate) sandbox: SandboxPolicy,
}

/// The first thing a child says.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Greeting {
    Ready {
        version: u16,
        sandbox: SandboxStatus,
        /// The handlers that it has, each with its version.
        handlers: Vec<(String, u16)>,
    },
    /// It takes no document: a lock that is required is missing.
    Unprotected {
        sandbox: SandboxStatus,
    },
    NotReady {
        why: String,
    },
}

/// A request as it travels.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Envelope {
    pub(crate) handler: String,
    /// In the handler's own types.
    pub(crate) request: Vec<u8>,
}

/// One of our own messages as a frame.
pub(crate) fn framed<T: Serialize>(message: &T) -> io::Result<Vec<u8>> {
    let bytes = postcard::to_stdvec(message).map_err(io::Error::other)?;
    let length = u32::try_from(bytes.len()).map_err(io::Error::other)?.to_le_bytes();
    Ok([&length, &length, bytes.as_slice()].concat())
}

/// Opens one of our own messages.
pub(crate) fn opened<T: DeserializeOwned>(frame: &[u8]) -> io::Result<T> {
    let bytes = frame.get(LENGTHS..).unwrap_or_default();
    match postcard::take_from_bytes(bytes) {
        Ok((message, [])) => Ok(message),
        Ok(_) => Err(io::Error::new(io::ErrorKind::InvalidData, "a message is too long")),
        Err(_) => Err(io::Error::new(io::ErrorKind::InvalidData, "a message has the wrong shape")),
    }
}

/// The next message of the parent, whom a child trusts.
pub(crate) fn read_message<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<T> {
    let mut frame = vec![0; LENGTHS];
    from.read_exact(&mut frame)?;
    let (length, _) = lengths(&frame).ok_or(io::ErrorKind::InvalidData)?;
    from.take(u64::from(length)).read_to_end(&mut frame)?;
    opened(&frame)
}

/// Writes a frame of a child. One that the parent would refuse is refused here, where it is an ordinary error.
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
    fn a_frame_that_the_parent_would_refuse_is_an_error_of_the_child() {
        let mut claims_too_much = framed(&"hello").unwrap();
        claims_too_much[4..8].copy_from_slice(&(MAX_FRAME + 1).to_le_bytes());
        let mut cut_off = framed(&"hello").unwrap();
        cut_off.pop();
        for frame in [claims_too_much, cut_off, Vec::new()] {
            let mut written = Vec::new();
            assert!(write_frame(&mut written, b'x', &frame).is_err() && written.is_empty());
        }
    }
}
