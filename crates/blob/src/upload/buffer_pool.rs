//! Reuses the buffers of an upload: allocating a new one costs nearly as much as copying a batch into it.

use std::sync::{Arc, Mutex, PoisonError};

use bytes::{Bytes, BytesMut};

/// The unused buffers of an upload.
#[derive(Clone, Default)]
pub(super) struct BufferPool {
    buffers: Arc<Mutex<Vec<BytesMut>>>,
}

impl BufferPool {
    /// A buffer with capacity for `size` bytes and not for far more, if there is one.
    pub(super) fn take(&self, size: usize) -> Option<BytesMut> {
        let buffer = self.buffers.lock().unwrap_or_else(PoisonError::into_inner).pop()?;
        (size..=2 * size).contains(&buffer.capacity()).then_some(buffer)
    }

    /// Shares the content of a buffer. The buffer returns to the pool when the last reference is dropped.
    pub(super) fn share(&self, buffer: BytesMut) -> Bytes {
        Bytes::from_owner(PooledBuffer { buffer, pool: self.clone() })
    }
}

struct PooledBuffer {
    buffer: BytesMut,
    pool: BufferPool,
}

impl AsRef<[u8]> for PooledBuffer {
    fn as_ref(&self) -> &[u8] {
        &self.buffer
    }
}

impl Drop for PooledBuffer {
    fn drop(&mut self) {
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        self.pool.buffers.lock().unwrap_or_else(PoisonError::into_inner).push(buffer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::aligned;

    #[test]
    fn a_buffer_is_reused_when_its_last_reference_is_dropped() {
        let pool = BufferPool::default();
        let mut buffer = aligned(8192);
        buffer.extend_from_slice(&[7; 8192]);
        let place = buffer.as_ptr();
        let shared = pool.share(buffer);
        let twin = shared.clone();
        drop(shared);
        assert!(pool.take(1).is_none(), "it is still referenced");
        assert_eq!(twin, [7; 8192][..]);
        drop(twin);
        let again = pool.take(8192).unwrap();
        assert_eq!((again.as_ptr(), again.len()), (place, 0));
        drop(pool.share(again));
        assert!(pool.take(20_000).is_none(), "it is too small");
        drop(pool.share(aligned(20_000)));
        assert!(pool.take(1000).is_none(), "it is too large");
    }
}
