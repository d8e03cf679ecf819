//! Closes what a process inherited.
//!
//! Docket opens everything with `CLOEXEC`, but whoever started Docket may not have: a descriptor of
//! theirs would reach a child that reads a stranger's file.

use std::fs;
use std::io;
use std::os::fd::RawFd;

use nix::errno::Errno;
use nix::unistd::close;

/// Closes every descriptor but the three standard ones. To be called before anything is opened.
pub(crate) fn close_inherited() -> io::Result<()> {
    let mut inherited = Vec::new();
    for entry in fs::read_dir("/proc/self/fd")? {
        let name = entry?.file_name();
        inherited.extend(name.to_str().and_then(|name| name.parse::<RawFd>().ok()));
    }
    for descriptor in inherited.into_iter().filter(|descriptor| *descriptor > 2) {
        match close(descriptor) {
            // The list was read through a descriptor, which is on the list and closed by now.
            Ok(()) | Err(Errno::EBADF) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
