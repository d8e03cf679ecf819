//! Reads the words in pictures of pages (OCR).
//!
//! ```text
//! picture ─ prepare::look, apply ─▶ what OCR sees ─┬─▶ tesseract (run by the parent) ─▶ TSV ─┐
//!                                                  │                                          ▼
//!                                                  └─▶ PpOcr, where `policy` asks for it ─▶ consensus ─▶ words
//! ```
//!
//! [`Sheet`] holds the steps: create one from the picture of a page, let a process that may start programs run tesseract
//! on [`Sheet::for_tesseract`], and call [`Sheet::read`] with the result. Either engine may be missing; without both, the
//! text of the page is [`TextSource::Unavailable`].

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "pixels are counted in whole numbers and measured in fractions, and `as` stops at the ends"
)]

pub mod consensus;
pub mod policy;
pub mod pp;
pub mod tesseract;
mod upright;

use image::GrayImage;
use pages::{Area, Confidence, Page, Preparation, Rotation, Size, TextSource, Word};

use self::policy::Plan;
use self::pp::{PpOcr, ReadLine};
use crate::ReadError;
use crate::prepare::{self, Mapping};

pub use self::upright::{find_upright, is_suspicious};

/// A page that is prepared for OCR.
#[derive(Clone, Debug)]
pub struct Sheet {
    preparation: Preparation,
    mapping: Mapping,
    /// Rotated and masked, without noise reduction: the second engine reads it better.
    plain: GrayImage,
    /// After noise reduction, if there was any.
    clean: Option<GrayImage>,
    is_blank: bool,
}

/// How much the second engine reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Only where the first engine is uncertain; see [`policy`].
    WhereNeeded,
    /// The whole page.
    Everywhere,
}

impl Sheet {
    /// Measures and prepares the picture of a page. `masked` is in points of the page.
    pub fn new(picture: GrayImage, page: Size, masked: Vec<Area>) -> Self {
        Self::prepared(Preparation { masked, ..prepare::look(&picture) }, picture, page)
    }

    fn prepared(preparation: Preparation, picture: GrayImage, page: Size) -> Self {
        let mapping = Mapping::new(&preparation, picture.dimensions(), page);
        let plain = Preparation { denoise: false, ..preparation.clone() };
        let clean =
            preparation.denoise.then(|| prepare::apply(&preparation, picture.clone(), page));
        let plain = prepare::apply(&plain, picture, page);
        let is_blank = prepare::is_blank(clean.as_ref().unwrap_or(&plain));
        Self { preparation, mapping, plain, clean, is_blank }
    }

    /// One that was made before, of its [`Sheet::plain`] picture: there is something on it.
    pub fn from_plain(
        preparation: Preparation,
        pixels: (u32, u32),
        page: Size,
        plain: GrayImage,
    ) -> Self {
        let mapping = Mapping::new(&preparation, pixels, page);
        Self { preparation, mapping, plain, clean: None, is_blank: false }
    }

    /// The same page, rotated by quarter turns, which it was not before. The small rotation that levels the lines stays
    /// valid, because both rotations commute.
    #[must_use]
    pub fn turned(&self, upright: Rotation) -> Self {
        let turn = |picture: &GrayImage| prepare::turn_upright(picture.clone(), upright);
        Self {
            preparation: Preparation { upright, ..self.preparation.clone() },
            mapping: self.mapping.turned(upright),
            plain: turn(&self.plain),
            clean: self.clean.as_ref().map(turn),
            is_blank: self.is_blank,
        }
    }

    pub fn preparation(&self) -> &Preparation {
        &self.preparation
    }

    /// Whether the page is blank, so that no OCR is needed.
    pub fn is_blank(&self) -> bool {
        self.is_blank
    }

    /// The picture for Tesseract; see [`tesseract::encode`].
    pub fn for_tesseract(&self) -> &GrayImage {
        self.clean.as_ref().unwrap_or(&self.plain)
    }

    /// The picture for the second engine.
    pub fn plain(&self) -> &GrayImage {
        &self.plain
    }

    /// The words of the page, in points. `tesseract` as [`tesseract::parse_tsv`] gives them.
    pub fn read(
        &self,
        tesseract: Option<&[Word]>,
        pp: Option<&PpOcr>,
        effort: Effort,
    ) -> Result<Vec<Word>, ReadError> {
        if self.is_blank {
            return Ok(Vec::new());
        }
        let words = match (tesseract, pp, effort) {
            (None, Some(pp), _) => consensus::join(None, Some(&pp.read(&self.plain, None)?)),
            (tesseract, None, _) => consensus::join(tesseract, None),
            (tesseract, Some(pp), Effort::Everywhere) => {
                consensus::join(tesseract, Some(&pp.read(&self.plain, None)?))
            }
            (Some(words), Some(pp), Effort::WhereNeeded) => {
                let (plan, lines) = self.read_where_needed(words, pp)?;
                consensus::join_by_plan(&plan, &lines)
            }
        };
        Ok(words.into_iter().map(|word| self.on_page(word)).collect())
    }

    fn read_where_needed(
        &self,
        words: &[Word],
        pp: &PpOcr,
    ) -> Result<(Plan, Vec<ReadLine>), ReadError> {
        let found = pp.find_lines(&self.plain, policy::print_height(words))?;
        let plan = policy::plan(&found, words);
        let lines = pp.read_lines(&self.plain, plan.doubtful.clone())?;
        Ok((plan, lines))
    }

    fn on_page(&self, word: Word) -> Word {
        let area = word.area.map(|area| self.mapping.on_page(&area));
        Word { area, ..word }
    }

    /// Writes the words into a page. `None` means that no engine is installed.
    pub fn fill(&self, page: &mut Page, words: Option<Vec<Word>>) {
        page.preparation = Some(self.preparation.clone());
        (page.text, page.quality, page.words) = match words {
            _ if self.is_blank => (TextSource::Blank, Confidence::CERTAIN, Vec::new()),
            None => (TextSource::Unavailable, Confidence::NONE, Vec::new()),
            Some(words) => (TextSource::Recognised, quality_of(&words), words),
        };
    }
}

/// The mean confidence of the words, weighted by length.
fn quality_of(words: &[Word]) -> Confidence {
    let (mut sum, mut letters) = (0_u64, 0_u64);
    for word in words {
        let length = word.text.chars().count() as u64;
        sum += u64::from(word.confidence.0) * length;
        letters += length;
    }
    let mean = sum.checked_div(letters).unwrap_or(0);
    Confidence(u8::try_from(mean).unwrap_or(u8::MAX))
}

/// Rows from top to bottom, each from left to right. Stretches of text stand in one row when they share half
/// of their height.
fn reading_order(mut stretches: Vec<(Area, Vec<Word>)>) -> Vec<Word> {
    let middle = |area: &Area| f32::midpoint(area.top, area.bottom);
    stretches.sort_by(|a, b| middle(&a.0).total_cmp(&middle(&b.0)));
    let mut rows: Vec<Vec<(Area, Vec<Word>)>> = Vec::new();
    for (area, words) in stretches {
        let is_beside = |row: &Area| {
            let shared = row.bottom.min(area.bottom) - row.top.max(area.top);
            shared > 0.5 * row.height().min(area.height())
        };
        match rows.last_mut() {
            Some(row) if row.first().is_some_and(|(first, _)| is_beside(first)) => {
                row.push((area, words));
            }
            _ => rows.push(vec![(area, words)]),
        }
    }
    for row in &mut rows {
        row.sort_by(|a, b| a.0.left.total_cmp(&b.0.left));
    }
    rows.into_iter().flatten().flat_map(|(_, words)| words).collect()
}
