//! The files to upload: files, folders with their content, patterns, standard input.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::client::Fingerprint;

/// A file to upload.
#[derive(Clone, Debug)]
pub(super) struct Input {
    /// How it is shown in the report.
    pub(super) shown: String,
    pub(super) source: Source,
}

#[derive(Clone, Debug)]
pub(super) enum Source {
    StandardInput,
    /// `fingerprint` is `None` for what is not a regular file, and for a path that is not UTF-8.
    File {
        path: PathBuf,
        size: u64,
        fingerprint: Option<Fingerprint>,
    },
    /// It does not exist or cannot be read.
    Unreadable {
        why: String,
    },
}

impl Input {
    pub(super) fn size(&self) -> u64 {
        match &self.source {
            Source::File { size, .. } => *size,
            Source::StandardInput | Source::Unreadable { .. } => 0,
        }
    }

    fn unreadable(shown: String, why: impl ToString) -> Self {
        Self { shown, source: Source::Unreadable { why: why.to_string() } }
    }
}

/// All files, each once, in the order of the command line and within folders by name.
/// Standard input is shown by the name that it was given, if any.
pub(super) fn collect(named: &[PathBuf], input_name: Option<&str>) -> Vec<Input> {
    let input_name = input_name.unwrap_or("standard input").to_owned();
    let mut collector = Collector { input_name, ..Collector::default() };
    for path in named {
        collector.named(path);
    }
    collector.found
}

#[derive(Default)]
struct Collector {
    found: Vec<Input>,
    /// With links resolved.
    seen: HashSet<PathBuf>,
    standard_input: bool,
    input_name: String,
}

impl Collector {
    fn named(&mut self, path: &Path) {
        if path.as_os_str() == "-" {
            if !std::mem::replace(&mut self.standard_input, true) {
                let shown = self.input_name.clone();
                self.found.push(Input { shown, source: Source::StandardInput });
            }
            return;
        }
        match fs::metadata(path) {
            Ok(found) if found.is_dir() => self.folder(path),
            Ok(found) => self.file(path, &found),
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.pattern(path),
            Err(error) => self.found.push(Input::unreadable(shown(path), reason(&error))),
        }
    }

    fn pattern(&mut self, path: &Path) {
        let text = path.to_str().filter(|text| text.contains(['*', '?', '[']));
        let Some(text) = text else {
            self.found.push(Input::unreadable(shown(path), "there is no such file"));
            return;
        };
        // As in shells: a name that begins with a dot must be named.
        let options =
            glob::MatchOptions { require_literal_leading_dot: true, ..glob::MatchOptions::new() };
        let matches = match glob::glob_with(text, options) {
            Ok(matches) => matches,
            Err(error) => {
                self.found.push(Input::unreadable(
                    text.to_owned(),
                    format_args!("this is not a valid pattern: {}", error.msg),
                ));
                return;
            }
        };
        let before = (self.found.len(), self.seen.len());
        let mut any = false;
        for path in matches.flatten() {
            any = true;
            self.named(&path);
        }
        if !any && before == (self.found.len(), self.seen.len()) {
            self.found.push(Input::unreadable(text.to_owned(), "no file matches this pattern"));
        }
    }

    /// All files in it that are not hidden. Links to folders are not followed, because they can form a cycle.
    fn folder(&mut self, folder: &Path) {
        let entries = fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let mut entries = match entries {
            Ok(entries) => entries,
            Err(error) => {
                self.found.push(Input::unreadable(shown(folder), reason(&error)));
                return;
            }
        };
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let path = entry.path();
            match fs::metadata(&path) {
                _ if is_hidden => {}
                _ if is_folder => self.folder(&path),
                Ok(found) if found.is_file() => self.file(&path, &found),
                // A link to a folder, a socket or a device, which was not named.
                Ok(_) => {}
                Err(error) => self.found.push(Input::unreadable(shown(&path), reason(&error))),
            }
        }
    }

    fn file(&mut self, path: &Path, found: &fs::Metadata) {
        let absolute = match fs::canonicalize(path) {
            Ok(absolute) => absolute,
            // A pipe of the shell has no path.
            Err(_) => path.to_owned(),
        };
        if !self.seen.insert(absolute.clone()) {
            return;
        }
        let fingerprint = if found.is_file() { Fingerprint::of(&absolute, found) } else { None };
        let source = Source::File { path: path.to_owned(), size: found.len(), fingerprint };
        self.found.push(Input { shown: shown(path), source });
    }
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// The reason in words, without the error number.
pub(super) fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "you do not have permission to read it".to_owned(),
        _ => format!("it cannot be read: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path, named: &[&str]) -> Vec<String> {
        let named: Vec<PathBuf> = named.iter().map(|name| folder.join(name)).collect();
        let inside = |found: Input| {
            let short = found.shown.replace(&format!("{}/", folder.display()), "");
            match found.source {
                Source::Unreadable { why } => format!("{short}: {why}"),
                _ => short,
            }
        };
        collect(&named, None).into_iter().map(inside).collect()
    }

    #[test]
    fn folders_and_patterns_become_files_each_once_and_nothing_hidden() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for name in ["b.txt", "a.txt", ".hidden", "in/c.txt", "in/.git/d.txt", "in/deep/e.md"] {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        std::os::unix::fs::symlink(root, root.join("in/round")).unwrap();
        std::os::unix::fs::symlink(root.join("a.txt"), root.join("in/link.txt")).unwrap();
        assert_eq!(names(root, &[""]), ["a.txt", "b.txt", "in/c.txt", "in/deep/e.md"]);
        assert_eq!(names(root, &["in", "in/c.txt"]), ["in/c.txt", "in/deep/e.md", "in/link.txt"]);
        assert_eq!(names(root, &["*.txt", "a.txt"]), ["a.txt", "b.txt"]);
        assert_eq!(names(root, &["**/*.md"]), ["in/deep/e.md"]);
        assert_eq!(names(root, &[".hidden"]), [".hidden"], "it was named");
        assert_eq!(names(root, &["*.pdf"]), ["*.pdf: no file matches this pattern"]);
        assert_eq!(names(root, &["none.pdf"]), ["none.pdf: there is no such file"]);
        let odd = root.join("[1].txt");
        fs::write(&odd, "x").unwrap();
        assert_eq!(names(root, &["[1].txt"]), ["[1].txt"], "a file before a pattern");
    }
}
