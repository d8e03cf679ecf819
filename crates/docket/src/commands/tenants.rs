//! `docket tenants`

use std::process::ExitCode;

use domain::EmailAddress;
use ops::RequestedTenant;
use serde_json::json;

use crate::backend::{Folder, with_ops};
use crate::commands::passwords;
use crate::config::{Config, ConfigError};
use crate::say::say;
use crate::system;

pub(crate) async fn list(config: &Config, as_json: bool) -> anyhow::Result<ExitCode> {
    let tenants =
        with_ops(config, Folder::MustBeThere, async |ops| ops.list_tenants().await).await?;
    if as_json {
        say(json!({ "tenants": tenants }));
        return Ok(ExitCode::SUCCESS);
    }
    for tenant in tenants {
        let since = tenant.created_at.format("%Y-%m-%d");
        say(format_args!("{}  {since}  {}", tenant.tenant_id, tenant.name));
    }
    Ok(ExitCode::SUCCESS)
}

pub(crate) async fn create(
    config: &Config,
    name: &str,
    admin_email: &str,
) -> anyhow::Result<ExitCode> {
    admin_email.parse::<EmailAddress>().map_err(ConfigError::argument)?;
    let chosen = passwords::choose(system::environment().random.as_ref())?;
    let requested = RequestedTenant {
        name: name.to_owned(),
        admin_email: admin_email.to_owned(),
        admin_password: chosen.password.clone(),
    };
    let (tenant, admin) =
        with_ops(config, Folder::MadeIfMissing, async |ops| ops.create_tenant(requested).await)
            .await?;
    say(format_args!("Tenant {} has the id {}", tenant.name, tenant.tenant_id));
    say(format_args!("  sign in as   {}", admin.email));
    chosen.show_if_new();
    Ok(ExitCode::SUCCESS)
}
