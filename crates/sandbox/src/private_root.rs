//! A root folder of the process's own, in which nothing exists but what it may read.
//!
//! Landlock refuses to open a path, but `stat` is not its business, and its refusal itself tells that the
//! path exists. Here a path that the process has no business with does not exist.
//!
//! It takes a mount namespace: with `CAP_SYS_ADMIN`, or, for an ordinary user, within a user namespace of
//! its own. Many containers allow neither.

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

/// Where the new root is built: a folder that is on every machine, and that nobody needs any more.
const BUILT_AT: &str = "/proc";

/// Replaces the root folder by one that holds only `visible`, under the same paths. After an error the
/// process may be in a namespace of its own, and still sees what it saw before.
pub(super) fn enter(visible: &[PathBuf]) -> io::Result<()> {
    own_namespace()?;
    // Nothing that is mounted from here on shows elsewhere.
    mount_change("/", MountPropagationFlags::REC | MountPropagationFlags::PRIVATE)?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount("docket", BUILT_AT, "tmpfs", flags, c"mode=0755,size=64k")?;
    // Another user is going to walk through the folders.
    let before = umask(Mode::WGRP | Mode::WOTH);
    let shown = visible.iter().try_for_each(|path| show(path));
    umask(before);
    shown?;
    chdir(BUILT_AT)?;
    // The old root ends up on top of the new one, and is taken away.
    pivot_root(".", ".")?;
    unmount(".", UnmountFlags::DETACH)?;
    Ok(chdir("/")?)
}

fn own_namespace() -> io::Result<()> {
    if capabilities(None)?.effective.contains(CapabilitySet::SYS_ADMIN) {
        return Ok(unshare(CloneFlags::CLONE_NEWNS)?);
    }
    let (uid, gid) = (getuid().as_raw(), getgid().as_raw());
    unshare(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWNS)?;
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{uid} {uid} 1"))?;
    fs::write("/proc/self/gid_map", format!("{gid} {gid} 1"))
}

/// Makes a file or folder appear in the new root under its own path. What is not there cannot be shown.
fn show(path: &Path) -> io::Result<()> {
    let Ok(found) = fs::metadata(path) else { return Ok(()) };
    let Ok(below) = path.strip_prefix("/") else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path is relative"));
    };
    let place = Path::new(BUILT_AT).join(below);
    // It lies in a folder that is shown already.
    if place.exists() {
        return Ok(());
    }
    if found.is_dir() {
        fs::create_dir_all(&place)?;
    } else {
        place.parent().map_or(Ok(()), fs::create_dir_all)?;
        OpenOptions::new().write(true).create_new(true).open(&place)?;
    }
    Ok(mount_bind_recursive(path, &place)?)
}
