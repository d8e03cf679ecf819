//! The hash of a term. It is stored, so it never changes: another function needs a new [`FORMAT`](super::FORMAT).
//!
//! FNV-1a over a tag byte and the bytes of the term in UTF-8 (offset basis `cbf29ce484222325`, prime
//! `100000001b3`), then the finaliser of SplitMix64, which spreads differences of short terms over all
//! bits. Every step is arithmetic modulo 2^64, so it is the same on every platform.

/// The hash of a term. The tag separates kinds of terms and languages.
pub fn term_hash(tag: u8, term: &str) -> u64 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in std::iter::once(tag).chain(term.bytes()) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_hashes_do_not_change() {
        assert_eq!(term_hash(b'e', "invoic"), 0xc36e_6bcb_cd12_23cb);
        assert_eq!(term_hash(b'n', "1234.5"), 0x535b_c493_c9a6_e630);
        assert_eq!(term_hash(b'e', ""), 0xafca_0c33_e256_77df);
    }
}
