//! `docket secrets`

use std::process::ExitCode;

use ops::Ops;
use store::RotationResult;

use crate::backend::{Folder, OpenDatabase, with_ops};
use crate::config::Config;
use crate::data_dir::DataDir;
use crate::say::{complain, say};
use crate::system;

/// Seals all secrets with a new key: one that is made in the data folder, or the setting `secrets_key`. The old key is
/// kept until nothing needs it any more.
pub(crate) async fn rotate(config: &Config) -> anyhow::Result<ExitCode> {
    let is_in_folder = config.auth.secrets_key.is_none();
    let data_dir = DataDir::open(&config.data_dir, !is_in_folder)?;
    let rotated = with_ops(config, Folder::MustBeThere, async |ops: &Ops| {
        if is_in_folder {
            let random = system::environment().random;
            let made = data_dir.replace_secret(OpenDatabase::SECRETS_KEY, random.as_ref());
            if let Err(error) = made {
                return Ok(Err(error));
            }
        }
        Ok(Ok(ops.store().rotate_secrets().await?))
    });
    let RotationResult { sealed_again, unreadable } = rotated.await??;
    if unreadable > 0 {
        complain(format_args!(
            "{unreadable} secrets cannot be opened with any key: the log names them. The old key is kept"
        ));
        return Ok(ExitCode::FAILURE);
    }
    if is_in_folder {
        data_dir.forget_previous(OpenDatabase::SECRETS_KEY)?;
    } else if config.auth.secrets_key_previous.is_none() {
        say(
            "To change the key, set secrets_key to the new one and secrets_key_previous to the old one for all",
        );
        say("servers and workers, restart them, and run this again.");
    }
    say(format_args!("{sealed_again} secrets were encrypted again"));
    Ok(ExitCode::SUCCESS)
}
