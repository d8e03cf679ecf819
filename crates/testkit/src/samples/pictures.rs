//! Pictures: some strokes on paper, few pixels each.

use std::io::Cursor;

use image::{GrayImage, ImageFormat, Luma};

fn strokes() -> GrayImage {
    GrayImage::from_fn(48, 32, |x, y| {
        Luma([if x % 9 < 2 && (6..26).contains(&y) { 20 } else { 240 }])
    })
}

fn encoded(format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    strokes().write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

pub(super) fn png() -> Vec<u8> {
    encoded(ImageFormat::Png)
}

pub(super) fn jpg() -> Vec<u8> {
    encoded(ImageFormat::Jpeg)
}

pub(super) fn tiff() -> Vec<u8> {
    encoded(ImageFormat::Tiff)
}

/// A PNG with the checksum of each chunk computed again, for as far as it is made of chunks.
pub fn with_right_checksums(png: &[u8]) -> Vec<u8> {
    let mut png = png.to_vec();
    let mut at = 8;
    while let Some(length) = png.get(at..at + 4) {
        let length = u32::from_be_bytes(length.try_into().unwrap()) as usize;
        let Some(end) = (at + 8).checked_add(length) else { break };
        if png.len() < end.saturating_add(4) {
            break;
        }
        let checksum = crc32(&png[at + 4..end]);
        png[end..end + 4].copy_from_slice(&checksum.to_be_bytes());
        at = end + 4;
    }
    png
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| {
            if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 }
        })
    })
}
