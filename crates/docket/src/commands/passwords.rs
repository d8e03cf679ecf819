//! Passwords that the operator gives or lets Docket make.

use domain::Random;

/// The password to use, and whether it was made here and must be shown.
#[derive(Debug)]
pub(crate) struct Chosen {
    pub(crate) password: String,
    pub(crate) made_here: bool,
}

/// `DOCKET_ADMIN_PASSWORD`, or a new one.
pub(crate) fn choose(random: &dyn Random) -> Chosen {
    match std::env::var("DOCKET_ADMIN_PASSWORD") {
        Ok(password) if !password.is_empty() => Chosen { password, made_here: false },
        _ => Chosen { password: make(random), made_here: true },
    }
}

/// 20 characters out of 32 that cannot be mistaken for each other: 100 bits.
fn make(random: &dyn Random) -> String {
    const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    let mut bytes = [0; 20];
    random.fill(&mut bytes);
    bytes.iter().map(|byte| char::from(LETTERS[usize::from(byte % 32)])).collect()
}
