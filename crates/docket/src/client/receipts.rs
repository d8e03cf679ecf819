//! A list of the files that were uploaded from this machine, so that unchanged files are not uploaded again.
//!
//! There is one list for each server and tenant, in the client's folder, which only its owner can read. It has a line for
//! each accepted file. Lines are only appended; of two lines for one path the later is valid, and an invalid line is
//! skipped. Without the list, files are uploaded again, and the server recognises their content.

use std::collections::HashMap;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use url::Url;
use uuid::Uuid;

use super::ClientError;
use super::credentials::config_folder;

/// Path, size and modification time of a file. While they are the same, its content is assumed to be the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Fingerprint {
    /// Absolute, with links resolved.
    pub(crate) path: String,
    pub(crate) size: u64,
    modified: (i64, i64),
}

impl Fingerprint {
    /// `None` for a path that is not text.
    pub(crate) fn of(absolute: &Path, found: &fs::Metadata) -> Option<Self> {
        let path = absolute.to_str()?.to_owned();
        Some(Self { path, size: found.len(), modified: (found.mtime(), found.mtime_nsec()) })
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Receipt {
    #[serde(flatten)]
    pub(crate) file: Fingerprint,
    pub(crate) sha256: String,
    pub(crate) doc_id: Uuid,
}

#[derive(Debug)]
pub(crate) struct Receipts {
    path: PathBuf,
    file: File,
    by_path: HashMap<String, Receipt>,
}

impl Receipts {
    pub(crate) fn open(server: &Url, tenant_id: Uuid) -> Result<Self, ClientError> {
        let name = Sha256::digest(format!("{server} {tenant_id}"));
        let name = name.iter().take(8).fold(0, |name: u64, byte| name << 8 | u64::from(*byte));
        Self::open_at(config_folder()?.join(format!("accepted-{name:016x}.ndjson")))
    }

    fn open_at(path: PathBuf) -> Result<Self, ClientError> {
        let open = || -> io::Result<(File, HashMap<String, Receipt>)> {
            if let Some(folder) = path.parent() {
                DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
            }
            let file =
                OpenOptions::new().append(true).create(true).read(true).mode(0o600).open(&path)?;
            let lines = fs::read(&path)?;
            let known = lines.split(|byte| *byte == b'\n').filter_map(|line| {
                let receipt: Receipt = serde_json::from_slice(line).ok()?;
                Some((receipt.file.path.clone(), receipt))
            });
            let known = known.collect();
            // End an incomplete line of a process that was interrupted.
            if lines.last().is_some_and(|byte| *byte != b'\n') {
                (&file).write_all(b"\n")?;
            }
            Ok((file, known))
        };
        match open() {
            Ok((file, by_path)) => Ok(Self { path, file, by_path }),
            Err(source) => Err(ClientError::Receipts { file: path, source }),
        }
    }

    /// The receipt for exactly this file.
    pub(crate) fn find(&self, file: &Fingerprint) -> Option<&Receipt> {
        self.by_path.get(&file.path).filter(|receipt| receipt.file == *file)
    }

    pub(crate) fn add(&mut self, receipt: Receipt) -> Result<(), ClientError> {
        if self.by_path.get(&receipt.file.path) == Some(&receipt) {
            return Ok(());
        }
        let written = serde_json::to_vec(&receipt).map_err(io::Error::from).and_then(|mut line| {
            line.push(b'\n');
            // In one write: another process may append at the same time.
            self.file.write_all(&line)
        });
        written.map_err(|source| ClientError::Receipts { file: self.path.clone(), source })?;
        self.by_path.insert(receipt.file.path.clone(), receipt);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn receipt(path: &str, size: u64) -> Receipt {
        let file = Fingerprint { path: path.to_owned(), size, modified: (1, 2) };
        Receipt { file, sha256: "ab".to_owned(), doc_id: Uuid::nil() }
    }

    #[test]
    fn a_file_is_known_for_as_long_as_it_looks_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("home/accepted.ndjson");
        let mut receipts = Receipts::open_at(path.clone()).unwrap();
        receipts.add(receipt("/a", 1)).unwrap();
        receipts.add(receipt("/b", 1)).unwrap();
        receipts.add(receipt("/b", 2)).unwrap();
        let again = Receipts::open_at(path.clone()).unwrap();
        assert_eq!(again.find(&receipt("/a", 1).file), Some(&receipt("/a", 1)));
        assert_eq!(again.find(&receipt("/b", 1).file), None, "it has changed since");
        assert_eq!(again.find(&receipt("/b", 2).file), Some(&receipt("/b", 2)));
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o600);
    }

    #[test]
    fn an_incomplete_line_is_skipped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("accepted.ndjson");
        Receipts::open_at(path.clone()).unwrap().add(receipt("/a", 1)).unwrap();
        OpenOptions::new().append(true).open(&path).unwrap().write_all(b"{\"path\":\"/b").unwrap();
        Receipts::open_at(path.clone()).unwrap().add(receipt("/c", 1)).unwrap();
        let again = Receipts::open_at(path).unwrap();
        assert!(again.find(&receipt("/a", 1).file).is_some());
        assert!(again.find(&receipt("/c", 1).file).is_some());
    }
}
