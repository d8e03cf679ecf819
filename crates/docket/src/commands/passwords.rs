//! Passwords that the operator gives or lets Docket make.

use domain::{NewPassword, Random, Secret};

use crate::config::ConfigError;
use crate::say::say;

/// The password to use, and whether it was made here and must be shown.
#[derive(Debug)]
pub(crate) struct Chosen {
    pub(crate) password: Secret,
    made_here: bool,
}

impl Chosen {
    /// Shows a password that nobody knows yet.
    pub(crate) fn show_if_new(&self) {
        if self.made_here {
            say(format_args!(
                "  password     {}   (shown this once; keep it)",
                self.password.reveal()
            ));
        }
    }
}

/// `DOCKET_ADMIN_PASSWORD`, or a new one.
pub(crate) fn choose(random: &dyn Random) -> Result<Chosen, ConfigError> {
    match std::env::var("DOCKET_ADMIN_PASSWORD") {
        Ok(given) if !given.is_empty() => {
            let valid = given.parse::<NewPassword>();
            valid.map_err(|error| ConfigError::Password { problem: error.to_string() })?;
            Ok(Chosen { password: Secret::new(given), made_here: false })
        }
        _ => Ok(Chosen { password: Secret::new(make(random)), made_here: true }),
    }
}

/// 20 characters out of 32 that cannot be mistaken for each other: 100 bits.
fn make(random: &dyn Random) -> String {
    const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    let mut bytes = [0; 20];
    random.fill(&mut bytes);
    bytes.iter().map(|byte| char::from(LETTERS[usize::from(byte % 32)])).collect()
}
