//! Assigns records to several queries of one kind, such as the trades of a document: no record to two of them.
//!
//! The assignment has the greatest possible sum of weights (successive shortest augmenting paths on the candidates, which
//! are few for each query). Taking the best pair first instead gives a record to the wrong query whenever two fit.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap};

/// A record that a query may be assigned.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    pub query: usize,
    pub record: usize,
    /// The odds that they belong together, in bits. Below 0 no assignment is better.
    pub weight: f64,
}

/// For each query the record that it is assigned, if any. Queries and records are counted from 0.
pub fn one_to_one(queries: usize, proposals: &[Proposal]) -> Vec<Option<usize>> {
    let useful = proposals
        .iter()
        .filter(|one| one.query < queries && one.weight > 0.0 && one.weight.is_finite());
    let mut edges: Vec<Vec<(usize, f64)>> = vec![Vec::new(); queries];
    let mut places: HashMap<usize, usize> = HashMap::new();
    let mut records: Vec<usize> = Vec::new();
    let mut greatest = 0.0_f64;
    for proposal in useful {
        let place = *places.entry(proposal.record).or_insert_with(|| {
            records.push(proposal.record);
            records.len() - 1
        });
        edges[proposal.query].push((place, proposal.weight));
        greatest = greatest.max(proposal.weight);
    }
    // Costs are at least 0; a place of its own for each query, at the cost of weight 0, means "no record".
    let real = records.len();
    for (query, edges) in edges.iter_mut().enumerate() {
        for edge in edges.iter_mut() {
            edge.1 = greatest - edge.1;
        }
        edges.push((real + query, greatest));
    }
    let mut solver = Solver {
        edges,
        query_of: vec![None; real + queries],
        place_of: vec![None; queries],
        query_price: vec![0.0; queries],
        place_price: vec![0.0; real + queries],
    };
    for query in 0..queries {
        solver.augment(query);
    }
    solver
        .place_of
        .into_iter()
        .map(|place| place.and_then(|place| records.get(place).copied()))
        .collect()
}

struct Solver {
    /// For each query the places with their costs.
    edges: Vec<Vec<(usize, f64)>>,
    query_of: Vec<Option<usize>>,
    place_of: Vec<Option<usize>>,
    /// Dual prices: the cost of an edge, less the prices of its ends, is never below 0.
    query_price: Vec<f64>,
    place_price: Vec<f64>,
}

struct Step {
    distance: f64,
    place: usize,
}

impl PartialEq for Step {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Step {}

impl PartialOrd for Step {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Step {
    /// The least distance first, from a heap that gives the greatest.
    fn cmp(&self, other: &Self) -> Ordering {
        other.distance.total_cmp(&self.distance).then_with(|| other.place.cmp(&self.place))
    }
}

impl Solver {
    /// Finds the cheapest way to give the query a place, moving others where that is cheaper (Dijkstra).
    fn augment(&mut self, start: usize) {
        let mut distance: HashMap<usize, f64> = HashMap::new();
        let mut came_from: HashMap<usize, usize> = HashMap::new();
        let mut settled: Vec<(usize, f64)> = Vec::new();
        let mut heap = BinaryHeap::new();
        let (mut query, mut walked) = (start, 0.0);
        let free = loop {
            for &(place, cost) in &self.edges[query] {
                let reduced = (cost - self.query_price[query] - self.place_price[place]).max(0.0);
                let there = walked + reduced;
                if distance.get(&place).is_none_or(|known| there < *known) {
                    distance.insert(place, there);
                    came_from.insert(place, query);
                    heap.push(Step { distance: there, place });
                }
            }
            let Some(step) = next(&mut heap, &distance, &settled) else { return };
            match self.query_of[step.place] {
                Some(owner) => {
                    settled.push((step.place, step.distance));
                    (query, walked) = (owner, step.distance);
                }
                None => break step,
            }
        };
        self.query_price[start] += free.distance;
        for (place, distance) in settled {
            let gain = free.distance - distance;
            self.place_price[place] -= gain;
            if let Some(owner) = self.query_of[place] {
                self.query_price[owner] += gain;
            }
        }
        let mut place = free.place;
        while let Some(&query) = came_from.get(&place) {
            let former = self.place_of[query].replace(place);
            self.query_of[place] = Some(query);
            match former {
                Some(former) if query != start => place = former,
                _ => break,
            }
        }
    }
}

/// The nearest place that is not settled yet.
fn next(
    heap: &mut BinaryHeap<Step>,
    distance: &HashMap<usize, f64>,
    settled: &[(usize, f64)],
) -> Option<Step> {
    loop {
        let step = heap.pop()?;
        let is_current = distance.get(&step.place).is_some_and(|known| step.distance <= *known);
        if is_current && !settled.iter().any(|(place, _)| *place == step.place) {
            return Some(step);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proposals(weights: &[(usize, usize, f64)]) -> Vec<Proposal> {
        weights.iter().map(|&(query, record, weight)| Proposal { query, record, weight }).collect()
    }

    #[test]
    fn the_sum_counts_and_not_the_best_pair() {
        let all = proposals(&[(0, 7, 10.0), (0, 9, 9.0), (1, 7, 9.5)]);
        assert_eq!(one_to_one(2, &all), [Some(9), Some(7)]);
    }

    #[test]
    fn a_query_without_a_useful_record_gets_none() {
        let all =
            proposals(&[(0, 1, -2.0), (1, 1, 3.0), (2, 1, 1.0), (9, 1, 50.0), (2, 4, f64::NAN)]);
        assert_eq!(one_to_one(3, &all), [None, Some(1), None]);
        assert_eq!(one_to_one(0, &[]), Vec::<Option<usize>>::new());
    }

    #[test]
    fn the_result_is_as_good_as_the_best_of_all_assignments() {
        // A linear congruential generator: the same weights in every run.
        let mut state = 7_u64;
        let mut random = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            #[expect(clippy::cast_precision_loss, reason = "31 bits")]
            let share = (state >> 33) as f64 / f64::from(1_u32 << 31);
            share
        };
        for _ in 0..200 {
            let mut weights = Vec::new();
            for query in 0..5 {
                for record in 0..5 {
                    if random() < 0.6 {
                        weights.push((query, record, 10.0 * random() - 2.0));
                    }
                }
            }
            let all = proposals(&weights);
            let sum: f64 = one_to_one(5, &all)
                .iter()
                .enumerate()
                .filter_map(|(query, record)| {
                    let record = (*record)?;
                    weights.iter().find(|one| one.0 == query && one.1 == record).map(|one| one.2)
                })
                .sum();
            assert!((sum - best(0, &mut vec![false; 5], &weights)).abs() < 1e-6);
        }
    }

    /// Tries everything.
    fn best(query: usize, taken: &mut Vec<bool>, weights: &[(usize, usize, f64)]) -> f64 {
        if query == 5 {
            return 0.0;
        }
        let mut found = best(query + 1, taken, weights);
        for &(_, record, weight) in weights.iter().filter(|one| one.0 == query) {
            if !taken[record] {
                taken[record] = true;
                found = found.max(weight + best(query + 1, taken, weights));
                taken[record] = false;
            }
        }
        found
    }
}
