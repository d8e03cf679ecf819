//! Yardsticks: how alike two texts are.

use std::collections::HashMap;

/// Lower-case words (`\w+`), each as often as it occurs.
pub(crate) fn tokens(text: &str) -> HashMap<String, usize> {
    let lower = text.to_lowercase();
    let mut counts = HashMap::new();
    let words = lower.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    for word in words.filter(|word| !word.is_empty()) {
        *counts.entry(word.to_owned()).or_default() += 1;
    }
    counts
}

/// Words found, in the truth and in both, over any number of documents.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TokenCounts {
    pub(crate) read: usize,
    pub(crate) truth: usize,
    pub(crate) both: usize,
}

impl TokenCounts {
    pub(crate) fn of(read: &str, truth: &str) -> Self {
        let (read, truth) = (tokens(read), tokens(truth));
        let both = truth.iter().map(|(word, n)| read.get(word).copied().unwrap_or(0).min(*n)).sum();
        Self { read: read.values().sum(), truth: truth.values().sum(), both }
    }

    pub(crate) fn add(&mut self, read: &str, truth: &str) {
        let one = Self::of(read, truth);
        self.read += one.read;
        self.truth += one.truth;
        self.both += one.both;
    }

    #[expect(clippy::cast_precision_loss, reason = "no document has that many words")]
    pub(crate) fn f1(self) -> f64 {
        match self.read + self.truth {
            0 => 1.0,
            all => 2.0 * self.both as f64 / all as f64,
        }
    }
}

/// Character error rate: edits from what was read to the truth, for each character of the truth.
/// Runs of white space count as one space.
#[expect(clippy::cast_precision_loss, reason = "no document has that many characters")]
pub(crate) fn character_error_rate(read: &str, truth: &str) -> f64 {
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let read: Vec<char> = plain(read).chars().collect();
    let truth: Vec<char> = plain(truth).chars().collect();
    if truth.is_empty() {
        return if read.is_empty() { 0.0 } else { 1.0 };
    }
    let mut above: Vec<usize> = (0..=truth.len()).collect();
    for (row, got) in read.iter().enumerate() {
        let mut diagonal = above[0];
        above[0] = row + 1;
        for (column, wanted) in truth.iter().enumerate() {
            let changed = diagonal + usize::from(got != wanted);
            diagonal = above[column + 1];
            above[column + 1] = changed.min(diagonal + 1).min(above[column] + 1);
        }
    }
    above[truth.len()] as f64 / truth.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_score_counts_words_as_often_as_they_occur() {
        let counts = TokenCounts::of("Total total 12.50", "TOTAL 12.50 EUR");
        assert_eq!((counts.read, counts.truth, counts.both), (4, 4, 3));
        assert!((counts.f1() - 0.75).abs() < 1e-9);
    }

    #[test]
    fn the_error_rate_counts_edits() {
        assert!((character_error_rate("he1lo  world", "hello world") - 1.0 / 11.0).abs() < 1e-9);
        assert!(character_error_rate("same", "same") < 1e-9);
    }
}
