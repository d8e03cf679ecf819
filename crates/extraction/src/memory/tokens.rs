//! Words as layout memory stores them.

/// The hash of a word in the form of [`crate::scoring::mention::context_word`]. No text of a document is stored in the memory.
pub(super) type Token = u32;

/// FNV-1a, which stays the same between versions and machines, folded to 32 bits.
pub(super) fn hash(text: &str) -> Token {
    hash_bytes(text.as_bytes())
}

pub(super) fn hash_bytes(bytes: &[u8]) -> Token {
    let mut state: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in bytes {
        state ^= u64::from(*byte);
        state = state.wrapping_mul(0x0000_0100_0000_01b3);
    }
    u32::try_from((state >> 32) ^ (state & 0xffff_ffff)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stored entries contain these numbers.
    #[test]
    fn hashes_never_change() {
        assert_eq!(
            [hash("betrag"), hash("isin"), hash("")],
            [1_674_571_958, 3_694_075_627, 1_339_080_641]
        );
    }
}
