//! Passwords that the operator sets or Docket generates.

use domain::{NewPassword, Random, Secret};

use crate::config::ConfigError;
use crate::say::say;

/// The password to use, and whether it was generated and must be shown.
#[derive(Debug)]
pub(crate) struct ChosenPassword {
    pub(crate) password: Secret,
    is_generated: bool,
}

impl ChosenPassword {
    /// Prints a generated password.
    pub(crate) fn show_if_new(&self) {
        if self.is_generated {
            say(format_args!(
                "  password     {}   (shown this once; keep it)",
                self.password.reveal()
            ));
        }
    }
}

/// `DOCKET_ADMIN_PASSWORD`, or a generated password.
pub(crate) fn choose(random: &dyn Random) -> Result<ChosenPassword, ConfigError> {
    match std::env::var("DOCKET_ADMIN_PASSWORD") {
        Ok(given) if !given.is_empty() => {
            let valid = given.parse::<NewPassword>();
            valid.map_err(|error| ConfigError::Password { problem: error.to_string() })?;
            Ok(ChosenPassword { password: Secret::new(given), is_generated: false })
        }
        _ => Ok(ChosenPassword { password: Secret::new(generate(random)), is_generated: true }),
    }
}

/// 20 characters of an alphabet of 32 without similar ones: 100 bits.
fn generate(random: &dyn Random) -> String {
    const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    let mut bytes = [0; 20];
    random.fill(&mut bytes);
    bytes.iter().map(|byte| char::from(LETTERS[usize::from(byte % 32)])).collect()
}
