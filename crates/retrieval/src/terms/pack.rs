//! Packs the terms of a chunk into bytes for the database.
//!
//! `FORMAT`, then numbers in LEB128: the length in tokens, how many terms, and for each term, in
//! ascending order, its distance from the one before and how often it occurs.

use thiserror::Error;

use super::Terms;

/// The first byte. Terms of another format were created by other rules (of [`super`]) and must be recomputed from the text.
pub const FORMAT: u8 = 1;

#[derive(Debug, Error, PartialEq, Eq)]
pub enum UnreadableTerms {
    #[error("the terms have format {0} instead of {FORMAT}: they must be recomputed from the text")]
    OtherFormat(u8),
    #[error("the terms are truncated or damaged")]
    Damaged,
}

pub fn pack(terms: &Terms) -> Vec<u8> {
    let mut packed = Vec::with_capacity(8 + terms.counts.len() * 10);
    packed.push(FORMAT);
    put(&mut packed, u64::from(terms.length));
    put(&mut packed, terms.counts.len() as u64);
    let mut previous = 0;
    for &(hash, count) in &terms.counts {
        put(&mut packed, hash - previous);
        put(&mut packed, u64::from(count));
        previous = hash;
    }
    packed
}

pub fn unpack(packed: &[u8]) -> Result<Terms, UnreadableTerms> {
    let (&format, mut rest) = packed.split_first().ok_or(UnreadableTerms::Damaged)?;
    if format != FORMAT {
        return Err(UnreadableTerms::OtherFormat(format));
    }
    let length = take_u32(&mut rest)?;
    let count = take(&mut rest)?;
    // A term takes at least two bytes: a damaged count must not allocate more memory than that.
    let room = usize::try_from(count).unwrap_or(usize::MAX).min(rest.len() / 2);
    let mut counts = Vec::with_capacity(room);
    let mut previous: u64 = 0;
    for _ in 0..count {
        let hash = previous.checked_add(take(&mut rest)?).ok_or(UnreadableTerms::Damaged)?;
        counts.push((hash, take_u32(&mut rest)?));
        previous = hash;
    }
    if rest.is_empty() { Ok(Terms { length, counts }) } else { Err(UnreadableTerms::Damaged) }
}

/// Appends a number in LEB128: seven bits per byte, the lowest first.
pub(crate) fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push((number & 0x7f) as u8);
}

fn take(bytes: &mut &[u8]) -> Result<u64, UnreadableTerms> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first().ok_or(UnreadableTerms::Damaged)?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(number);
        }
    }
    Err(UnreadableTerms::Damaged)
}

fn take_u32(bytes: &mut &[u8]) -> Result<u32, UnreadableTerms> {
    u32::try_from(take(bytes)?).map_err(|_| UnreadableTerms::Damaged)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_can_be_read_back() {
        for text in ["", "one", "the cat and the hat, INV-2024-17 for 1.234,56"] {
            let terms = Terms::of(text);
            assert_eq!(unpack(&pack(&terms)), Ok(terms));
        }
        let widest = Terms { length: u32::MAX, counts: vec![(0, 1), (u64::MAX, u32::MAX)] };
        assert_eq!(unpack(&pack(&widest)), Ok(widest));
    }

    #[test]
    fn damage_at_any_position_is_an_error() {
        let packed = pack(&Terms::of("a few words"));
        for end in 0..packed.len() {
            assert!(unpack(&packed[..end]).is_err(), "cut at {end}");
        }
        assert_eq!(unpack(&[FORMAT + 1]), Err(UnreadableTerms::OtherFormat(FORMAT + 1)));
        assert_eq!(unpack(&[FORMAT, 0, 0xff, 0xff, 0x7f]), Err(UnreadableTerms::Damaged));
    }
}
