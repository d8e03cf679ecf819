use image::{ImageFormat, Rgba, RgbaImage};
use tiff::encoder::{Rational, TiffEncoder, colortype};
use tiff::tags::ResolutionUnit;

use super::*;

fn source(bytes: &[u8], kind: FileKind) -> Source<'_> {
    Source { bytes, kind, file_name: "scan", password: None, limits: Limits::default() }
}

fn encoded(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    GrayImage::from_pixel(width, height, image::Luma([77])).write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

/// Pages of 200 dots per inch, each of its own shade.
fn tiff_of(shades: &[u8]) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    let mut encoder = TiffEncoder::new(&mut bytes).unwrap();
    for &shade in shades {
        let mut page = encoder.new_image::<colortype::Gray8>(100, 50).unwrap();
        page.resolution(ResolutionUnit::Inch, Rational { n: 200, d: 1 });
        page.write_data(&[shade; 5_000]).unwrap();
    }
    bytes.into_inner()
}

fn parts(source: &Source<'_>) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut sink = |part| {
        parts.push(part);
        Ok(())
    };
    read(source, &mut sink).unwrap();
    parts
}

#[test]
fn every_page_of_a_tiff_is_a_page_that_wants_reading() {
    let bytes = tiff_of(&[10, 120, 230]);
    let parts = parts(&source(&bytes, FileKind::Tiff));
    let [Part::Head(head), Part::Page(first), _, Part::Page(last), Part::Tail(tail)] = &parts[..]
    else {
        panic!("{parts:?}")
    };
    assert_eq!((head.pages, tail.pages, last.number), (Some(3), 3, 3));
    assert_eq!(first.text, TextSource::Wanted);
    assert_eq!(first.size, Some(Size { width: 36.0, height: 18.0 }));
    let picture = Picture::open(source(&bytes, FileKind::Tiff)).unwrap();
    let shades = [1, 2, 3].map(|number| picture.page(number).unwrap().get_pixel(50, 25).0[0]);
    assert_eq!(shades, [10, 120, 230]);
    assert!(picture.page(4).is_err() && picture.page(0).is_err());
}

#[test]
fn pages_beyond_the_limit_are_left_out_and_the_tail_says_so() {
    let bytes = tiff_of(&[1, 2, 3]);
    let limits = Limits { pages: 2, ..Limits::default() };
    let parts = parts(&Source { limits, ..source(&bytes, FileKind::Tiff) });
    let Some(Part::Tail(tail)) = parts.last() else { panic!("{parts:?}") };
    assert_eq!(tail.pages, 2);
    assert_eq!(tail.remarks.len(), 1);
}

#[test]
fn a_picture_that_is_too_large_is_refused_by_its_header() {
    let mut bytes = encoded(64, 64, ImageFormat::Png);
    // The header of a PNG says 60,000 × 60,000; its checksum comes after it.
    bytes[16..24].copy_from_slice(&[0, 0, 0xea, 0x60, 0, 0, 0xea, 0x60]);
    let checksum = crc(&bytes[12..29]);
    bytes[29..33].copy_from_slice(&checksum.to_be_bytes());
    let refused = Picture::open(source(&bytes, FileKind::Png)).unwrap_err();
    assert!(matches!(refused, ReadError::TooLarge { .. }), "{refused:?}");
}

fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| {
            if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 }
        })
    })
}

#[test]
fn a_jpeg_without_a_resolution_has_one_point_for_each_pixel() {
    let bytes = encoded(300, 200, ImageFormat::Jpeg);
    let picture = Picture::open(source(&bytes, FileKind::Jpg)).unwrap();
    assert_eq!(picture.size(1), Some(Size { width: 300.0, height: 200.0 }));
    assert_eq!(picture.page(1).unwrap().dimensions(), (300, 200));
}

#[test]
fn the_resolution_in_a_header_is_believed_when_a_scanner_can_have_it() {
    let mut jpeg = encoded(300, 200, ImageFormat::Jpeg);
    let density = jpeg.windows(5).position(|window| window == b"JFIF\0").unwrap() + 7;
    jpeg[density..density + 5].copy_from_slice(&[1, 0, 150, 0, 150]);
    let picture = Picture::open(source(&jpeg, FileKind::Jpg)).unwrap();
    assert_eq!(picture.size(1), Some(Size { width: 144.0, height: 96.0 }));
    jpeg[density..density + 5].copy_from_slice(&[1, 0, 1, 0, 1]);
    let picture = Picture::open(source(&jpeg, FileKind::Jpg)).unwrap();
    assert_eq!(picture.size(1), Some(Size { width: 300.0, height: 200.0 }));
}

#[test]
fn a_jpeg_that_cannot_hold_what_its_header_says_is_refused_before_it_is_decoded() {
    let mut bytes = encoded(64, 64, ImageFormat::Jpeg);
    assert!(Picture::open(source(&bytes, FileKind::Jpg)).is_ok());
    // The frame header: marker, length, precision, height, width.
    let header = bytes.windows(2).position(|window| window == [0xff, 0xc0]).unwrap();
    bytes[header + 5..header + 9].copy_from_slice(&[0x27, 0x10, 0x27, 0x10]);
    let refused = Picture::open(source(&bytes, FileKind::Jpg)).unwrap_err();
    assert!(matches!(refused, ReadError::Damaged { .. }), "{refused:?}");
}

#[test]
fn what_can_be_seen_through_is_paper() {
    let mut bytes = Cursor::new(Vec::new());
    let mut glass = RgbaImage::from_pixel(20, 20, Rgba([0, 0, 0, 0]));
    glass.put_pixel(10, 10, Rgba([0, 0, 0, 255]));
    glass.write_to(&mut bytes, ImageFormat::Png).unwrap();
    let bytes = bytes.into_inner();
    let page = Picture::open(source(&bytes, FileKind::Png)).unwrap().page(1).unwrap();
    assert_eq!((page.get_pixel(0, 0).0, page.get_pixel(10, 10).0), ([255], [0]));
}

#[test]
fn damaged_pictures_are_errors() {
    for kind in [FileKind::Png, FileKind::Jpg, FileKind::Tiff] {
        let format = match kind {
            FileKind::Png => ImageFormat::Png,
            FileKind::Jpg => ImageFormat::Jpeg,
            _ => ImageFormat::Tiff,
        };
        let whole = encoded(64, 64, format);
        for length in (0..whole.len()).step_by(7) {
            let cut = &whole[..length];
            // Either the header or the pixels tell; neither may panic.
            if let Ok(picture) = Picture::open(source(cut, kind)) {
                let _ = picture.page(1);
            }
        }
        assert!(Picture::open(source(&whole[..6], kind)).is_err());
    }
}

/// Shades that do not compress to nothing, so that a part of the file is a part of the picture.
fn noise(format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    let shade = |x: u32, y: u32| u8::try_from((x * 7919 + y * 104_729) % 251).unwrap();
    GrayImage::from_fn(64, 64, |x, y| image::Luma([shade(x, y)]))
        .write_to(&mut bytes, format)
        .unwrap();
    bytes.into_inner()
}

#[test]
fn half_a_png_or_tiff_and_one_with_a_flipped_bit_are_damaged() {
    let error = |bytes: &[u8], kind: FileKind| {
        Picture::open(source(bytes, kind)).and_then(|picture| picture.page(1)).unwrap_err()
    };
    for (kind, format) in [(FileKind::Png, ImageFormat::Png), (FileKind::Tiff, ImageFormat::Tiff)] {
        let whole = noise(format);
        let cut = error(&whole[..whole.len() / 2], kind);
        assert!(matches!(cut, ReadError::Damaged { .. }), "{kind:?}: {cut:?}");
    }
    let mut flipped = noise(ImageFormat::Png);
    let middle = flipped.len() / 2;
    flipped[middle] ^= 0x10;
    let flipped = error(&flipped, FileKind::Png);
    assert!(matches!(flipped, ReadError::Damaged { .. }), "{flipped:?}");
}

#[test]
fn a_jpeg_that_is_cut_off_is_read_as_far_as_it_goes_and_says_so() {
    let whole = noise(ImageFormat::Jpeg);
    let remarks = |bytes: &[u8]| match parts(&source(bytes, FileKind::Jpg)).pop() {
        Some(Part::Tail(tail)) => tail.remarks,
        other => panic!("{other:?}"),
    };
    assert_eq!(remarks(&whole), [""; 0]);
    let cut = &whole[..whole.len() / 2];
    assert_eq!(remarks(cut), ["The end of the picture is missing from the file."]);
    assert!(Picture::open(source(cut, FileKind::Jpg)).unwrap().page(1).is_ok());
}
