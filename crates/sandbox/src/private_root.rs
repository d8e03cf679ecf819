//! A private root folder, which contains only what the process may read.
//!
//! Landlock denies opening a path, but it allows `stat`, and its denial reveals that the path exists. With a
//! private root, all other paths do not exist.
//!
//! It needs a mount namespace: with `CAP_SYS_ADMIN`, or, for an ordinary user, within a user namespace. Many
//! containers allow neither.

use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use nix::sched::{CloneFlags, unshare};
use rustix::fs::Mode;
use rustix::mount::{
    MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind_recursive, mount_change,
    unmount,
};
use rustix::process::{chdir, getgid, getuid, pivot_root, umask};
use rustix::thread::{CapabilitySet, capabilities};

/// Where the new root is mounted: a folder that every machine has and that the child no longer needs.
const BUILT_AT: &str = "/proc";

/// Replaces the root folder by one that contains only `visible`, under the same paths. After an error the
/// process may be in its own namespace, but it still sees all paths.
pub(super) fn enter(visible: &[PathBuf]) -> io::Result<()> {
    enter_namespace()?;
    // Mounts from here on stay invisible to other processes.
    mount_change("/", MountPropagationFlags::REC | MountPropagationFlags::PRIVATE)?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount("docket", BUILT_AT, "tmpfs", flags, c"mode=0755,size=64k")?;
    // The child will traverse the folders as another user.
    let before = umask(Mode::WGRP | Mode::WOTH);
    let bound = visible.iter().try_for_each(|path| bind(path));
    umask(before);
    bound?;
    chdir(BUILT_AT)?;
    // The old root ends up on top of the new one; unmount it.
    pivot_root(".", ".")?;
    unmount(".", UnmountFlags::DETACH)?;
    Ok(chdir("/")?)
}

fn enter_namespace() -> io::Result<()> {
    if capabilities(None)?.effective.contains(CapabilitySet::SYS_ADMIN) {
        return Ok(unshare(CloneFlags::CLONE_NEWNS)?);
    }
    let (uid, gid) = (getuid().as_raw(), getgid().as_raw());
    unshare(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWNS)?;
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{uid} {uid} 1"))?;
    fs::write("/proc/self/gid_map", format!("{gid} {gid} 1"))
}

/// Binds a file or folder into the new root under its own path. Paths that do not exist are skipped.
fn bind(path: &Path) -> io::Result<()> {
    let Ok(metadata) = fs::metadata(path) else { return Ok(()) };
    let Ok(below) = path.strip_prefix("/") else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path is relative"));
    };
    let place = Path::new(BUILT_AT).join(below);
    // It is in a folder that was bound already.
    if place.exists() {
        return Ok(());
    }
    if metadata.is_dir() {
        fs::create_dir_all(&place)?;
    } else {
        place.parent().map_or(Ok(()), fs::create_dir_all)?;
        OpenOptions::new().write(true).create_new(true).open(&place)?;
    }
    Ok(mount_bind_recursive(path, &place)?)
}
