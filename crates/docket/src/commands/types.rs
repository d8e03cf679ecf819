//! `docket types`

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, bail};
use api_types::{
    DocumentTypeDryRun, DocumentTypeList, DocumentTypeOrigin, DocumentTypeSummary, DocumentTypeView,
};
use extraction::types::DocumentType;
use serde_json::{Value, json};

use super::extract;
use crate::cli::{IdArg, ServerArgs, TypesCommand};
use crate::client::{Client, Kind, Session};
use crate::say::{complain, say};
use crate::table::{Table, shortened};

pub(crate) async fn run(command: &TypesCommand) -> anyhow::Result<ExitCode> {
    match command {
        TypesCommand::List { server, json } => list(&client(server)?, *json).await,
        TypesCommand::Show { name, version, server } => {
            show(&client(server)?, name, *version).await
        }
        TypesCommand::Put { file, server } => put(&client(server)?, file).await,
        TypesCommand::Withdraw { name, server } => {
            client(server)?.delete(&path(name)?).await?;
            say(format_args!("Withdrew {name}"));
            Ok(ExitCode::SUCCESS)
        }
        TypesCommand::Try { name, document, definition, server, json } => {
            try_on(&client(server)?, name, document, definition.as_deref(), *json).await
        }
        TypesCommand::Check { file } => check(file),
    }
}

fn client(server: &ServerArgs) -> anyhow::Result<Client> {
    Ok(Session::find(server.server.as_deref())?.signed_in()?)
}

/// The address of a type. Other names would change the path.
fn path(name: &str) -> anyhow::Result<String> {
    let is_allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    if name.is_empty() || !name.bytes().all(is_allowed) {
        bail!(
            "'{name}' is not the name of a document type; names have lower-case letters, digits and underscores"
        );
    }
    Ok(format!("/v1/document-types/{name}"))
}

async fn list(client: &Client, as_json: bool) -> anyhow::Result<ExitCode> {
    let types: DocumentTypeList = client.get("/v1/document-types").await?;
    if as_json {
        say(json!(types));
    } else {
        say(table(&types.items));
    }
    Ok(ExitCode::SUCCESS)
}

fn table(types: &[DocumentTypeSummary]) -> String {
    const MOST: usize = 60;
    let mut table = Table::with_columns(["NAME", "ORIGIN", ">VERSION", ">FIELDS", "TITLE"]);
    for found in types {
        let origin = match (found.origin, found.replaces_built_in) {
            (DocumentTypeOrigin::BuiltIn, _) => "built in",
            (DocumentTypeOrigin::Own, false) => "own",
            (DocumentTypeOrigin::Own, true) => "own, replaces built in",
        };
        let version = match found.origin {
            DocumentTypeOrigin::BuiltIn => "–".to_owned(),
            DocumentTypeOrigin::Own => found.version.to_string(),
        };
        table.row([
            found.name.clone(),
            origin.to_owned(),
            version,
            found.field_count.to_string(),
            shortened(&found.title, MOST),
        ]);
    }
    table.text()
}

async fn show(client: &Client, name: &str, version: Option<u32>) -> anyhow::Result<ExitCode> {
    let query: Vec<(&str, u32)> = version.map(|version| ("version", version)).into_iter().collect();
    let found: DocumentTypeView = client.get_by(&path(name)?, &query).await?;
    say(serde_json::to_string_pretty(&found.definition)?);
    Ok(ExitCode::SUCCESS)
}

async fn put(client: &Client, file: &Path) -> anyhow::Result<ExitCode> {
    let definition = json_of(file)?;
    let Some(name) = definition["name"].as_str() else {
        bail!("{} has no name; add \"name\" with the name of the type", file.display());
    };
    let address = path(name)?;
    let stored: DocumentTypeView = client.put(&address, &definition).await?;
    say(format_args!("{name} has version {}", stored.summary.version));
    Ok(ExitCode::SUCCESS)
}

async fn try_on(
    client: &Client,
    name: &str,
    document: &IdArg,
    definition: Option<&Path>,
    as_json: bool,
) -> anyhow::Result<ExitCode> {
    let address = format!("{}/dry-run", path(name)?);
    let mut request = json!({ "document_id": client.resolve(Kind::Document, document).await? });
    if let Some(file) = definition {
        request["definition"] = json_of(file)?;
    }
    let tried: DocumentTypeDryRun = client.post(&address, &request).await?;
    if as_json {
        say(json!(tried));
        return Ok(ExitCode::SUCCESS);
    }
    extract::print(&tried.extraction);
    for problem in &tried.problems {
        complain(extract::printable(&format!("{}: {}", problem.path, problem.message)));
    }
    Ok(ExitCode::SUCCESS)
}

fn json_of(file: &Path) -> anyhow::Result<Value> {
    serde_json::from_slice(&read(file)?).with_context(|| format!("{} is not JSON", file.display()))
}

fn check(file: &Path) -> anyhow::Result<ExitCode> {
    match DocumentType::from_file(&read(file)?) {
        Ok(definition) => {
            say(format_args!(
                "{} is valid: {} with {} fields",
                file.display(),
                definition.name,
                definition.fields.len()
            ));
            Ok(ExitCode::SUCCESS)
        }
        Err(invalid) => {
            for problem in invalid.problems {
                complain(problem);
            }
            Ok(ExitCode::FAILURE)
        }
    }
}

fn read(file: &Path) -> anyhow::Result<Vec<u8>> {
    fs::read(file).with_context(|| format!("{} cannot be read", file.display()))
}
