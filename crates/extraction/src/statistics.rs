//! Bounds on error rates, and how well probabilities are calibrated.
//!
//! Counts are real numbers here: a test with an effective sample size (a count divided by a design effect) needs them.

/// Iterations of the continued fraction; it converges in far fewer for the counts that occur.
const MAX_ITERATIONS: u32 = 10_000;
const PRECISION: f64 = 1e-15;
/// Stands for zero where the continued fraction would divide by it.
const TINY: f64 = 1e-300;

/// The natural logarithm of the gamma function, for `x` > 0: Stirling's series, after shifting `x` above 10.
fn ln_gamma(x: f64) -> f64 {
    let mut x = x;
    let mut shift = 0.0;
    while x < 10.0 {
        shift -= x.ln();
        x += 1.0;
    }
    let inverse = 1.0 / x;
    let square = inverse * inverse;
    let series = inverse
        * (1.0 / 12.0 - square * (1.0 / 360.0 - square * (1.0 / 1260.0 - square * (1.0 / 1680.0))));
    let half_ln_two_pi = 0.5 * (2.0 * std::f64::consts::PI).ln();
    shift + (x - 0.5) * x.ln() - x + half_ln_two_pi + series
}

/// The regularised incomplete beta function `I_x(a, b)`, for positive `a` and `b`.
pub fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    let ln_front = ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (-x).ln_1p();
    let front = ln_front.exp();
    // The fraction converges quickly on this side of the mean; the other side follows by symmetry.
    if x < (a + 1.0) / (a + b + 2.0) {
        front * beta_fraction(a, b, x) / a
    } else {
        1.0 - front * beta_fraction(b, a, 1.0 - x) / b
    }
}

/// The continued fraction of the incomplete beta function, by Lentz's method.
fn beta_fraction(a: f64, b: f64, x: f64) -> f64 {
    let nonzero = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut numerators = 1.0;
    let mut denominators = 1.0 / nonzero(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = denominators;
    for step in 1..MAX_ITERATIONS {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut change = 1.0;
        for term in [even, odd] {
            denominators = 1.0 / nonzero(1.0 + term * denominators);
            numerators = nonzero(1.0 + term / numerators);
            change = numerators * denominators;
            fraction *= change;
        }
        if (change - 1.0).abs() < PRECISION {
            break;
        }
    }
    fraction
}

/// The `x` with `I_x(a, b) = p`, by bisection: the function rises from 0 to 1.
pub fn inverse_incomplete_beta(a: f64, b: f64, p: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if incomplete_beta(a, b, middle) < p {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// The Clopper–Pearson upper bound of an error rate: the rate is above it with at most the probability `risk`.
/// 1 without data.
pub fn upper_bound(wrong: f64, total: f64, risk: f64) -> f64 {
    if wrong >= total {
        1.0
    } else {
        inverse_incomplete_beta(wrong + 1.0, total - wrong, 1.0 - risk)
    }
}

/// The Clopper–Pearson lower bound of an error rate: the rate is below it with at most the probability `risk`.
/// 0 without data.
pub fn lower_bound(wrong: f64, total: f64, risk: f64) -> f64 {
    if wrong <= 0.0 { 0.0 } else { inverse_incomplete_beta(wrong, total - wrong + 1.0, risk) }
}

/// The two-sided Clopper–Pearson interval with this coverage, such as 0.95.
pub fn confidence_interval(wrong: u32, total: u32, coverage: f64) -> [f64; 2] {
    let risk = (1.0 - coverage) / 2.0;
    let (wrong, total) = (f64::from(wrong), f64::from(total));
    [lower_bound(wrong, total, risk), upper_bound(wrong, total, risk)]
}

/// The probability of at most `wrong` errors among `total` if the error rate were `rate`: the p-value of the test whether
/// the error rate is below `rate`.
pub fn binomial_tail(wrong: f64, total: f64, rate: f64) -> f64 {
    if wrong >= total { 1.0 } else { incomplete_beta(total - wrong, wrong + 1.0, 1.0 - rate) }
}

/// The fields whose confidence is in one interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ReliabilityBin {
    /// The interval: the lower end is included, the upper end only where it is 1.
    pub from: f64,
    pub to: f64,
    pub total: u32,
    pub correct: u32,
    pub mean_confidence: f64,
}

impl ReliabilityBin {
    /// The share of correct fields; 0 without fields.
    pub fn accuracy(&self) -> f64 {
        if self.total == 0 { 0.0 } else { f64::from(self.correct) / f64::from(self.total) }
    }
}

/// The reliability curve: confidence against the share of correct fields, in intervals of equal width.
pub fn reliability(predictions: &[(f64, bool)], intervals: u32) -> Vec<ReliabilityBin> {
    let width = 1.0 / f64::from(intervals.max(1));
    let bin = |index: u32| {
        let from = f64::from(index) * width;
        let to = if index + 1 == intervals { 1.0 } else { f64::from(index + 1) * width };
        let within = predictions.iter().filter(|(confidence, _)| {
            *confidence >= from && (*confidence < to || (to >= 1.0 && *confidence <= 1.0))
        });
        let mut bin = ReliabilityBin { from, to, ..ReliabilityBin::default() };
        let mut sum = 0.0;
        for (confidence, is_correct) in within {
            bin.total += 1;
            bin.correct += u32::from(*is_correct);
            sum += confidence;
        }
        bin.mean_confidence = if bin.total == 0 { 0.0 } else { sum / f64::from(bin.total) };
        bin
    };
    (0..intervals).map(bin).collect()
}

/// The expected calibration error: the distance of confidence and accuracy, averaged over the fields. 0 without fields.
pub fn expected_calibration_error(bins: &[ReliabilityBin]) -> f64 {
    let total: f64 = bins.iter().map(|bin| f64::from(bin.total)).sum();
    let weighted =
        bins.iter().map(|bin| f64::from(bin.total) * (bin.accuracy() - bin.mean_confidence).abs());
    if total > 0.0 { weighted.sum::<f64>() / total } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
    }

    /// `I_x(a, b)` for whole `a` and `b` is a binomial sum, which can be written out.
    fn binomial_sum(at_most: u32, total: u32, rate: f64) -> f64 {
        let mut term = (1.0 - rate).powf(f64::from(total));
        let mut sum = term;
        for k in 1..=at_most {
            term *= f64::from(total - k + 1) / f64::from(k) * rate / (1.0 - rate);
            sum += term;
        }
        sum
    }

    #[test]
    fn incomplete_beta_agrees_with_closed_forms() {
        close(incomplete_beta(1.0, 1.0, 0.3), 0.3);
        close(incomplete_beta(1.0, 5.0, 0.2), 1.0 - 0.8_f64.powi(5));
        close(incomplete_beta(7.0, 1.0, 0.9), 0.9_f64.powi(7));
        // The arcsine distribution.
        let arcsine = 2.0 / std::f64::consts::PI * 0.3_f64.sqrt().asin();
        close(incomplete_beta(0.5, 0.5, 0.3), arcsine);
        for (wrong, total, rate) in [(0, 150, 0.02), (8, 720, 0.02), (40, 2500, 0.02), (3, 7, 0.6)]
        {
            let tail = binomial_tail(f64::from(wrong), f64::from(total), rate);
            close(tail, binomial_sum(wrong, total, rate));
        }
        close(incomplete_beta(3.0, 4.0, 0.0), 0.0);
        close(incomplete_beta(3.0, 4.0, 1.0), 1.0);
    }

    #[test]
    fn bounds_agree_with_published_tables() {
        // The rule of three in its exact form.
        close(upper_bound(0.0, 100.0, 0.05), 1.0 - 0.05_f64.powf(0.01));
        // 95 % intervals of Clopper and Pearson, as statistics packages print them.
        let tables = [
            ((1, 10), [0.002_529, 0.445_016]),
            ((5, 100), [0.016_432, 0.112_835]),
            ((0, 20), [0.0, 0.168_433]),
            ((20, 20), [0.831_567, 1.0]),
        ];
        for ((wrong, total), expected) in tables {
            let found = confidence_interval(wrong, total, 0.95);
            for (found, expected) in found.into_iter().zip(expected) {
                assert!((found - expected).abs() < 1e-5, "{wrong} of {total}: {found}");
            }
        }
        close(upper_bound(0.0, 0.0, 0.05), 1.0);
        close(lower_bound(0.0, 0.0, 0.05), 0.0);
    }

    #[test]
    fn the_bound_and_the_test_are_the_same_statement() {
        for (wrong, total) in [(0.0, 149.0), (3.0, 400.0), (2.5, 310.5)] {
            let bound = upper_bound(wrong, total, 0.05);
            close(binomial_tail(wrong, total, bound), 0.05);
        }
    }

    #[test]
    fn the_calibration_error_is_the_distance_from_the_diagonal() {
        let mut predictions = vec![(0.95, true); 90];
        predictions.extend([(0.95, false); 10]);
        predictions.extend([(0.25, true); 25]);
        predictions.extend([(0.25, false); 75]);
        predictions.push((1.0, true));
        let bins = reliability(&predictions, 10);
        assert_eq!(bins.iter().map(|bin| bin.total).sum::<u32>(), 201);
        assert_eq!((bins[2].total, bins[2].correct), (100, 25));
        assert_eq!(bins[9].total, 101, "1.0 belongs to the last interval");
        let last = 101.0 * (91.0 / 101.0 - (95.0 + 1.0) / 101.0_f64).abs();
        close(expected_calibration_error(&bins), last / 201.0);
        close(expected_calibration_error(&[]), 0.0);
    }
}
