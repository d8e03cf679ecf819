//! The data folder: created on the first start, readable by its owner only.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use domain::{Random, Secret};
use store::private::{ForeignOwner, foreign_owner};
use thiserror::Error;

use crate::config::MIN_SECRET_BYTES;

#[derive(Debug, Error)]
pub(crate) enum DataDirError {
    #[error(
        "cannot write to the data folder {}: {source}. Make it writable for this user, or choose \
         another one with --data-dir", .folder.display()
    )]
    NotWritable { folder: PathBuf, source: io::Error },
    #[error(
        "{} belongs to {owner}, and Docket runs as {user}. Give the data folder to that user: \
         chown -R {user} {} (cp -a copies a data folder with its owners)",
        .path.display(), .folder.display()
    )]
    OwnedByAnother { path: PathBuf, folder: PathBuf, owner: String, user: String },
    #[error(
        "the disk with the data folder {} is full. Free some space there and start again; nothing \
         was lost", .folder.display()
    )]
    Full { folder: PathBuf },
    #[error(
        "the secret {} cannot be read: {source}. Restore it from a backup, or remove it to get a \
         new one: everybody then has to sign in again", .file.display()
    )]
    SecretUnreadable { file: PathBuf, source: io::Error },
    #[error(
        "the secret {} is damaged: it is shorter than {MIN_SECRET_BYTES} bytes. Restore it from a \
         backup, or remove it to get a new one: everybody then has to sign in again", .file.display()
    )]
    SecretTooShort { file: PathBuf },
    #[error(
        "there is no Docket database in {}. Name the data folder with --data-dir, or the database \
         with --database-url", .folder.display()
    )]
    NothingThere { folder: PathBuf },
    #[error(
        "another `docket secrets rotate` is running on the data folder {}. Wait until it has ended, and run this again",
        .folder.display()
    )]
    SecretsLocked { folder: PathBuf },
}

#[derive(Clone, Debug)]
pub(crate) struct DataDir {
    folder: PathBuf,
}

impl DataDir {
    pub(crate) fn open(folder: &Path, make: bool) -> Result<Self, DataDirError> {
        let data_dir = Self { folder: folder.to_owned() };
        if make {
            make_private_folder(folder).map_err(|error| data_dir.not_writable(error))?;
        }
        // These work only for their owner. Other folders may belong to any user, as long as Docket can write there.
        for private in ["postgres", "postgres/data", "secrets"] {
            data_dir.require_own(&folder.join(private))?;
        }
        Ok(data_dir)
    }

    fn require_own(&self, path: &Path) -> Result<(), DataDirError> {
        match foreign_owner(path) {
            None => Ok(()),
            Some(ForeignOwner { owner, user }) => {
                let (path, folder) = (path.to_owned(), self.folder.clone());
                Err(DataDirError::OwnedByAnother { path, folder, owner, user })
            }
        }
    }

    pub(crate) fn postgres_folder(&self) -> PathBuf {
        self.folder.join("postgres")
    }

    /// Where documents are stored by default.
    pub(crate) fn blobs_folder(&self) -> PathBuf {
        self.folder.join("blobs")
    }

    /// Whether the folder contains the database of a private server.
    pub(crate) fn holds_a_database(&self) -> bool {
        self.postgres_folder().join("data").is_dir()
    }

    /// The secret with this name, generated if it is missing. Several processes may call this at the same time: all get
    /// the same secret.
    pub(crate) fn secret(&self, name: &str, random: &dyn Random) -> Result<Secret, DataDirError> {
        let folder = self.folder.join("secrets");
        let file = folder.join(name);
        if !file.exists() {
            make_private_folder(&folder).map_err(|error| self.not_writable(error))?;
            write_secret(&file, random).map_err(|error| self.not_writable(error))?;
        }
        // Another process may have written one first: the file decides.
        read_secret(&file)
    }

    /// The secret with this name, and the previous one as long as it is stored.
    pub(crate) fn secret_and_previous(&self, name: &str) -> Result<Vec<Secret>, DataDirError> {
        let file = self.folder.join("secrets").join(name);
        let mut secrets = vec![read_secret(&file)?];
        match read_secret(&previous(&file)) {
            Ok(previous) => secrets.push(previous),
            Err(DataDirError::SecretUnreadable { source, .. })
                if source.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        Ok(secrets)
    }

    /// Makes this process the only one that replaces secrets of the folder, for as long as the file is open.
    pub(crate) fn lock_secrets(&self) -> Result<File, DataDirError> {
        let folder = self.folder.join("secrets");
        let open = || {
            make_private_folder(&folder)?;
            let file = folder.join("rotate.lock");
            OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(file)
        };
        let file = open().map_err(|error| self.not_writable(error))?;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(TryLockError::WouldBlock) => {
                Err(DataDirError::SecretsLocked { folder: self.folder.clone() })
            }
            Err(TryLockError::Error(error)) => Err(self.not_writable(error)),
        }
    }

    /// Replaces the secret with this name by a new one, and stores the old one until
    /// [`forget_previous`](Self::forget_previous). Does nothing after a replacement that was interrupted: its new secret
    /// is used.
    pub(crate) fn replace_secret(
        &self,
        name: &str,
        random: &dyn Random,
    ) -> Result<(), DataDirError> {
        let replace = || {
            let file = self.folder.join("secrets").join(name);
            let (kept, next) = (previous(&file), file.with_extension("next"));
            if kept.exists() {
                if fs::read(&kept)? != fs::read(&file)? {
                    return Ok(());
                }
            } else {
                fs::hard_link(&file, &kept)?;
            }
            write_secret(&next, random)?;
            fs::rename(&next, &file)?;
            // The database uses the new key next: the file must survive a power cut before that.
            File::open(self.folder.join("secrets"))?.sync_all()
        };
        replace().map_err(|error| self.not_writable(error))
    }

    pub(crate) fn forget_previous(&self, name: &str) -> Result<(), DataDirError> {
        let kept = previous(&self.folder.join("secrets").join(name));
        match fs::remove_file(kept) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(self.not_writable(error)),
            _ => Ok(()),
        }
    }

    /// Whether a secret with this name exists.
    pub(crate) fn has_secret(&self, name: &str) -> bool {
        self.folder.join("secrets").join(name).exists()
    }

    fn not_writable(&self, source: io::Error) -> DataDirError {
        let folder = self.folder.clone();
        match source.kind() {
            io::ErrorKind::StorageFull => DataDirError::Full { folder },
            io::ErrorKind::PermissionDenied => match self.require_own(&self.folder) {
                Err(owned_by_another) => owned_by_another,
                Ok(()) => DataDirError::NotWritable { folder, source },
            },
            _ => DataDirError::NotWritable { folder, source },
        }
    }
}

fn read_secret(file: &Path) -> Result<Secret, DataDirError> {
    let file = file.to_owned();
    match fs::read_to_string(&file) {
        Err(source) => Err(DataDirError::SecretUnreadable { file, source }),
        Ok(secret) if secret.trim().len() < MIN_SECRET_BYTES => {
            Err(DataDirError::SecretTooShort { file })
        }
        Ok(secret) => Ok(Secret::new(secret.trim())),
    }
}

fn previous(file: &Path) -> PathBuf {
    file.with_extension("previous")
}

fn make_private_folder(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// 32 random bytes in hexadecimal, written to a temporary file and linked to its place: the file is complete, and the
/// first writer wins.
fn write_secret(file: &Path, random: &dyn Random) -> io::Result<()> {
    let [mut one, mut other, mut suffix] = [[0; 16]; 3];
    for bytes in [&mut one, &mut other, &mut suffix] {
        random.fill(bytes);
    }
    let draft = file.with_extension(format!("draft-{:032x}", u128::from_be_bytes(suffix)));
    let mut open = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
    writeln!(open, "{:032x}{:032x}", u128::from_be_bytes(one), u128::from_be_bytes(other))?;
    open.sync_all()?;
    let linked = fs::hard_link(&draft, file);
    fs::remove_file(&draft)?;
    match linked {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use testkit::SeededRandom;

    use super::*;

    #[test]
    fn a_secret_is_replaced_and_the_previous_one_stored_until_it_is_deleted() {
        let folder = tempfile::tempdir().unwrap();
        let random = SeededRandom::new(1);
        let data_dir = DataDir::open(&folder.path().join("data"), true).unwrap();
        let old = data_dir.secret("key", &random).unwrap();
        data_dir.replace_secret("key", &random).unwrap();
        let new = data_dir.secret("key", &random).unwrap();
        assert_ne!(new, old);
        assert_eq!(data_dir.secret_and_previous("key").unwrap(), [new.clone(), old.clone()]);
        let mode =
            fs::metadata(folder.path().join("data/secrets/key")).unwrap().permissions().mode();
        assert_eq!(mode & 0o7777, 0o600);
        data_dir.replace_secret("key", &random).unwrap();
        assert_eq!(
            data_dir.secret_and_previous("key").unwrap(),
            [new.clone(), old],
            "it goes on with the first"
        );
        data_dir.forget_previous("key").unwrap();
        data_dir.forget_previous("key").unwrap();
        assert_eq!(data_dir.secret_and_previous("key").unwrap(), [new]);
    }

    #[test]
    fn a_secret_is_generated_once_and_only_its_owner_can_read_it() {
        let folder = tempfile::tempdir().unwrap();
        let data_dir = DataDir::open(&folder.path().join("data"), true).unwrap();
        let first = data_dir.secret("key", &SeededRandom::new(1)).unwrap();
        let second = data_dir.secret("key", &SeededRandom::new(2)).unwrap();
        assert_eq!(first, second);
        assert_eq!(first.reveal().len(), 64);
        let files: Vec<_> = fs::read_dir(folder.path().join("data/secrets")).unwrap().collect();
        assert_eq!(files.len(), 1, "no temporary file is left");
        let mode = files[0].as_ref().unwrap().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn a_previous_secret_that_cannot_be_read_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let data_dir = DataDir::open(folder.path(), true).unwrap();
        data_dir.secret("key", &SeededRandom::new(1)).unwrap();
        assert_eq!(data_dir.secret_and_previous("key").unwrap().len(), 1);
        let previous = folder.path().join("secrets/key.previous");
        fs::create_dir(&previous).unwrap();
        let refused = data_dir.secret_and_previous("key").unwrap_err();
        assert!(matches!(refused, DataDirError::SecretUnreadable { .. }), "{refused}");
        fs::remove_dir(&previous).unwrap();
        fs::write(&previous, "short").unwrap();
        let refused = data_dir.secret_and_previous("key").unwrap_err();
        assert!(matches!(refused, DataDirError::SecretTooShort { .. }), "{refused}");
    }

    #[test]
    fn secrets_are_replaced_by_one_process_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let data_dir = DataDir::open(folder.path(), true).unwrap();
        let held = data_dir.lock_secrets().unwrap();
        let refused = data_dir.lock_secrets().unwrap_err();
        assert!(matches!(refused, DataDirError::SecretsLocked { .. }), "{refused}");
        drop(held);
        data_dir.lock_secrets().unwrap();
    }

    #[test]
    fn a_secret_that_lost_its_content_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let data_dir = DataDir::open(folder.path(), true).unwrap();
        data_dir.secret("key", &SeededRandom::new(1)).unwrap();
        for content in ["", "\n", "short"] {
            fs::write(folder.path().join("secrets/key"), content).unwrap();
            let refused = data_dir.secret("key", &SeededRandom::new(1)).unwrap_err();
            assert!(matches!(refused, DataDirError::SecretTooShort { .. }), "{refused}");
        }
    }
}
