//! Tests with models that they write themselves.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{CrossEncoder, Embedder, tiny};
use crate::cosine;

fn embedder() -> (TempDir, Embedder) {
    let folder = tempfile::tempdir().unwrap();
    tiny::write_embedder(folder.path(), 7).unwrap();
    let embedder = Embedder::open(folder.path(), 2).unwrap();
    (folder, embedder)
}

fn change(file: &Path, change: impl FnOnce(&mut Value)) {
    let mut value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    change(&mut value);
    fs::write(file, serde_json::to_vec(&value).unwrap()).unwrap();
}

fn error_of(folder: &Path) -> String {
    Embedder::open(folder, 1).unwrap_err().to_string()
}

#[test]
fn vectors_have_length_1_and_similar_texts_are_near() {
    let (_folder, embedder) = embedder();
    let texts = ["invoice total due", "the total of the invoice is due", "court law notice", ""];
    let vectors = embedder.embed(&texts).unwrap();
    assert_eq!(vectors.len(), 4);
    for vector in &vectors {
        assert_eq!(vector.len(), embedder.dimension());
        assert!((cosine(vector, vector) - 1.0).abs() < 1e-5);
    }
    let (near, far) = (cosine(&vectors[0], &vectors[1]), cosine(&vectors[0], &vectors[2]));
    assert!(near > far + 0.1, "{near} {far}");
}

#[test]
fn the_vector_of_a_text_does_not_depend_on_its_batch() {
    let (_folder, embedder) = embedder();
    let texts: Vec<String> = (0..600)
        .map(|number| format!("invoice {number} {}", "total ".repeat(number % 50)))
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let together = embedder.embed(&texts).unwrap();
    for number in [0, 1, 49, 255, 256, 599] {
        let alone = &embedder.embed(&texts[number..=number]).unwrap()[0];
        assert!(cosine(alone, &together[number]) > 0.99999, "{number}");
    }
}

#[test]
fn the_end_of_a_long_text_affects_its_vector() {
    let (_folder, embedder) = embedder();
    let long = "notice ".repeat(tiny::TOKEN_LIMIT * 2);
    assert_eq!(embedder.count_tokens(&long), tiny::TOKEN_LIMIT * 2);
    assert_eq!(embedder.token_limit(), tiny::TOKEN_LIMIT);
    let longer = format!("{long} {}", "insurance ".repeat(tiny::TOKEN_LIMIT));
    let vectors = embedder.embed(&[&long, &longer, "insurance"]).unwrap();
    assert!(cosine(&vectors[1], &vectors[2]) > cosine(&vectors[0], &vectors[2]) + 0.1);
}

#[test]
fn vocab_txt_gives_the_same_vectors_as_tokenizer_json() {
    let (folder, whole) = embedder();
    let tokenizer = folder.path().join("tokenizer.json");
    let value: Value = serde_json::from_slice(&fs::read(&tokenizer).unwrap()).unwrap();
    let mut pieces: Vec<(&String, u64)> = value["model"]["vocab"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(piece, id)| (piece, id.as_u64().unwrap()))
        .collect();
    pieces.sort_by_key(|(_, id)| *id);
    let list: Vec<&str> = pieces.into_iter().map(|(piece, _)| piece.as_str()).collect();
    fs::write(folder.path().join("vocab.txt"), list.join("\n")).unwrap();
    fs::remove_file(&tokenizer).unwrap();
    let listed = Embedder::open(folder.path(), 1).unwrap();
    let text = ["The Court's notice of 12 May: terminate!"];
    assert_eq!(listed.embed(&text).unwrap(), whole.embed(&text).unwrap());
}

#[test]
fn pooling_by_the_first_token_is_supported() {
    let (folder, mean) = embedder();
    let pooling = folder.path().join("1_Pooling/config.json");
    fs::write(&pooling, r#"{"pooling_mode_cls_token": true}"#).unwrap();
    let first = Embedder::open(folder.path(), 1).unwrap();
    let text = ["payment of the price"];
    assert!(cosine(&mean.embed(&text).unwrap()[0], &first.embed(&text).unwrap()[0]) < 0.999);
    assert_ne!(mean.model(), first.model());
    fs::write(&pooling, r#"{"pooling_mode_max_tokens": true}"#).unwrap();
    assert!(error_of(folder.path()).contains("neither the mean nor the first token"));
}

#[test]
fn the_identity_of_a_model_depends_on_its_folder_name_and_its_content() {
    let parent = tempfile::tempdir().unwrap();
    let names = [("one/small", 1), ("two/small", 1), ("three/small", 2)].map(|(place, seed)| {
        let folder = parent.path().join(place);
        tiny::write_embedder(&folder, seed).unwrap();
        Embedder::open(&folder, 1).unwrap().model().to_owned()
    });
    assert!(names[0].starts_with("small@"), "{}", names[0]);
    assert_eq!(names[0], names[1]);
    assert_ne!(names[0], names[2]);
}

#[test]
fn an_invalid_model_folder_is_refused_with_advice() {
    let empty = tempfile::tempdir().unwrap();
    assert!(error_of(empty.path()).contains("has no config.json"));

    let (folder, _) = embedder();
    let at = |name: &str| folder.path().join(name);
    change(&at("1_Pooling/config.json"), |_| {});
    fs::write(at("modules.json"), r#"[{"type": "sentence_transformers.models.Dense"}]"#).unwrap();
    assert!(error_of(folder.path()).contains("a step \"Dense\""));
    fs::remove_file(at("modules.json")).unwrap();

    change(&at("config.json"), |config| config["model_type"] = json!("llama"));
    assert!(error_of(folder.path()).contains("its type is \"llama\""));
    change(&at("config.json"), |config| config["model_type"] = json!("bert"));

    change(&at("config.json"), |config| config["num_attention_heads"] = json!(5));
    assert!(error_of(folder.path()).contains("sizes do not fit"));
    change(&at("config.json"), |config| config["num_attention_heads"] = json!(4));

    change(&at("config.json"), |config| config["intermediate_size"] = json!(48));
    assert!(error_of(folder.path()).contains("config.json requires [48, 32]"));
    change(&at("config.json"), |config| config["intermediate_size"] = json!(64));

    let weights = fs::read(at("model.safetensors")).unwrap();
    fs::write(at("model.safetensors"), &weights[..weights.len() / 2]).unwrap();
    assert!(error_of(folder.path()).contains("is truncated"));
    fs::rename(at("model.safetensors"), at("pytorch_model.bin")).unwrap();
    assert!(error_of(folder.path()).contains("get or save it as one model.safetensors"));
    fs::rename(at("pytorch_model.bin"), at("model.onnx")).unwrap();
    assert!(error_of(folder.path()).contains("only available as ONNX"));
    fs::remove_file(at("tokenizer.json")).unwrap();
    assert!(error_of(folder.path()).contains("has no tokenizer.json (or vocab.txt)"));
}

#[test]
fn callers_share_the_threads_of_a_model() {
    let (_folder, embedder) = embedder();
    let expected = embedder.embed(&["delivery of goods"]).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| assert_eq!(embedder.embed(&["delivery of goods"]).unwrap(), expected));
        }
    });
}

#[test]
fn a_cross_encoder_scores_each_passage_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    tiny::write_cross_encoder(folder.path(), 3).unwrap();
    let encoder = CrossEncoder::open(folder.path(), 2).unwrap();
    let long = "the contract and the law ".repeat(100);
    let passages = ["invoice", "court", &long, "invoice"];
    let scores = encoder.score("which court", &passages).unwrap();
    assert_eq!(scores.len(), 4);
    assert!((scores[0] - scores[3]).abs() < 1e-6);
    assert!((scores[0] - scores[1]).abs() > 1e-4);
    let alone = encoder.score("which court", &passages[1..2]).unwrap();
    assert!((alone[0] - scores[1]).abs() < 1e-5);
    assert!(encoder.score("which court", &[]).unwrap().is_empty());
}

#[test]
fn an_embedder_is_refused_as_a_cross_encoder() {
    let (folder, _) = embedder();
    let error = CrossEncoder::open(folder.path(), 1).unwrap_err().to_string();
    assert!(error.contains("no classifier"), "{error}");
}
