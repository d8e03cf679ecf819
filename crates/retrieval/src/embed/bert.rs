//! The encoder of BERT-like models.
//!
//! Sequences are *packed*: their tokens are consecutive rows of one matrix, without padding. Only attention needs to know
//! where a sequence ends.

use rten_gemm::{
    BiasVector, GemmError, GemmExecutor, GemmInputA, GemmInputB, GemmOptions, PackedBMatrix,
};
use rten_simd::{SimdOp, SimdUnaryOp};
use rten_tensor::{Matrix, NdTensorView};
use rten_vecmath::{ApproxGelu, Gelu, Normalize, NormalizeOptions, Softmax, Sum, SumSquareSub};

use super::ModelError;
use super::names::Names;
use super::shape::{Activation, Shape};
use super::tokens::Sequence;
use super::weights::Weights;

pub(super) struct Bert {
    shape: Shape,
    words: Vec<f32>,
    positions: Vec<f32>,
    /// Token type embeddings, which distinguish the two texts of a pair; RoBERTa and DistilBERT have none.
    types: Vec<f32>,
    norm: Norm,
    layers: Vec<Layer>,
}

struct Layer {
    /// Query, key and value side by side, for one matrix product.
    attention: Linear,
    attended: Linear,
    attended_norm: Norm,
    widen: Linear,
    narrow: Linear,
    norm: Norm,
}

/// `x · weightᵀ + bias`.
pub(super) struct Linear {
    weight: PackedBMatrix<f32>,
    bias: Vec<f32>,
}

struct Norm {
    scale: Vec<f32>,
    bias: Vec<f32>,
}

/// The output of the encoder: a row for each token.
pub(super) struct Encoded {
    rows: Vec<f32>,
    hidden: usize,
}

impl Encoded {
    pub(super) fn row(&self, token: usize) -> &[f32] {
        &self.rows[token * self.hidden..][..self.hidden]
    }
}

impl Bert {
    pub(super) fn read(shape: Shape, weights: &mut Weights) -> Result<Self, ModelError> {
        let names = Names::of(shape.family);
        let gemm = GemmExecutor::new();
        let hidden = shape.hidden;
        let words =
            weights.encoder("embeddings.word_embeddings.weight", &[shape.vocabulary, hidden])?;
        let positions =
            weights.encoder("embeddings.position_embeddings.weight", &[shape.positions, hidden])?;
        let types = weights.of_encoder("embeddings.token_type_embeddings.weight");
        let types = match weights.size(&types).as_deref() {
            Some([kinds, _]) => weights.read(&types, &[(*kinds).max(1), hidden])?,
            _ => vec![0.0; hidden],
        };
        let norm = read_norm(weights, "embeddings.LayerNorm", hidden)?;
        let layers = (0..shape.layers)
            .map(|layer| Layer::read(&shape, &gemm, &names, layer, weights))
            .collect::<Result<_, _>>()?;
        Ok(Self { shape, words, positions, types, norm, layers })
    }

    pub(super) fn encode(&self, sequences: &[Sequence]) -> Result<Encoded, ModelError> {
        let hidden = self.shape.hidden;
        // It selects the instructions of this processor. Cheap to create, and used by one thread.
        let gemm = &GemmExecutor::new();
        let tokens: usize = sequences.iter().map(|sequence| sequence.ids.len()).sum();
        let mut rows = Vec::with_capacity(tokens * hidden);
        for sequence in sequences {
            self.add_embeddings(sequence, &mut rows)?;
        }
        self.norm.apply(&mut rows, self.shape.epsilon);
        let mut attention = vec![0.0; tokens * 3 * hidden];
        let mut attended = vec![0.0; tokens * hidden];
        let mut wide = vec![0.0; tokens * self.shape.intermediate];
        for layer in &self.layers {
            layer.attention.put(gemm, &rows, &mut attention)?;
            self.attend(gemm, sequences, &attention, &mut attended)?;
            layer.attended.add(gemm, &attended, &mut rows)?;
            layer.attended_norm.apply(&mut rows, self.shape.epsilon);
            layer.widen.put(gemm, &rows, &mut wide)?;
            self.shape.activation.apply(&mut wide);
            layer.narrow.add(gemm, &wide, &mut rows)?;
            layer.norm.apply(&mut rows, self.shape.epsilon);
        }
        Ok(Encoded { rows, hidden })
    }

    /// Appends a row for each token: the sum of its word, position and type embeddings.
    fn add_embeddings(&self, sequence: &Sequence, rows: &mut Vec<f32>) -> Result<(), ModelError> {
        let hidden = self.shape.hidden;
        for (place, id) in sequence.ids.iter().enumerate() {
            let kind = sequence.types.get(place).map_or(0, |kind| *kind as usize);
            let word = row_of(&self.words, *id as usize, hidden)?;
            let position = row_of(&self.positions, self.shape.first_position + place, hidden)?;
            // A model with a single token type has one row.
            let kind = row_of(&self.types, kind.min(self.types.len() / hidden - 1), hidden)?;
            let sum = word.iter().zip(position).zip(kind).map(|((a, b), c)| a + b + c);
            rows.extend(sum);
        }
        Ok(())
    }

    /// Self-attention: every token attends to the tokens of its own sequence.
    fn attend(
        &self,
        gemm: &GemmExecutor,
        sequences: &[Sequence],
        attention: &[f32],
        attended: &mut [f32],
    ) -> Result<(), ModelError> {
        let hidden = self.shape.hidden;
        let size = hidden / self.shape.heads;
        #[expect(clippy::cast_precision_loss, reason = "a head has a few dozen columns")]
        let scale = 1.0 / (size as f32).sqrt();
        let longest = sequences.iter().map(|sequence| sequence.ids.len()).max().unwrap_or(0);
        let mut weights = vec![0.0; longest * longest];
        let mut gathered = vec![0.0; longest * size];
        let mut first = 0;
        for length in sequences.iter().map(|sequence| sequence.ids.len()) {
            let (weights, gathered) =
                (&mut weights[..length * length], &mut gathered[..length * size]);
            for head in 0..self.shape.heads {
                let part =
                    |which: usize| &attention[first * 3 * hidden + which * hidden + head * size..];
                let query = strided(part(0), [length, size], [3 * hidden, 1])?;
                let key = strided(part(1), [size, length], [1, 3 * hidden])?;
                let value = strided(part(2), [length, size], [3 * hidden, 1])?;
                multiply(gemm, weights, (query, key), scale)?;
                for row in weights.chunks_exact_mut(length) {
                    Softmax::new_mut(row).dispatch();
                }
                let weights = strided(weights, [length, length], [length, 1])?;
                multiply(gemm, gathered, (weights, value), 1.0)?;
                let rows = attended[first * hidden..].chunks_exact_mut(hidden);
                for (row, part) in rows.zip(gathered.chunks_exact(size)) {
                    row[head * size..][..size].copy_from_slice(part);
                }
            }
            first += length;
        }
        Ok(())
    }
}

impl Layer {
    fn read(
        shape: &Shape,
        gemm: &GemmExecutor,
        names: &Names,
        layer: usize,
        weights: &mut Weights,
    ) -> Result<Self, ModelError> {
        let (hidden, wide) = (shape.hidden, shape.intermediate);
        let at = |part: &str| format!("{}.{layer}.{part}", names.layers);
        let (mut weight, mut bias) = (Vec::new(), Vec::new());
        for part in names.query_key_value {
            weight.extend(weights.encoder(&at(&format!("{part}.weight")), &[hidden, hidden])?);
            bias.extend(weights.encoder(&at(&format!("{part}.bias")), &[hidden])?);
        }
        let mut linear = |part: &str, rows: usize, columns: usize| {
            let weight = weights.encoder(&at(&format!("{part}.weight")), &[rows, columns])?;
            let bias = weights.encoder(&at(&format!("{part}.bias")), &[rows])?;
            Linear::new(gemm, &weight, bias)
        };
        let attended = linear(names.attended, hidden, hidden)?;
        let widen = linear(names.widen, wide, hidden)?;
        let narrow = linear(names.narrow, hidden, wide)?;
        Ok(Self {
            attention: Linear::new(gemm, &weight, bias)?,
            attended,
            attended_norm: read_norm(weights, &at(names.attended_norm), hidden)?,
            widen,
            narrow,
            norm: read_norm(weights, &at(names.norm), hidden)?,
        })
    }
}

impl Linear {
    /// `weight` has a row for each output.
    pub(super) fn new(
        gemm: &GemmExecutor,
        weight: &[f32],
        bias: Vec<f32>,
    ) -> Result<Self, ModelError> {
        let (inputs, outputs) = (weight.len() / bias.len(), bias.len());
        let weight = gemm.prepack_b(strided(weight, [inputs, outputs], [1, inputs])?);
        Ok(Self { weight, bias })
    }

    /// `out = rows · weightᵀ + bias`.
    pub(super) fn put(
        &self,
        gemm: &GemmExecutor,
        rows: &[f32],
        out: &mut [f32],
    ) -> Result<(), ModelError> {
        self.multiply(gemm, rows, out, 0.0)
    }

    /// `out += rows · weightᵀ + bias`.
    fn add(&self, gemm: &GemmExecutor, rows: &[f32], out: &mut [f32]) -> Result<(), ModelError> {
        self.multiply(gemm, rows, out, 1.0)
    }

    fn multiply(
        &self,
        gemm: &GemmExecutor,
        rows: &[f32],
        out: &mut [f32],
        beta: f32,
    ) -> Result<(), ModelError> {
        let columns = rows.len() / (out.len() / self.bias.len());
        let rows = strided(rows, [rows.len() / columns, columns], [columns, 1])?;
        let bias = Some(BiasVector::Row(&self.bias));
        let options = GemmOptions { beta, bias, ..GemmOptions::default() };
        let (a, b) = (GemmInputA::Unpacked(rows), GemmInputB::Packed(&self.weight));
        gemm.gemm(out, a, b, options).map_err(|error| failed(&error))
    }
}

impl Norm {
    /// Each row gets mean 0 and variance 1, then scale and bias.
    #[expect(clippy::cast_precision_loss, reason = "a row has a few hundred columns")]
    fn apply(&self, rows: &mut [f32], epsilon: f32) {
        let length = self.scale.len() as f32;
        for row in rows.chunks_exact_mut(self.scale.len()) {
            let mean = Sum::new(row).dispatch() / length;
            let variance = SumSquareSub::new(row, mean).dispatch() / length;
            let options = NormalizeOptions {
                pre_scale_bias: mean,
                scale: 1.0 / (variance + epsilon).sqrt(),
                element_scale: Some(&self.scale),
                element_bias: Some(&self.bias),
                ..NormalizeOptions::default()
            };
            Normalize::new_mut(row, options).dispatch();
        }
    }
}

impl Activation {
    fn apply(self, numbers: &mut [f32]) {
        match self {
            Self::Gelu => Gelu {}.map_mut(numbers),
            Self::ApproximateGelu => ApproxGelu {}.map_mut(numbers),
            Self::Relu => numbers.iter_mut().for_each(|number| *number = number.max(0.0)),
        }
    }
}

/// Old models name the parameters of a normalisation in Greek.
fn read_norm(weights: &mut Weights, name: &str, size: usize) -> Result<Norm, ModelError> {
    let greek = weights.size(&weights.of_encoder(&format!("{name}.gamma"))).is_some();
    let (scale, bias) = if greek { ("gamma", "beta") } else { ("weight", "bias") };
    Ok(Norm {
        scale: weights.encoder(&format!("{name}.{scale}"), &[size])?,
        bias: weights.encoder(&format!("{name}.{bias}"), &[size])?,
    })
}

/// `out = alpha · a · b`.
fn multiply(
    gemm: &GemmExecutor,
    out: &mut [f32],
    (a, b): (Matrix<f32>, Matrix<f32>),
    alpha: f32,
) -> Result<(), ModelError> {
    let options = GemmOptions { alpha, ..GemmOptions::default() };
    let (a, b) = (GemmInputA::Unpacked(a), GemmInputB::Unpacked(b));
    gemm.gemm(out, a, b, options).map_err(|error| failed(&error))
}

fn strided(
    numbers: &[f32],
    size: [usize; 2],
    strides: [usize; 2],
) -> Result<Matrix<'_, f32>, ModelError> {
    NdTensorView::from_slice_with_strides(size, numbers, strides)
        .map_err(|error| ModelError::Computing { reason: error.to_string() })
}

fn row_of(table: &[f32], row: usize, columns: usize) -> Result<&[f32], ModelError> {
    table.get(row * columns..(row + 1) * columns).ok_or_else(|| ModelError::Computing {
        reason: format!("the tokenizer gave the id {row}, for which the model has no row"),
    })
}

fn failed(error: &GemmError) -> ModelError {
    ModelError::Computing { reason: error.to_string() }
}
