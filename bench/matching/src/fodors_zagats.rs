//! Restaurants of two guides. Weights are learned from the links of the training part, as from those of users.
//!
//! The column `class` is left out: it is the same exactly for pairs of one restaurant, the label under another name.

use domain::{FieldRole, RecordFields, RecordTypeDefinition};
use matching::compare::{Pattern, Prepared};
use matching::weights::{EstimateOptions, Model, estimate};

use crate::corpus::{Corpus, definition};
use crate::score::{PairScore, say};

pub(crate) fn restaurant() -> RecordTypeDefinition {
    definition(
        "restaurant",
        &[
            ("name", FieldRole::Name),
            ("addr", FieldRole::Address),
            ("city", FieldRole::City),
            ("phone", FieldRole::Phone),
            ("type", FieldRole::Text),
        ],
    )
}

#[derive(Debug)]
pub(crate) struct LabelledPair {
    pub(crate) left: RecordFields,
    pub(crate) right: RecordFields,
    pub(crate) is_match: bool,
}

/// The pairs of a part: `train`, `valid` or `test`.
pub(crate) fn part(corpus: &Corpus, name: &str) -> anyhow::Result<Option<Vec<LabelledPair>>> {
    let Some(text) = corpus.read(&format!("fodors_zagats/{name}.txt"))? else { return Ok(None) };
    let pairs = text.lines().filter_map(|line| {
        let mut parts = line.split('\t');
        let (left, right) = (record(parts.next()?), record(parts.next()?));
        Some(LabelledPair { left, right, is_match: parts.next()?.trim() == "1" })
    });
    Ok(Some(pairs.collect()))
}

/// `COL name VAL … COL addr VAL …`; values have quotes of several kinds around them.
fn record(text: &str) -> RecordFields {
    let fields = text.split("COL ").filter_map(|field| field.split_once(" VAL "));
    let cleaned = |value: &str| value.trim().trim_matches(['`', '\'', ' ']).replace('\\', "");
    let kept = fields.filter(|(name, _)| *name != "class");
    kept.map(|(name, value)| (name.to_owned(), cleaned(value))).collect()
}

fn patterns(definition: &RecordTypeDefinition, pairs: &[LabelledPair]) -> Vec<Pattern> {
    let prepare = |record| Prepared::new(definition, record);
    pairs.iter().map(|pair| prepare(&pair.left).compare(&prepare(&pair.right))).collect()
}

pub(crate) fn run(corpus: &Corpus, errors: bool) -> anyhow::Result<()> {
    let (Some(train), Some(valid), Some(test)) =
        (part(corpus, "train")?, part(corpus, "valid")?, part(corpus, "test")?)
    else {
        return Ok(());
    };
    let restaurant = restaurant();
    let built_in = Model::built_in(&restaurant);
    let training = patterns(&restaurant, &train);
    let estimated = estimate(
        &restaurant,
        training.iter().map(|one| vec![one.clone()]),
        EstimateOptions::default(),
    );
    let mut learned = built_in.clone();
    for (pair, pattern) in train.iter().zip(&training) {
        learned.learn(std::slice::from_ref(pattern), pair.is_match.then_some(0));
    }
    say(format!(
        "fodors_zagats: {} pairs to train with, {} to validate, {} to test",
        train.len(),
        valid.len(),
        test.len()
    ))?;
    for (name, model) in [
        ("built-in weights", &built_in),
        ("EM on the training pairs, no labels", &estimated),
        ("links of the training pairs", &learned),
    ] {
        for (part, pairs) in [("valid", &valid), ("test", &test)] {
            let mut score = PairScore::default();
            for (pair, pattern) in pairs.iter().zip(patterns(&restaurant, pairs)) {
                let probability = model.probability(&pattern, 1);
                score.add(pair.is_match, probability >= 0.5);
                if errors && pair.is_match != (probability >= 0.5) {
                    say(format!(
                        "  {} {probability:.2} {:?} {:?} {pattern:?}",
                        pair.is_match, pair.left, pair.right
                    ))?;
                }
            }
            say(format!("  {name}, {part}: {score}"))?;
        }
    }
    Ok(())
}
