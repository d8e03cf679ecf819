//! Chooses the constants of layout memory: a search from the current ones, one constant at a time.
//!
//! The last line is measured with the broker left out: for each broker the constants are chosen among all that were tried by
//! what they give for the other brokers. Which ones are tried depends on all brokers.

use std::collections::BTreeMap;
use std::io::{Write, stdout};
use std::path::Path;

use extraction::memory::Tuning;

use super::memory::{add, in_parallel, prepare};
use super::{Counts, Measured, contract_note_type, figures, load};

/// How much the fields count that are not among the main ones.
const OTHERS: f64 = 0.25;
/// The factors by which a constant is changed.
const FACTORS: [f32; 2] = [1.4, 0.7];
const ROUNDS: usize = 1;

type Constant = (&'static str, fn(&mut Tuning) -> &mut f32);

const CONSTANTS: [Constant; 18] = [
    ("min_layout", |t| &mut t.min_layout),
    ("same_issuer", |t| &mut t.same_issuer),
    ("boost", |t| &mut t.boost),
    ("penalty", |t| &mut t.penalty),
    ("term_penalty", |t| &mut t.term_penalty),
    ("min_match", |t| &mut t.min_match),
    ("margin", |t| &mut t.margin),
    ("other_form_date", |t| &mut t.other_form_date),
    ("other_form", |t| &mut t.other_form),
    ("unlikely", |t| &mut t.unlikely),
    ("left", |t| &mut t.anchors.left),
    ("above", |t| &mut t.anchors.above),
    ("previous", |t| &mut t.anchors.previous),
    ("shape", |t| &mut t.anchors.shape),
    ("position", |t| &mut t.anchors.position),
    ("prior", |t| &mut t.anchors.prior),
    ("absent", |t| &mut t.anchors.absent),
    ("missing_term", |t| &mut t.missing_term),
];

pub(crate) fn fit(corpus: &Path, cache: &Path) -> anyhow::Result<()> {
    let document_type = contract_note_type()?;
    let documents = load(corpus, cache)?;
    let brokers = prepare(document_type, &documents)?;
    let evaluate = |tuning: Tuning| -> anyhow::Result<BTreeMap<&str, Counts>> {
        let measured = in_parallel(brokers.iter(), |broker| {
            let (mut before, mut after) = (Measured::default(), Measured::default());
            broker.measure(document_type, tuning, false, &mut before, &mut after);
            Some((broker.name, after.counts))
        })?;
        Ok(measured.into_iter().collect())
    };
    let mut out = stdout().lock();
    let mut best = Tuning::default();
    let mut tried = vec![evaluate(best)?];
    let mut top = value(tried[0].values());
    writeln!(out, "{top:.4} with the current constants")?;
    for _ in 0..ROUNDS {
        for (name, constant) in CONSTANTS {
            for factor in FACTORS {
                let mut changed = best;
                *constant(&mut changed) *= factor;
                let found = evaluate(changed)?;
                let reached = value(found.values());
                tried.push(found);
                if reached > top + 1e-4 {
                    (top, best) = (reached, changed);
                    writeln!(out, "{top:.4} with {name} = {:.3}", constant(&mut changed))?;
                    out.flush()?;
                    break;
                }
            }
        }
    }
    writeln!(out, "{best:#?}")?;
    let mut nested = Counts::new();
    for broker in &brokers {
        let without = |found: &BTreeMap<&str, Counts>| {
            value(found.iter().filter(|(name, _)| **name != broker.name).map(|(_, counts)| counts))
        };
        let chosen = tried.iter().max_by(|a, b| without(a).total_cmp(&without(b)));
        if let Some(counts) = chosen.and_then(|chosen| chosen.get(broker.name)) {
            add(&mut nested, counts);
        }
    }
    writeln!(out, "broker left out: {:?}", figures(&nested))?;
    Ok(())
}

/// The mean of the main fields, and with less weight of the others.
fn value<'c>(counts: impl Iterator<Item = &'c Counts>) -> f64 {
    let mut sum = Counts::new();
    counts.for_each(|counts| add(&mut sum, counts));
    let figures = figures(&sum);
    let others = ["gross_amount", "fees", "taxes"].map(|field| figures.get(field).unwrap_or(&0.0));
    let others = others.into_iter().sum::<f64>() / 3.0;
    figures["mean"] + OTHERS * others
}
