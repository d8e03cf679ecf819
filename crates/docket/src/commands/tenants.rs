//! `docket tenants`

use std::process::ExitCode;

use domain::{EmailAddress, TenantLimits};
use ops::RequestedTenant;
use serde_json::json;

use crate::backend::{Folder, with_ops};
use crate::commands::passwords;
use crate::config::{Config, ConfigError};
use crate::say::say;
use crate::system;

pub(crate) async fn list(config: &Config, as_json: bool) -> anyhow::Result<ExitCode> {
    let tenants =
        with_ops(config, Folder::MustBeThere, async |ops| ops.tenants.list_tenants().await).await?;
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

/// What everybody gets where nothing is said.
pub(crate) async fn limit(
    config: &Config,
    name: &str,
    limits: TenantLimits,
) -> anyhow::Result<ExitCode> {
    with_ops(config, Folder::MustBeThere, async |ops| {
        ops.tenants.change_limits(name, limits).await
    })
    .await?;
    let or_usual =
        |limit: Option<u64>| limit.map_or("as usual".to_owned(), |limit| limit.to_string());
    say(format_args!("Tenant {name} now has these limits:"));
    say(format_args!("  largest upload        {} bytes", or_usual(limits.max_upload_bytes)));
    say(format_args!("  documents waiting     {}", or_usual(limits.queue_quota.map(u64::from))));
    say(format_args!(
        "  requests per second   {}",
        or_usual(limits.requests_per_second.map(u64::from))
    ));
    say(format_args!(
        "  uploads at once       {}",
        or_usual(limits.concurrent_uploads.map(u64::from))
    ));
    say(format_args!("  stored originals      {} bytes", or_usual(limits.storage_quota_bytes)));
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
    let (tenant, admin) = with_ops(config, Folder::MadeIfMissing, async |ops| {
        ops.tenants.create_tenant(requested).await
    })
    .await?;
    say(format_args!("Tenant {} has the id {}", tenant.name, tenant.tenant_id));
    say(format_args!("  sign in as   {}", admin.email));
    chosen.show_if_new();
    Ok(ExitCode::SUCCESS)
}
