//! Locates `postgres` and `initdb`: in the bundle of the binary, otherwise on the machine.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::account::Account;
use super::bundle::Bundle;
use super::error::{PrivateServerError, Result};

/// Where Debian and its derivatives install the programs, outside the PATH.
const VERSIONED_FOLDERS: &str = "/usr/lib/postgresql";
/// For root: the user that the server runs as can read this folder, and often not the data folder.
const SHARED_FOLDER: &str = "/var/lib/docket";

/// The programs of one PostgreSQL installation.
#[derive(Debug)]
pub(super) struct Programs {
    bin: PathBuf,
    major: String,
}

impl Programs {
    /// Finds the programs, and unpacks the bundle if that was not done yet. Blocks.
    pub(super) fn locate(folder: &Path, programs_folder: Option<&Path>) -> Result<Self> {
        let bin = match Bundle::embedded() {
            Some(bundle) => bundle.unpacked_below(&bundle_folder(folder, programs_folder))?,
            None => find_on_machine().ok_or(PrivateServerError::NoPrograms)?,
        };
        let major = major_version(&bin.join("postgres"))?;
        Ok(Self { bin, major })
    }

    pub(super) fn postgres(&self) -> PathBuf {
        self.bin.join("postgres")
    }

    pub(super) fn initdb(&self) -> PathBuf {
        self.bin.join("initdb")
    }

    /// The major version as `PG_VERSION` spells it, such as `18`.
    pub(super) fn major(&self) -> &str {
        &self.major
    }

    /// Before version 16, the programs leave their working folder and return to it by path, which an unprivileged user
    /// cannot do in a folder of root.
    pub(super) fn require_fit_for(&self, account: Account) -> Result<()> {
        if account == Account::Own || self.is_at_least(16) {
            return Ok(());
        }
        let (programs, found) = (self.bin.clone(), self.major.clone());
        Err(PrivateServerError::TooOldForRoot { programs, found })
    }

    /// PostgreSQL 17 has a built-in C.UTF-8, the same on every machine; earlier versions use the C library's.
    pub(super) fn locale_options(&self) -> &'static [&'static str] {
        if self.is_at_least(17) {
            &["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"]
        } else {
            &["--locale=C.UTF-8", "--lc-messages=C"]
        }
    }

    fn is_at_least(&self, wanted: u32) -> bool {
        self.major.parse().is_ok_and(|major: u32| major >= wanted)
    }
}

fn bundle_folder(folder: &Path, programs_folder: Option<&Path>) -> PathBuf {
    match programs_folder {
        Some(chosen) => chosen.to_owned(),
        None if rustix::process::geteuid().is_root() => PathBuf::from(SHARED_FOLDER),
        None => folder.join("programs"),
    }
}

fn find_on_machine() -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .chain(versioned_folders(Path::new(VERSIONED_FOLDERS)))
        .find(|bin| bin.join("initdb").is_file() && bin.join("postgres").is_file())
}

/// `bin` folders of side-by-side installations, newest first.
fn versioned_folders(parent: &Path) -> Vec<PathBuf> {
    let mut versions: Vec<u32> = fs::read_dir(parent)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .collect();
    versions.sort_unstable_by(|a, b| b.cmp(a));
    versions.iter().map(|version| parent.join(version.to_string()).join("bin")).collect()
}

fn major_version(postgres: &Path) -> Result<String> {
    let unusable =
        |source| PrivateServerError::ProgramUnusable { program: postgres.to_owned(), source };
    let answer = Command::new(postgres).arg("--version").output().map_err(unusable)?;
    parse_major_version(&String::from_utf8_lossy(&answer.stdout)).ok_or_else(|| {
        let complaint = String::from_utf8_lossy(&answer.stderr).trim().to_owned();
        unusable(io::Error::other(complaint))
    })
}

/// `postgres (PostgreSQL) 18.4 (Debian 18.4-1)` → `18`
fn parse_major_version(answer: &str) -> Option<String> {
    let version = answer.split_once("(PostgreSQL) ")?.1;
    let major: String = version.chars().take_while(char::is_ascii_digit).collect();
    (!major.is_empty()).then_some(major)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_major_version_is_read_from_what_postgres_answers() {
        let major = |answer| parse_major_version(answer);
        assert_eq!(major("postgres (PostgreSQL) 18.4\n").as_deref(), Some("18"));
        assert_eq!(major("postgres (PostgreSQL) 19beta1 (X 1)\n").as_deref(), Some("19"));
        assert_eq!(major("pgbouncer 1.2\n"), None);
    }

    #[test]
    fn the_newest_installation_comes_first() {
        let parent = tempfile::tempdir().unwrap();
        for version in ["9", "17", "15", "common"] {
            fs::create_dir(parent.path().join(version)).unwrap();
        }
        let found = versioned_folders(parent.path());
        assert_eq!(found, ["17", "15", "9"].map(|v| parent.path().join(v).join("bin")));
    }
}
