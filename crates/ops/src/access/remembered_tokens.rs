//! Tokens whose signature was checked a moment ago, so that the next request need not check it again.
//!
//! Only the signature is remembered, which never changes. Whether a token has expired or was revoked
//! is asked anew for every request, by whoever looks it up here.

use std::fmt;
use std::sync::Arc;

use arc_swap::ArcSwapOption;
use sha2::{Digest, Sha256};

use crate::access::tokens::VerifiedToken;

/// Tells tokens apart without keeping one: all of the token counts, its signature included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fingerprint([u8; 32]);

impl Fingerprint {
    pub(crate) fn of(token: &str) -> Self {
        Self(Sha256::digest(token).into())
    }
}

/// A table of fixed size: each token has one place, and takes it from whoever was there.
pub(crate) struct RememberedTokens {
    places: Box<[ArcSwapOption<Remembered>]>,
}

struct Remembered {
    fingerprint: Fingerprint,
    token: Arc<VerifiedToken>,
}

impl Default for RememberedTokens {
    fn default() -> Self {
        Self { places: (0..Self::PLACES).map(|_| ArcSwapOption::empty()).collect() }
    }
}

impl RememberedTokens {
    /// Some hundred kilobytes when every place is taken.
    const PLACES: usize = 1024;

    pub(crate) fn get(&self, fingerprint: &Fingerprint) -> Option<Arc<VerifiedToken>> {
        let remembered = self.place(fingerprint).load();
        let remembered = remembered.as_ref().filter(|there| there.fingerprint == *fingerprint)?;
        Some(Arc::clone(&remembered.token))
    }

    pub(crate) fn put(&self, fingerprint: Fingerprint, token: Arc<VerifiedToken>) {
        self.place(&fingerprint).store(Some(Arc::new(Remembered { fingerprint, token })));
    }

    fn place(&self, Fingerprint(bytes): &Fingerprint) -> &ArcSwapOption<Remembered> {
        let number = usize::from(u16::from_le_bytes([bytes[0], bytes[1]]));
        &self.places[number % Self::PLACES]
    }
}

impl fmt::Debug for RememberedTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RememberedTokens").finish_non_exhaustive()
    }
}
