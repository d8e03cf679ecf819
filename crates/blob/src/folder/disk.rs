//! Durable files and folders. Everything here blocks.

use std::collections::HashSet;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::fs::{FlockOperation, flock};
use uuid::Uuid;

use crate::error::{Attempt, BlobError, Result};
use crate::identity::{Identity, MARKER, parse_marker};
use crate::keys::staged_key;

const ORIGINALS: &str = "originals";
const TOP: [&str; 3] = ["staging", ORIGINALS, "artifacts"];
/// More than enough for the folders of originals; those of artifacts are created and deleted.
const REMEMBERED_FOLDERS: usize = 100_000;

#[derive(Debug)]
pub(crate) struct Disk {
    root: PathBuf,
    /// Folders that survive a crash, because this process has fsynced their parents.
    durable: Mutex<HashSet<PathBuf>>,
    made_ids: AtomicU64,
    identity: Arc<Identity>,
}

impl Disk {
    pub(super) fn open(root: &Path, must_exist: bool, identity: Arc<Identity>) -> Result<Self> {
        let at =
            |root| Self { root, durable: Mutex::default(), made_ids: AtomicU64::new(0), identity };
        if must_exist {
            // A missing folder shows when it is used: it may be mounted later.
            return Ok(at(root.to_owned()));
        }
        make_folder_and_parents(root).attempt("make the folder", root)?;
        let disk = at(root.canonicalize().attempt("find the folder", root)?);
        disk.make_top_folders()?;
        Ok(disk)
    }

    pub(super) fn make_top_folders(&self) -> Result<()> {
        for name in TOP {
            let path = self.root.join(name);
            self.make_durable(&path).attempt("make the folder", &path)?;
        }
        Ok(())
    }

    /// Checks that this is the folder that the database expects, with its originals.
    pub(super) fn verify(&self) -> Result<()> {
        if self.identity.expected().is_none() {
            return Ok(());
        }
        let path = self.root.join(MARKER);
        let found = match fs::read(&path) {
            Ok(bytes) => parse_marker(&bytes),
            Err(error) if is_missing(&error) => None,
            Err(error) => return Err(error).attempt("read", &path),
        };
        let at = self.root.display().to_string();
        self.identity.compare(&at, found)?;
        if self.root.join(ORIGINALS).is_dir() {
            return Ok(());
        }
        Err(BlobError::FolderLost { at, name: ORIGINALS })
    }

    /// Whether no process writes a staged file: the writer holds its lock. `false` where the file system has no locks.
    pub(super) fn is_unlocked(&self, key: &str) -> bool {
        let locked = File::open(self.path_of(key))
            .map(|file| flock(&file, FlockOperation::NonBlockingLockExclusive));
        matches!(locked, Ok(Ok(())))
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    pub(super) fn path_of(&self, key: &str) -> PathBuf {
        self.root.join(key)
    }

    /// An id for a file without an upload. Another process on the same folder may use the same id: then the file exists,
    /// and the next id is tried. The version (8) differs from that of an upload's id.
    fn new_id(&self) -> Uuid {
        let count = self.made_ids.fetch_add(1, Ordering::Relaxed);
        let mut bytes = [0; 16];
        bytes[..4].copy_from_slice(&std::process::id().to_be_bytes());
        bytes[8..].copy_from_slice(&count.to_be_bytes());
        Uuid::new_v8(bytes)
    }

    pub(super) fn try_to_write(&self) -> Result<()> {
        let path = self.root.join(format!("staging/check-{}", std::process::id()));
        let written = fs::write(&path, "can this folder be written?");
        let removed = fs::remove_file(&path);
        written.and(removed).attempt("write to", &self.root)
    }

    /// Writes an upload that is in memory.
    pub(super) fn publish_bytes(&self, staged_key: &str, bytes: &[u8], key: &str) -> Result<()> {
        let staged = self.path_of(staged_key);
        // A leftover of an earlier attempt of this publication.
        remove_or_warn(&staged);
        let file = create_private(&staged);
        self.write_whole(&staged, file, bytes, key)
    }

    pub(super) fn put(&self, bytes: &[u8], key: &str) -> Result<()> {
        loop {
            let staged = self.path_of(&staged_key(self.new_id()));
            match create_private(&staged) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                file => return self.write_whole(&staged, file, bytes, key),
            }
        }
    }

    fn write_whole(
        &self,
        staged: &Path,
        file: io::Result<File>,
        bytes: &[u8],
        key: &str,
    ) -> Result<()> {
        let written = file.and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync_data()?;
            // It stays open, and therefore locked, until it is renamed.
            Ok(file)
        });
        let placed = match written.attempt("write", &self.path_of(key)) {
            Ok(_locked) => self.place(staged, key, "write"),
            Err(error) => Err(error),
        };
        if placed.is_err() {
            remove_or_warn(staged);
        }
        placed
    }

    /// Renames a durable staged file to its key.
    pub(super) fn publish(&self, staged_key: &str, key: &str, size: u64) -> Result<()> {
        let staged = self.path_of(staged_key);
        if staged.exists() {
            return self.place(&staged, key, "publish");
        }
        // Succeeds only if an earlier call has renamed it.
        let target = self.path_of(key);
        match fs::metadata(&target) {
            Ok(there) if there.len() == size => {
                sync_folder_of(&target).attempt("publish", &target)?;
                self.verify()
            }
            _ => Err(BlobError::NotFound { key: staged_key.to_owned() }),
        }
    }

    /// Renames a durable staged file to its key. The marker is verified before, so that nothing is left in a wrong folder,
    /// and after, so that no caller relies on a file in such a folder.
    fn place(&self, staged: &Path, key: &str, attempt: &'static str) -> Result<()> {
        let target = self.path_of(key);
        let is_marker = key == MARKER;
        if !is_marker {
            self.verify()?;
        }
        self.rename(staged, &target).attempt(attempt, &target)?;
        if is_marker { Ok(()) } else { self.verify() }
    }

    fn rename(&self, staged: &Path, target: &Path) -> io::Result<()> {
        let folder = parent(target);
        self.make_durable(folder)?;
        match fs::rename(staged, target) {
            // Another process deleted a folder that this process remembers.
            Err(error) if error.kind() == io::ErrorKind::NotFound && staged.exists() => {
                self.durable().clear();
                self.make_durable(folder)?;
                fs::rename(staged, target)?;
            }
            renamed => renamed?,
        }
        sync_folder_of(target)
    }

    pub(super) fn delete(&self, key: &str) -> Result<()> {
        let path = self.path_of(key);
        let deleted = match fs::remove_file(&path) {
            // In a folder that is not mounted, every file seems to be deleted.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return self.verify(),
            removed => removed.and_then(|()| sync_folder_of(&path)),
        };
        deleted.attempt("delete", &path)
    }

    pub(super) fn delete_tree(&self, key: &str) -> Result<()> {
        let path = self.path_of(key);
        let deleted = match fs::remove_dir_all(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return self.verify(),
            removed => removed.and_then(|()| sync_folder_of(&path)),
        };
        self.durable().retain(|folder| !folder.starts_with(&path));
        deleted.attempt("delete", &path)
    }

    /// Creates a folder below the root if it is missing, and makes it durable.
    fn make_durable(&self, folder: &Path) -> io::Result<()> {
        if folder == self.root || self.durable().contains(folder) {
            return Ok(());
        }
        self.make_durable(parent(folder))?;
        make_folder(folder)?;
        sync_folder_of(folder)?;
        let mut durable = self.durable();
        if durable.len() >= REMEMBERED_FOLDERS {
            durable.clear();
        }
        durable.insert(folder.to_owned());
        Ok(())
    }

    fn durable(&self) -> std::sync::MutexGuard<'_, HashSet<PathBuf>> {
        self.durable.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn key_of(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).display().to_string()
    }
}

/// Only the user that runs Docket may read it. The file is locked while it is open.
pub(super) fn create_private(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    // Without locks, the cleanup task uses the age of the file.
    flock(&file, FlockOperation::NonBlockingLockExclusive).ok();
    Ok(file)
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

pub(super) fn remove_or_warn(path: &Path) {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            tracing::warn!(path = %path.display(), %error, "a staged file is left to the cleanup task");
        }
        _ => {}
    }
}

fn make_folder(path: &Path) -> io::Result<()> {
    match DirBuilder::new().mode(0o700).create(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made,
    }
}

/// Makes every created folder, and its entry in its parent, durable.
fn make_folder_and_parents(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    make_folder_and_parents(parent(path))?;
    make_folder(path)?;
    sync_folder_of(path)
}

fn sync_folder_of(path: &Path) -> io::Result<()> {
    File::open(parent(path))?.sync_all()
}

fn parent(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("/"))
}
