//! Reads the corpus. What is missing is said loudly, and measured as missing rather than as zero.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Context;
use domain::{FieldRole, RecordFields, RecordTypeDefinition};

/// The folder `matching` of the corpus, if there is one.
#[derive(Debug)]
pub(crate) struct Corpus {
    folder: Option<PathBuf>,
}

impl Corpus {
    pub(crate) fn open(corpus: Option<PathBuf>) -> Self {
        Self { folder: corpus.map(|corpus| corpus.join("matching")) }
    }

    /// A file of the corpus, or `None` after saying that a measurement is skipped.
    pub(crate) fn read(&self, file: &str) -> anyhow::Result<Option<String>> {
        let path = self.folder.as_ref().map(|folder| folder.join(file));
        match path {
            Some(path) if path.exists() => {
                let text = std::fs::read_to_string(&path);
                Ok(Some(text.with_context(|| format!("{} cannot be read", path.display()))?))
            }
            _ => {
                let mut out = std::io::stderr().lock();
                writeln!(
                    out,
                    "SKIPPED: {file} IS MISSING. Set DOCKET_CORPUS to the folder that has matching/{file}."
                )?;
                Ok(None)
            }
        }
    }

    /// The rows of a CSV file by column, without the spaces around names and values.
    pub(crate) fn csv(&self, file: &str) -> anyhow::Result<Option<Vec<RecordFields>>> {
        let Some(text) = self.read(file)? else { return Ok(None) };
        let mut reader =
            csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
        let rows = reader.deserialize().collect::<Result<Vec<RecordFields>, _>>();
        Ok(Some(rows.with_context(|| format!("{file} is not valid"))?))
    }
}

/// A type of records with these fields.
pub(crate) fn definition(name: &str, roles: &[(&str, FieldRole)]) -> RecordTypeDefinition {
    let roles = roles.iter().map(|(field, role)| ((*field).to_owned(), *role)).collect();
    RecordTypeDefinition { name: name.to_owned(), roles }
}

/// The value of a column, which must exist.
pub(crate) fn column<'a>(row: &'a RecordFields, name: &str) -> anyhow::Result<&'a str> {
    row.get(name).map(String::as_str).with_context(|| format!("there is no column {name}"))
}
