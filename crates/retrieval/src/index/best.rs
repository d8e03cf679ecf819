//! The best few of many, in an order that nothing outside decides.

use std::cmp::Ordering;

use uuid::Uuid;

/// A score at a place, with the id that breaks ties.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scored {
    pub(super) score: f32,
    pub(super) chunk_id: Uuid,
    pub(super) place: u32,
}

impl Scored {
    /// The better first; of equals the smaller id.
    pub(super) fn best_first(&self, other: &Self) -> Ordering {
        other.score.total_cmp(&self.score).then(self.chunk_id.cmp(&other.chunk_id))
    }
}

/// Keeps the best `wanted`, looking at each candidate once.
#[derive(Debug)]
pub(super) struct Best {
    wanted: usize,
    kept: Vec<Scored>,
    /// What a candidate has to reach, once there are enough.
    pub(super) floor: f32,
}

impl Best {
    pub(super) fn of(wanted: usize) -> Self {
        Self { wanted, kept: Vec::new(), floor: f32::NEG_INFINITY }
    }

    #[inline]
    pub(super) fn offer(&mut self, candidate: Scored) {
        if candidate.score < self.floor || self.wanted == 0 {
            return;
        }
        self.kept.push(candidate);
        if self.kept.len() >= self.wanted * 4 + 64 {
            self.drop_the_rest();
        }
    }

    fn drop_the_rest(&mut self) {
        if self.kept.len() > self.wanted {
            let (_, last, _) =
                self.kept.select_nth_unstable_by(self.wanted - 1, Scored::best_first);
            self.floor = last.score;
            self.kept.truncate(self.wanted);
        }
    }

    pub(super) fn in_order(mut self) -> Vec<Scored> {
        self.drop_the_rest();
        self.kept.sort_unstable_by(Scored::best_first);
        self.kept
    }
}
