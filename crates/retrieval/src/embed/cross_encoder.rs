//! Scores how well a passage answers a question, with a model that reads both together.

use std::path::Path;
use std::sync::Arc;

use rten_gemm::GemmExecutor;

use super::ModelError;
use super::bert::{Bert, Encoded, Linear};
use super::model::{Model, batches_of};
use super::shape::Family;
use super::tokens::Sequence;
use super::weights::Weights;

const ONE_LOGIT: &str = "use a cross-encoder that gives a single score";

/// A sequence classification model with a single output.
pub struct CrossEncoder {
    model: Model,
    head: Arc<Head>,
}

impl std::fmt::Debug for CrossEncoder {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("CrossEncoder").finish_non_exhaustive()
    }
}

/// Computes the score from the row of the first token.
struct Head {
    dense: Linear,
    activation: fn(f32) -> f32,
    out: Linear,
}

impl CrossEncoder {
    /// Reads the model in `folder`; all callers share `threads` threads.
    pub fn open(folder: &Path, threads: usize) -> Result<Self, ModelError> {
        let (model, mut weights) = Model::open(folder, threads)?;
        let head = Arc::new(Head::read(folder, &model, &mut weights)?);
        Ok(Self { model, head })
    }

    /// A score for each passage, higher for better answers. Texts that do not fit the model are truncated, the longer one
    /// first. It blocks for a while.
    pub fn score(&self, query: &str, passages: &[&str]) -> Result<Vec<f32>, ModelError> {
        let pairs = passages.iter().map(|passage| self.model.tokens.pair(query, passage));
        let (order, batches) =
            batches_of(pairs.collect::<Result<_, _>>()?, self.model.workers.count());
        let (bert, head) = (Arc::clone(&self.model.bert), Arc::clone(&self.head));
        let of_batches =
            self.model.workers.run(batches, move |batch| head.scores(&bert, &batch))?;
        let mut scores = vec![0.0; passages.len()];
        for (place, score) in order.into_iter().zip(of_batches.into_iter().flatten()) {
            scores[place] = score;
        }
        Ok(scores)
    }
}

impl Head {
    fn read(folder: &Path, model: &Model, weights: &mut Weights) -> Result<Self, ModelError> {
        let hidden = model.shape.hidden;
        let (dense, out, activation): (_, _, fn(f32) -> f32) = match model.shape.family {
            Family::Bert => (weights.of_encoder("pooler.dense"), "classifier", f32::tanh),
            Family::Roberta => ("classifier.dense".to_owned(), "classifier.out_proj", f32::tanh),
            Family::DistilBert => {
                ("pre_classifier".to_owned(), "classifier", |number| number.max(0.0))
            }
        };
        match weights.size(&format!("{out}.weight")).as_deref() {
            Some([1, _]) => {}
            Some([labels, ..]) => {
                let what = format!("it gives {labels} numbers");
                return Err(ModelError::unsupported(folder, what, ONE_LOGIT));
            }
            _ => {
                let what = "it has no classifier, so it embeds or continues texts";
                return Err(ModelError::unsupported(folder, what, ONE_LOGIT));
            }
        }
        let mut linear = |name: &str, rows: usize| {
            let weight = weights.read(&format!("{name}.weight"), &[rows, hidden])?;
            let bias = weights.read(&format!("{name}.bias"), &[rows])?;
            Linear::new(&GemmExecutor::new(), &weight, bias)
        };
        Ok(Self { dense: linear(&dense, hidden)?, activation, out: linear(out, 1)? })
    }

    fn scores(&self, bert: &Bert, batch: &[Sequence]) -> Result<Vec<f32>, ModelError> {
        let encoded = bert.encode(batch)?;
        let gemm = GemmExecutor::new();
        let firsts = first_rows(&encoded, batch);
        let mut features = vec![0.0; firsts.len()];
        self.dense.put(&gemm, &firsts, &mut features)?;
        for feature in &mut features {
            *feature = (self.activation)(*feature);
        }
        let mut scores = vec![0.0; batch.len()];
        self.out.put(&gemm, &features, &mut scores)?;
        Ok(scores)
    }
}

/// The rows of the first tokens, concatenated.
fn first_rows(encoded: &Encoded, batch: &[Sequence]) -> Vec<f32> {
    let mut first = 0;
    let rows = batch.iter().flat_map(|sequence| {
        let row = encoded.row(first);
        first += sequence.ids.len();
        row.to_vec()
    });
    rows.collect()
}
