//! Reads the tensors of `model.safetensors` one at a time, so that the file is never in memory together with the model.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use safetensors::tensor::{Dtype, Metadata, TensorInfo};
use sha2::{Digest, Sha256};

use super::ModelError;

const FILE: &str = "model.safetensors";
/// A header lists a few hundred tensors; a larger one is not a header.
const MAX_HEADER: u64 = 16 << 20;

pub(super) struct Weights {
    path: PathBuf,
    file: File,
    metadata: Metadata,
    /// The position of the first tensor.
    start: u64,
    /// The prefix of every name, such as `bert.`.
    prefix: String,
}

impl Weights {
    pub(super) fn open(folder: &Path) -> Result<Self, ModelError> {
        let path = folder.join(FILE);
        if !path.is_file() {
            return Err(no_weights(folder));
        }
        let unreadable = |error| ModelError::unreadable(&path, error);
        let mut file = File::open(&path).map_err(unreadable)?;
        let mut length = [0; 8];
        file.read_exact(&mut length).map_err(unreadable)?;
        let header_length = u64::from_le_bytes(length);
        if header_length > MAX_HEADER {
            return Err(ModelError::malformed(&path, "it is not a safetensors file"));
        }
        let mut header = Vec::new();
        (&mut file).take(header_length).read_to_end(&mut header).map_err(unreadable)?;
        let metadata: Metadata =
            serde_json::from_slice(&header).map_err(|error| ModelError::malformed(&path, error))?;
        let prefix = metadata
            .offset_keys()
            .iter()
            .find_map(|name| name.strip_suffix("embeddings.word_embeddings.weight"))
            .map(str::to_owned)
            .ok_or_else(|| ModelError::malformed(&path, "it has no word embeddings"))?;
        Ok(Self { path, file, metadata, start: 8 + header_length, prefix })
    }

    /// A tensor of the encoder, by its name without the prefix.
    pub(super) fn encoder(&mut self, name: &str, size: &[usize]) -> Result<Vec<f32>, ModelError> {
        self.read(&self.of_encoder(name), size)
    }

    /// The full name of a tensor of the encoder.
    pub(super) fn of_encoder(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    pub(super) fn size(&self, name: &str) -> Option<Vec<usize>> {
        self.metadata.info(name).map(|info| info.shape.clone())
    }

    pub(super) fn read(&mut self, name: &str, size: &[usize]) -> Result<Vec<f32>, ModelError> {
        let Some(info) = self.metadata.info(name).cloned() else {
            return Err(ModelError::malformed(&self.path, format!("{name} is not in it")));
        };
        if info.shape != size {
            let reason = format!("{name} is {:?}, but config.json requires {size:?}", info.shape);
            return Err(ModelError::malformed(&self.path, reason));
        }
        let bytes = self.bytes_of(&info)?;
        let floats = match info.dtype {
            Dtype::F32 => {
                bytes.as_chunks().0.iter().map(|four| f32::from_le_bytes(*four)).collect()
            }
            Dtype::F16 => {
                bytes.as_chunks().0.iter().map(|two| half(u16::from_le_bytes(*two))).collect()
            }
            Dtype::BF16 => bytes
                .as_chunks()
                .0
                .iter()
                .map(|two| f32::from_bits(u32::from(u16::from_le_bytes(*two)) << 16))
                .collect(),
            other => {
                let reason = format!("{name} has the unsupported type {other:?}");
                return Err(ModelError::malformed(&self.path, reason));
            }
        };
        Ok(floats)
    }

    fn bytes_of(&mut self, info: &TensorInfo) -> Result<Vec<u8>, ModelError> {
        let (begin, end) = info.data_offsets;
        let place = self.start + begin as u64;
        let mut bytes = Vec::new();
        self.file
            .seek(SeekFrom::Start(place))
            .and_then(|_| (&mut self.file).take((end - begin) as u64).read_to_end(&mut bytes))
            .map_err(|error| ModelError::unreadable(&self.path, error))?;
        if bytes.len() < end - begin {
            return Err(ModelError::malformed(&self.path, "it is truncated"));
        }
        Ok(bytes)
    }

    /// Adds the file to a hash.
    pub(super) fn hash_into(&mut self, hash: &mut Sha256) -> Result<(), ModelError> {
        let mut piece = vec![0; 1 << 20];
        let result = (|| {
            self.file.rewind()?;
            loop {
                match self.file.read(&mut piece)? {
                    0 => return Ok(()),
                    length => hash.update(&piece[..length]),
                }
            }
        })();
        result.map_err(|error| ModelError::unreadable(&self.path, error))
    }
}

fn no_weights(folder: &Path) -> ModelError {
    let exists = |file: &str| folder.join(file).exists();
    let what = if exists("model.safetensors.index.json") {
        "its weights are in several files"
    } else if exists("pytorch_model.bin") {
        "its weights are only available as pytorch_model.bin"
    } else if exists("model.onnx") || exists("onnx") {
        "its weights are only available as ONNX"
    } else {
        return ModelError::Missing {
            folder: folder.to_owned(),
            file: FILE,
            advice: "name a folder that contains the weights, or install the default model with \
                     scripts/embedding-model",
        };
    };
    ModelError::unsupported(folder, what, "get or save it as one model.safetensors")
}

/// Converts a 16-bit float: 1 sign bit, 5 exponent bits, 10 fraction bits.
fn half(bits: u16) -> f32 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let exponent = i32::from((bits >> 10) & 0x1f);
    let fraction = f32::from(bits & 0x3ff) / 1024.0;
    match exponent {
        0 => sign * fraction * 2f32.powi(-14),
        0x1f if fraction == 0.0 => sign * f32::INFINITY,
        0x1f => f32::NAN,
        _ => sign * (1.0 + fraction) * 2f32.powi(exponent - 15),
    }
}

#[cfg(test)]
mod tests {
    use super::half;

    #[test]
    #[expect(clippy::float_cmp, reason = "the values are exact")]
    fn numbers_of_16_bits_are_widened_exactly() {
        assert_eq!(half(0x3c00), 1.0);
        assert_eq!(half(0xc000), -2.0);
        assert_eq!(half(0x3555), 0.333_251_95);
        assert_eq!(half(0x0001), 2f32.powi(-24));
        assert_eq!(half(0x7bff), 65504.0);
        assert_eq!(half(0x8000), 0.0);
        assert!(half(0x7e00).is_nan());
        assert_eq!(half(0xfc00), f32::NEG_INFINITY);
    }
}
