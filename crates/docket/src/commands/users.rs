//! `docket users`

use std::process::ExitCode;

use domain::EmailAddress;

use crate::backend::{DataFolder, with_ops};
use crate::commands::passwords;
use crate::config::{Config, ConfigError};
use crate::say::say;
use crate::system;

pub(crate) async fn reset_password(config: &Config, email: &str) -> anyhow::Result<ExitCode> {
    email.parse::<EmailAddress>().map_err(ConfigError::argument)?;
    let chosen = passwords::choose(system::environment().random.as_ref())?;
    let user = with_ops(config, DataFolder::MustExist, async |ops| {
        ops.access.reset_password(email, &chosen.password).await
    })
    .await?;
    say(format_args!("{} has a new password and was signed out everywhere", user.email));
    chosen.show_if_new();
    Ok(ExitCode::SUCCESS)
}
