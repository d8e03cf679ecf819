//! The page artifact: whatever a broken child wrote is an error, never a panic.
//!
//! The first byte decides how deep the rest goes: as a whole file, as the packed content of a frame, or as
//! the plain content of one, which the fuzzer could not pack by itself.

#![no_main]

use std::io::Cursor;

use libfuzzer_sys::fuzz_target;
use pages::artifact::{Pages, Reader};

const BEGINNING: &[u8] = b"DKTPAGES\x01\x00";

fuzz_target!(|input: &[u8]| {
    let Some((depth, bytes)) = input.split_first() else { return };
    let file = match depth % 3 {
        0 => bytes.to_vec(),
        1 => file_of(bytes, bytes.len().saturating_mul(8)),
        _ => file_of(&lz4_flex::block::compress(bytes), bytes.len()),
    };
    if let Ok(mut reader) = Reader::new(file.as_slice()) {
        while let Ok(Some(_)) = reader.next_part() {}
    }
    if let Ok(mut pages) = Pages::open(Cursor::new(&file)) {
        let count = u32::try_from(pages.count()).unwrap_or(u32::MAX);
        for number in 0..=count.min(50) {
            let _ = pages.page(number);
        }
    }
});

/// One frame, which is the index as well.
fn file_of(packed: &[u8], unpacked: usize) -> Vec<u8> {
    let length = |of: usize| u32::try_from(of).unwrap_or(u32::MAX).to_le_bytes();
    let place = (BEGINNING.len() as u64).to_le_bytes();
    [BEGINNING, &length(packed.len()), &length(unpacked), packed, &place, b"DKTINDEX"].concat()
}
