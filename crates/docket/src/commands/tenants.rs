//! `docket tenants`

use std::process::ExitCode;

use domain::{EmailAddress, TenantLimits};
use ops::RequestedTenant;
use serde_json::json;

use crate::backend::{DataFolder, with_ops};
use crate::commands::passwords;
use crate::config::{Config, ConfigError};
use crate::say::say;
use crate::system;

pub(crate) async fn list(config: &Config, as_json: bool) -> anyhow::Result<ExitCode> {
    let tenants =
        with_ops(config, DataFolder::MustExist, async |ops| ops.tenants.list_tenants().await)
            .await?;
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

/// Limits that are `None` stay as configured for all tenants.
pub(crate) async fn limit(
    config: &Config,
    name: &str,
    limits: TenantLimits,
) -> anyhow::Result<ExitCode> {
    with_ops(config, DataFolder::MustExist, async |ops| {
        ops.tenants.change_limits(name, limits).await
    })
    .await?;
    let or_default =
        |limit: Option<u64>| limit.map_or("default".to_owned(), |limit| limit.to_string());
    say(format_args!("Tenant {name} now has these limits:"));
    say(format_args!("  largest upload        {} bytes", or_default(limits.max_upload_bytes)));
    say(format_args!("  queued documents      {}", or_default(limits.queue_quota.map(u64::from))));
    say(format_args!(
        "  requests per second   {}",
        or_default(limits.requests_per_second.map(u64::from))
    ));
    say(format_args!(
        "  concurrent uploads    {}",
        or_default(limits.concurrent_uploads.map(u64::from))
    ));
    say(format_args!("  stored originals      {} bytes", or_default(limits.storage_quota_bytes)));
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
    let (tenant, admin) = with_ops(config, DataFolder::CreateIfMissing, async |ops| {
        ops.tenants.create_tenant(requested).await
    })
    .await?;
    say(format_args!("Created tenant {} with the id {}", tenant.name, tenant.tenant_id));
    say(format_args!("  sign in as   {}", admin.email));
    chosen.show_if_new();
    Ok(ExitCode::SUCCESS)
}
