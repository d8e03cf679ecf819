//! The user that the server runs as.
//!
//! PostgreSQL refuses to run as root. When Docket is root, its child processes run as a dedicated account: a program that
//! shares the account could change the cluster's files and inspect its processes. Otherwise they run as the user that
//! runs Docket.
//!
//! `initdb` and `peer` authentication both look users up by id and refuse one without an entry in the list of users, so an
//! id alone is not enough.

use std::fs::{self, File};
use std::os::unix::fs::{MetadataExt, chown, fchown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::process::geteuid;

use super::error::{Attempt, PrivateServerError, Result};

/// The account that Docket creates when it is missing. Other accounts must exist.
pub(super) const OWN_ACCOUNT: &str = "docket";

const PASSWD: &str = "/etc/passwd";
/// Programs wait for each other's lock on the list of users for a moment only, then fail.
const CREATE_TRIES: usize = 20;
const CREATE_POLL: Duration = Duration::from_millis(100);
/// Commands that add an account without a home and a login: of most distributions, then of BusyBox.
const CREATE: [(&str, &[&str]); 2] = [
    (
        "useradd",
        &["--system", "--no-create-home", "--home-dir", "/nonexistent", "--shell", NO_LOGIN],
    ),
    ("adduser", &["-S", "-D", "-H", "-h", "/nonexistent", "-s", NO_LOGIN]),
];
const NO_LOGIN: &str = "/usr/sbin/nologin";
/// A root shell may lack them in its PATH.
const SYSTEM_PROGRAMS: [&str; 2] = ["/usr/sbin", "/sbin"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Account {
    /// Docket is not root: children keep its user.
    Own,
    /// Docket is root: children become this user.
    Other { uid: u32, gid: u32 },
}

impl Account {
    /// For root: the owner of the cluster if an ordinary user's Docket created it with its folder; otherwise `run_as`.
    pub(super) async fn for_cluster(folder: &Path, data: &Path, run_as: &str) -> Result<Self> {
        if !geteuid().is_root() {
            return Ok(Self::Own);
        }
        let owner = fs::metadata(folder).attempt("look at", folder)?.uid();
        match fs::metadata(data) {
            Ok(made) if made.uid() == owner && owner != 0 => {
                Ok(Self::Other { uid: owner, gid: made.gid() })
            }
            _ => Self::named(run_as).await,
        }
    }

    async fn named(name: &str) -> Result<Self> {
        if is_shared(name) {
            return Err(PrivateServerError::SharedUser { name: name.to_owned() });
        }
        let mut tries = 0;
        loop {
            if let Some(account) = find_user(&users()?, name) {
                return Ok(account);
            }
            if name != OWN_ACCOUNT {
                return Err(PrivateServerError::NoSuchUser { name: name.to_owned() });
            }
            if tries == CREATE_TRIES {
                return Err(PrivateServerError::NoAccount { name: name.to_owned() });
            }
            if create(name) {
                tracing::info!(name, "created a system account to run PostgreSQL as");
            } else {
                // Another process may be creating it.
                tokio::time::sleep(CREATE_POLL).await;
            }
            tries += 1;
        }
    }

    /// Whether the file or folder belongs to this user.
    pub(super) fn owns(self, path: &Path) -> Result<bool> {
        let owner = fs::symlink_metadata(path).attempt("look at", path)?.uid();
        Ok(match self {
            Self::Own => true,
            Self::Other { uid, .. } => owner == uid,
        })
    }

    pub(super) fn own(self, path: &Path) -> Result<()> {
        match self {
            Self::Own => Ok(()),
            Self::Other { uid, gid } => {
                chown(path, Some(uid), Some(gid)).attempt("change the owner of", path)
            }
        }
    }

    /// For an open file, so that a symbolic link cannot redirect it.
    pub(super) fn own_open(self, file: &File, path: &Path) -> Result<()> {
        match self {
            Self::Own => Ok(()),
            Self::Other { uid, gid } => {
                fchown(file, Some(uid), Some(gid)).attempt("change the owner of", path)
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

/// A file or folder that belongs to another user than the one that runs Docket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignOwner {
    pub owner: String,
    /// The user that runs Docket.
    pub user: String,
}

/// The owner of `path`, if it is another user. `None` for root, which may use all files, and when the path cannot be read.
pub fn foreign_owner(path: &Path) -> Option<ForeignOwner> {
    let user = geteuid();
    let owner = fs::metadata(path).ok()?.uid();
    let is_foreign = !user.is_root() && owner != user.as_raw();
    is_foreign.then(|| ForeignOwner { owner: shown_user(owner), user: shown_user(user.as_raw()) })
}

/// The name of a user, or the id of one without a name.
pub(super) fn shown_user(uid: u32) -> String {
    user_name(uid).ok().flatten().unwrap_or_else(|| uid.to_string())
}

/// The name that PostgreSQL finds for an id. Users may also come from a directory service, which `id` queries.
pub(super) fn user_name(uid: u32) -> Result<Option<String>> {
    if let Some(name) = find_name(&users()?, uid) {
        return Ok(Some(name));
    }
    let asked = Command::new("id").args(["-nu", &uid.to_string()]).output();
    let name = asked.ok().filter(|answer| answer.status.success());
    let name = name.map(|answer| String::from_utf8_lossy(&answer.stdout).trim().to_owned());
    Ok(name.filter(|name| !name.is_empty() && *name != uid.to_string()))
}

fn users() -> Result<String> {
    let path = Path::new(PASSWD);
    match fs::read_to_string(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        read => read.attempt("read", path),
    }
}

fn create(name: &str) -> bool {
    CREATE.iter().any(|(program, options)| {
        let program = SYSTEM_PROGRAMS.iter().map(|folder| Path::new(folder).join(program));
        let Some(program) = program.into_iter().find(|program| program.exists()) else {
            return false;
        };
        let created = Command::new(program)
            .args(*options)
            .arg(name)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        created.is_ok_and(|status| status.success())
    })
}

/// Programs without an account of their own share this user.
fn is_shared(name: &str) -> bool {
    name == "nobody" || name == "65534"
}

fn entries(passwd: &str) -> impl Iterator<Item = (&str, u32, u32)> {
    passwd.lines().filter_map(|line| {
        let mut fields = line.split(':');
        let (name, _, uid, gid) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
        Some((name, uid.parse().ok()?, gid.parse().ok()?))
    })
}

/// Looks an unprivileged user up by name or by number in the text of `/etc/passwd`.
fn find_user(passwd: &str, name_or_id: &str) -> Option<Account> {
    let found =
        entries(passwd).find(|(name, uid, _)| *name == name_or_id || uid.to_string() == name_or_id);
    found.filter(|(_, uid, _)| *uid != 0).map(|(_, uid, gid)| Account::Other { uid, gid })
}

fn find_name(passwd: &str, uid: u32) -> Option<String> {
    entries(passwd).find(|(_, found, _)| *found == uid).map(|(name, ..)| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const USERS: &str = "root:x:0:0:root:/root:/bin/sh\n\
                         broken\n\
                         docket:x:998:997::/nonexistent:/usr/sbin/nologin\n";

    #[test]
    fn a_user_is_found_by_name_and_by_number() {
        let docket = Some(Account::Other { uid: 998, gid: 997 });
        assert_eq!(find_user(USERS, "docket"), docket);
        assert_eq!(find_user(USERS, "998"), docket);
        assert_eq!(find_name(USERS, 998).as_deref(), Some("docket"));
        assert_eq!(find_name(USERS, 0).as_deref(), Some("root"));
    }

    #[test]
    fn root_and_strangers_are_refused() {
        assert_eq!(find_user(USERS, "root"), None);
        assert_eq!(find_user(USERS, "stranger"), None);
        assert_eq!(find_name(USERS, 1000), None);
    }
}
