//! Contract notes of 40 brokers: how many values are exactly right when the weights never saw the broker.

mod causes;
mod examples;
pub(crate) mod memory;
pub(crate) mod memory_fit;
pub(crate) mod simulated_model;
mod truth;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::{Context, bail};
use domain::{Extraction, FieldGroup};
use extraction::contract_note;
use extraction::reconcile::reconcile;
use extraction::scan::Scan;
use extraction::scoring::Model;
use extraction::scoring::model::Provenance;
use extraction::scoring::training::{self, Example, Settings};
use extraction::types::{DocumentType, builtin};

use crate::corpus;
use crate::held_out::{self, HeldOut};
use truth::{FIELDS, Trade};

const FOLDER: &str = "broker_confirmations";

/// A document of the corpus.
pub(crate) struct Document {
    pub(crate) name: String,
    pub(crate) broker: String,
    pub(crate) scan: Scan,
    pub(crate) trades: Vec<Trade>,
    pages: usize,
    /// CPU time for finding the candidates.
    scan_seconds: f64,
}

pub(crate) fn contract_note_type() -> anyhow::Result<&'static DocumentType> {
    builtin().iter().find(|t| t.name == "contract_note").context("contract_note is missing")
}

pub(crate) fn load(corpus: &Path, cache: &Path) -> anyhow::Result<Vec<Document>> {
    let mut documents = Vec::new();
    for file in corpus::files(corpus, FOLDER, "pdf")? {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let broker = name.split("__").next().unwrap_or_default().to_owned();
        let parts = corpus::load(cache, FOLDER, &file)?;
        let started = cpu_seconds();
        let mut scan = Scan::new();
        let mut pages = 0;
        for page in corpus::pages(&parts) {
            scan.add(page);
            pages += 1;
        }
        scan.finish();
        let scan_seconds = cpu_seconds() - started;
        let trades = truth::read(&file.with_extension("expected.json"))?;
        documents.push(Document { name, broker, scan, trades, pages, scan_seconds });
    }
    Ok(documents)
}

/// The CPU time of this thread.
fn cpu_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    let time: std::time::Duration = time.try_into().unwrap_or_default();
    time.as_secs_f64()
}

/// Right and all values of each field.
type Counts = BTreeMap<&'static str, (usize, usize)>;

#[derive(Default)]
struct Measured {
    counts: Counts,
    errors: Vec<String>,
    seconds_per_page: Vec<f64>,
    held_out: Vec<HeldOut>,
}

/// Measures every broker with weights that were fitted to the others.
fn cross_validate(documents: &[Document]) -> anyhow::Result<Measured> {
    let document_type = contract_note_type()?;
    let examples: Vec<Vec<Example>> =
        documents.iter().map(|document| examples::of(document_type, document)).collect();
    let brokers: BTreeSet<&str> = documents.iter().map(|d| d.broker.as_str()).collect();
    let queue = Mutex::new(brokers.into_iter());
    let measured = Mutex::new(Measured {
        counts: Counts::new(),
        errors: Vec::new(),
        seconds_per_page: Vec::new(),
        held_out: Vec::new(),
    });
    let next = || queue.lock().ok().and_then(|mut queue| queue.next());
    let work = || {
        while let Some(broker) = next() {
            let training: Vec<&Example> = documents
                .iter()
                .zip(&examples)
                .filter(|(document, _)| document.broker != broker)
                .flat_map(|(_, examples)| examples)
                .collect();
            let model = training::fit(&training, Settings::default(), Provenance::default());
            for document in documents.iter().filter(|document| document.broker == broker) {
                let started = cpu_seconds();
                let parsed = contract_note::parse(document_type, &document.scan, &model);
                let extraction = reconcile(document_type, &parsed);
                let seconds = cpu_seconds() - started + document.scan_seconds;
                if let Ok(mut measured) = measured.lock() {
                    compare(document, &extraction, &mut measured);
                    #[expect(clippy::cast_precision_loss, reason = "a few pages")]
                    measured.seconds_per_page.push(seconds / document.pages.max(1) as f64);
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

/// Compares each expected trade with the found one of the same security, or at the same position.
fn compare(document: &Document, extraction: &Extraction, measured: &mut Measured) {
    let mut free: Vec<(usize, &FieldGroup)> = extraction.trades.iter().enumerate().collect();
    let mut correct = BTreeMap::new();
    for trade in &document.trades {
        let value = |group: &FieldGroup, name: &str| group.get(name).and_then(|f| f.value.clone());
        let same = free
            .iter()
            .position(|(_, group)| trade.isin.is_some() && value(group, "isin") == trade.isin);
        let at = same.unwrap_or(0);
        let group = if at < free.len() { Some(free.remove(at)) } else { None };
        for field in FIELDS {
            let found = group.and_then(|(_, group)| value(group, field));
            let Some(right) = trade.is_right(field, found.as_deref()) else { continue };
            if let Some((index, _)) = group.filter(|_| found.is_some()) {
                correct.insert(format!("trades.{index}.{field}"), right);
            }
            let (good, all) = measured.counts.entry(field).or_default();
            *all += 1;
            *good += usize::from(right);
            if !right {
                let expected = trade.expected(field);
                let found = found.unwrap_or_default();
                measured.errors.push(format!(
                    "{:<44} {field:<13} expected {expected} found {found}",
                    document.name
                ));
            }
        }
    }
    // Trades that the document does not contain.
    for (index, group) in free {
        let found = FIELDS.iter().filter(|field| group.contains_key(**field));
        correct.extend(found.map(|field| (format!("trades.{index}.{field}"), false)));
    }
    measured.held_out.push(HeldOut {
        document: document.name.clone(),
        group: document.broker.clone(),
        extraction: extraction.clone(),
        correct,
    });
}

#[expect(clippy::cast_precision_loss, reason = "a few hundred values")]
fn share((right, all): (usize, usize)) -> f64 {
    right as f64 / all.max(1) as f64
}

/// The share of right values of each field, and the mean of the five main ones.
fn figures(counts: &Counts) -> BTreeMap<String, f64> {
    let mut figures: BTreeMap<String, f64> =
        counts.iter().map(|(field, count)| ((*field).to_owned(), share(*count))).collect();
    let main: Vec<f64> =
        truth::MAIN.iter().filter_map(|field| figures.get(*field).copied()).collect();
    #[expect(clippy::cast_precision_loss, reason = "five fields")]
    let mean = main.iter().sum::<f64>() / main.len().max(1) as f64;
    figures.insert("mean".to_owned(), mean);
    for value in figures.values_mut() {
        *value = (*value * 1e4).round() / 1e4;
    }
    figures
}

pub(crate) fn measure(corpus: &Path, cache: &Path, errors: Option<&str>) -> anyhow::Result<()> {
    let documents = load(corpus, cache)?;
    let mut measured = cross_validate(&documents)?;
    held_out::write(cache, "brokers", &mut measured.held_out)?;
    let mut out = stdout().lock();
    if let Some(only) = errors {
        measured.errors.sort();
        for error in measured.errors.iter().filter(|error| error.starts_with(only)) {
            writeln!(out, "{error}")?;
        }
    }
    for (field, count) in &measured.counts {
        writeln!(out, "{field:<16} {:.3}  {}/{}", share(*count), count.0, count.1)?;
    }
    let figures = figures(&measured.counts);
    writeln!(out, "mean of {}: {:.3}", truth::MAIN.join(", "), figures["mean"])?;
    measured.seconds_per_page.sort_by(f64::total_cmp);
    let median = measured.seconds_per_page.get(measured.seconds_per_page.len() / 2);
    writeln!(
        out,
        "CPU milliseconds for a page, median: {:.2}",
        median.copied().unwrap_or_default() * 1e3
    )?;
    Ok(())
}

pub(crate) fn fit(corpus: &Path, cache: &Path, to: &PathBuf, date: &str) -> anyhow::Result<()> {
    let documents = load(corpus, cache)?;
    let document_type = contract_note_type()?;
    let figures = figures(&cross_validate(&documents)?.counts);
    let settings = Settings::default();
    let provenance = Provenance {
        corpus: FOLDER.to_owned(),
        documents: documents.len(),
        date: date.to_owned(),
        seed: settings.seed,
        figures,
    };
    let examples: Vec<Example> =
        documents.iter().flat_map(|document| examples::of(document_type, document)).collect();
    let model: Model = training::fit(&examples.iter().collect::<Vec<_>>(), settings, provenance);
    fs::write(to, model.to_json()? + "\n")?;
    writeln!(stdout(), "{} weights written to {}", model.len(), to.display())?;
    Ok(())
}
