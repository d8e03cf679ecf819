//! How much one confirmed document improves the others of its broker.

use std::collections::BTreeSet;
use std::io::{Write, stdout};
use std::path::Path;
use std::sync::Mutex;

use anyhow::{Context, bail};
use domain::{Extraction, Field, FieldGroup, FieldStatus};
use extraction::contract_note;
use extraction::memory::{MemoryEntry, Recall, ReviewedDocument};
use extraction::reconcile::reconcile;
use extraction::scoring::Model;
use extraction::scoring::model::Provenance;
use extraction::scoring::training::{self, Example, Settings};
use extraction::types::DocumentType;

use super::truth::{self, FIELDS, Trade};
use super::{Document, Measured, compare, contract_note_type, examples, figures, load, share};

/// Confirms each document of a broker in turn, and extracts the others with what it taught and without. The weights never
/// saw the broker.
pub(crate) fn measure(corpus: &Path, cache: &Path, errors: Option<&str>) -> anyhow::Result<()> {
    let documents = load(corpus, cache)?;
    let (before, mut after) = compare_brokers(&documents)?;
    let mut out = stdout().lock();
    if let Some(only) = errors {
        after.errors.sort();
        for error in after.errors.iter().filter(|error| error.starts_with(only)) {
            writeln!(out, "{error}")?;
        }
    }
    writeln!(out, "field            before   after    gain")?;
    for (field, count) in &after.counts {
        let (after, before) =
            (share(*count), share(before.counts.get(field).copied().unwrap_or_default()));
        writeln!(
            out,
            "{field:<16} {before:.3}    {after:.3}    {:+.3}  {}",
            after - before,
            count.1
        )?;
    }
    let (before, after) = (figures(&before.counts)["mean"], figures(&after.counts)["mean"]);
    let fields = truth::MAIN.join(", ");
    writeln!(out, "mean of {fields}: {before:.3} before, {after:.3} after one confirmed document")?;
    Ok(())
}

fn compare_brokers(documents: &[Document]) -> anyhow::Result<(Measured, Measured)> {
    let document_type = contract_note_type()?;
    let examples: Vec<Vec<Example>> =
        documents.iter().map(|document| examples::of(document_type, document)).collect();
    let brokers: BTreeSet<&str> = documents.iter().map(|d| d.broker.as_str()).collect();
    let queue = Mutex::new(brokers.into_iter());
    let measured = Mutex::new((Measured::default(), Measured::default()));
    let next = || queue.lock().ok().and_then(|mut queue| queue.next());
    let work = || {
        while let Some(broker) = next() {
            let of_broker: Vec<&Document> =
                documents.iter().filter(|document| document.broker == broker).collect();
            if of_broker.len() < 2 {
                continue;
            }
            let others = documents.iter().zip(&examples).filter(|(d, _)| d.broker != broker);
            let training: Vec<&Example> = others.flat_map(|(_, examples)| examples).collect();
            let model = training::fit(&training, Settings::default(), Provenance::default());
            for confirmed in &of_broker {
                let Some(entry) = learn(document_type, confirmed) else { continue };
                for document in of_broker.iter().filter(|other| other.name != confirmed.name) {
                    let before = extract(document_type, document, &model, &[]);
                    let entry = std::slice::from_ref(&entry);
                    let after = extract(document_type, document, &model, entry);
                    if let Ok(mut measured) = measured.lock() {
                        compare(document, &before, &mut measured.0);
                        compare(document, &after, &mut measured.1);
                    }
                }
            }
        }
    };
    std::thread::scope(|scope| {
        let workers = [scope.spawn(work), scope.spawn(work)];
        workers.into_iter().try_for_each(|worker| match worker.join() {
            Ok(()) => Ok(()),
            Err(_) => bail!("a measurement panicked"),
        })
    })?;
    measured.into_inner().ok().context("a measurement panicked")
}

fn extract(
    document_type: &DocumentType,
    document: &Document,
    model: &Model,
    memory: &[MemoryEntry],
) -> Extraction {
    let recall = Recall::new(memory, &document.scan.fingerprint, &document_type.name);
    let parsed = contract_note::parse_with_memory(document_type, &document.scan, model, &recall);
    reconcile(document_type, &parsed)
}

/// What the document teaches when a reviewer has confirmed its true values.
fn learn(document_type: &DocumentType, document: &Document) -> Option<MemoryEntry> {
    let field = |value: &str| Field {
        value: Some(value.to_owned()),
        status: FieldStatus::Confirmed,
        ..Field::missing()
    };
    let group = |trade: &Trade| -> FieldGroup {
        let values = FIELDS.iter().map(|name| (*name, trade.expected(name)));
        values
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| (name.to_owned(), field(&value)))
            .collect()
    };
    let confirmed = Extraction {
        document_type: document_type.name.clone(),
        trades: document.trades.iter().map(group).collect(),
        ..Extraction::default()
    };
    ReviewedDocument::new(&document.scan, document_type).learn(document_type, &confirmed)
}
