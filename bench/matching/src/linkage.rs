//! Searches as the product does: an index of keys, a plan within limits, a shortlist, and ranking.

use std::collections::HashMap;

use domain::{RecordCandidate, RecordFields, RecordTypeDefinition};
use matching::compare::{Pattern, Prepared};
use matching::keys;
use matching::search::{self, Frequencies, Limits, StoredRecord};
use matching::weights::{EstimateOptions, Model, estimate};

/// Records of one type with the index of their keys.
#[derive(Debug)]
pub(crate) struct Index<'a> {
    definition: &'a RecordTypeDefinition,
    records: &'a [RecordFields],
    postings: HashMap<i64, Vec<u32>>,
    /// Keys of all records together.
    pub(crate) keys: usize,
}

impl<'a> Index<'a> {
    pub(crate) fn new(definition: &'a RecordTypeDefinition, records: &'a [RecordFields]) -> Self {
        let mut postings: HashMap<i64, Vec<u32>> = HashMap::new();
        let mut keys = 0;
        for (at, record) in (0_u32..).zip(records) {
            for key in keys::keys(definition, record) {
                postings.entry(key.hash).or_default().push(at);
                keys += 1;
            }
        }
        Self { definition, records, postings, keys }
    }

    /// The places of the records to compare with a query, and the frequencies that were used.
    pub(crate) fn shortlist(&self, query: &RecordFields) -> (Vec<u32>, Frequencies) {
        let limits = Limits::default();
        let keys = keys::query_keys(self.definition, query);
        let count = |hash: i64| self.postings.get(&hash).map_or(0, Vec::len) as u64;
        let frequencies = Frequencies {
            records: self.records.len() as u64,
            keys: keys.iter().map(|key| (key.hash, count(key.hash))).collect(),
        };
        let plan = search::plan(&keys, &frequencies, limits);
        let postings = plan.iter().flat_map(|key| {
            self.postings.get(&key.hash).into_iter().flatten().map(|record| (key.hash, *record))
        });
        (search::shortlist(&plan, postings, limits), frequencies)
    }

    /// The candidates of a query. The record at `except`, the query itself, is left out.
    pub(crate) fn candidates(
        &self,
        query: &RecordFields,
        except: Option<u32>,
        model: &Model,
    ) -> Vec<RecordCandidate> {
        let (places, frequencies) = self.shortlist(query);
        let stored = |place: u32| StoredRecord {
            db_id: place.to_string(),
            fields: self.records[place as usize].clone(),
        };
        let records =
            places.into_iter().filter(|place| Some(*place) != except).map(stored).collect();
        search::rank(self.definition, query, records, model, &frequencies)
    }

    /// The patterns of all candidate pairs of the queries, with the places of query and record.
    pub(crate) fn pairs(
        &self,
        queries: &[RecordFields],
        is_same_file: bool,
    ) -> Vec<(usize, usize, Pattern)> {
        let prepare = |record| Prepared::new(self.definition, record);
        let records: Vec<Prepared> = self.records.iter().map(prepare).collect();
        let mut pairs = Vec::new();
        for (at, query) in queries.iter().enumerate() {
            let prepared = prepare(query);
            for place in self.shortlist(query).0 {
                let place = place as usize;
                // In one file, each pair once.
                if !is_same_file || at < place {
                    pairs.push((at, place, prepared.compare(&records[place])));
                }
            }
        }
        pairs
    }
}

pub(crate) const FOLDS: usize = 5;

/// For each fold of the queries a model that was estimated by EM without them. No label is used; leaving the fold out
/// shows that the weights do not depend on the very pairs that they judge.
pub(crate) fn cross_estimated(
    definition: &RecordTypeDefinition,
    pairs: &[(usize, usize, Pattern)],
) -> Vec<Model> {
    let without = |fold: usize| {
        let others: Vec<_> = pairs.iter().filter(|pair| pair.0 % FOLDS != fold).cloned().collect();
        estimate(definition, by_search(&others), EstimateOptions::default())
    };
    (0..FOLDS).map(without).collect()
}

/// For each pair the probability that it is a match, judged among the candidates of its query but for itself. A query is judged by the
/// model of its fold.
pub(crate) fn probabilities(pairs: &[(usize, usize, Pattern)], models: &[Model]) -> Vec<f64> {
    let of_one = pairs.chunk_by(|a, b| a.0 == b.0);
    of_one
        .flat_map(|pairs| {
            let model = &models[pairs[0].0 % models.len()];
            pairs.iter().map(|pair| model.probability(&pair.2, pairs.len()))
        })
        .collect()
}

/// The patterns of each query's candidates.
pub(crate) fn by_search(pairs: &[(usize, usize, Pattern)]) -> Vec<Vec<Pattern>> {
    let of_one = pairs.chunk_by(|a, b| a.0 == b.0);
    of_one.map(|pairs| pairs.iter().map(|pair| pair.2.clone()).collect()).collect()
}
