//! `docket rename`

use std::process::ExitCode;

use api_types::DocumentTitle;

use crate::cli::IdArg;
use crate::client::{Kind, Session, short_id};
use crate::say::say;

pub(crate) async fn run(server: Option<&str>, id: &IdArg, title: &str) -> anyhow::Result<ExitCode> {
    let client = Session::find(server)?.signed_in()?;
    let id = client.resolve(Kind::Document, id).await?;
    let request = DocumentTitle { title: title.to_owned() };
    let renamed: DocumentTitle = client.put(&format!("/v1/documents/{id}/title"), &request).await?;
    say(format_args!("Renamed {} to {}", short_id(id), renamed.title));
    Ok(ExitCode::SUCCESS)
}
