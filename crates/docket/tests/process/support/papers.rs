//! Files to upload.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

/// A folder with files of the test.
#[derive(Debug)]
pub(crate) struct Papers {
    folder: TempDir,
}

impl Papers {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// So many text files with different content: `1.txt`, `2.txt`, …
    pub(crate) fn texts(count: usize) -> Self {
        let papers = Self::new();
        for number in 1..=count {
            papers.with(&format!("{number}.txt"), format!("This is letter {number}.\n"));
        }
        papers
    }

    pub(crate) fn with(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn folder(&self) -> &str {
        self.path().to_str().unwrap()
    }

    pub(crate) fn file(&self, name: &str) -> String {
        self.path().join(name).to_str().unwrap().to_owned()
    }
}
