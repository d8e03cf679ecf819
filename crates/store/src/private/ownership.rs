//! Changes the owner of a cluster.
//!
//! Clusters of an earlier Docket belong to `nobody`. Other processes of that user are not trusted during the change: the
//! owner of every folder is changed before the folder is read, and no symbolic link is followed.

use std::ffi::CStr;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::{fs, io};

use rustix::fs::{AtFlags, Dir, FileType, Gid, Mode, OFlags, Uid, chownat, fchown, openat, statat};

use super::account::{Account, ForeignOwner, foreign_owner, shown_user};
use super::error::{PrivateServerError, Result};

/// Changed last, so that an interrupted change is detected and repeated.
const LAST: &CStr = c"PG_VERSION";

/// Whether the whole cluster belongs to `account`.
pub(super) fn is_settled(data: &Path, account: Account) -> Result<bool> {
    Ok(account.owns(data)? && account.owns(&data.join("PG_VERSION"))?)
}

/// Gives the cluster to `account`. No server may run on it.
pub(super) fn give(data: &Path, folder: BorrowedFd<'_>, account: Account) -> Result<()> {
    let Account::Other { uid, gid } = account else { return Ok(()) };
    let owner = (Uid::from_raw(uid), Gid::from_raw(gid));
    tracing::info!(data = %data.display(), uid, "giving the PostgreSQL cluster to its own account");
    let given = give_folder(folder, c".", owner, true)
        .and_then(|()| give_entry(folder, LAST, FileType::RegularFile, owner));
    given.map_err(|source| match fs::metadata(data) {
        Ok(found) if source.kind() == io::ErrorKind::PermissionDenied => {
            let (owner, user) = (shown_user(found.uid()), shown_user(uid));
            let (data, source) = (data.to_owned(), Some(source));
            PrivateServerError::OwnedByAnother { data, owner, user, source }
        }
        _ => PrivateServerError::from_io(source, "change the owner of", data),
    })
}

/// An ordinary user's PostgreSQL refuses a cluster of another user, and only root can change the owner.
pub(super) fn require_own(data: &Path, account: Account) -> Result<()> {
    match foreign_owner(data) {
        Some(ForeignOwner { owner, user }) if account == Account::Own => {
            let data = data.to_owned();
            Err(PrivateServerError::OwnedByAnother { data, owner, user, source: None })
        }
        _ => Ok(()),
    }
}

fn give_folder(
    parent: BorrowedFd<'_>,
    name: &CStr,
    owner: (Uid, Gid),
    is_top: bool,
) -> io::Result<()> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = openat(parent, name, flags, Mode::empty())?;
    fchown(&folder, Some(owner.0), Some(owner.1))?;
    for entry in Dir::read_from(&folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let is_postponed = is_top && name == LAST;
        if name == c"." || name == c".." || is_postponed {
            continue;
        }
        let kind =
            FileType::from_raw_mode(statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW)?.st_mode);
        give_entry(folder.as_fd(), name, kind, owner)?;
    }
    Ok(())
}

fn give_entry(
    folder: BorrowedFd<'_>,
    name: &CStr,
    kind: FileType,
    owner: (Uid, Gid),
) -> io::Result<()> {
    if kind == FileType::Directory {
        return give_folder(folder, name, owner, false);
    }
    let flags = AtFlags::SYMLINK_NOFOLLOW;
    if kind == FileType::RegularFile && statat(folder, name, flags)?.st_nlink > 1 {
        // It may be a hard link to another user's file.
        return Err(io::Error::other(format!("{} has another name", name.to_string_lossy())));
    }
    Ok(chownat(folder, name, Some(owner.0), Some(owner.1), flags)?)
}
