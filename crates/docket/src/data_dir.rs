//! The data folder: made on the first start, readable by its owner only.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use domain::Random;
use thiserror::Error;

#[derive(Debug, Error)]
pub(crate) enum DataDirError {
    #[error(
        "cannot write to the data folder {}: {source}. Make it writable for this user, or name \
         another one with --data-dir", .folder.display()
    )]
    NotWritable { folder: PathBuf, source: io::Error },
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
}

#[derive(Debug)]
pub(crate) struct DataDir {
    folder: PathBuf,
}

impl DataDir {
    pub(crate) fn open(folder: &Path) -> Result<Self, DataDirError> {
        let data_dir = Self { folder: folder.to_owned() };
        make_private_folder(folder).map_err(|error| data_dir.not_writable(error))?;
        Ok(data_dir)
    }

    pub(crate) fn postgres_folder(&self) -> PathBuf {
        self.folder.join("postgres")
    }

    /// The secret by this name, made if it is missing. Several processes may ask at once: all get
    /// the same one.
    pub(crate) fn secret(&self, name: &str, random: &dyn Random) -> Result<String, DataDirError> {
        let folder = self.folder.join("secrets");
        let file = folder.join(name);
        match fs::read_to_string(&file) {
            Ok(secret) if !secret.trim().is_empty() => return Ok(secret.trim().to_owned()),
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(DataDirError::SecretUnreadable { file, source: error });
            }
            _ => {}
        }
        make_private_folder(&folder).map_err(|error| self.not_writable(error))?;
        write_secret(&file, &new_secret(random)).map_err(|error| self.not_writable(error))?;
        // Another process may have been quicker; what is there now is the one.
        let secret = fs::read_to_string(&file);
        let secret = secret.map_err(|source| DataDirError::SecretUnreadable { file, source })?;
        Ok(secret.trim().to_owned())
    }

    fn not_writable(&self, source: io::Error) -> DataDirError {
        let folder = self.folder.clone();
        if source.kind() == io::ErrorKind::StorageFull {
            DataDirError::Full { folder }
        } else {
            DataDirError::NotWritable { folder, source }
        }
    }
}

fn make_private_folder(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

fn new_secret(random: &dyn Random) -> String {
    let [mut one, mut other] = [[0; 16]; 2];
    random.fill(&mut one);
    random.fill(&mut other);
    format!("{:032x}{:032x}", u128::from_be_bytes(one), u128::from_be_bytes(other))
}

/// Written beside its place and linked into it: a secret is there whole or not at all, and the first
/// one stays.
fn write_secret(file: &Path, secret: &str) -> io::Result<()> {
    let draft = file.with_extension(format!("draft-{}", std::process::id()));
    let mut open =
        OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&draft)?;
    writeln!(open, "{secret}")?;
    open.sync_all()?;
    let linked = fs::hard_link(&draft, file);
    fs::remove_file(&draft)?;
    match linked {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}
