//! The file with the server and the token of a sign-in, which only its owner can read.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::ClientError;

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Credentials {
    /// As `Url` writes it.
    pub(crate) server: String,
    pub(crate) token: String,
    /// The email address of the user.
    pub(crate) email: String,
}

/// The folder for the files of the client: `$DOCKET_CONFIG_HOME`, else `$XDG_CONFIG_HOME/docket`, else
/// `~/.config/docket`.
pub(super) fn config_folder() -> Result<PathBuf, ClientError> {
    let folder = |name| std::env::var_os(name).filter(|it| !it.is_empty()).map(PathBuf::from);
    let folder = folder("DOCKET_CONFIG_HOME")
        .or_else(|| folder("XDG_CONFIG_HOME").map(|it| it.join("docket")))
        .or_else(|| folder("HOME").map(|it| it.join(".config/docket")));
    folder.ok_or(ClientError::NoHome)
}

/// `credentials.json` in that folder.
#[derive(Debug)]
pub(crate) struct CredentialsFile {
    file: PathBuf,
}

impl CredentialsFile {
    pub(crate) fn find() -> Result<Self, ClientError> {
        Ok(Self { file: config_folder()?.join("credentials.json") })
    }

    /// `None` when there is no sign-in.
    pub(crate) fn read(&self) -> Result<Option<Credentials>, ClientError> {
        let text = match fs::read(&self.file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            read => read.map_err(|source| self.unusable(source))?,
        };
        let stored = serde_json::from_slice(&text).map_err(|error| self.unusable(error.into()))?;
        Ok(Some(stored))
    }

    /// Written to a temporary file and renamed, so that the file is complete or unchanged.
    pub(crate) fn write(&self, credentials: &Credentials) -> Result<(), ClientError> {
        let draft = self.file.with_extension(format!("draft-{}", std::process::id()));
        let written = || -> io::Result<()> {
            if let Some(folder) = self.file.parent() {
                DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
            }
            let mut file = OpenOptions::new()
                .write(true)
                .create(true)
                .truncate(true)
                .mode(0o600)
                .open(&draft)?;
            file.write_all(&serde_json::to_vec(credentials)?)?;
            file.sync_all()?;
            fs::rename(&draft, &self.file)
        };
        written().map_err(|source| self.unusable(source))
    }

    pub(crate) fn remove(&self) -> Result<(), ClientError> {
        match fs::remove_file(&self.file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(self.unusable(error)),
            _ => Ok(()),
        }
    }

    fn unusable(&self, source: io::Error) -> ClientError {
        ClientError::Credentials { file: self.file.clone(), source }
    }
}
