//! How much of an upload is hashed and written at a time.

use std::sync::Arc;

use bytes::{Buf, BytesMut};

/// What a disk that is written to past the page cache asks of a piece's place, in memory and in the file.
pub(super) const ALIGNMENT: usize = 4096;

/// One for the folder and one for each upload under way, so that they are counted: a few may take longer
/// steps than many, which together would take too much memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Steps {
    counted: Arc<()>,
}

impl Steps {
    /// Of all uploads, unless there are so many that each takes the shortest.
    const TOGETHER: usize = 4 * 1024 * 1024;
    const LONGEST: usize = 1024 * 1024;
    const SHORTEST: usize = 256 * 1024;

    pub(crate) fn next(&self) -> usize {
        let under_way = Arc::strong_count(&self.counted) - 1;
        let share = Self::TOGETHER / under_way.max(1);
        (share - share % ALIGNMENT).clamp(Self::SHORTEST, Self::LONGEST)
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
    fn the_more_uploads_the_shorter_their_steps() {
        let folder = Steps::default();
        let step_of_each = |count| vec![folder.clone(); count][0].next();
        assert_eq!(step_of_each(1), Steps::LONGEST);
        assert_eq!(step_of_each(4), Steps::LONGEST);
        assert!(step_of_each(5) < Steps::LONGEST && step_of_each(5).is_multiple_of(ALIGNMENT));
        assert_eq!(step_of_each(100), Steps::SHORTEST);
        assert_eq!(step_of_each(1), Steps::LONGEST, "those that ended do not count");
    }

    #[test]
    fn what_fills_the_room_is_aligned() {
        let mut room = aligned(Steps::SHORTEST);
        let place = room.as_ptr();
        room.extend_from_slice(&vec![7; Steps::SHORTEST]);
        assert_eq!(room.as_ptr(), place, "it has not moved");
        assert!(is_aligned(&room));
        assert!(!is_aligned(&room[1..]) && !is_aligned(&room[..5]));
    }
}
