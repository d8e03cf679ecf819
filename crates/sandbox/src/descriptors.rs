//! Closes inherited file descriptors.
//!
//! Docket opens everything with `CLOEXEC`, but the process that started Docket may not have done so: its
//! descriptors would reach a child that reads an untrusted file.

use std::fs;
use std::io;
use std::os::fd::RawFd;

use nix::errno::Errno;
use nix::unistd::close;

/// Closes every descriptor but the three standard ones. Call it before anything is opened.
pub(crate) fn close_inherited() -> io::Result<()> {
    let mut inherited = Vec::new();
    for entry in fs::read_dir("/proc/self/fd")? {
        let name = entry?.file_name();
        inherited.extend(name.to_str().and_then(|name| name.parse::<RawFd>().ok()));
    }
    for descriptor in inherited.into_iter().filter(|descriptor| *descriptor > 2) {
        match close(descriptor) {
            // The list contains the descriptor that it was read through, which is closed by now.
            Ok(()) | Err(Errno::EBADF) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
