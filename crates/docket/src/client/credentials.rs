//! What a sign-in leaves on the disk: the server and the token, for nobody else to read.

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
    /// Whose sign-in it is, for people.
    pub(crate) email: String,
}

/// Where the client keeps things: `$DOCKET_CONFIG_HOME`, else `$XDG_CONFIG_HOME/docket`, else
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

    /// `None` when nobody has signed in.
    pub(crate) fn read(&self) -> Result<Option<Credentials>, ClientError> {
        let text = match fs::read(&self.file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            read => read.map_err(|source| self.unusable(source))?,
        };
        let kept = serde_json::from_slice(&text).map_err(|error| self.unusable(error.into()))?;
        Ok(Some(kept))
    }

    /// Written beside its place and renamed into it: there whole, or as it was.
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
