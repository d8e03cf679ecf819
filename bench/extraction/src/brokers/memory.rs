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
                let found = extract(document_type, confirmed, &model, &[]);
                let Some(entry) = learn(document_type, confirmed, &found) else { continue };
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

/// What the document teaches when a reviewer has confirmed the right values of a result and corrected the others. Only the
/// place of a confirmed value is known.
fn learn(
    document_type: &DocumentType,
    document: &Document,
    found: &Extraction,
) -> Option<MemoryEntry> {
    let review = |name: &str, trade: &Trade, found: Option<&FieldGroup>| {
        let value = trade.expected(name);
        let field = found.and_then(|group| group.get(name));
        let right = trade.is_right(name, field.and_then(|field| field.value.as_deref()));
        let (status, place) = match field {
            Some(field) if right == Some(true) => (FieldStatus::Confirmed, Some(field)),
            _ => (FieldStatus::Corrected, None),
        };
        let page = place.and_then(|field| field.page);
        let area = place.and_then(|field| field.area);
        let value = (!value.is_empty()).then_some(value);
        Field { value, status, page, area, ..Field::missing() }
    };
    let group = |(at, trade): (usize, &Trade)| -> FieldGroup {
        let found = found.trades.get(at);
        let fields = FIELDS.iter().map(|name| ((*name).to_owned(), review(name, trade, found)));
        fields.filter(|(_, field)| field.value.is_some()).collect()
    };
    let confirmed = Extraction {
        document_type: document_type.name.clone(),
        trades: document.trades.iter().enumerate().map(group).collect(),
        ..Extraction::default()
    };
    ReviewedDocument::new(&document.scan, document_type).learn(document_type, &confirmed)
}
