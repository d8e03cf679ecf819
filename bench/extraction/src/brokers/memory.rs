//! How much one confirmed document improves the others of its broker.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Write, stdout};
use std::path::Path;
use std::sync::Mutex;

use anyhow::{Context, bail};
use domain::{Extraction, Field, FieldGroup, FieldStatus};
use extraction::contract_note;
use extraction::memory::{Layout, MemoryEntry, Recall, ReviewedDocument, Tuning};
use extraction::reconcile::reconcile;
use extraction::scoring::Model;
use extraction::scoring::model::Provenance;
use extraction::scoring::training::{self, Example, Settings};
use extraction::types::DocumentType;

use super::causes;
use super::truth::{self, FIELDS, Trade};
use super::{
    Counts, Document, Measured, compare, contract_note_type, examples, figures, load, share,
};

/// A broker, with weights that never saw it.
pub(super) struct Broker<'d> {
    pub(super) name: &'d str,
    model: Model,
    documents: Vec<Reviewed<'d>>,
}

/// A document with what it teaches and what is found without any memory.
struct Reviewed<'d> {
    document: &'d Document,
    layout: Layout,
    entry: Option<MemoryEntry>,
    before: Extraction,
}

/// Confirms each document of a broker in turn, and extracts the others with what it taught and without. The weights never
/// saw the broker.
pub(crate) fn measure(corpus: &Path, cache: &Path, errors: Option<&str>) -> anyhow::Result<()> {
    let document_type = contract_note_type()?;
    let documents = load(corpus, cache)?;
    let brokers = prepare(document_type, &documents)?;
    let (mut before, mut after) = (Measured::default(), Measured::default());
    let mut possible = Counts::new();
    for broker in &brokers {
        broker.measure(document_type, Tuning::default(), errors.is_some(), &mut before, &mut after);
        broker.possible(document_type, &mut possible);
    }
    let mut out = stdout().lock();
    if let Some(only) = errors {
        after.errors.sort();
        for error in after.errors.iter().filter(|error| error.starts_with(only)) {
            writeln!(out, "{error}")?;
        }
    }
    writeln!(out, "field            before   after    gain    candidates")?;
    for (field, count) in &after.counts {
        let (after, before) =
            (share(*count), share(before.counts.get(field).copied().unwrap_or_default()));
        let possible =
            possible.get(field).map_or_else(String::new, |count| format!("{:.3}", share(*count)));
        let gain = after - before;
        writeln!(
            out,
            "{field:<16} {before:.3}    {after:.3}    {gain:+.3}  {possible:<5}  {}",
            count.1
        )?;
    }
    let (before, after) = (figures(&before.counts)["mean"], figures(&after.counts)["mean"]);
    let fields = truth::MAIN.join(", ");
    writeln!(out, "mean of {fields}: {before:.3} before, {after:.3} after one confirmed document")?;
    strangers(document_type, &brokers, &mut out)?;
    layouts(&documents, &mut out)
}

/// The brokers with two documents at least.
pub(super) fn prepare<'d>(
    document_type: &DocumentType,
    documents: &'d [Document],
) -> anyhow::Result<Vec<Broker<'d>>> {
    let examples: Vec<Vec<Example>> =
        documents.iter().map(|document| examples::of(document_type, document)).collect();
    let names: BTreeSet<&str> = documents.iter().map(|d| d.broker.as_str()).collect();
    in_parallel(names.into_iter(), |name| {
        let own: Vec<&Document> = documents.iter().filter(|d| d.broker == name).collect();
        if own.len() < 2 {
            return None;
        }
        let others = documents.iter().zip(&examples).filter(|(d, _)| d.broker != name);
        let training: Vec<&Example> = others.flat_map(|(_, examples)| examples).collect();
        let model = training::fit(&training, Settings::default(), Provenance::default());
        let reviewed = own.into_iter().map(|document| {
            let layout = Layout::of(&document.scan);
            let before = extract(document_type, document, &model, &Recall::default());
            let entry = learn(document_type, document, &before);
            Reviewed { document, layout, entry, before }
        });
        let documents = reviewed.collect();
        Some(Broker { name, model, documents })
    })
}

/// Works on two items at a time. The results are in the order in which they were finished.
pub(super) fn in_parallel<T: Send, R: Send>(
    items: impl Iterator<Item = T> + Send,
    work: impl Fn(T) -> Option<R> + Sync,
) -> anyhow::Result<Vec<R>> {
    let queue = Mutex::new(items);
    let results = Mutex::new(Vec::new());
    let next = || queue.lock().ok().and_then(|mut queue| queue.next());
    let run = || {
        while let Some(item) = next() {
            if let (Some(result), Ok(mut results)) = (work(item), results.lock()) {
                results.push(result);
            }
        }
    };
    std::thread::scope(|scope| {
        let workers = [scope.spawn(run), scope.spawn(run)];
        workers.into_iter().try_for_each(|worker| match worker.join() {
            Ok(()) => Ok(()),
            Err(_) => bail!("a measurement panicked"),
        })
    })?;
    results.into_inner().ok().context("a measurement panicked")
}

impl Broker<'_> {
    /// Each document that was confirmed, with each other one.
    fn pairs(&self) -> impl Iterator<Item = (&Reviewed<'_>, &MemoryEntry, &Reviewed<'_>)> {
        self.documents.iter().filter_map(|c| Some((c, c.entry.as_ref()?))).flat_map(
            |(confirmed, entry)| {
                let others = self.documents.iter();
                let others = others.filter(|o| o.document.name != confirmed.document.name);
                others.map(move |other| (confirmed, entry, other))
            },
        )
    }

    pub(super) fn measure(
        &self,
        document_type: &DocumentType,
        tuning: Tuning,
        explained: bool,
        before: &mut Measured,
        after: &mut Measured,
    ) {
        for (confirmed, entry, other) in self.pairs() {
            let entries = std::slice::from_ref(entry);
            let recall = Recall::with_tuning(entries, &other.layout, &document_type.name, tuning);
            let found = extract(document_type, other.document, &self.model, &recall);
            compare(other.document, &other.before, before);
            let from = after.errors.len();
            compare(other.document, &found, after);
            if let Some(errors) = after.errors.get_mut(from..).filter(|_| explained) {
                explain(document_type, other.document, confirmed.document, entry, errors);
            }
        }
    }

    /// How often the expected value is among the candidates at all.
    fn possible(&self, document_type: &DocumentType, counts: &mut Counts) {
        for (_, _, other) in self.pairs() {
            for (trade, field) in
                other.document.trades.iter().flat_map(|t| FIELDS.iter().map(move |f| (t, *f)))
            {
                let found = causes::is_candidate(document_type, other.document, field, trade);
                let (Some(found), Some(_)) = (found, trade.is_right(field, None)) else { continue };
                let (good, all) = counts.entry(field).or_default();
                *all += 1;
                *good += usize::from(found);
            }
        }
    }
}

/// What happens when the memory has documents of other brokers only: nothing should change.
fn strangers(
    document_type: &DocumentType,
    brokers: &[Broker<'_>],
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let first: Vec<(&str, &MemoryEntry)> = brokers
        .iter()
        .filter_map(|broker| {
            Some((broker.name, broker.documents.iter().find_map(|d| d.entry.as_ref())?))
        })
        .collect();
    let measured = in_parallel(brokers.iter(), |broker| {
        let (mut before, mut after) = (Measured::default(), Measured::default());
        let others = first.iter().filter(|(name, _)| *name != broker.name);
        let entries: Vec<MemoryEntry> = others.map(|(_, entry)| (*entry).clone()).collect();
        for other in &broker.documents {
            let recall = Recall::new(&entries, &other.layout, &document_type.name);
            let found = extract(document_type, other.document, &broker.model, &recall);
            compare(other.document, &other.before, &mut before);
            compare(other.document, &found, &mut after);
        }
        Some((before.counts, after.counts))
    })?;
    let (mut before, mut after) = (Counts::new(), Counts::new());
    for (one, other) in &measured {
        add(&mut before, one);
        add(&mut after, other);
    }
    writeln!(
        out,
        "with one document of each other broker only: {:.3} before, {:.3} after",
        figures(&before)["mean"],
        figures(&after)["mean"]
    )?;
    Ok(())
}

pub(super) fn add(sum: &mut Counts, more: &Counts) {
    for (field, (right, all)) in more {
        let known = sum.entry(field).or_default();
        known.0 += right;
        known.1 += all;
    }
}

/// How many pairs of documents of one broker, and of different ones, are recognised as similar.
fn layouts(documents: &[Document], out: &mut impl Write) -> anyhow::Result<()> {
    let mut shares: BTreeMap<bool, [(usize, usize); 3]> = BTreeMap::new();
    for (at, one) in documents.iter().enumerate() {
        for other in documents.iter().skip(at + 1) {
            let similarity = one.scan.fingerprint.similarity(&other.scan.fingerprint);
            let counts = shares.entry(one.broker == other.broker).or_default();
            for (count, least) in counts.iter_mut().zip([0.1, 0.2, 0.3]) {
                count.0 += usize::from(similarity > least);
                count.1 += 1;
            }
        }
    }
    for (is_same, name) in [(true, "one broker"), (false, "different brokers")] {
        let counts = shares.get(&is_same).copied().unwrap_or_default();
        let [low, middle, high] = counts.map(share);
        writeln!(
            out,
            "pairs of {name} with a similarity above 0.1, 0.2, 0.3: {low:.3}, {middle:.3}, {high:.3}"
        )?;
    }
    Ok(())
}

/// Adds to each wrong value which document was confirmed, and why the memory did not help.
fn explain(
    document_type: &DocumentType,
    document: &Document,
    confirmed: &Document,
    entry: &MemoryEntry,
    errors: &mut [String],
) {
    for error in errors {
        let Some(field) = error.split_whitespace().nth(1).map(str::to_owned) else { continue };
        let mut expected = error.split(" expected ").nth(1).unwrap_or_default().split(" found");
        let expected = expected.next().unwrap_or_default();
        let trade = document.trades.iter().find(|trade| trade.expected(&field) == expected);
        let Some(trade) = trade else { continue };
        let cause = causes::cause(document_type, document, &field, trade, entry);
        *error = format!("{error} | {} | {cause}", confirmed.name);
    }
}

fn extract(
    document_type: &DocumentType,
    document: &Document,
    model: &Model,
    recall: &Recall<'_>,
) -> Extraction {
    let parsed = contract_note::parse_with_memory(document_type, &document.scan, model, recall);
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
        let raw = place.and_then(|field| field.raw.clone());
        let value = (!value.is_empty()).then_some(value);
        Field { value, status, raw, page, area, ..Field::missing() }
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
