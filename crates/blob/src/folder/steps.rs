//! How much of an upload is hashed and written at a time.

use std::sync::Arc;

use bytes::{Buf, BytesMut};

/// What a disk that is written to past the page cache asks of a piece's place, in memory and in the file.
pub(super) const ALIGNMENT: usize = 4096;

/// One for the folder and one for each upload under way, so that they are counted: a few may take longer
/// steps than many, and memory stays the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct Steps {
    counted: Arc<()>,
}

impl Steps {
    const A_FEW: usize = 4;
    const LONG: usize = 512 * 1024;
    const SHORT: usize = 256 * 1024;

    pub(crate) fn next(&self) -> usize {
        let under_way = Arc::strong_count(&self.counted) - 1;
        if under_way <= Self::A_FEW { Self::LONG } else { Self::SHORT }
    }
}

/// Room for `size` bytes that can go straight to the disk.
pub(crate) fn aligned(size: usize) -> BytesMut {
    let mut room = BytesMut::with_capacity(size + ALIGNMENT);
    let before = room.as_ptr().align_offset(ALIGNMENT);
    room.resize(before, 0);
    room.advance(before);
    room
}

pub(super) fn is_aligned(bytes: &[u8]) -> bool {
    bytes.as_ptr().align_offset(ALIGNMENT) == 0 && bytes.len().is_multiple_of(ALIGNMENT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_uploads_take_longer_steps_than_many() {
        let folder = Steps::default();
        let mut uploads = vec![folder.clone(); Steps::A_FEW];
        assert_eq!(uploads[0].next(), Steps::LONG);
        uploads.push(folder.clone());
        assert_eq!(uploads[0].next(), Steps::SHORT);
        uploads.pop();
        assert_eq!(uploads[0].next(), Steps::LONG);
    }

    #[test]
    fn what_fills_the_room_is_aligned() {
        let mut room = aligned(Steps::SHORT);
        let place = room.as_ptr();
        room.extend_from_slice(&vec![7; Steps::SHORT]);
        assert_eq!(room.as_ptr(), place, "it has not moved");
        assert!(is_aligned(&room));
        assert!(!is_aligned(&room[1..]) && !is_aligned(&room[..5]));
    }
}
