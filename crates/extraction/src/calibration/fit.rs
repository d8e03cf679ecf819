//! Fits a calibration to fields whose correct values are known. `bench-extraction calibrate` calls it.

use std::collections::{BTreeMap, BTreeSet};

use domain::FieldKind;

use super::{
    Calibration, CalibrationData, FEATURES, Features, KnownField, Model, Provenance, TypeData,
    logistic,
};

/// A field whose correct value is known.
#[derive(Clone, Debug)]
pub struct Example {
    pub document_type: String,
    /// As the document type writes it.
    pub field: String,
    pub kind: FieldKind,
    pub features: Features,
    pub is_correct: bool,
    pub document: String,
    /// Whose errors belong together: the issuer where it is known, else the document. All examples of a group are in
    /// one fold.
    pub group: String,
}

/// Penalties of the squared weights: a field with fewer examples than its penalty stays near its kind.
const WEIGHT_PENALTY: f64 = 5.0;
const KIND_PENALTY: f64 = 4.0;
const FIELD_PENALTY: f64 = 8.0;
const INTERCEPT_PENALTY: f64 = 1e-3;
const FOLDS: usize = 5;
const REPEATS: u32 = 5;
const NEWTON_STEPS: u32 = 50;
/// A type with fewer examples uses the model of all types.
const MIN_EXAMPLES: usize = 100;
/// The design effect is measured on the fields with at least this confidence: those that acceptance is about.
const MEASURED_FROM: f64 = 0.9;

/// Fits the models to all examples. The calibration data comes from cross-fitting: a field counts with the confidence that a model
/// gives it which has not seen its group.
pub fn fit(examples: &[Example], provenance: Provenance) -> Calibration {
    let models = fit_models(&examples.iter().collect::<Vec<_>>());
    let mut shipped = CalibrationData::default();
    let mut predicted: BTreeMap<&str, Vec<(&Example, f64)>> = BTreeMap::new();
    for (example, confidence) in cross_fitted(examples) {
        predicted.entry(&example.document_type).or_default().push((example, confidence));
    }
    for (name, fields) in predicted {
        shipped.types.insert(name.to_owned(), data_of(&fields));
    }
    let version = Calibration::VERSION;
    Calibration { version, provenance, models, shipped, reviewed: CalibrationData::default() }
}

/// The calibration data of one type.
fn data_of(predicted: &[(&Example, f64)]) -> TypeData {
    let mut documents: BTreeMap<&str, Vec<KnownField<'_>>> = BTreeMap::new();
    for (example, confidence) in predicted {
        let Example { field, kind, is_correct, document, .. } = example;
        let known = KnownField {
            name: field,
            kind: *kind,
            confidence: *confidence,
            is_correct: *is_correct,
        };
        documents.entry(document).or_default().push(known);
    }
    let mut data = TypeData { design_effect: design_effect(predicted), ..TypeData::default() };
    for fields in documents.values() {
        data.add_document(fields);
    }
    data
}

/// Each example with the confidence that models give it which have not seen its group: the mean over [`REPEATS`] ways to
/// divide the groups into folds, because a single one depends on chance.
pub fn cross_fitted(examples: &[Example]) -> Vec<(&Example, f64)> {
    let groups: BTreeSet<&str> = examples.iter().map(|example| example.group.as_str()).collect();
    let groups: Vec<&str> = groups.into_iter().collect();
    let mut predicted: Vec<(&Example, f64)> =
        examples.iter().map(|example| (example, 0.0)).collect();
    for repeat in 0..REPEATS {
        let fold_of = folds(&groups, repeat);
        let is_in = |example: &Example, fold| fold_of.get(example.group.as_str()) == Some(&fold);
        for fold in 0..FOLDS {
            let others: Vec<&Example> =
                examples.iter().filter(|example| !is_in(example, fold)).collect();
            let models = fit_models(&others);
            let calibration = Calibration { models, ..Calibration::default() };
            for (example, mean) in predicted.iter_mut().filter(|(example, _)| is_in(example, fold))
            {
                *mean += confidence(&calibration, example) / f64::from(REPEATS);
            }
        }
    }
    predicted
}

/// A fold for each group. Every repeat divides them in another way, and always in the same.
fn folds<'a>(groups: &[&'a str], repeat: u32) -> BTreeMap<&'a str, usize> {
    let mut state = u64::from(repeat).wrapping_mul(2_862_933_555_777_941_757);
    let mut shuffled: Vec<(u64, &str)> = groups
        .iter()
        .map(|group| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33, *group)
        })
        .collect();
    shuffled.sort_unstable();
    shuffled.iter().enumerate().map(|(index, (_, group))| (*group, index % FOLDS)).collect()
}

/// The confidence of an example.
pub fn confidence(calibration: &Calibration, example: &Example) -> f64 {
    let Example { document_type, field, kind, features, .. } = example;
    calibration.confidence(document_type, field, *kind, features)
}

fn fit_models(examples: &[&Example]) -> BTreeMap<String, Model> {
    let mut by_type: BTreeMap<&str, Vec<&Example>> = BTreeMap::new();
    for example in examples {
        by_type.entry(&example.document_type).or_default().push(example);
    }
    let own = by_type.iter().filter(|(_, examples)| examples.len() >= MIN_EXAMPLES);
    let mut models: BTreeMap<String, Model> =
        own.map(|(name, examples)| ((*name).to_owned(), fit_model(examples, true))).collect();
    if examples.len() >= MIN_EXAMPLES {
        // Names of fields mean something within their own type only.
        models.insert(String::new(), fit_model(examples, false));
    }
    models
}

/// The columns of the design matrix: intercept, features, kinds, fields.
struct Columns<'a> {
    kinds: Vec<&'a str>,
    fields: Vec<&'a str>,
}

impl<'a> Columns<'a> {
    const FIRST_KIND: usize = 1 + FEATURES.len();

    fn of(examples: &[&'a Example], with_fields: bool) -> Self {
        let kinds: BTreeSet<&str> = examples.iter().map(|example| example.kind.as_str()).collect();
        let fields: BTreeSet<&str> = if with_fields {
            examples.iter().map(|example| example.field.as_str()).collect()
        } else {
            BTreeSet::new()
        };
        Self { kinds: kinds.into_iter().collect(), fields: fields.into_iter().collect() }
    }

    fn penalties(&self) -> Vec<f64> {
        let mut penalties = vec![INTERCEPT_PENALTY];
        penalties.resize(Self::FIRST_KIND, WEIGHT_PENALTY);
        penalties.resize(Self::FIRST_KIND + self.kinds.len(), KIND_PENALTY);
        penalties.resize(Self::FIRST_KIND + self.kinds.len() + self.fields.len(), FIELD_PENALTY);
        penalties
    }

    /// The columns that are not 0, with their values.
    fn row(&self, example: &Example) -> Vec<(usize, f64)> {
        let features = example.features.values().iter().enumerate();
        let mut row = vec![(0, 1.0)];
        row.extend(features.filter(|(_, value)| **value != 0.0).map(|(i, value)| (i + 1, *value)));
        let kind = self.kinds.binary_search(&example.kind.as_str());
        row.extend(kind.ok().map(|index| (Self::FIRST_KIND + index, 1.0)));
        let field = self.fields.binary_search(&example.field.as_str());
        row.extend(field.ok().map(|index| (Self::FIRST_KIND + self.kinds.len() + index, 1.0)));
        row
    }

    fn model(&self, weights: &[f64]) -> Model {
        let named = |names: &[&str], from: usize| {
            names
                .iter()
                .zip(&weights[from..])
                .map(|(name, weight)| ((*name).to_owned(), *weight))
                .collect()
        };
        Model {
            intercept: weights[0],
            weights: weights[1..Self::FIRST_KIND].to_vec(),
            kinds: named(&self.kinds, Self::FIRST_KIND),
            fields: named(&self.fields, Self::FIRST_KIND + self.kinds.len()),
        }
    }
}

/// Logistic regression with a ridge penalty, by Newton's method.
fn fit_model(examples: &[&Example], with_fields: bool) -> Model {
    let columns = Columns::of(examples, with_fields);
    let penalties = columns.penalties();
    let rows: Vec<Vec<(usize, f64)>> =
        examples.iter().map(|example| columns.row(example)).collect();
    let mut weights = vec![0.0; penalties.len()];
    for _ in 0..NEWTON_STEPS {
        let mut gradient: Vec<f64> =
            weights.iter().zip(&penalties).map(|(weight, penalty)| -weight * penalty).collect();
        let mut hessian = vec![vec![0.0; penalties.len()]; penalties.len()];
        for (index, penalty) in penalties.iter().enumerate() {
            hessian[index][index] = *penalty;
        }
        for (row, example) in rows.iter().zip(examples) {
            let log_odds: f64 = row.iter().map(|(column, value)| weights[*column] * value).sum();
            let probability = logistic(log_odds);
            let residual = f64::from(u8::from(example.is_correct)) - probability;
            let variance = probability * (1.0 - probability);
            for (column, value) in row {
                gradient[*column] += residual * value;
                for (other, other_value) in row {
                    hessian[*column][*other] += variance * value * other_value;
                }
            }
        }
        let step = solve(hessian, gradient);
        let mut largest: f64 = 0.0;
        for (weight, change) in weights.iter_mut().zip(&step) {
            *weight += change.clamp(-2.0, 2.0);
            largest = largest.max(change.abs());
        }
        if largest < 1e-9 {
            break;
        }
    }
    columns.model(&weights)
}

/// Solves a system with a symmetric positive definite matrix, by Cholesky's decomposition.
fn solve(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let size = right.len();
    for column in 0..size {
        for row in column..size {
            let known: f64 = (0..column).map(|k| matrix[row][k] * matrix[column][k]).sum();
            let rest = matrix[row][column] - known;
            matrix[row][column] =
                if row == column { rest.max(1e-12).sqrt() } else { rest / matrix[column][column] };
        }
    }
    for row in 0..size {
        let known: f64 = (0..row).map(|k| matrix[row][k] * right[k]).sum();
        right[row] = (right[row] - known) / matrix[row][row];
    }
    for row in (0..size).rev() {
        let known: f64 = (row + 1..size).map(|k| matrix[k][row] * right[k]).sum();
        right[row] = (right[row] - known) / matrix[row][row];
    }
    right
}

/// The variance of the error rate with groups of fields, divided by that of independent fields; at least 1.
fn design_effect(predicted: &[(&Example, f64)]) -> f64 {
    let mut groups: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for (example, _) in predicted.iter().filter(|(_, confidence)| *confidence >= MEASURED_FROM) {
        let (total, wrong) = groups.entry(&example.group).or_default();
        *total += 1.0;
        *wrong += f64::from(u8::from(!example.is_correct));
    }
    let total: f64 = groups.values().map(|(total, _)| total).sum();
    let wrong: f64 = groups.values().map(|(_, wrong)| wrong).sum();
    if wrong == 0.0 || groups.len() < 2 {
        return TypeData::ASSUMED_DESIGN_EFFECT;
    }
    let rate = wrong / total;
    let squares: f64 =
        groups.values().map(|(total, wrong)| (wrong - rate * total) * (wrong - rate * total)).sum();
    let count = groups.values().fold(0.0, |count, _| count + 1.0);
    (squares * count / (count - 1.0) / (total * rate * (1.0 - rate))).max(1.0)
}

#[cfg(test)]
mod tests {
    use domain::{Extraction, Field, FieldGroup};

    use super::*;
    use crate::statistics::{expected_calibration_error, reliability};

    /// Pseudo-random numbers between 0 and 1, from a linear congruential generator.
    struct Numbers(u64);

    impl Numbers {
        fn next(&mut self) -> f64 {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            f64::from(u32::try_from(self.0 >> 32).unwrap()) / f64::from(u32::MAX)
        }
    }

    /// Scores that are too sure of themselves: the log-odds are twice what they should be, and amounts are worse.
    fn overconfident(count: usize, seed: u64) -> Vec<Example> {
        let mut numbers = Numbers(seed);
        (0..count)
            .map(|index| {
                let kind = if index % 2 == 0 { FieldKind::Money } else { FieldKind::Date };
                let log_odds = 6.0 * numbers.next() - 1.0;
                let shift = if kind == FieldKind::Money { -1.0 } else { 0.0 };
                let field = Field { confidence: logistic(2.0 * log_odds), ..Field::missing() };
                Example {
                    document_type: "note".to_owned(),
                    field: kind.as_str().to_owned(),
                    kind,
                    features: Features::of(
                        kind,
                        &field,
                        &FieldGroup::new(),
                        &Extraction::default(),
                    ),
                    is_correct: numbers.next() < logistic(log_odds + shift),
                    document: format!("document {}", index / 4),
                    group: format!("group {}", index % 40),
                }
            })
            .collect()
    }

    fn calibration_error(pairs: &[(f64, bool)]) -> f64 {
        expected_calibration_error(&reliability(pairs, 10))
    }

    #[test]
    fn fitting_makes_confidences_calibrated() {
        let fitted = fit(&overconfident(3_000, 1), Provenance::default());
        let fresh = overconfident(3_000, 2);
        let before: Vec<(f64, bool)> = fresh
            .iter()
            .map(|example| (logistic(example.features.score()), example.is_correct))
            .collect();
        let after: Vec<(f64, bool)> = fresh
            .iter()
            .map(|example| (confidence(&fitted, example), example.is_correct))
            .collect();
        assert!(calibration_error(&before) > 0.1, "{}", calibration_error(&before));
        assert!(calibration_error(&after) < 0.03, "{}", calibration_error(&after));
        assert_eq!(fitted.shipped.types["note"].total().total, 3_000);
    }

    #[test]
    fn cross_fitting_predicts_every_example_once() {
        let examples = overconfident(500, 3);
        let predicted = cross_fitted(&examples);
        assert_eq!(predicted.len(), 500);
        let again = cross_fitted(&examples);
        assert!(predicted.iter().zip(&again).all(|(a, b)| (a.1 - b.1).abs() < f64::EPSILON));
    }

    #[test]
    fn a_group_is_in_one_fold_and_the_folds_of_repeats_differ() {
        let groups: Vec<String> = (0..40).map(|number| format!("group {number}")).collect();
        let groups: Vec<&str> = groups.iter().map(String::as_str).collect();
        let [first, second] = [0, 1].map(|repeat| folds(&groups, repeat));
        for fold in 0..FOLDS {
            assert_eq!(first.values().filter(|found| **found == fold).count(), 8);
        }
        assert_eq!(first.len(), 40);
        assert_ne!(first, second);
        assert_eq!(first, folds(&groups, 0));
    }

    #[test]
    fn errors_that_come_together_have_a_design_effect() {
        let with_groups = |groups: usize| {
            let mut examples = overconfident(1_000, 4);
            for (index, example) in examples.iter_mut().enumerate() {
                example.group = format!("group {}", index / (1_000 / groups));
                example.is_correct = index / 10 % 10 != 0;
            }
            let predicted: Vec<(&Example, f64)> =
                examples.iter().map(|example| (example, 0.95)).collect();
            design_effect(&predicted)
        };
        // Ten wrong fields in a row: all in one document, or spread over documents alike.
        assert!((with_groups(100) - 10.0).abs() < 0.5, "{}", with_groups(100));
        assert!((with_groups(10) - 1.0).abs() < f64::EPSILON);
    }

    #[test]
    fn too_few_examples_give_no_model() {
        let fitted = fit(&overconfident(50, 5), Provenance::default());
        assert!(fitted.models.is_empty());
        assert_eq!(fitted.shipped.types["note"].total().total, 50);
    }
}
