//! Whether confidence means what it says: of what is shown at 70 %, seven of ten are right.

use std::fmt::Write as _;

use anyhow::Result;

/// A question that was asked, and what came of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Judged {
    /// Whether what was searched holds an answer.
    pub(crate) answerable: bool,
    /// Whether the quoted sentence holds the answer.
    pub(crate) right: bool,
    pub(crate) confidence: f32,
}

/// For each share of answerable questions that are answered: the share of unanswerable ones that are
/// refused, and the confidence that parts them.
pub(crate) fn curve(judged: &[Judged], report: &mut String) -> Result<()> {
    let confidences = |answerable: bool| {
        let of_kind = judged.iter().filter(move |judged| judged.answerable == answerable);
        of_kind.map(|judged| judged.confidence).collect::<Vec<f32>>()
    };
    let (mut answerable, others) = (confidences(true), confidences(false));
    answerable.sort_by(|a, b| b.total_cmp(a));
    writeln!(
        report,
        "| answered, of answerable | refused, of unanswerable | right to answer | at confidence |\n|---|---|---|---|"
    )?;
    for percent in [99, 95, 90, 85, 80, 75, 70, 60, 50, 40, 30, 20, 10] {
        let count = (answerable.len() * percent).div_ceil(100).max(1);
        let least = answerable[count - 1];
        let refused = others.iter().filter(|confidence| **confidence < least).count();
        let answered = count + others.len() - refused;
        writeln!(
            report,
            "| {:.2} | {:.3} | {:.3} | {least:.3} |",
            as_float(percent) / 100.0,
            as_float(refused) / as_float(others.len()),
            as_float(count) / as_float(answered),
        )?;
    }
    Ok(())
}

/// How far confidence is from the share that is right, how well it tells answerable from unanswerable questions and
/// right from wrong quotes, and what is right of what is shown.
pub(crate) fn calibration(judged: &[Judged], report: &mut String) -> Result<()> {
    writeln!(
        report,
        "\nexpected calibration error {:.3}; AUC answerable/unanswerable {:.3}, right/wrong {:.3}\n",
        expected_error(judged),
        area_under_curve(judged, |judged| judged.answerable),
        area_under_curve(judged, |judged| judged.right),
    )?;
    writeln!(
        report,
        "| shown from | shown | right of these | shown, of answerable | of unanswerable |\n|---|---|---|---|---|"
    )?;
    for least in [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9] {
        let shown: Vec<&Judged> =
            judged.iter().filter(|judged| judged.confidence >= least).collect();
        let right = shown.iter().filter(|judged| judged.right).count();
        let share = |answerable: bool| {
            let all = judged.iter().filter(|judged| judged.answerable == answerable).count();
            let shown = shown.iter().filter(|judged| judged.answerable == answerable).count();
            as_float(shown) / as_float(all.max(1))
        };
        writeln!(
            report,
            "| {:.0} % | {} | {:.3} | {:.3} | {:.3} |",
            least * 100.0,
            shown.len(),
            as_float(right) / as_float(shown.len().max(1)),
            share(true),
            share(false),
        )?;
    }
    Ok(())
}

/// Over ten bins of equal width: the mean difference between confidence and the share that is right.
pub(crate) fn expected_error(judged: &[Judged]) -> f64 {
    let mut bins = [(0_usize, 0.0_f64, 0_usize); 10];
    for judged in judged {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 10")]
        let bin = ((judged.confidence * 10.0) as usize).min(9);
        bins[bin].0 += 1;
        bins[bin].1 += f64::from(judged.confidence);
        bins[bin].2 += usize::from(judged.right);
    }
    let off = |(count, sum, right): &(usize, f64, usize)| {
        if *count == 0 { 0.0 } else { (sum - as_float(*right)).abs() }
    };
    bins.iter().map(off).sum::<f64>() / as_float(judged.len().max(1))
}

/// How often one that is so has more confidence than one that is not.
pub(crate) fn area_under_curve(judged: &[Judged], is_so: fn(&Judged) -> bool) -> f64 {
    let confidences = |wanted: bool| {
        let mut found: Vec<f32> = judged
            .iter()
            .filter(|judged| is_so(judged) == wanted)
            .map(|judged| judged.confidence)
            .collect();
        found.sort_by(f32::total_cmp);
        found
    };
    let (so, others) = (confidences(true), confidences(false));
    let won: f64 = so
        .iter()
        .map(|confidence| {
            let below = others.partition_point(|other| other < confidence);
            let up_to = others.partition_point(|other| other <= confidence);
            f64::midpoint(as_float(below), as_float(up_to))
        })
        .sum();
    won / as_float((so.len() * others.len()).max(1))
}

#[expect(clippy::cast_precision_loss, reason = "counts of questions")]
pub(crate) fn as_float(count: usize) -> f64 {
    count as f64
}
