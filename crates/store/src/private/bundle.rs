//! The PostgreSQL bundle in the binary, and the folder it is unpacked to.
//!
//! An unpacked bundle is complete if, and only if, it has its final name: it is unpacked under another name and renamed. The
//! name contains a digest of the archive, so another Docket version has its own folder and does not change the one that a
//! running server may use.

use std::fs::{self, DirBuilder, File, Permissions};
use std::io::{self, Read};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use lzma_rust2::XzReader;
use rustix::fs::{FlockOperation, flock, syncfs};

use super::error::{Attempt, Result};

#[derive(Debug, Clone, Copy)]
pub(super) struct Bundle {
    archive: &'static [u8],
    digest: &'static str,
}

#[cfg(bundled_postgres)]
const EMBEDDED: Option<Bundle> = Some(Bundle {
    archive: include_bytes!(env!("DOCKET_POSTGRES_ARCHIVE")),
    digest: env!("DOCKET_POSTGRES_DIGEST"),
});
#[cfg(not(bundled_postgres))]
const EMBEDDED: Option<Bundle> = None;

impl Bundle {
    pub(super) fn embedded() -> Option<Self> {
        EMBEDDED
    }

    /// The folder of the programs below `parent`; unpacks the bundle if that was not done before.
    /// Blocks.
    pub(super) fn unpacked_below(self, parent: &Path) -> Result<PathBuf> {
        let home = parent.join(format!("postgresql-{}", self.digest));
        if !home.is_dir() {
            make_public_folder(parent).attempt("make", parent)?;
            self.unpack_once(parent, &home).attempt("unpack PostgreSQL to", &home)?;
        }
        Ok(home.join("bin"))
    }

    fn unpack_once(self, parent: &Path, home: &Path) -> io::Result<()> {
        // Data folders share `parent` when root runs Docket, so their start locks do not keep us
        // apart.
        let lock = File::create(parent.join("unpack.lock"))?;
        flock(&lock, FlockOperation::LockExclusive)?;
        if home.is_dir() {
            return Ok(());
        }
        let unfinished = home.with_extension("part");
        remove_tree(&unfinished)?;
        make_public_folder(&unfinished)?;
        unpack(XzReader::new(self.archive, false), &unfinished)?;
        // After a power cut a folder with the final name must not hold empty files.
        syncfs(&lock)?;
        fs::rename(&unfinished, home)
    }
}

fn unpack(archive: impl Read, folder: &Path) -> io::Result<()> {
    let mut archive = tar::Archive::new(archive);
    archive.set_preserve_ownerships(false);
    archive.set_preserve_mtime(false);
    archive.unpack(folder)
}

/// A folder that the server's user can reach, whatever Docket's umask is.
fn make_public_folder(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    DirBuilder::new().recursive(true).mode(0o755).create(path)?;
    fs::set_permissions(path, Permissions::from_mode(0o755))
}

fn remove_tree(path: &Path) -> io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
