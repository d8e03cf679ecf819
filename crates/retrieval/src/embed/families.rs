//! The same encoder gives the same vectors with the names and positions of other model families.

use std::fs;
use std::path::Path;

use safetensors::SafeTensors;
use safetensors::tensor::{Dtype, TensorView};
use serde_json::{Value, json};

use super::{Embedder, tiny};

const TEXTS: [&str; 2] = ["The court's notice", "payment of the total is due"];

struct Tensor {
    name: String,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

/// A tiny model with a single token type, and its vectors of the texts.
fn single_type_model(folder: &Path) -> (Vec<Tensor>, Vec<Vec<f32>>) {
    tiny::write_embedder(folder, 5).unwrap();
    let file = fs::read(folder.join("model.safetensors")).unwrap();
    let read = SafeTensors::deserialize(&file).unwrap();
    let tensors = read.tensors().into_iter().map(|(name, view)| Tensor {
        shape: view.shape().to_vec(),
        bytes: if name.contains("token_type") {
            vec![0; view.data().len()]
        } else {
            view.data().to_vec()
        },
        name,
    });
    let tensors: Vec<Tensor> = tensors.collect();
    save(folder, &tensors);
    let vectors = Embedder::open(folder, 1).unwrap().embed(&TEXTS).unwrap();
    (tensors, vectors)
}

fn save(folder: &Path, tensors: &[Tensor]) {
    let views: Vec<(&String, TensorView<'_>)> = tensors
        .iter()
        .map(|tensor| {
            let view = TensorView::new(Dtype::F32, tensor.shape.clone(), &tensor.bytes).unwrap();
            (&tensor.name, view)
        })
        .collect();
    safetensors::serialize_to_file(views, None, &folder.join("model.safetensors")).unwrap();
}

fn configure(folder: &Path, changes: &Value) {
    let file = folder.join("config.json");
    let mut config: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    for (key, value) in changes.as_object().unwrap() {
        config[key] = value.clone();
    }
    fs::write(file, serde_json::to_vec(&config).unwrap()).unwrap();
}

#[test]
fn distilbert_names_its_layers_differently_and_has_no_token_types() {
    let folder = tempfile::tempdir().unwrap();
    let (mut tensors, expected) = single_type_model(folder.path());
    tensors.retain(|tensor| !tensor.name.contains("token_type"));
    let names = [
        ("encoder.layer", "transformer.layer"),
        ("attention.self.query", "attention.q_lin"),
        ("attention.self.key", "attention.k_lin"),
        ("attention.self.value", "attention.v_lin"),
        ("attention.output.dense", "attention.out_lin"),
        ("attention.output.LayerNorm", "sa_layer_norm"),
        ("intermediate.dense", "ffn.lin1"),
        ("output.dense", "ffn.lin2"),
        ("output.LayerNorm", "output_layer_norm"),
    ];
    for tensor in &mut tensors {
        let renamed =
            names.iter().fold(tensor.name.clone(), |name, (from, to)| name.replace(from, to));
        tensor.name = format!("distilbert.{renamed}");
    }
    save(folder.path(), &tensors);
    configure(folder.path(), &json!({"model_type": "distilbert"}));
    assert_eq!(Embedder::open(folder.path(), 1).unwrap().embed(&TEXTS).unwrap(), expected);
}

#[test]
fn roberta_counts_positions_from_after_the_padding() {
    let folder = tempfile::tempdir().unwrap();
    let (mut tensors, expected) = single_type_model(folder.path());
    for tensor in &mut tensors {
        tensor.name = format!("roberta.{}", tensor.name);
        if tensor.name.contains("position_embeddings") {
            let row = tensor.bytes.len() / tensor.shape[0];
            tensor.bytes.splice(0..0, vec![0x3f; 2 * row]);
            tensor.shape[0] += 2;
            let positions = tensor.shape[0];
            let changes = json!({
                "model_type": "xlm-roberta", "pad_token_id": 1, "max_position_embeddings": positions,
            });
            configure(folder.path(), &changes);
        }
        if tensor.name.contains("token_type") {
            tensor.bytes.truncate(tensor.bytes.len() / 2);
            tensor.shape[0] = 1;
        }
    }
    save(folder.path(), &tensors);
    assert_eq!(Embedder::open(folder.path(), 1).unwrap().embed(&TEXTS).unwrap(), expected);
}
