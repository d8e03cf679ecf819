//! What the corpus says of its hostile files.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use testkit::mutate::Mutator;

use super::Ended;
use crate::client::File;

/// One file to be read.
pub(super) struct Case {
    pub(super) name: String,
    pub(super) content: Content,
    pub(super) password: Option<String>,
    pub(super) expected: Expected,
}

/// A path is not opened before its turn, a mutant not made before it.
pub(super) enum Content {
    File(PathBuf),
    Mutant(u64),
}

/// How a file may end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expected {
    /// It can be read.
    Pages,
    /// It cannot.
    Error,
    /// Any end that is clean.
    Either,
}

impl Expected {
    fn from_column(text: &str) -> Self {
        if text.starts_with("clean typed error") {
            Self::Error
        } else if ["reject", "either", " or "].iter().any(|word| text.contains(word)) {
            Self::Either
        } else {
            Self::Pages
        }
    }

    pub(super) fn fits(self, ended: Ended) -> bool {
        match self {
            Self::Pages => ended == Ended::Pages,
            Self::Error => ended == Ended::Error,
            Self::Either => ended != Ended::Unclean,
        }
    }
}

impl Case {
    pub(super) fn of_seed(seed: u64) -> Self {
        let name = "mutant".to_owned();
        Self { name, content: Content::Mutant(seed), password: None, expected: Expected::Either }
    }

    /// A mutant is known by its file, whose name has its seed and what it was once.
    pub(super) fn name_with(&self, file: &File) -> String {
        match self.content {
            Content::Mutant(_) => format!("{} {}", self.name, file.name),
            Content::File(_) => self.name.clone(),
        }
    }

    pub(super) fn file(&self, mutator: &Mutator) -> anyhow::Result<File> {
        let password = self.password.clone();
        match &self.content {
            Content::Mutant(seed) => {
                let mutant = mutator.mutant(*seed);
                Ok(File { name: mutant.file_name, bytes: mutant.bytes, password })
            }
            Content::File(path) => {
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let bytes = fs::read(path).with_context(|| path.display().to_string())?;
                Ok(File { name, bytes, password })
            }
        }
    }
}

/// The files that `expected.csv` lists; those with a password also with it, and then they have pages.
pub(super) fn corpus_cases(corpus: &Path) -> anyhow::Result<Vec<Case>> {
    let folder = corpus.join("hostile");
    let Ok(table) = fs::read_to_string(folder.join("expected.csv")) else { return Ok(Vec::new()) };
    let mut lines = table.lines().map(fields);
    let header = lines.next().context("expected.csv is empty")?;
    let column = |name: &str| {
        header.iter().position(|column| column == name).with_context(|| format!("no column {name}"))
    };
    let (file, password, expect) = (column("file")?, column("password")?, column("expect")?);
    let mut cases = Vec::new();
    for line in lines {
        let field = |at: usize| line.get(at).cloned().unwrap_or_default();
        let content = || Content::File(folder.join(field(file)));
        let expected = Expected::from_column(&field(expect));
        cases.push(Case { name: field(file), content: content(), password: None, expected });
        if !field(password).is_empty() {
            cases.push(Case {
                name: format!("{} with its password", field(file)),
                content: content(),
                password: Some(field(password)),
                expected: Expected::Pages,
            });
        }
    }
    Ok(cases)
}

/// The fields of a line of CSV; a quoted one may hold commas and doubled quotes.
fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut field, mut quoted) = (Vec::new(), String::new(), false);
    let mut signs = line.chars().peekable();
    while let Some(sign) = signs.next() {
        match sign {
            '"' if quoted && signs.peek() == Some(&'"') => {
                field.push('"');
                signs.next();
            }
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(std::mem::take(&mut field)),
            other => field.push(other),
        }
    }
    fields.push(field);
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_fields_hold_commas_and_quotes() {
        assert_eq!(fields(r#"a,"b, ""c""",,d"#), ["a", r#"b, "c""#, "", "d"]);
    }

    #[test]
    fn the_words_of_the_corpus_are_understood() {
        for (text, expected) in [
            ("clean typed error, no crash", Expected::Error),
            ("clean typed error", Expected::Error),
            ("clean error or salvaged text", Expected::Either),
            ("detect PNG or clean error", Expected::Either),
            ("either, but terminate <30 s", Expected::Either),
            ("reject, or parse within 30 s and 512 MB; worker survives", Expected::Either),
            ("parse, text length comparable", Expected::Pages),
            ("2 cells, bounded memory", Expected::Pages),
        ] {
            assert_eq!(Expected::from_column(text), expected, "{text}");
        }
    }
}
