//! `docket secrets`

use std::process::ExitCode;

use ops::Ops;
use store::Rotated;

use crate::backend::{DataFolder, OpenDatabase, with_ops};
use crate::config::Config;
use crate::data_dir::DataDir;
use crate::say::{complain, say};
use crate::system;

/// Encrypts all secrets with a new key: one generated in the data folder, or the setting `secrets_key`. The old key is
/// deleted when no secret needs it.
pub(crate) async fn rotate(config: &Config) -> anyhow::Result<ExitCode> {
    let is_in_folder = config.auth.secrets_key.is_none();
    let data_dir = DataDir::open(&config.data_dir, !is_in_folder)?;
    // Held until the end: two rotations at the same time would replace each other's key.
    let is_in_use = data_dir.holds_a_database() || data_dir.has_secret(OpenDatabase::SECRETS_KEY);
    let lock = if is_in_use { Some(data_dir.lock_secrets()?) } else { None };
    let rotated = with_ops(config, DataFolder::MustExist, async |ops: &Ops| {
        if is_in_folder {
            let random = system::environment().random;
            let made = data_dir.replace_secret(OpenDatabase::SECRETS_KEY, random.as_ref());
            if let Err(error) = made {
                return Ok(Err(error));
            }
        }
        Ok(Ok(ops.store().rotate_secrets().await?))
    });
    let Rotated { sealed_again, unreadable } = rotated.await??;
    if unreadable > 0 {
        complain(format_args!(
            "{unreadable} secrets cannot be decrypted with any key: the log names them. The old key was not deleted"
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
    drop(lock);
    say(format_args!("{sealed_again} secrets were encrypted again"));
    Ok(ExitCode::SUCCESS)
}
