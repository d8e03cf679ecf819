//! The user that the server runs as.
//!
//! PostgreSQL refuses to run as root. When Docket is root, its children drop to an unprivileged
//! user; otherwise they run as whoever runs Docket.

use std::fs;
use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use super::error::{Attempt, PrivateServerError, Result};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Account {
    /// Docket is not root: children keep its user.
    Own,
    /// Docket is root: children become this user.
    Other { uid: u32, gid: u32 },
}

impl Account {
    /// An existing cluster belongs to who made it, and only its owner may run it; a new one belongs
    /// to `run_as`.
    pub(super) fn for_cluster(data: &Path, run_as: &str) -> Result<Self> {
        if !rustix::process::geteuid().is_root() {
            return Ok(Self::Own);
        }
        match fs::metadata(data) {
            Ok(made) if made.uid() != 0 => Ok(Self::Other { uid: made.uid(), gid: made.gid() }),
            _ => Self::named(run_as),
        }
    }

    fn named(name: &str) -> Result<Self> {
        let users = Path::new("/etc/passwd");
        let text = fs::read_to_string(users).attempt("read", users)?;
        find_user(&text, name)
            .ok_or_else(|| PrivateServerError::NoSuchUser { name: name.to_owned() })
    }

    pub(super) fn own(self, folder: &Path) -> Result<()> {
        match self {
            Self::Own => Ok(()),
            Self::Other { uid, gid } => {
                chown(folder, Some(uid), Some(gid)).attempt("change the owner of", folder)
            }
        }
    }

    /// Makes `command` run as this user. The standard library clears the supplementary groups with
    /// it.
    pub(super) fn apply(self, command: &mut Command) {
        if let Self::Other { uid, gid } = self {
            command.uid(uid).gid(gid);
        }
    }
}

/// Looks an unprivileged user up by name or by number in the text of `/etc/passwd`.
fn find_user(passwd: &str, wanted: &str) -> Option<Account> {
    passwd.lines().find_map(|line| {
        let mut fields = line.split(':');
        let (name, _, uid, gid) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
        if name != wanted && uid != wanted {
            return None;
        }
        let (uid, gid) = (uid.parse().ok()?, gid.parse().ok()?);
        (uid != 0).then_some(Account::Other { uid, gid })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PASSWD: &str = "root:x:0:0:root:/root:/bin/sh\n\
                          broken\n\
                          nobody:x:65534:65533:nobody:/nonexistent:/usr/sbin/nologin\n";

    #[test]
    fn a_user_is_found_by_name_and_by_number() {
        let nobody = Some(Account::Other { uid: 65534, gid: 65533 });
        assert_eq!(find_user(PASSWD, "nobody"), nobody);
        assert_eq!(find_user(PASSWD, "65534"), nobody);
    }

    #[test]
    fn root_and_strangers_are_refused() {
        assert_eq!(find_user(PASSWD, "root"), None);
        assert_eq!(find_user(PASSWD, "stranger"), None);
    }
}
