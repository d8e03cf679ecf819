//! Free disk space.

use std::path::Path;

use super::error::PrivateServerError;

const MB: u64 = 1 << 20;

/// A new cluster takes about 40 MB, then the first segments of the write-ahead log.
pub(super) const NEEDED_FOR_A_CLUSTER: u64 = 128 * MB;
/// One segment of the write-ahead log: recovery needs that much.
pub(super) const NEEDED_TO_START: u64 = 16 * MB;

/// Fails when the disk of `folder` has less than `needed` bytes free.
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

/// Free bytes for unprivileged users; `None` when the file system does not report them.
fn free(folder: &Path) -> Option<u64> {
    let space = rustix::fs::statvfs(folder).ok()?;
    Some(space.f_bavail.saturating_mul(space.f_frsize))
}
