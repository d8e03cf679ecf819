//! `docket users`

use std::process::ExitCode;

use crate::backend::Backend;
use crate::commands::passwords;
use crate::config::Config;
use crate::say::say;

pub(crate) async fn reset_password(config: &Config, email: &str) -> anyhow::Result<ExitCode> {
    let backend = Backend::open(config).await?;
    let chosen = passwords::choose(backend.ops.random().as_ref());
    let reset = backend.ops.reset_password(email, &chosen.password).await;
    backend.close().await?;
    let user = reset?;
    say(format_args!("{} has a new password and was signed out everywhere.", user.email));
    if chosen.made_here {
        say(format_args!("The password, shown this once: {}", chosen.password));
    }
    Ok(ExitCode::SUCCESS)
}
