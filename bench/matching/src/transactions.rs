//! Payments and their receipts: amounts differ by fees, dates by days, and texts were shortened. No label is used.

use domain::{FieldRole, RecordFields, RecordTypeDefinition};
use matching::search::{Decision, Proposal, clear_winner, one_to_one};
use matching::weights::Model;

use crate::corpus::{Corpus, column, definition};
use crate::linkage::{Index, cross_estimated};
use crate::score::{PairScore, say, share};

pub(crate) fn payment() -> RecordTypeDefinition {
    definition(
        "payment",
        &[
            ("memo", FieldRole::Text),
            ("transaction_date", FieldRole::Date),
            ("amount", FieldRole::Amount),
        ],
    )
}

pub(crate) struct Payments {
    pub(crate) origins: Vec<RecordFields>,
    pub(crate) destinations: Vec<RecordFields>,
    /// For each origin the place of its destination.
    pub(crate) truth: Vec<usize>,
}

pub(crate) fn read(corpus: &Corpus) -> anyhow::Result<Option<Payments>> {
    let (Some(origins), Some(destinations), Some(links)) = (
        corpus.csv("transactions/origin.csv")?,
        corpus.csv("transactions/destination.csv")?,
        corpus.csv("transactions/truth.csv")?,
    ) else {
        return Ok(None);
    };
    let mut truth = vec![usize::MAX; origins.len()];
    let place =
        |rows: &[RecordFields], id: &str| rows.iter().position(|row| row["unique_id"] == id);
    for link in &links {
        let origin = place(&origins, column(link, "unique_id_origin")?);
        let destination = place(&destinations, column(link, "unique_id_destination")?);
        if let (Some(origin), Some(destination)) = (origin, destination) {
            truth[origin] = destination;
        }
    }
    Ok(Some(Payments { origins, destinations, truth }))
}

pub(crate) fn run(corpus: &Corpus) -> anyhow::Result<()> {
    let Some(Payments { origins, destinations, truth }) = read(corpus)? else { return Ok(()) };
    let payment = payment();
    let index = Index::new(&payment, &destinations);
    let pairs = index.pairs(&origins, false);
    let reachable = pairs.iter().filter(|(a, b, _)| truth[*a] == *b).count();
    say(format!(
        "transactions: {} pairs, {:.1} keys a record, {} candidate pairs, {reachable} true pairs among them",
        truth.len(),
        share(index.keys, destinations.len()),
        pairs.len()
    ))?;
    let models = [
        ("built-in weights", vec![Model::built_in(&payment)]),
        ("EM without labels, five folds", cross_estimated(&payment, &pairs)),
    ];
    for (name, models) in &models {
        judge(name, models, &index, &origins, &truth)?;
    }
    Ok(())
}

fn judge(
    name: &str,
    models: &[Model],
    index: &Index<'_>,
    origins: &[RecordFields],
    truth: &[usize],
) -> anyhow::Result<()> {
    let (mut first, mut within) = (0, 0);
    let mut alone = PairScore::default();
    let mut proposals = Vec::new();
    let mut clear: Vec<(f64, PairScore)> =
        [0.01, 0.05].map(|rate| (rate, PairScore::default())).into();
    for (at, origin) in origins.iter().enumerate() {
        let model = &models[at % models.len()];
        let candidates = index.candidates(origin, None, model);
        let is_right = |db_id: &str| db_id.parse() == Ok(truth[at]);
        first += usize::from(candidates.first().is_some_and(|one| is_right(&one.db_id)));
        within += usize::from(candidates.iter().any(|one| is_right(&one.db_id)));
        let best = candidates.first().filter(|one| one.probability >= 0.5);
        alone.assign(best.map(|one| is_right(&one.db_id)));
        for (rate, score) in &mut clear {
            score.assign(match clear_winner(&candidates, *rate) {
                Decision::Matched { db_id } => Some(is_right(&db_id)),
                _ => None,
            });
        }
        for candidate in &candidates {
            let weight = candidate.score + model.prior_weight(candidates.len());
            proposals.push(Proposal { query: at, record: candidate.db_id.parse()?, weight });
        }
    }
    let (first, within) = (share(first, origins.len()), share(within, origins.len()));
    say(format!("  {name}, search: recall@1 {first:.3}, recall@20 {within:.3}"))?;
    say(format!("  {name}, the best record of each search, if it is probable: {alone}"))?;
    for (rate, score) in clear {
        let matched = share(score.right + score.wrong, origins.len());
        let wrong = 1.0 - score.precision();
        say(format!(
            "  {name}, accepted error rate {rate}: {matched:.3} matched, {wrong:.4} of them wrongly"
        ))?;
    }
    let mut assigned = PairScore::default();
    for (record, truth) in one_to_one(origins.len(), &proposals).iter().zip(truth) {
        assigned.assign(record.map(|record| record == *truth));
    }
    say(format!("  {name}, no record for two searches: {assigned}"))
}
