//! A tiny model that tests write for themselves: random weights, but a real model in every other
//! respect, and fast. Texts that share words get vectors that are near each other.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use safetensors::tensor::{Dtype, TensorView};
use serde_json::json;

pub const HIDDEN: usize = 32;
const LAYERS: usize = 2;
const HEADS: usize = 4;
const WIDE: usize = 64;
const POSITIONS: usize = 128;
/// Tokens that the model takes at one time.
pub const TOKEN_LIMIT: usize = 64;

const SPECIAL: [&str; 5] = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];
/// Whole words; any other is spelt, letter by letter and in pairs.
const WORDS: &str = "the of and to in is a for that on with as by at from it was are be this which or \
    an not have has had will shall may must can date amount invoice contract party parties agreement \
    payment total number name address company customer supplier order bank account tax price due \
    page document report question answer term law court right notice terminate renewal liability \
    insurance delivery goods service services year month day";

/// Writes a model that embeds, the same for the same seed.
pub fn write_embedder(folder: &Path, seed: u64) -> io::Result<()> {
    write(folder, seed, Tensors::default())?;
    std::fs::create_dir_all(folder.join("1_Pooling"))?;
    write_json(&folder.join("1_Pooling/config.json"), &json!({"pooling_mode_mean_tokens": true}))?;
    write_json(&folder.join("sentence_bert_config.json"), &json!({"max_seq_length": TOKEN_LIMIT}))
}

/// Writes a model that scores a passage for a question, the same for the same seed.
pub fn write_cross_encoder(folder: &Path, seed: u64) -> io::Result<()> {
    let mut head = Tensors { prefix: "bert.", ..Tensors::default() };
    let mut numbers = Numbers(seed.wrapping_add(1));
    head.linear(&mut numbers, "pooler.dense", HIDDEN, HIDDEN);
    head.prefix = "";
    head.linear(&mut numbers, "classifier", 1, HIDDEN);
    head.prefix = "bert.";
    write(folder, seed, head)
}

fn write(folder: &Path, seed: u64, mut tensors: Tensors) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let vocabulary = vocabulary();
    let config = json!({
        "model_type": "bert", "hidden_size": HIDDEN, "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS, "intermediate_size": WIDE, "vocab_size": vocabulary.len(),
        "max_position_embeddings": POSITIONS, "hidden_act": "gelu", "layer_norm_eps": 1e-12,
    });
    write_json(&folder.join("config.json"), &config)?;
    write_json(&folder.join("tokenizer.json"), &tokenizer(&vocabulary))?;
    let mut numbers = Numbers(seed);
    tensors.encoder(&mut numbers, vocabulary.len());
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
        // As real ones come: cut and padded for training.
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
    fn encoder(&mut self, numbers: &mut Numbers, vocabulary: usize) {
        let table = "embeddings";
        // Words weigh most, so that vectors tell texts apart by their words.
        self.add(numbers, &format!("{table}.word_embeddings.weight"), &[vocabulary, HIDDEN], 1.0);
        self.add(
            numbers,
            &format!("{table}.position_embeddings.weight"),
            &[POSITIONS, HIDDEN],
            0.05,
        );
        self.add(numbers, &format!("{table}.token_type_embeddings.weight"), &[2, HIDDEN], 0.05);
        self.norm("embeddings.LayerNorm");
        for layer in 0..LAYERS {
            let at = |part: &str| format!("encoder.layer.{layer}.{part}");
            for part in ["query", "key", "value"] {
                self.linear(numbers, &at(&format!("attention.self.{part}")), HIDDEN, HIDDEN);
            }
            self.linear(numbers, &at("attention.output.dense"), HIDDEN, HIDDEN);
            self.norm(&at("attention.output.LayerNorm"));
            self.linear(numbers, &at("intermediate.dense"), WIDE, HIDDEN);
            self.linear(numbers, &at("output.dense"), HIDDEN, WIDE);
            self.norm(&at("output.LayerNorm"));
        }
    }

    fn linear(&mut self, numbers: &mut Numbers, name: &str, rows: usize, columns: usize) {
        self.add(numbers, &format!("{name}.weight"), &[rows, columns], 0.2);
        self.add(numbers, &format!("{name}.bias"), &[rows], 0.05);
    }

    fn norm(&mut self, name: &str) {
        self.put(&format!("{name}.weight"), &[HIDDEN], vec![1.0; HIDDEN]);
        self.put(&format!("{name}.bias"), &[HIDDEN], vec![0.0; HIDDEN]);
    }

    fn add(&mut self, numbers: &mut Numbers, name: &str, size: &[usize], scale: f32) {
        let count = size.iter().product();
        let values = std::iter::repeat_with(|| numbers.next() * scale).take(count).collect();
        self.put(name, size, values);
    }

    fn put(&mut self, name: &str, size: &[usize], values: Vec<f32>) {
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
        let bytes = safetensors::serialize(views, None).map_err(io::Error::other)?;
        std::fs::write(path, bytes)
    }
}
