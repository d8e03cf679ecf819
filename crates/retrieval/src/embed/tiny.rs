//! Writes tiny models for tests: random weights, but complete and fast. Texts that share words get similar vectors.
//! Benchmarks write larger ones.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use safetensors::tensor::{Dtype, TensorView};
use serde_json::json;

/// The context of the tiny model in tokens.
pub const TOKEN_LIMIT: usize = 64;

/// The size of a model.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    pub hidden: usize,
    pub layers: usize,
    pub heads: usize,
    pub wide: usize,
    pub positions: usize,
    pub token_limit: usize,
    /// The minimum number of word pieces; there are a few hundred anyway.
    pub vocabulary: usize,
}

impl Size {
    pub const TINY: Self = Self {
        hidden: 32,
        layers: 2,
        heads: 4,
        wide: 64,
        positions: 128,
        token_limit: TOKEN_LIMIT,
        vocabulary: 0,
    };
}

const SPECIAL: [&str; 5] = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];
/// Words with a token of their own; others are split into letters and pairs.
const WORDS: &str = "the of and to in is a for that on with as by at from it was are be this which or \
    an not have has had will shall may must can date amount invoice contract party parties agreement \
    payment total number name address company customer supplier order bank account tax price due \
    page document report question answer term law court right notice terminate renewal liability \
    insurance delivery goods service services year month day";

/// Writes an embedder, the same for the same seed.
pub fn write_embedder(folder: &Path, seed: u64) -> io::Result<()> {
    write_embedder_of(Size::TINY, folder, seed)
}

pub fn write_embedder_of(size: Size, folder: &Path, seed: u64) -> io::Result<()> {
    write(size, folder, &mut Numbers(seed), Tensors::default())?;
    std::fs::create_dir_all(folder.join("1_Pooling"))?;
    write_json(&folder.join("1_Pooling/config.json"), &json!({"pooling_mode_mean_tokens": true}))?;
    let limit = json!({"max_seq_length": size.token_limit});
    write_json(&folder.join("sentence_bert_config.json"), &limit)
}

/// Writes a cross-encoder, the same for the same seed.
pub fn write_cross_encoder(folder: &Path, seed: u64) -> io::Result<()> {
    let (size, mut numbers) = (Size::TINY, Numbers(seed));
    let mut tensors = Tensors::default();
    tensors.linear(&mut numbers, "classifier", 1, size.hidden);
    tensors.prefix = "bert.";
    tensors.linear(&mut numbers, "pooler.dense", size.hidden, size.hidden);
    write(size, folder, &mut numbers, tensors)
}

fn write(size: Size, folder: &Path, numbers: &mut Numbers, mut tensors: Tensors) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let vocabulary = vocabulary();
    let rows = vocabulary.len().max(size.vocabulary);
    let config = json!({
        "model_type": "bert", "hidden_size": size.hidden, "num_hidden_layers": size.layers,
        "num_attention_heads": size.heads, "intermediate_size": size.wide, "vocab_size": rows,
        "max_position_embeddings": size.positions, "hidden_act": "gelu", "layer_norm_eps": 1e-12,
    });
    write_json(&folder.join("config.json"), &config)?;
    write_json(&folder.join("tokenizer.json"), &tokenizer(&vocabulary))?;
    tensors.encoder(numbers, size, rows);
    tensors.save(&folder.join("model.safetensors"))
}

fn vocabulary() -> Vec<String> {
    let letters = || ('a'..='z').chain('0'..='9');
    let whole = SPECIAL.into_iter().map(str::to_owned);
    let words = WORDS.split_whitespace().filter(|word| word.len() > 1).map(str::to_owned);
    let marks = ".,;:!?()[]{}'\"/&%$§€#*+-–—=<>@_".chars().map(String::from);
    let first = letters().map(String::from);
    let later = letters().map(|letter| format!("##{letter}"));
    let pairs = ["er", "in", "on", "re", "es", "en", "ti", "te", "at", "an", "or", "al"];
    let pairs = pairs.into_iter().map(|pair| format!("##{pair}"));
    whole.chain(words).chain(marks).chain(first).chain(later).chain(pairs).collect()
}

fn tokenizer(vocabulary: &[String]) -> serde_json::Value {
    let pieces: HashMap<&str, usize> =
        vocabulary.iter().enumerate().map(|(id, piece)| (piece.as_str(), id)).collect();
    let added = |piece: &&str| {
        json!({"id": pieces[*piece], "content": piece, "special": true, "single_word": false,
               "lstrip": false, "rstrip": false, "normalized": false})
    };
    json!({
        "version": "1.0",
        // Real tokenizers are published with truncation and padding for training.
        "truncation": {"direction": "Right", "max_length": 16, "strategy": "LongestFirst", "stride": 0},
        "padding": {"strategy": {"Fixed": 16}, "direction": "Right", "pad_to_multiple_of": null,
                    "pad_id": 0, "pad_type_id": 0, "pad_token": "[PAD]"},
        "added_tokens": SPECIAL.iter().map(added).collect::<Vec<_>>(),
        "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
                       "strip_accents": null, "lowercase": true},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", pieces["[SEP]"]],
                           "cls": ["[CLS]", pieces["[CLS]"]]},
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": true},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                  "max_input_chars_per_word": 100, "vocab": pieces},
    })
}

fn write_json(path: &Path, value: &serde_json::Value) -> io::Result<()> {
    std::fs::write(path, serde_json::to_vec(value)?)
}

/// Numbers between -1 and 1, the same for the same seed (splitmix64).
struct Numbers(u64);

impl Numbers {
    #[expect(clippy::cast_precision_loss, reason = "24 bits are kept exactly")]
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed >> 40) as f32 / 8_388_608.0 - 1.0
    }
}

#[derive(Default)]
struct Tensors {
    prefix: &'static str,
    tensors: Vec<(String, Vec<usize>, Vec<u8>)>,
}

impl Tensors {
    fn encoder(&mut self, numbers: &mut Numbers, size: Size, vocabulary: usize) {
        let Size { hidden, wide, .. } = size;
        // Word embeddings dominate, so that vectors differ by words.
        let tables = [
            ("word", vocabulary, 1.0),
            ("position", size.positions, 0.05),
            ("token_type", 2, 0.05),
        ];
        for (table, rows, scale) in tables {
            self.add(
                numbers,
                &format!("embeddings.{table}_embeddings.weight"),
                &[rows, hidden],
                scale,
            );
        }
        self.norm("embeddings.LayerNorm", hidden);
        for layer in 0..size.layers {
            let at = |part: &str| format!("encoder.layer.{layer}.{part}");
            for part in ["query", "key", "value"] {
                self.linear(numbers, &at(&format!("attention.self.{part}")), hidden, hidden);
            }
            self.linear(numbers, &at("attention.output.dense"), hidden, hidden);
            self.norm(&at("attention.output.LayerNorm"), hidden);
            self.linear(numbers, &at("intermediate.dense"), wide, hidden);
            self.linear(numbers, &at("output.dense"), hidden, wide);
            self.norm(&at("output.LayerNorm"), hidden);
        }
    }

    fn linear(&mut self, numbers: &mut Numbers, name: &str, rows: usize, columns: usize) {
        #[expect(clippy::cast_precision_loss, reason = "a few thousand columns")]
        let scale = 1.0 / (columns as f32).sqrt();
        self.add(numbers, &format!("{name}.weight"), &[rows, columns], scale);
        self.add(numbers, &format!("{name}.bias"), &[rows], 0.05);
    }

    fn norm(&mut self, name: &str, size: usize) {
        self.put(&format!("{name}.weight"), &[size], &vec![1.0; size]);
        self.put(&format!("{name}.bias"), &[size], &vec![0.0; size]);
    }

    fn add(&mut self, numbers: &mut Numbers, name: &str, size: &[usize], scale: f32) {
        let count = size.iter().product();
        let values: Vec<f32> =
            std::iter::repeat_with(|| numbers.next() * scale).take(count).collect();
        self.put(name, size, &values);
    }

    fn put(&mut self, name: &str, size: &[usize], values: &[f32]) {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.tensors.push((format!("{}{name}", self.prefix), size.to_vec(), bytes));
    }

    fn save(&self, path: &Path) -> io::Result<()> {
        let mut views = Vec::new();
        for (name, size, bytes) in &self.tensors {
            let view =
                TensorView::new(Dtype::F32, size.clone(), bytes).map_err(io::Error::other)?;
            views.push((name, view));
        }
        safetensors::serialize_to_file(views, None, path).map_err(io::Error::other)
    }
}
