use super::*;
use crate::calibration::{CalibrationData, KnownField};

/// Pseudo-random numbers between 0 and 1, from a linear congruential generator.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        f64::from(u32::try_from(self.0 >> 32).unwrap()) / f64::from(u32::MAX)
    }

    /// Any step, each as often as another.
    fn step(&mut self) -> usize {
        let drawn = self.next();
        let reached = (1..STEPS.len()).filter(|step| {
            drawn
                >= f64::from(u32::try_from(*step).unwrap())
                    / f64::from(u32::try_from(STEPS.len()).unwrap())
        });
        reached.count()
    }
}

fn data(fields: &[(f64, u32, u32)]) -> TypeData {
    let mut data = TypeData { design_effect: 1.0, documents: 500, ..TypeData::default() };
    for (confidence, total, wrong) in fields {
        let counts = Counts { total: *total, wrong: *wrong };
        data.add_counts("issued", FieldKind::Date, step_of(*confidence), counts);
    }
    data
}

fn calibration(shipped: Option<TypeData>, reviewed: Option<TypeData>) -> Calibration {
    let of = |data: Option<TypeData>| CalibrationData {
        types: data.map(|data| ("note".to_owned(), data)).into_iter().collect(),
    };
    Calibration { shipped: of(shipped), reviewed: of(reviewed), ..Calibration::default() }
}

#[test]
fn the_threshold_goes_as_low_as_the_bound_allows() {
    let known = data(&[(0.999, 300, 0), (0.99, 300, 2), (0.9, 300, 30)]);
    let threshold = lowest_threshold(&known, 0.02).unwrap();
    assert!((threshold.confidence - 0.91).abs() < 1e-9, "{threshold:?}");
    assert_eq!(threshold.fields, Counts { total: 600, wrong: 2 });
    assert!((threshold.bound - 4.0 / 600.0).abs() < 1e-9, "{threshold:?}");
    assert!(lowest_threshold(&known, 0.1).unwrap().confidence < 0.91);
}

#[test]
fn an_early_error_does_not_end_the_search() {
    let known = data(&[(0.9995, 100, 2), (0.99, 800, 1)]);
    let threshold = lowest_threshold(&known, 0.02).unwrap();
    assert_eq!(threshold.fields, Counts { total: 900, wrong: 3 });
}

#[test]
fn the_upper_bound_counts_errors_of_one_issuer_together() {
    let mut known = data(&[(0.999, 1_000, 8)]);
    let independent = lowest_threshold(&known, 0.02).unwrap();
    assert!((independent.upper_bound - upper_bound(8.0, 1_000.0, RISK)).abs() < 1e-9);
    known.design_effect = 4.0;
    let clustered = lowest_threshold(&known, 0.02).unwrap();
    assert!((clustered.upper_bound - upper_bound(2.0, 250.0, RISK)).abs() < 1e-9);
    assert!(clustered.upper_bound > 0.02 && clustered.bound <= 0.02, "{clustered:?}");
    assert_eq!(clustered.fields, independent.fields, "it decides nothing");
}

#[test]
fn too_little_data_accepts_nothing_and_says_how_much_is_missing() {
    let few = lowest_threshold(&data(&[(0.999, 99, 0)]), 0.02).unwrap_err();
    assert_eq!(few, Shortfall::TooFewFields { known: 99, needed: 100 });
    assert!(few.to_string().contains("about 100 are needed"));
    assert!(lowest_threshold(&data(&[(0.999, 100, 0)]), 0.02).is_ok());
    let wrong = lowest_threshold(&data(&[(0.999, 1_000, 100)]), 0.02).unwrap_err();
    assert!(matches!(wrong, Shortfall::ErrorTooHigh { supported } if supported > 0.1), "{wrong}");
    let none = lowest_threshold(&data(&[(0.999, 1_000, 0)]), 0.0).unwrap_err();
    assert_eq!(none, Shortfall::NothingWanted);
    // However many fields a document has, it is one document.
    let of_documents = |documents| TypeData { documents, ..data(&[(0.999, 1_000, 0)]) };
    let few = lowest_threshold(&of_documents(19), 0.02).unwrap_err();
    assert_eq!(few, Shortfall::TooFewDocuments { known: 19, needed: 20 });
    assert!(lowest_threshold(&of_documents(20), 0.02).is_ok());
}

#[test]
fn a_document_with_many_wrong_fields_makes_the_bound_stricter() {
    let field = |is_correct| KnownField {
        name: "issued",
        kind: FieldKind::Date,
        confidence: 0.999,
        is_correct,
    };
    // Six wrong fields among 600: one in each of six documents, or all in one.
    let spread = |wrong_of_one: usize| {
        let mut data = TypeData::default();
        for document in 0..60 {
            let wrong = if document < 6 / wrong_of_one { wrong_of_one } else { 0 };
            let fields: Vec<_> = (0..10).map(|at| field(at >= wrong)).collect();
            data.add_document(&fields);
        }
        lowest_threshold(&data, 0.015)
    };
    assert!((spread(1).unwrap().bound - 8.0 / 600.0).abs() < 1e-9);
    assert_eq!(spread(6), Err(Shortfall::ErrorTooHigh { supported: 12.0 / 600.0 }));
}

/// What the simulated documents are like. The error rate of a field grows with its step, so confidences order fields by
/// their risk, but their numbers say nothing. A few bad documents have most of the errors.
struct World {
    documents: u32,
    scale: f64,
    growth: f64,
}

impl World {
    const FIELDS: usize = 5;
    const BAD: f64 = 0.05;
    /// In a bad document errors are as many times as frequent as on average.
    const WORSE: f64 = 8.0;

    fn drawn(documents: u32, numbers: &mut Numbers) -> Self {
        let (scale, growth) = (0.002 + 0.006 * numbers.next(), 1.1 + 0.05 * numbers.next());
        Self { documents, scale, growth }
    }

    fn error(&self, step: usize) -> f64 {
        let steps = i32::try_from(step).unwrap();
        (self.scale * self.growth.powi(steps)).min(1.0 / Self::WORSE)
    }

    /// The fields with a known outcome.
    fn data(&self, numbers: &mut Numbers) -> TypeData {
        let mut data = TypeData::default();
        let better = (1.0 - Self::BAD * Self::WORSE) / (1.0 - Self::BAD);
        for _ in 0..self.documents {
            let factor = if numbers.next() < Self::BAD { Self::WORSE } else { better };
            let mut fields = Vec::new();
            for _ in 0..Self::FIELDS {
                let step = numbers.step();
                fields.push(KnownField {
                    name: "issued",
                    kind: FieldKind::Date,
                    confidence: STEPS[step],
                    is_correct: numbers.next() >= factor * self.error(step),
                });
            }
            data.add_document(&fields);
        }
        data
    }

    /// The wrong and all accepted fields of a new document, on average, when steps up to this one are accepted.
    fn accepted(&self, last: usize) -> [f64; 2] {
        (0..=last).fold([0.0, 0.0], |[wrong, all], step| [wrong + self.error(step), all + 1.0])
    }
}

/// The promise: over many data sets, the wrong fields among those that are accepted afterwards are at most the chosen
/// share. With little data it would be broken without the errors that one more document could add.
#[test]
fn the_expected_error_of_accepted_fields_is_at_most_the_chosen_rate() {
    let mut numbers = Numbers(7);
    for (rate, documents, is_little) in [(0.02, 100, true), (0.02, 300, false), (0.05, 60, false)] {
        let [mut bounded, mut plain] = [[0.0; 2]; 2];
        let mut accepting = 0;
        for _ in 0..1_000 {
            let world = World::drawn(documents, &mut numbers);
            let known = world.data(&mut numbers);
            let add = |sums: &mut [f64; 2], last: usize| {
                for (sum, more) in sums.iter_mut().zip(world.accepted(last)) {
                    *sum += more;
                }
            };
            if let Ok(threshold) = lowest_threshold(&known, rate) {
                accepting += 1;
                add(&mut bounded, step_of(threshold.confidence));
            }
            let share = |fields: &Counts| f64::from(fields.wrong) / f64::from(fields.total.max(1));
            if let Some(step) = known.at_or_above().iter().rposition(|fields| share(fields) <= rate)
            {
                add(&mut plain, step);
            }
        }
        let [bounded, plain] = [bounded, plain].map(|[wrong, all]| wrong / all);
        assert!(accepting > 500, "{accepting} data sets accept fields");
        assert!(bounded <= rate, "{bounded} instead of {rate}, {documents} documents");
        assert!(!is_little || plain > rate, "the data sets are not hard enough: {plain}");
    }
}

/// The worst case: the error rate is the same at every confidence, and above the chosen one. Then no field should be
/// accepted; the share of data sets that accept fields, times the error rate, is at most the chosen rate.
#[test]
fn an_error_rate_above_the_chosen_one_is_seldom_accepted() {
    let mut numbers = Numbers(13);
    for error in [0.0205, 0.03, 0.05, 0.1] {
        for documents in [25, 100, 400] {
            let world = World { documents, scale: error, growth: 1.0 };
            let accepting =
                (0..400).filter(|_| lowest_threshold(&world.data(&mut numbers), 0.02).is_ok());
            let share = f64::from(u32::try_from(accepting.count()).unwrap()) / 400.0;
            assert!(share * error <= 0.02, "{share} of the data sets accept an error of {error}");
        }
    }
}

#[test]
fn reviewed_fields_refine_then_replace_the_shipped_ones() {
    let shipped = data(&[(0.999, 2_000, 0)]);
    let support = |reviewed| calibration(Some(shipped.clone()), reviewed).support("note", 0.02);
    assert_eq!(support(None).basis, Basis::Shipped);
    let refined = support(Some(data(&[(0.99, 100, 0)])));
    assert_eq!(refined.basis, Basis::ShippedAndReviewed);
    assert_eq!(refined.outcome.unwrap().fields.total, 2_100);
    let contradicted = support(Some(data(&[(0.999, 60, 12)])));
    assert_eq!(contradicted.basis, Basis::Reviewed);
    assert!(contradicted.outcome.is_err());
    let replaced = support(Some(data(&[(0.97, 1_200, 3)])));
    assert_eq!(replaced.basis, Basis::Reviewed);
    assert_eq!(replaced.outcome.unwrap().fields.total, 1_200);
    let own_type = calibration(None, Some(data(&[(0.999, 250, 0)]))).support("note", 0.02);
    assert!(own_type.outcome.is_ok());
    let unknown = calibration(None, None).support("note", 0.02);
    assert_eq!(unknown.outcome, Err(Shortfall::NoData));
}

#[test]
fn a_kind_needs_data_of_its_own() {
    let mut known = data(&[(0.999, 2_000, 0)]);
    known.add_counts("isin", FieldKind::Isin, 0, Counts { total: 5, wrong: 0 });
    known.add_counts("total", FieldKind::Money, 0, Counts { total: 25, wrong: 5 });
    let support = calibration(Some(known), None).support("note", 0.02);
    assert!(support.threshold_for("issued", FieldKind::Date).is_some());
    assert!(support.threshold_for("due", FieldKind::Date).is_some(), "its kind is known");
    assert_eq!(support.threshold_for("isin", FieldKind::Isin), None);
    let few = Shortfall::TooFewFields { known: 5, needed: MIN_OF_KIND };
    assert_eq!(support.kind_shortfall(FieldKind::Isin), Some(few));
    assert!(matches!(
        support.kind_shortfall(FieldKind::Money),
        Some(Shortfall::ErrorTooHigh { supported }) if supported > 0.2
    ));
    assert_eq!(support.threshold_for("shares", FieldKind::Quantity), None);
}

#[test]
fn a_field_that_is_wrong_too_often_is_not_accepted() {
    let mut known = data(&[(0.999, 2_000, 0)]);
    known.add_counts("due", FieldKind::Date, 0, Counts { total: 60, wrong: 6 });
    let support = calibration(Some(known), None).support("note", 0.02);
    assert!(support.threshold_for("issued", FieldKind::Date).is_some());
    assert_eq!(support.kind_shortfall(FieldKind::Date), None);
    assert_eq!(support.threshold_for("due", FieldKind::Date), None);
}

#[test]
fn the_supported_rate_is_the_lowest_that_accepts_fields() {
    let calibration = calibration(Some(data(&[(0.999, 100, 1)])), None);
    let rate = calibration.supported_rate("note").unwrap();
    assert!((rate - 0.03).abs() < 1e-9, "{rate}");
    assert!(calibration.support("note", rate).outcome.is_ok());
    assert!(calibration.support("note", rate - 0.001).outcome.is_err());
    assert_eq!(calibration.supported_rate("unknown"), None);
}
