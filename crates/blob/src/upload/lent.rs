//! Memory that an upload uses again and again: to ask for it anew costs nearly as much as to copy a batch into it.

use std::sync::{Arc, Mutex, PoisonError};

use bytes::{Bytes, BytesMut};

/// What an upload has done with for the moment.
#[derive(Clone, Default)]
pub(super) struct Spare {
    buffers: Arc<Mutex<Vec<BytesMut>>>,
}

impl Spare {
    /// One with room for `size` bytes and not for far more, if there is any.
    pub(super) fn take(&self, size: usize) -> Option<BytesMut> {
        let buffer = self.buffers.lock().unwrap_or_else(PoisonError::into_inner).pop()?;
        (size..=2 * size).contains(&buffer.capacity()).then_some(buffer)
    }

    /// What is in it, to be shared. It comes back when nobody has it any more.
    pub(super) fn lend(&self, buffer: BytesMut) -> Bytes {
        Bytes::from_owner(Lent { buffer, to: self.clone() })
    }
}

struct Lent {
    buffer: BytesMut,
    to: Spare,
}

impl AsRef<[u8]> for Lent {
    fn as_ref(&self) -> &[u8] {
        &self.buffer
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        self.to.buffers.lock().unwrap_or_else(PoisonError::into_inner).push(buffer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::aligned;

    #[test]
    fn what_nobody_has_any_more_is_used_again_where_it_was() {
        let spare = Spare::default();
        let mut buffer = aligned(8192);
        buffer.extend_from_slice(&[7; 8192]);
        let place = buffer.as_ptr();
        let lent = spare.lend(buffer);
        let twin = lent.clone();
        drop(lent);
        assert!(spare.take(1).is_none(), "somebody has it");
        assert_eq!(twin, [7; 8192][..]);
        drop(twin);
        let again = spare.take(8192).unwrap();
        assert_eq!((again.as_ptr(), again.len()), (place, 0));
        drop(spare.lend(again));
        assert!(spare.take(20_000).is_none(), "there is no room in it");
        drop(spare.lend(aligned(20_000)));
        assert!(spare.take(1000).is_none(), "there is too much room in it");
    }
}
