//! How much room is left.

use std::path::Path;

use super::error::PrivateServerError;

const MB: u64 = 1 << 20;

/// A new cluster takes about 40 MB, then the first segments of the write-ahead log.
pub(super) const NEEDED_FOR_A_CLUSTER: u64 = 128 * MB;
/// One segment of the write-ahead log: with less, recovery cannot go on.
pub(super) const NEEDED_TO_START: u64 = 16 * MB;

/// Refuses when the disk that holds `folder` has less than `needed` bytes left.
pub(super) fn require(folder: &Path, needed: u64) -> Result<(), PrivateServerError> {
    if free(folder).is_some_and(|free| free < needed) {
        return Err(full(folder, needed));
    }
    Ok(())
}

/// The error for a disk that turned out to be full.
pub(super) fn full(folder: &Path, needed: u64) -> PrivateServerError {
    PrivateServerError::DiskFull {
        folder: folder.to_owned(),
        free_mb: free(folder).unwrap_or(0) / MB,
        needed_mb: needed / MB,
    }
}

/// Free bytes for unprivileged users, or nothing where the file system does not say.
fn free(folder: &Path) -> Option<u64> {
    let room = rustix::fs::statvfs(folder).ok()?;
    Some(room.f_bavail.saturating_mul(room.f_frsize))
}
