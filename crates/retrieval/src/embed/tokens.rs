//! Tokenizes texts with the tokenizer of the model.
//!
//! A text that is longer than the context of the model is split into *windows*: parts of equal length, each with special
//! tokens around it.

use std::path::Path;

use serde::Deserialize;
use tokenizers::models::wordpiece::WordPiece;
use tokenizers::normalizers::BertNormalizer;
use tokenizers::pre_tokenizers::bert::BertPreTokenizer;
use tokenizers::processors::bert::BertProcessing;
use tokenizers::{Tokenizer, TruncationParams};

use super::ModelError;
use super::shape::{Shape, read_json};

/// The tokens of a text or window, as input of the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sequence {
    pub(super) ids: Vec<u32>,
    /// 1 for the second text of a pair; empty when there is only one.
    pub(super) types: Vec<u32>,
}

pub(super) struct Tokens {
    tokenizer: Tokenizer,
    limit: usize,
    before: Vec<u32>,
    after: Vec<u32>,
}

#[derive(Default, Deserialize)]
struct SentenceConfig {
    max_seq_length: Option<usize>,
}

#[derive(Deserialize)]
struct TokenizerConfig {
    /// Some publishers write a number that exceeds any integer, which means no limit.
    model_max_length: Option<f64>,
    #[serde(default = "lower_case")]
    do_lower_case: bool,
}

fn lower_case() -> bool {
    true
}

impl Default for TokenizerConfig {
    fn default() -> Self {
        Self { model_max_length: None, do_lower_case: lower_case() }
    }
}

impl Tokens {
    pub(super) fn open(folder: &Path, shape: &Shape) -> Result<Self, ModelError> {
        let config: TokenizerConfig =
            read_json(folder, "tokenizer_config.json")?.unwrap_or_default();
        let mut tokenizer = open_tokenizer(folder, &config)?;
        // Ignore the publisher's settings for training: windows replace truncation, and there is no padding.
        tokenizer.with_padding(None);
        let path = folder.join("tokenizer.json");
        tokenizer.with_truncation(None).map_err(|error| ModelError::malformed(&path, error))?;
        if tokenizer.get_vocab_size(true) > shape.vocabulary {
            let reason = "it has more word pieces than config.json declares";
            return Err(ModelError::malformed(&path, reason));
        }
        let limit = token_limit(folder, &config, shape)?;
        let (before, after) = special_tokens(&tokenizer)?;
        if limit <= before.len() + after.len() {
            return Err(ModelError::malformed(
                folder,
                "its context has no room besides the special tokens",
            ));
        }
        Ok(Self { tokenizer, limit, before, after })
    }

    /// The maximum number of tokens in a window, including special tokens.
    pub(super) fn limit(&self) -> usize {
        self.limit
    }

    /// The number of tokens, without special tokens.
    pub(super) fn count(&self, text: &str) -> usize {
        // An error is reported when the text is embedded.
        self.tokenizer.encode_fast(text, false).map_or(0, |encoding| encoding.len())
    }

    pub(super) fn windows(&self, text: &str) -> Result<Vec<Sequence>, ModelError> {
        let encoding = self.tokenizer.encode_fast(text, false).map_err(unreadable_text)?;
        let ids = encoding.get_ids();
        let room = self.limit - self.before.len() - self.after.len();
        let count = ids.len().div_ceil(room).max(1);
        let cut = |window: usize| window * ids.len() / count;
        let windows = (0..count).map(|window| Sequence {
            ids: [&self.before, &ids[cut(window)..cut(window + 1)], &self.after].concat(),
            types: Vec::new(),
        });
        Ok(windows.collect())
    }

    /// A question and a passage; the longer one is truncated when both do not fit.
    pub(super) fn pair(&self, first: &str, second: &str) -> Result<Sequence, ModelError> {
        let mut encoding =
            self.tokenizer.encode_fast((first, second), true).map_err(unreadable_text)?;
        if encoding.len() > self.limit {
            let mut truncating = self.tokenizer.clone();
            let truncation =
                TruncationParams { max_length: self.limit, ..TruncationParams::default() };
            truncating.with_truncation(Some(truncation)).map_err(unreadable_text)?;
            encoding = truncating.encode_fast((first, second), true).map_err(unreadable_text)?;
        }
        Ok(Sequence { ids: encoding.get_ids().to_vec(), types: encoding.get_type_ids().to_vec() })
    }
}

fn unreadable_text(error: tokenizers::Error) -> ModelError {
    ModelError::Text { reason: error.to_string() }
}

fn open_tokenizer(folder: &Path, config: &TokenizerConfig) -> Result<Tokenizer, ModelError> {
    let complete = folder.join("tokenizer.json");
    if complete.is_file() {
        return Tokenizer::from_file(&complete)
            .map_err(|error| ModelError::malformed(&complete, error));
    }
    let vocabulary = folder.join("vocab.txt");
    if !vocabulary.is_file() {
        return Err(ModelError::Missing {
            folder: folder.to_owned(),
            file: "tokenizer.json (or vocab.txt)",
            advice: "fetch the tokenizer of the model into it",
        });
    }
    word_pieces(&vocabulary, config.do_lower_case)
}

/// The tokenizer of BERT; older models contain only its list of word pieces.
fn word_pieces(vocabulary: &Path, lower_case: bool) -> Result<Tokenizer, ModelError> {
    let malformed = |error: &dyn ToString| ModelError::malformed(vocabulary, error.to_string());
    let path = vocabulary.to_str().ok_or_else(|| malformed(&"its path is not UTF-8"))?;
    let model = WordPiece::from_file(path).build().map_err(|error| malformed(&error))?;
    let mut tokenizer = Tokenizer::new(model);
    let special = |token: &str| {
        let id = tokenizer.token_to_id(token);
        id.map(|id| (token.to_owned(), id))
            .ok_or_else(|| malformed(&format!("{token} is not in it")))
    };
    let processing = BertProcessing::new(special("[SEP]")?, special("[CLS]")?);
    tokenizer
        .with_normalizer(Some(BertNormalizer::new(true, true, None, lower_case)))
        .map_err(|error| malformed(&error))?
        .with_pre_tokenizer(Some(BertPreTokenizer))
        .with_post_processor(Some(processing));
    Ok(tokenizer)
}

/// The minimum of the training length, the publisher's limit and the number of position embeddings.
fn token_limit(
    folder: &Path,
    config: &TokenizerConfig,
    shape: &Shape,
) -> Result<usize, ModelError> {
    let trained: SentenceConfig =
        read_json(folder, "sentence_bert_config.json")?.unwrap_or_default();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it saturates, and the number of positions limits it"
    )]
    let allowed = config.model_max_length.map(|length| length as usize);
    let limits = [trained.max_seq_length, allowed].into_iter().flatten().filter(|limit| *limit > 0);
    Ok(limits.fold(shape.position_limit(), usize::min))
}

/// The special tokens before and after a text, determined from a sample.
fn special_tokens(tokenizer: &Tokenizer) -> Result<(Vec<u32>, Vec<u32>), ModelError> {
    let sample = "a";
    let bare = tokenizer.encode(sample, false).map_err(unreadable_text)?;
    let with_special = tokenizer.encode(sample, true).map_err(unreadable_text)?;
    let (bare, with_special) = (bare.get_ids(), with_special.get_ids());
    let place = (0..=with_special.len().saturating_sub(bare.len()))
        .find(|place| with_special[*place..].starts_with(bare))
        .ok_or_else(|| ModelError::Text { reason: "special tokens change the text".to_owned() })?;
    Ok((with_special[..place].to_vec(), with_special[place + bare.len()..].to_vec()))
}
