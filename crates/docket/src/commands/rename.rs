//! `docket rename`

use std::process::ExitCode;

use api_types::DocumentTitle;
use uuid::Uuid;

use crate::client::Session;
use crate::say::say;

pub(crate) async fn run(server: Option<&str>, id: Uuid, title: &str) -> anyhow::Result<ExitCode> {
    let client = Session::find(server)?.signed_in()?;
    let request = DocumentTitle { title: title.to_owned() };
    let renamed: DocumentTitle = client.put(&format!("/v1/documents/{id}/title"), &request).await?;
    say(format_args!("Renamed {id} to {}", renamed.title));
    Ok(ExitCode::SUCCESS)
}
