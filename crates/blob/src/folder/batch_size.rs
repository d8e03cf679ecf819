//! How much of an upload is hashed and written at once.

use std::sync::Arc;

use bytes::{Buf, BytesMut};

/// The alignment that direct I/O needs, in memory and in the file.
pub(super) const ALIGNMENT: usize = 4096;

/// The folder and each running upload hold one, which counts the uploads: few uploads may use larger batches than many,
/// which together would need too much memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct BatchSize {
    references: Arc<()>,
}

impl BatchSize {
    /// For all uploads together, unless there are so many that each uses the smallest batch.
    const TOTAL: usize = 4 * 1024 * 1024;
    const MAX: usize = 1024 * 1024;
    const MIN: usize = 256 * 1024;

    pub(crate) fn next(&self) -> usize {
        let uploads = Arc::strong_count(&self.references) - 1;
        let share = Self::TOTAL / uploads.max(1);
        (share - share % ALIGNMENT).clamp(Self::MIN, Self::MAX)
    }
}

/// A buffer for `size` bytes that is aligned for direct I/O.
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
    fn more_uploads_use_smaller_batches() {
        let folder = BatchSize::default();
        let size_of_each = |count| vec![folder.clone(); count][0].next();
        assert_eq!(size_of_each(1), BatchSize::MAX);
        assert_eq!(size_of_each(4), BatchSize::MAX);
        assert!(size_of_each(5) < BatchSize::MAX && size_of_each(5).is_multiple_of(ALIGNMENT));
        assert_eq!(size_of_each(100), BatchSize::MIN);
        assert_eq!(size_of_each(1), BatchSize::MAX, "ended uploads do not count");
    }

    #[test]
    fn a_filled_buffer_stays_aligned() {
        let mut room = aligned(BatchSize::MIN);
        let place = room.as_ptr();
        room.extend_from_slice(&vec![7; BatchSize::MIN]);
        assert_eq!(room.as_ptr(), place, "it has not moved");
        assert!(is_aligned(&room));
        assert!(!is_aligned(&room[1..]) && !is_aligned(&room[..5]));
    }
}
