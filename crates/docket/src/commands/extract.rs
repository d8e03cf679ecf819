//! `docket extract`

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use domain::{AcceptanceRules, Check, Extraction};
use extraction::acceptance::accept;
use extraction::calibration::Calibration;
use extraction::parse::ParseRequest;
use extraction::sandboxed::{ExtractionFailure, Extractor};
use extraction::types::{DocumentType, builtin};
use pages::artifact;
use reading::pool::{Document, DocumentWriter};

use super::read::{LocalFile, NO_TENANT, exit_code};
use crate::cli::ExtractArgs;
use crate::config::{Config, ConfigError};
use crate::say::{complain, say};
use crate::table::{Table, shortened};

/// The most characters of a value that the table shows.
const LONGEST_VALUE: usize = 60;

pub(crate) async fn run(args: &ExtractArgs, config: &Config) -> anyhow::Result<ExitCode> {
    let types = types(args.types.as_deref())?;
    let wanted = wanted(&args.document_type, &types)?;
    let file = LocalFile::open(&args.file, args.password.clone(), config).await?;
    let extraction = match extract(&file, types, wanted).await {
        Ok(extraction) => extraction,
        Err(error) => {
            let Some(failure) = error.downcast_ref::<ExtractionFailure>() else {
                return exit_code(Err(error));
            };
            complain(format_args!("{failure}. {}", advice(failure)));
            return Ok(ExitCode::FAILURE);
        }
    };
    if args.json {
        say(serde_json::to_string(&extraction)?);
    } else {
        print(&extraction);
    }
    Ok(ExitCode::SUCCESS)
}

/// What the user can do about a local file.
fn advice(failure: &ExtractionFailure) -> &'static str {
    match failure {
        ExtractionFailure::Child(failure) => failure.advice(),
        ExtractionFailure::Typed(_) => "Try `--type` with another document type.",
    }
}

/// The built-in types, and the one in the file, which replaces a built-in one of the same name.
fn types(file: Option<&Path>) -> anyhow::Result<Vec<DocumentType>> {
    let mut types = builtin().to_vec();
    if let Some(path) = file {
        let json = fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
        let invalid = |problem: &dyn std::fmt::Display| {
            let path = path.display();
            ConfigError::argument(format_args!("{path} defines no document type: {problem}"))
        };
        let own: DocumentType = serde_json::from_slice(&json).map_err(|error| invalid(&error))?;
        own.validate().map_err(|error| invalid(&error))?;
        types.retain(|of| of.name != own.name);
        types.push(own);
    }
    Ok(types)
}

/// `None`: the type is to be recognised.
fn wanted(name: &str, types: &[DocumentType]) -> Result<Option<String>, ConfigError> {
    if name == ExtractArgs::AUTOMATIC_TYPE {
        return Ok(None);
    }
    if types.iter().any(|of| of.name == name) {
        return Ok(Some(name.to_owned()));
    }
    let known: Vec<&str> = types.iter().map(|of| of.name.as_str()).collect();
    Err(ConfigError::argument(format_args!(
        "there is no document type '{name}'; the types are: {}",
        known.join(", ")
    )))
}

async fn extract(
    file: &LocalFile,
    types: Vec<DocumentType>,
    wanted: Option<String>,
) -> anyhow::Result<Extraction> {
    let pages = laid_out(file).await?;
    let extractor = Extractor::new(file.reader.children());
    let request = ParseRequest { types: types.clone(), wanted, ..ParseRequest::default() };
    let parsed = extractor.parse(NO_TENANT, request, &pages).await?;
    let chosen = types.into_iter().find(|of| of.name == parsed.document_type);
    let Some(chosen) = chosen else {
        let mut warnings = parsed.warnings;
        warnings.push("The document type was not recognised. Choose one with --type.".to_owned());
        return Ok(Extraction { warnings, ..Extraction::default() });
    };
    let mut extraction = extractor.reconcile(NO_TENANT, chosen.clone(), &parsed).await?;
    let rate = AcceptanceRules::DEFAULT_ERROR_RATE;
    accept(&chosen, &mut extraction, Calibration::builtin(), rate);
    Ok(extraction)
}

async fn laid_out(file: &LocalFile) -> anyhow::Result<Document> {
    let mut parts = file.laid_out().await?;
    let mut pages = artifact::Writer::new(DocumentWriter::new()?)?;
    while let Some(part) = parts.next().await? {
        pages.write(&part)?;
    }
    Ok(pages.finish()?.finish()?)
}

pub(super) fn print(extraction: &Extraction) {
    if !extraction.document_type.is_empty() {
        say(format_args!("Document type: {}\n", extraction.document_type));
        say(fields(extraction).text());
    }
    if !extraction.checks.is_empty() {
        say(format_args!("\n{}", checks(&extraction.checks).text()));
    }
    for warning in &extraction.warnings {
        complain(printable(warning));
    }
}

fn fields(extraction: &Extraction) -> Table {
    let mut table = Table::with_columns(["FIELD", "VALUE", ">CONFIDENCE", "STATUS", ">PAGE"]);
    for (path, field) in extraction.all_fields() {
        let value = field.value.as_deref().map(printable).unwrap_or_default();
        let confidence = field.value.as_ref().map(|_| format!("{:.2}", field.confidence));
        table.row([
            path,
            shortened(&value, LONGEST_VALUE),
            confidence.unwrap_or_default(),
            field.status.to_string(),
            field.page.map(|page| page.to_string()).unwrap_or_default(),
        ]);
    }
    table
}

fn checks(checks: &[Check]) -> Table {
    let mut table = Table::with_columns(["CHECK", "RESULT", "DETAIL"]);
    for check in checks {
        let result = match check.passed {
            Some(true) => "passed",
            Some(false) => "failed",
            None => "not possible",
        };
        table.row([printable(&check.name), result.to_owned(), printable(&check.detail)]);
    }
    table
}

/// Without control characters, which a terminal would follow.
pub(super) fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use domain::{Field, FieldStatus};

    use super::*;

    #[test]
    fn the_table_shows_each_field_on_one_line_without_control_characters() {
        let total = Field {
            value: Some("12.50\u{1b}[31m\nEUR".to_owned()),
            confidence: 0.987,
            status: FieldStatus::NeedsReview,
            page: Some(2),
            ..Field::missing()
        };
        let fields = [("total".to_owned(), total), ("date".to_owned(), Field::missing())];
        let extraction = Extraction { fields: fields.into(), ..Extraction::default() };
        assert_eq!(
            super::fields(&extraction).text(),
            "FIELD  VALUE           CONFIDENCE  STATUS        PAGE\n\
             date                               missing\n\
             total  12.50 [31m EUR        0.99  needs_review     2"
        );
    }

    #[test]
    fn an_unknown_type_is_refused_with_the_known_ones() {
        let types = types(None).unwrap();
        assert_eq!(wanted("auto", &types).unwrap(), None);
        assert_eq!(wanted("invoice", &types).unwrap().as_deref(), Some("invoice"));
        let refused = wanted("letter", &types).unwrap_err().to_string();
        assert!(refused.contains("the types are: contract_note, invoice"), "{refused}");
    }
}
