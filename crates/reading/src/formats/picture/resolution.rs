//! How many dots to the inch a PNG or JPEG says it has.

/// Less or more than a scanner can do is a mistake, or a placeholder.
const BELIEVABLE: std::ops::RangeInclusive<f32> = 60.0..=2_400.0;
const CENTIMETRES_PER_INCH: f32 = 2.54;
const METRES_PER_INCH: f32 = 0.0254;

/// Across and down.
pub(super) fn of(bytes: &[u8]) -> Option<(f32, f32)> {
    of_png(bytes).or_else(|| of_jpeg(bytes)).and_then(|(x, y)| believable(x, y))
}

pub(super) fn believable(x: f32, y: f32) -> Option<(f32, f32)> {
    (BELIEVABLE.contains(&x) && BELIEVABLE.contains(&y)).then_some((x, y))
}

/// The chunk `pHYs`, which comes before the pixels.
fn of_png(bytes: &[u8]) -> Option<(f32, f32)> {
    let mut rest = bytes.strip_prefix(b"\x89PNG\r\n\x1a\n")?;
    loop {
        let length = usize::try_from(number(rest.get(..4)?)).ok()?;
        let content = rest.get(8..)?.get(..length)?;
        match rest.get(4..8)? {
            b"pHYs" if length == 9 && content[8] == 1 => {
                let per_inch = |at: usize| number(&content[at..at + 4]) as f32 * METRES_PER_INCH;
                return Some((per_inch(0), per_inch(4)));
            }
            b"IDAT" | b"pHYs" => return None,
            _ => rest = rest.get(8 + length + 4..)?,
        }
    }
}

/// The segment `APP0` with JFIF in it, which comes first.
fn of_jpeg(bytes: &[u8]) -> Option<(f32, f32)> {
    let segment = bytes.strip_prefix(b"\xff\xd8\xff\xe0")?;
    if segment.get(2..7)? != b"JFIF\0" {
        return None;
    }
    let across = number(segment.get(10..12)?) as f32;
    let down = number(segment.get(12..14)?) as f32;
    match segment.get(9)? {
        1 => Some((across, down)),
        2 => Some((across * CENTIMETRES_PER_INCH, down * CENTIMETRES_PER_INCH)),
        _ => None,
    }
}

fn number(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |number, &byte| number << 8 | u32::from(byte))
}
