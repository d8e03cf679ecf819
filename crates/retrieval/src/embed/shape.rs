//! The family and sizes of a model, from `config.json`.

use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::ModelError;

const OTHER_MODEL: &str = "use a BERT, RoBERTa, XLM-RoBERTa, CamemBERT or DistilBERT model";

/// Encoders that differ in the names of their weights and in how positions are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    Bert,
    /// RoBERTa and similar models, whose positions begin after that of the padding.
    Roberta,
    DistilBert,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Activation {
    Gelu,
    /// The approximation with the hyperbolic tangent.
    ApproximateGelu,
    Relu,
}

#[derive(Clone, Debug)]
pub(super) struct Shape {
    pub(super) family: Family,
    pub(super) hidden: usize,
    pub(super) layers: usize,
    pub(super) heads: usize,
    pub(super) intermediate: usize,
    pub(super) vocabulary: usize,
    /// The number of position embeddings.
    pub(super) positions: usize,
    /// The position of a text's first token.
    pub(super) first_position: usize,
    pub(super) epsilon: f32,
    pub(super) activation: Activation,
}

#[derive(Deserialize)]
struct Config {
    #[serde(default)]
    model_type: String,
    #[serde(alias = "dim")]
    hidden_size: usize,
    #[serde(alias = "n_layers")]
    num_hidden_layers: usize,
    #[serde(alias = "n_heads")]
    num_attention_heads: usize,
    #[serde(alias = "hidden_dim")]
    intermediate_size: usize,
    vocab_size: usize,
    max_position_embeddings: usize,
    #[serde(default)]
    pad_token_id: usize,
    #[serde(default = "usual_epsilon")]
    layer_norm_eps: f32,
    #[serde(default = "usual_activation", alias = "activation")]
    hidden_act: String,
    #[serde(default)]
    position_embedding_type: Option<String>,
}

fn usual_epsilon() -> f32 {
    1e-12
}

fn usual_activation() -> String {
    "gelu".to_owned()
}

impl Shape {
    pub(super) fn of(folder: &Path) -> Result<Self, ModelError> {
        let config: Config = read_json(folder, "config.json")?.ok_or(ModelError::Missing {
            folder: folder.to_owned(),
            file: "config.json",
            advice: "name a folder with all files of a model, as published",
        })?;
        let unsupported = |what: String| ModelError::unsupported(folder, what, OTHER_MODEL);
        let family = match config.model_type.as_str() {
            "bert" | "" => Family::Bert,
            "roberta" | "xlm-roberta" | "camembert" => Family::Roberta,
            "distilbert" => Family::DistilBert,
            other => return Err(unsupported(format!("its type is {other:?}"))),
        };
        if let Some(positions) = config.position_embedding_type.filter(|kind| kind != "absolute") {
            return Err(unsupported(format!("its positions are {positions:?}")));
        }
        let activation = match config.hidden_act.as_str() {
            "gelu" => Activation::Gelu,
            "gelu_new" | "gelu_pytorch_tanh" | "gelu_fast" => Activation::ApproximateGelu,
            "relu" => Activation::Relu,
            other => return Err(unsupported(format!("its activation is {other:?}"))),
        };
        let first_position = match family {
            Family::Roberta => config.pad_token_id + 1,
            Family::Bert | Family::DistilBert => 0,
        };
        let shape = Self {
            family,
            hidden: config.hidden_size,
            layers: config.num_hidden_layers,
            heads: config.num_attention_heads,
            intermediate: config.intermediate_size,
            vocabulary: config.vocab_size,
            positions: config.max_position_embeddings,
            first_position,
            epsilon: config.layer_norm_eps,
            activation,
        };
        shape.check(&folder.join("config.json"))?;
        Ok(shape)
    }

    fn check(&self, file: &Path) -> Result<(), ModelError> {
        let fits = self.heads > 0
            && self.hidden > 0
            && self.hidden.is_multiple_of(self.heads)
            && self.intermediate > 0
            && self.layers > 0
            && self.vocabulary > 0
            && self.positions > self.first_position + 2;
        if fits {
            Ok(())
        } else {
            Err(ModelError::malformed(file, "its sizes do not fit together"))
        }
    }

    /// The maximum number of tokens, including special tokens.
    pub(super) fn position_limit(&self) -> usize {
        self.positions - self.first_position
    }
}

/// Reads an optional file of the folder.
pub(super) fn read_json<T: DeserializeOwned>(
    folder: &Path,
    name: &str,
) -> Result<Option<T>, ModelError> {
    let path = folder.join(name);
    match std::fs::read(&path) {
        Ok(bytes) => serde_json::from_slice(&bytes)
            .map(Some)
            .map_err(|error| ModelError::malformed(&path, error)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(ModelError::unreadable(&path, error)),
    }
}
