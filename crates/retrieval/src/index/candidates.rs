//! Keeps the candidates for the best rows when scores are known up to an error.

/// Rows that may be among the best `count`, each with a lower and an upper bound of its score.
#[derive(Debug)]
pub(super) struct Candidates {
    count: usize,
    /// A score that `count` rows reach for certain.
    floor: f32,
    /// The upper bound of a row's score, and the row.
    kept: Vec<(f32, u32)>,
    /// The largest lower bounds, at least `count` of them.
    certain: Vec<f32>,
}

impl Candidates {
    pub(super) fn for_the_best(count: usize) -> Self {
        Self { count, floor: f32::NEG_INFINITY, kept: Vec::new(), certain: Vec::new() }
    }

    #[expect(
        clippy::inline_always,
        reason = "called from loops that are compiled for the machine's instruction set"
    )]
    #[inline(always)]
    pub(super) fn offer(&mut self, row: u32, lower: f32, upper: f32) {
        if upper >= self.floor {
            self.keep(row, lower, upper);
        }
    }

    fn keep(&mut self, row: u32, lower: f32, upper: f32) {
        self.kept.push((upper, row));
        if lower > self.floor {
            self.certain.push(lower);
            if self.certain.len() >= self.count * 2 + 16 {
                self.raise_floor();
            }
        }
    }

    fn raise_floor(&mut self) {
        if self.certain.len() >= self.count && self.count > 0 {
            let (_, last, _) =
                self.certain.select_nth_unstable_by(self.count - 1, |a, b| b.total_cmp(a));
            self.floor = self.floor.max(*last);
            self.certain.truncate(self.count);
        }
    }

    pub(super) fn rows(mut self) -> impl Iterator<Item = u32> {
        self.raise_floor();
        let floor = self.floor;
        self.kept.into_iter().filter(move |(upper, _)| *upper >= floor).map(|(_, row)| row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_that_may_be_among_the_best_is_kept() {
        let mut candidates = Candidates::for_the_best(2);
        let (mut all, mut state) = (Vec::new(), 1_u32);
        for row in 0..500 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let score = f32::from(u16::try_from(state >> 16).unwrap_or(0)) / 65_536.0;
            candidates.offer(row, score - 0.05, score + 0.05);
            all.push(score);
        }
        let rows: Vec<u32> = candidates.rows().collect();
        let mut best = all.clone();
        best.sort_by(|a, b| b.total_cmp(a));
        let could = |row: &u32| all[*row as usize] + 0.05 >= best[1] - 0.05;
        assert_eq!(rows, (0..500).filter(could).collect::<Vec<u32>>());
        assert!(rows.len() > 2 && rows.len() < 250, "{}", rows.len());
    }
}
