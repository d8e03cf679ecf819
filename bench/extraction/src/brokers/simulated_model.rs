//! How much the answers of a language model change contract notes, with *simulated models*: one whose every value is right,
//! one that answers with values of the page by chance, and one that does either with the same probability.
//!
//! A real model lies between the first two. What matters is that the first helps, and how little the second spoils.

use std::collections::BTreeSet;
use std::io::{Write, stdout};
use std::path::Path;
use std::sync::Mutex;

use anyhow::{Context, bail};
use extraction::contract_note;
use extraction::language_model::{WindowReply, ground};
use extraction::reconcile::reconcile;
use extraction::scoring::model::Provenance;
use extraction::scoring::training::{self, Example, Settings};
use extraction::types::{DocumentType, FieldSpec};
use serde_json::{Map, Value, json};

use super::truth::{self, Trade};
use super::{Document, FOLDER, Measured, compare, contract_note_type, examples, figures, load};
use crate::corpus;

/// How many of a hundred values of each simulated model are right; the others are values of the page by chance.
const RIGHT: [u64; 3] = [100, 50, 0];

pub(crate) fn measure(corpus: &Path, cache: &Path) -> anyhow::Result<()> {
    let documents = load(corpus, cache)?;
    let measured = answers_of_all(&documents, cache)?;
    let columns: Vec<_> = measured.iter().map(|measured| figures(&measured.counts)).collect();
    let mut out = stdout().lock();
    writeln!(out, "field            rules    all right  half right  by chance")?;
    let names: Vec<&String> = columns[0].keys().collect();
    for name in names {
        let value = |at: usize| columns.get(at).and_then(|column| column.get(name)).copied();
        let value = |at: usize| value(at).unwrap_or_default();
        let [rules, right, half, chance] = [0, 1, 2, 3].map(value);
        writeln!(out, "{name:<16} {rules:.3}    {right:.3}      {half:.3}       {chance:.3}")?;
    }
    writeln!(out, "the mean is of {}", truth::MAIN.join(", "))?;
    Ok(())
}

/// The rules alone, then with each simulated model. The weights never saw the broker.
fn answers_of_all(documents: &[Document], cache: &Path) -> anyhow::Result<Vec<Measured>> {
    let document_type = contract_note_type()?;
    let examples: Vec<Vec<Example>> =
        documents.iter().map(|document| examples::of(document_type, document)).collect();
    let brokers: BTreeSet<&str> = documents.iter().map(|d| d.broker.as_str()).collect();
    let queue = Mutex::new(brokers.into_iter());
    let measured: Vec<Measured> = (0..=RIGHT.len()).map(|_| Measured::default()).collect();
    let measured = Mutex::new(measured);
    let next = || queue.lock().ok().and_then(|mut queue| queue.next());
    let work = || -> anyhow::Result<()> {
        while let Some(broker) = next() {
            let others = documents.iter().zip(&examples).filter(|(d, _)| d.broker != broker);
            let training: Vec<&Example> = others.flat_map(|(_, examples)| examples).collect();
            let model = training::fit(&training, Settings::default(), Provenance::default());
            for document in documents.iter().filter(|document| document.broker == broker) {
                let parts =
                    corpus::load(cache, FOLDER, Path::new(&format!("{}.pdf", document.name)))?;
                let rules = contract_note::parse(document_type, &document.scan, &model);
                let mut results = vec![reconcile(document_type, &rules)];
                for right in RIGHT {
                    let parts = parts.iter().cloned().map(Ok);
                    let replies = vec![reply(document_type, document, right)];
                    let grounded = ground(parts, document_type, replies, rules.clone())?;
                    results.push(reconcile(document_type, &grounded.parsed));
                }
                let mut measured = measured.lock().ok().context("a measurement panicked")?;
                for (result, measured) in results.iter().zip(measured.iter_mut()) {
                    compare(document, result, measured);
                }
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let workers = [scope.spawn(work), scope.spawn(work)];
        workers.into_iter().try_for_each(|worker| match worker.join() {
            Ok(ended) => ended,
            Err(_) => bail!("a measurement panicked"),
        })
    })?;
    measured.into_inner().ok().context("a measurement panicked")
}

/// The answer of a simulated model. `right` of a hundred values are right.
fn reply(document_type: &DocumentType, document: &Document, right: u64) -> WindowReply {
    let mut random = Sequence::of(&document.name);
    let trade = |trade: &Trade| -> Value {
        let mut values = Map::new();
        for spec in &document_type.fields {
            let (Some("trades"), name) = spec.group() else { continue };
            let is_right = random.next(100) < right;
            let value = if is_right {
                Some(trade.expected(name)).filter(|value| !value.is_empty())
            } else {
                by_chance(spec, document, &mut random)
            };
            let value = if spec.additive { json!(value.as_slice()) } else { json!(value) };
            values.insert(name.to_owned(), value);
        }
        values.into()
    };
    let trades: Vec<Value> = document.trades.iter().map(trade).collect();
    let text = json!({ "trades": trades }).to_string();
    WindowReply { pages: (1..=document.scan.pages).collect(), text }
}

/// A value of the page that may be one of the field.
fn by_chance(spec: &FieldSpec, document: &Document, random: &mut Sequence) -> Option<String> {
    let choices: Vec<&String> = spec.choices.keys().collect();
    let found = document.scan.mentions.iter().map(|mention| &mention.found);
    let fitting: Vec<&String> = if choices.is_empty() {
        found.filter(|found| found.fits(spec.kind)).map(|found| &found.raw).collect()
    } else {
        choices
    };
    let at = random.next(u64::try_from(fitting.len()).unwrap_or(u64::MAX).max(1));
    fitting.get(usize::try_from(at).ok()?).map(|value| (*value).clone())
}

/// Numbers that look random and are the same in every run: splitmix64.
struct Sequence(u64);

impl Sequence {
    fn of(name: &str) -> Self {
        Self(name.bytes().fold(7, |seed, byte| seed.wrapping_mul(31).wrapping_add(byte.into())))
    }

    /// A number below `end`.
    fn next(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (bits ^ (bits >> 31)) % end
    }
}
