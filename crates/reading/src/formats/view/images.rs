//! Pictures within a document, as `data:` addresses.
//!
//! Only formats that every browser decodes are shown. They are recognised by their first bytes, whatever type the
//! document states. SVG is excluded, because it may contain scripts.

use std::collections::HashMap;
use std::io::Cursor;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use image::{ImageFormat, ImageReader};

use crate::formats::package::{Package, Relations};

/// The size limits of one picture and of all pictures of a view, in bytes.
const MAX_PICTURE: usize = 8 << 20;
const MAX_ALL: usize = 12 << 20;

#[derive(Debug)]
pub(super) struct Images {
    room: usize,
    pixels: u64,
    left_out: bool,
    /// The CSS classes of pictures, by member; `None` for pictures that cannot be shown.
    classes: HashMap<String, Option<String>>,
    /// A rule per class, so that a picture that is used several times is in the view once.
    rules: String,
}

impl Images {
    pub(super) fn new(pixels: u64) -> Self {
        let (classes, rules) = (HashMap::new(), String::new());
        Self { room: MAX_ALL, pixels, left_out: false, classes, rules }
    }

    /// The style sheet for [`Images::class`].
    pub(super) fn rules(&self) -> &str {
        &self.rules
    }

    /// A class that shows a picture of an Office file as the background, by the relation that refers to it.
    pub(super) fn class(
        &mut self,
        package: &Package,
        relations: &Relations,
        id: &str,
    ) -> Option<String> {
        let relation = relations.get(id).filter(|relation| !relation.external)?;
        if let Some(known) = self.classes.get(&relation.target) {
            return known.clone();
        }
        // A picture that cannot be unpacked must not prevent the rest of the view.
        let bytes = package.member(&relation.target).ok().flatten().unwrap_or_default();
        let class = self.address(&bytes).map(|address| {
            let class = format!("dk-i{}", self.classes.len());
            let rule = format!(".{class}{{background-image:url({address})}}");
            self.rules.push_str(&rule);
            class
        });
        self.classes.insert(relation.target.clone(), class.clone());
        class
    }

    /// Whether a picture was too large to be shown.
    pub(super) fn left_out(&self) -> bool {
        self.left_out
    }

    /// The address of a picture; none when it is no picture that can be shown.
    pub(super) fn address(&mut self, bytes: &[u8]) -> Option<String> {
        let (media_type, format) = recognise(bytes)?;
        if bytes.len() > MAX_PICTURE.min(self.room) || !self.fits(bytes, format) {
            self.left_out = true;
            return None;
        }
        self.room -= bytes.len();
        Some(format!("data:{media_type};base64,{}", STANDARD.encode(bytes)))
    }

    /// A picture that came as a `data:` address itself.
    pub(super) fn readdress(&mut self, address: &str) -> Option<String> {
        let (kind, data) = address.trim().split_once(',')?;
        let is_base64 = kind.get(..5)?.eq_ignore_ascii_case("data:")
            && kind.to_ascii_lowercase().ends_with(";base64");
        if !is_base64 || data.len() > 2 * MAX_PICTURE {
            return None;
        }
        let data: String = data.chars().filter(|c| !c.is_ascii_whitespace()).collect();
        self.address(&STANDARD.decode(data.trim_end_matches("%3D")).ok()?)
    }

    /// Whether the number of pixels is within the limit. The size of WebP pictures is limited by their format.
    fn fits(&self, bytes: &[u8], format: Option<ImageFormat>) -> bool {
        let size = match format {
            Some(format) => {
                ImageReader::with_format(Cursor::new(bytes), format).into_dimensions().ok()
            }
            None => gif_size(bytes),
        };
        size.is_none_or(|(width, height)| u64::from(width) * u64::from(height) <= self.pixels)
    }
}

fn recognise(bytes: &[u8]) -> Option<(&'static str, Option<ImageFormat>)> {
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        Some(("image/png", Some(ImageFormat::Png)))
    } else if bytes.starts_with(b"\xFF\xD8\xFF") {
        Some(("image/jpeg", Some(ImageFormat::Jpeg)))
    } else if bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a") {
        Some(("image/gif", None))
    } else if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        Some(("image/webp", None))
    } else {
        None
    }
}

fn gif_size(bytes: &[u8]) -> Option<(u32, u32)> {
    let side = |at: usize| {
        let bytes = bytes.get(at..at + 2)?.try_into().ok()?;
        Some(u32::from(u16::from_le_bytes(bytes)))
    };
    bytes.starts_with(b"GIF").then(|| Some((side(6)?, side(8)?))).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_recognised_by_their_bytes_alone() {
        let mut images = Images::new(1_000_000);
        let gif = b"GIF89a\x01\0\x01\0";
        assert_eq!(images.address(gif).unwrap(), "data:image/gif;base64,R0lGODlhAQABAA==");
        assert_eq!(images.address(b"<svg onload=alert(1)>"), None);
        assert_eq!(images.readdress("data:image/png;base64,PHN2Zz4="), None);
        assert_eq!(images.readdress("data:text/html,<script>"), None);
        let relabelled = images.readdress("data:text/html;base64,R0lGODlhAQABAA==");
        assert_eq!(relabelled.unwrap(), "data:image/gif;base64,R0lGODlhAQABAA==");
    }

    #[test]
    fn a_picture_of_too_many_pixels_is_left_out() {
        let mut images = Images::new(1_000_000);
        assert_eq!(images.address(b"GIF89a\xFF\xFF\xFF\xFF"), None);
        assert!(images.left_out());
    }
}
