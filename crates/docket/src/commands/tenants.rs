//! `docket tenants`

use std::process::ExitCode;

use ops::RequestedTenant;
use serde_json::json;

use crate::backend::Backend;
use crate::commands::passwords;
use crate::config::Config;
use crate::say::say;

pub(crate) async fn list(config: &Config, as_json: bool) -> anyhow::Result<ExitCode> {
    let backend = Backend::open(config).await?;
    let tenants = backend.ops.list_tenants().await;
    backend.close().await?;
    let tenants = tenants?;
    if as_json {
        say(json!({ "tenants": tenants }));
    } else {
        for tenant in tenants {
            say(format_args!(
                "{}  {}  {}",
                tenant.tenant_id,
                tenant.created_at.format("%Y-%m-%d"),
                tenant.name
            ));
        }
    }
    Ok(ExitCode::SUCCESS)
}

pub(crate) async fn create(
    config: &Config,
    name: &str,
    admin_email: &str,
) -> anyhow::Result<ExitCode> {
    let backend = Backend::open(config).await?;
    let chosen = passwords::choose(backend.ops.random().as_ref());
    let created = backend
        .ops
        .create_tenant(RequestedTenant {
            name: name.to_owned(),
            admin_email: admin_email.to_owned(),
            admin_password: chosen.password.clone(),
        })
        .await;
    backend.close().await?;
    let (tenant, admin) = created?;
    say(format_args!("Tenant {} has the id {}.", tenant.name, tenant.tenant_id));
    say(format_args!("Its administrator signs in as {}.", admin.email));
    if chosen.made_here {
        say(format_args!("The password, shown this once: {}", chosen.password));
    }
    Ok(ExitCode::SUCCESS)
}
