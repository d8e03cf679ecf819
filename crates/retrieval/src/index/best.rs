//! Selects the best few of many, in an order that depends on nothing else.

use std::cmp::Ordering;

use uuid::Uuid;

/// A score at a position, with the id that breaks ties.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scored {
    pub(super) score: f32,
    pub(super) chunk_id: Uuid,
    pub(super) place: u32,
}

impl Scored {
    /// Higher scores first; ties by the smaller id.
    pub(super) fn best_first(&self, other: &Self) -> Ordering {
        other.score.total_cmp(&self.score).then(self.chunk_id.cmp(&other.chunk_id))
    }
}

/// Keeps the best `limit` candidates in one pass.
#[derive(Debug)]
pub(super) struct Best {
    limit: usize,
    kept: Vec<Scored>,
    /// The minimum score for further candidates, once there are enough.
    pub(super) floor: f32,
}

impl Best {
    pub(super) fn of(limit: usize) -> Self {
        Self { limit, kept: Vec::new(), floor: f32::NEG_INFINITY }
    }

    #[inline]
    pub(super) fn offer(&mut self, candidate: Scored) {
        if candidate.score < self.floor || self.limit == 0 {
            return;
        }
        self.kept.push(candidate);
        if self.kept.len() >= self.limit * 4 + 64 {
            self.drop_excess();
        }
    }

    fn drop_excess(&mut self) {
        if self.kept.len() > self.limit {
            let (_, last, _) = self.kept.select_nth_unstable_by(self.limit - 1, Scored::best_first);
            self.floor = last.score;
            self.kept.truncate(self.limit);
        }
    }

    pub(super) fn in_order(mut self) -> Vec<Scored> {
        self.drop_excess();
        self.kept.sort_unstable_by(Scored::best_first);
        self.kept
    }
}
