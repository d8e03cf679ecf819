//! The files of the repository.

use std::fs;
use std::path::{Path, PathBuf};

/// What is built, installed or not ours.
const NOT_OURS: [&str; 8] =
    ["target", "node_modules", "dist", ".git", ".bundle", "data", "corpus", "docket-data"];

pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The text files with one of these extensions, by their path in the repository.
pub(crate) fn files(extensions: &[&str]) -> Vec<(String, String)> {
    let root = repository();
    let mut paths = Vec::new();
    list(&root, &mut paths);
    paths.sort();
    let has_extension = |path: &PathBuf| {
        path.extension().is_some_and(|found| extensions.iter().any(|wanted| found == *wanted))
    };
    let named = paths.into_iter().filter(has_extension).map(|path| {
        let name = path.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
        (name, fs::read_to_string(&path).unwrap())
    });
    named.collect()
}

fn list(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name();
        if entry.file_type().unwrap().is_dir() {
            if !NOT_OURS.iter().any(|other| name == *other) {
                list(&entry.path(), paths);
            }
        } else {
            paths.push(entry.path());
        }
    }
}

pub(crate) fn read(name: &str) -> String {
    fs::read_to_string(repository().join(name)).unwrap()
}
