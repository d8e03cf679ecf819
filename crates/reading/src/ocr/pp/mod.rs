//! The second engine: two networks, one that finds lines and one that reads them.
//!
//! It reads noisy and crooked pictures that Tesseract cannot, at several times the cost, and gives lines;
//! words are made here. Its models are loaded once, before the sandbox closes.

mod detection;
mod quad;
mod recognition;

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use image::GrayImage;
use pages::{Area, Confidence};
use rten::{Model, ModelOptions, RunOptions, ThreadPool, Value, ValueOrView};
use rten_tensor::NdTensor;
use serde::{Deserialize, Serialize};

use self::recognition::{Character, Strip};
use crate::ReadError;

pub use self::quad::Quad;

/// Strips of one batch are together no wider than this many pixels: memory stays small.
const BATCH_WIDTH: u32 = 1_600;

/// A line as the second engine reads it; areas in pixels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReadLine {
    pub text: String,
    pub confidence: Confidence,
    pub quad: Quad,
    pub words: Vec<ReadWord>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReadWord {
    pub text: String,
    /// That of its least certain character.
    pub confidence: Confidence,
    pub area: Area,
}

impl fmt::Debug for ModelFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ModelFiles")
    }
}

/// The loaded models.
pub struct PpOcr {
    detection: Network,
    recognition: Network,
    /// The character of each class but the first, which is *nothing*.
    alphabet: Vec<char>,
}

impl fmt::Debug for PpOcr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PpOcr").field("alphabet", &self.alphabet.len()).finish_non_exhaustive()
    }
}

impl PpOcr {
    /// Loads what `scripts/ocr-models` left in a folder.
    pub fn load(folder: &Path, threads: usize) -> Result<Self, ReadError> {
        ModelFiles::read(folder)?.load(threads)
    }
}

/// The models as they are on disk. A process that shuts itself in reads them before, and loads them after:
/// loading starts threads, and those that began before the door closed would stay free.
#[derive(Clone)]
pub struct ModelFiles {
    detection: Vec<u8>,
    recognition: Vec<u8>,
}

impl ModelFiles {
    pub fn read(folder: &Path) -> Result<Self, ReadError> {
        let read = |name: &str| {
            let path = folder.join(name);
            std::fs::read(&path).map_err(|error| ReadError::Missing {
                what: format!("the OCR model {} ({error})", path.display()),
            })
        };
        Ok(Self { detection: read("detection.onnx")?, recognition: read("recognition.onnx")? })
    }

    pub fn load(self, threads: usize) -> Result<PpOcr, ReadError> {
        let pool = Arc::new(ThreadPool::with_num_threads(threads.max(1)));
        let detection = Network::load(self.detection, "that finds lines", &pool)?;
        let recognition = Network::load(self.recognition, "that reads lines", &pool)?;
        let characters = recognition.model.metadata().get("character").ok_or_else(|| {
            ReadError::Missing { what: "the alphabet of the text recognition model".into() }
        })?;
        // The space is the class after those that are listed.
        let alphabet =
            characters.lines().filter_map(|line| line.chars().next()).chain([' ']).collect();
        Ok(PpOcr { detection, recognition, alphabet })
    }
}

impl PpOcr {
    /// The lines of a picture, from top to bottom as they were found.
    pub fn read(
        &self,
        image: &GrayImage,
        regions: Option<&[Area]>,
    ) -> Result<Vec<ReadLine>, ReadError> {
        let mut quads = self.find_lines(image, None)?;
        if let Some(regions) = regions {
            quads.retain(|quad| {
                let area = quad.area();
                regions.iter().any(|region| area.within(region).extent() > 0.0)
            });
        }
        self.read_lines(image, quads)
    }

    /// Where lines are. `print` is the height of small print in pixels; knowing it makes this cheaper.
    pub fn find_lines(
        &self,
        image: &GrayImage,
        print: Option<f32>,
    ) -> Result<Vec<Quad>, ReadError> {
        if image.width() == 0 || image.height() == 0 {
            return Ok(Vec::new());
        }
        let mut quads = detection::find_lines(&self.detection, image, print)?;
        turn_those_read_sideways(&mut quads);
        quads.sort_by(|a, b| a.centre.1.total_cmp(&b.centre.1));
        Ok(quads)
    }

    /// Reads lines that are known.
    pub fn read_lines(
        &self,
        image: &GrayImage,
        quads: Vec<Quad>,
    ) -> Result<Vec<ReadLine>, ReadError> {
        let width_of = |quad: &Quad| recognition::strip_width(quad.width, quad.height);
        let mut order: Vec<usize> = (0..quads.len()).collect();
        order.sort_by_key(|&index| width_of(&quads[index]));
        let mut lines: Vec<Option<ReadLine>> = vec![None; quads.len()];
        let mut rest = &order[..];
        while let Some(&first) = rest.first() {
            let mut many = 1;
            let mut widest = width_of(&quads[first]);
            while let Some(&next) = rest.get(many) {
                widest = widest.max(width_of(&quads[next]));
                if widest * (many as u32 + 1) > BATCH_WIDTH {
                    break;
                }
                many += 1;
            }
            let (batch, after) = rest.split_at(many);
            rest = after;
            let strips: Vec<Strip> = batch
                .iter()
                .map(|&index| {
                    let width = width_of(&quads[index]);
                    let pixels = quads[index].cut(image, width, recognition::HEIGHT);
                    Strip { pixels, width }
                })
                .collect();
            let read = recognition::read_strips(&self.recognition, &self.alphabet, &strips)?;
            for (&index, characters) in batch.iter().zip(read) {
                lines[index] = line_of(&characters, quads[index]);
            }
        }
        Ok(lines.into_iter().flatten().collect())
    }
}

/// A network and the threads that it may use.
struct Network {
    model: Model,
    pool: Arc<ThreadPool>,
}

impl Network {
    fn load(bytes: Vec<u8>, which: &str, pool: &Arc<ThreadPool>) -> Result<Self, ReadError> {
        let model = ModelOptions::with_all_ops().prepack_weights(true).load(bytes);
        let model = model.map_err(|error| ReadError::Missing {
            what: format!("the OCR model {which} ({error})"),
        })?;
        Ok(Self { model, pool: Arc::clone(pool) })
    }

    fn run<const N: usize>(&self, input: NdTensor<f32, 4>) -> Result<NdTensor<f32, N>, ReadError>
    where
        NdTensor<f32, N>: TryFrom<Value>,
    {
        let options = RunOptions::default().with_thread_pool(Some(Arc::clone(&self.pool)));
        let output = self
            .model
            .run_one(ValueOrView::from(input), Some(options))
            .map_err(|error| ReadError::unsupported(format!("the OCR model failed: {error}")))?;
        NdTensor::try_from(output)
            .map_err(|_| ReadError::unsupported("the OCR model gives something unexpected"))
    }
}

/// Text that runs up or down the page is longer than it is wide. A lone "1" is, too: so only what is also much
/// higher than the lines around it are thick counts.
fn turn_those_read_sideways(quads: &mut [Quad]) {
    let mut thicknesses: Vec<f32> = quads.iter().map(|quad| quad.height.min(quad.width)).collect();
    thicknesses.sort_by(f32::total_cmp);
    let usual = thicknesses.get(thicknesses.len() / 2).copied().unwrap_or(0.0);
    for quad in quads {
        if quad.height > 1.5 * quad.width && quad.height > 2.0 * usual {
            *quad = quad.turned();
        }
    }
}

fn line_of(characters: &[Character], quad: Quad) -> Option<ReadLine> {
    let text: String = characters.iter().map(|one| one.letter).collect();
    let text = text.trim();
    if text.is_empty() {
        return None;
    }
    let inked: Vec<f32> =
        characters.iter().filter(|one| one.letter != ' ').map(|one| one.likely).collect();
    let mean = inked.iter().sum::<f32>() / inked.len() as f32;
    Some(ReadLine {
        text: text.to_owned(),
        confidence: confidence(mean),
        quad,
        words: words_of(characters, &quad),
    })
}

/// Cut at the spaces. A word reaches half a character beyond the middle of its first and last one.
fn words_of(characters: &[Character], quad: &Quad) -> Vec<ReadWord> {
    let half = half_character(characters);
    let mut words = Vec::new();
    for word in characters.split(|one| one.letter == ' ') {
        let (Some(first), Some(last)) = (word.first(), word.last()) else { continue };
        let from = (first.at - half).max(0.0) * quad.width;
        let to = (last.at + half).min(1.0) * quad.width;
        let weakest = word.iter().map(|one| one.likely).fold(1.0, f32::min);
        words.push(ReadWord {
            text: word.iter().map(|one| one.letter).collect(),
            confidence: confidence(weakest),
            area: quad.area_between(from, to),
        });
    }
    words
}

/// Half the usual distance between characters, as a fraction of the line.
fn half_character(characters: &[Character]) -> f32 {
    let mut steps: Vec<f32> = characters.windows(2).map(|pair| pair[1].at - pair[0].at).collect();
    steps.sort_by(f32::total_cmp);
    steps.get(steps.len() / 2).map_or(0.5, |step| step / 2.0)
}

fn confidence(likely: f32) -> Confidence {
    Confidence((likely.clamp(0.0, 1.0) * 100.0) as u8)
}
