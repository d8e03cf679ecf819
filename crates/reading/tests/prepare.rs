//! Pages drawn here, crooked, noisy, faint or empty, are made ready as they should be.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "a test that cannot go on has failed, and its numbers are small"
)]

use image::{GrayImage, Luma};
use pages::{Area, Confidence, Preparation, Rotation, Size, Word};
use reading::prepare::{self, Mapping, Mask};

const PAPER: u8 = 235;

/// Lines of "words" (bars with gaps), turned by so many degrees clockwise around the middle.
fn page_turned_by(degrees: f32) -> GrayImage {
    let (width, height) = (1_000_u32, 1_400_u32);
    let (sine, cosine) = degrees.to_radians().sin_cos();
    GrayImage::from_fn(width, height, |column, row| {
        let (x, y) = (column as f32 - 500.0, row as f32 - 700.0);
        let (x, y) = (x * cosine + y * sine + 500.0, y * cosine - x * sine + 700.0);
        let is_on_page = (120.0..880.0).contains(&x) && (150.0..1_250.0).contains(&y);
        let is_in_line = y.rem_euclid(36.0) < 14.0;
        let is_in_word = x.rem_euclid(70.0) < 55.0 && x.rem_euclid(11.0) < 7.0;
        Luma([if is_on_page && is_in_line && is_in_word { 40 } else { PAPER }])
    })
}

fn empty_page() -> GrayImage {
    GrayImage::from_pixel(1_000, 1_400, Luma([PAPER]))
}

/// The same "random" numbers on every run.
fn with_grain(mut page: GrayImage, strength: i32) -> GrayImage {
    let mut state = 12_345_u32;
    for pixel in page.iter_mut() {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let noise = (state >> 16) as i32 % (2 * strength + 1) - strength;
        *pixel = (i32::from(*pixel) + noise).clamp(0, 255) as u8;
    }
    page
}

#[test]
fn a_crooked_page_is_turned_back_by_as_much() {
    for degrees in [-7.0, -2.3, 1.1, 4.6, 9.5] {
        let found = prepare::look(&page_turned_by(degrees)).deskew;
        assert!((found + degrees).abs() <= 0.2, "turned by {degrees}, found {found}");
    }
}

#[test]
fn a_straight_page_stays_as_it_is() {
    assert_eq!(prepare::look(&page_turned_by(0.0)), Preparation::default());
}

#[test]
fn a_page_with_a_stroke_on_it_is_not_turned_by_nonsense() {
    let mut page = empty_page();
    // A signature's worth of ink, slanted by 20 degrees or so, and a stamp's circle.
    for step in 0..300_u32 {
        for thick in 0..4 {
            page.put_pixel(300 + step, 900 - step / 3 + thick, Luma([30]));
        }
        let angle = step as f32 / 300.0 * std::f32::consts::TAU;
        let (x, y) = (700.0 + 80.0 * angle.cos(), 300.0 + 80.0 * angle.sin());
        page.put_pixel(x as u32, y as u32, Luma([30]));
    }
    assert!(prepare::look(&page).deskew.abs() < 0.01);
}

#[test]
fn grain_is_taken_away_only_where_there_is_some() {
    assert!(!prepare::look(&page_turned_by(0.0)).denoise);
    assert!(prepare::look(&with_grain(page_turned_by(0.0), 40)).denoise);
}

#[test]
fn faint_print_is_spread_over_all_shades() {
    let mut page = page_turned_by(0.0);
    for pixel in page.iter_mut() {
        *pixel = 190 + *pixel / 5;
    }
    let size = Size { width: 500.0, height: 700.0 };
    let preparation = prepare::look(&page);
    assert!(preparation.contrast);
    let clear = prepare::apply(&preparation, page, size);
    let (darkest, brightest) = (clear.iter().min().unwrap(), clear.iter().max().unwrap());
    assert!(*darkest < 20 && *brightest > 235, "{darkest}..{brightest}");
}

#[test]
fn an_empty_page_is_blank_even_with_grain_and_specks() {
    assert!(prepare::is_blank(&empty_page()));
    let mut page = with_grain(empty_page(), 12);
    for at in 0..5 {
        page.put_pixel(100 + at * 150, 200 + at * 200, Luma([0]));
    }
    assert!(prepare::is_blank(&page));
    assert!(!prepare::is_blank(&page_turned_by(0.0)));
}

#[test]
fn masked_areas_are_paper_before_anybody_reads_them() {
    let size = Size { width: 500.0, height: 700.0 };
    let masks = [
        Mask { area: Area { left: 0.1, top: 0.1, right: 0.9, bottom: 0.286 }, page: Some(2) },
        Mask { area: Area { left: 0.0, top: 0.985, right: 1.0, bottom: 1.0 }, page: None },
    ];
    assert_eq!(prepare::masks_on(&masks, 1, size).len(), 1);
    let preparation =
        Preparation { masked: prepare::masks_on(&masks, 2, size), ..Preparation::default() };
    let page = prepare::apply(&preparation, page_turned_by(0.0), size);
    let inside = (140..400).flat_map(|y| (100..900).map(move |x| (x, y)));
    assert!(inside.into_iter().all(|(x, y)| page.get_pixel(x, y).0 == [255]));
    assert!((420..1_200).any(|y| page.get_pixel(500, y).0 == [40]));
}

#[test]
fn words_of_a_text_layer_under_a_mask_are_removed() {
    let word = |left: f32| Word {
        text: "secret".into(),
        area: Some(Area { left, top: 10.0, right: left + 30.0, bottom: 20.0 }),
        confidence: Confidence::CERTAIN,
        ..Word::default()
    };
    let mut words = vec![word(0.0), word(100.0)];
    let mask = Area { left: 90.0, top: 0.0, right: 200.0, bottom: 30.0 };
    prepare::remove_masked_words(&mut words, &[mask]);
    assert_eq!(words, [word(0.0)]);
}

/// A mark on the page is found in the prepared picture, and its place leads back to where it was.
#[test]
fn areas_lead_back_to_the_page_whatever_was_done_to_it() {
    let size = Size { width: 500.0, height: 700.0 };
    let ways = [
        (Rotation::None, 0.0),
        (Rotation::None, 5.0),
        (Rotation::Quarter, 0.0),
        (Rotation::Half, -3.0),
        (Rotation::ThreeQuarters, 2.0),
    ];
    for (upright, deskew) in ways {
        let mut page = empty_page();
        for (x, y) in (600..640).flat_map(|x| (200..240).map(move |y| (x, y))) {
            page.put_pixel(x, y, Luma([0]));
        }
        let preparation = Preparation { upright, deskew, ..Preparation::default() };
        let mapping = Mapping::new(&preparation, page.dimensions(), size);
        let prepared = prepare::apply(&preparation, page, size);
        let dark = prepared.enumerate_pixels().filter(|(_, _, pixel)| pixel.0[0] < 100);
        let (mut x_sum, mut y_sum, mut count) = (0.0, 0.0, 0.0);
        for (x, y, _) in dark {
            x_sum += x as f32 + 0.5;
            y_sum += y as f32 + 0.5;
            count += 1.0;
        }
        let (x, y) = (x_sum / count, y_sum / count);
        let found = Area { left: x - 20.0, top: y - 20.0, right: x + 20.0, bottom: y + 20.0 };
        let place = mapping.on_page(&found);
        let wanted = Area { left: 300.0, top: 100.0, right: 320.0, bottom: 120.0 };
        for (is, should) in [
            (place.left, wanted.left),
            (place.top, wanted.top),
            (place.right, wanted.right),
            (place.bottom, wanted.bottom),
        ] {
            assert!((is - should).abs() < 1.0, "{upright:?} {deskew}: {place:?}");
        }
    }
}
