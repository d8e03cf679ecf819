//! People, of whom each second is a duplicate with errors. No label is used: the weights are estimated by EM.

use std::collections::HashSet;

use domain::{FieldRole, RecordFields, RecordTypeDefinition};
use matching::weights::Model;

use crate::corpus::{Corpus, column, definition};
use crate::linkage::{Index, cross_estimated, probabilities};
use crate::score::{PairScore, say, share};

pub(crate) fn person() -> RecordTypeDefinition {
    definition(
        "person",
        &[
            ("given_name", FieldRole::Name),
            ("surname", FieldRole::Name),
            ("street_number", FieldRole::Code),
            ("address_1", FieldRole::Address),
            ("address_2", FieldRole::Address),
            ("suburb", FieldRole::City),
            ("postcode", FieldRole::Postcode),
            ("state", FieldRole::Code),
            ("date_of_birth", FieldRole::Date),
            ("soc_sec_id", FieldRole::Id),
        ],
    )
}

/// The records, and for each the number that it shares with its duplicate.
pub(crate) fn records(corpus: &Corpus) -> anyhow::Result<Option<(Vec<RecordFields>, Vec<String>)>> {
    let Some(rows) = corpus.csv("febrl1/dataset1.csv")? else { return Ok(None) };
    let number = |row: &RecordFields| {
        Ok(column(row, "rec_id")?.split('-').nth(1).unwrap_or_default().to_owned())
    };
    let numbers = rows.iter().map(number).collect::<anyhow::Result<_>>()?;
    Ok(Some((rows, numbers)))
}

pub(crate) fn run(corpus: &Corpus) -> anyhow::Result<()> {
    let Some((records, numbers)) = records(corpus)? else { return Ok(()) };
    let person = person();
    let index = Index::new(&person, &records);
    let pairs = index.pairs(&records, true);
    let found: HashSet<(usize, usize)> = pairs.iter().map(|(a, b, _)| (*a, *b)).collect();
    let mut true_pairs = 0;
    let mut reachable = 0;
    for a in 0..records.len() {
        for b in a + 1..records.len() {
            if numbers[a] == numbers[b] {
                true_pairs += 1;
                reachable += usize::from(found.contains(&(a, b)));
            }
        }
    }
    say(format!(
        "febrl1: {} records, {:.1} keys each, {} candidate pairs, {} of {true_pairs} true pairs among them",
        records.len(),
        share(index.keys, records.len()),
        pairs.len(),
        reachable
    ))?;

    let models = [
        ("built-in weights", vec![Model::built_in(&person)]),
        ("EM without labels, five folds", cross_estimated(&person, &pairs)),
    ];
    for (name, models) in &models {
        let mut score = PairScore { missed: true_pairs - reachable, ..PairScore::default() };
        for ((a, b, _), probability) in pairs.iter().zip(probabilities(&pairs, models)) {
            score.add(numbers[*a] == numbers[*b], probability >= 0.5);
        }
        say(format!("  {name}: {score}"))?;
        let (mut first, mut within) = (0, 0);
        for (at, record) in records.iter().enumerate() {
            let model = &models[at % models.len()];
            let candidates = index.candidates(record, u32::try_from(at).ok(), model);
            let is_same = |db_id: &str| {
                db_id.parse::<usize>().is_ok_and(|other| numbers[other] == numbers[at])
            };
            first += usize::from(candidates.first().is_some_and(|one| is_same(&one.db_id)));
            within += usize::from(candidates.iter().any(|one| is_same(&one.db_id)));
        }
        let (first, within) = (share(first, records.len()), share(within, records.len()));
        say(format!("  {name}, search: recall@1 {first:.3}, recall@20 {within:.3}"))?;
    }
    Ok(())
}
