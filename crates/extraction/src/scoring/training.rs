//! Fits weights to documents whose values are known: softmax regression over the candidates of a field, including the
//! choice of none, and logistic regression for fields that are sums of several candidates. AdaGrad, in a fixed order
//! that a seed determines: the same documents give the same weights.

use std::collections::{BTreeMap, HashMap};

use super::model::{Model, NONE, Provenance, SHARED};

/// A candidate as the trainer sees it.
#[derive(Clone, Debug)]
pub struct Choice {
    /// Features with weights of the field.
    pub own: Vec<String>,
    /// Features with weights that all fields share.
    pub shared: Vec<String>,
    pub is_right: bool,
}

/// The candidates of one field in one document.
#[derive(Clone, Debug)]
pub struct Example {
    pub field: String,
    /// Who issued the document.
    pub issuer: String,
    /// Each candidate is right or wrong for itself; otherwise exactly one choice is right, which several candidates may
    /// express.
    pub independent: bool,
    /// Whether "none" can be the right choice.
    pub with_none: bool,
    pub choices: Vec<Choice>,
}

#[derive(Clone, Copy, Debug)]
pub struct Settings {
    pub epochs: usize,
    pub rate: f32,
    /// The weight of the squared weights.
    pub l2: f32,
    /// The learning rate of single words, as a share of `rate`: terms, places and arithmetic hold for all issuers, while
    /// each issuer has words of its own.
    pub words: f32,
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { epochs: 25, rate: 0.05, l2: 3e-3, words: 0.3, seed: 1 }
    }
}

/// The names of features that are words: see [`super::features`] and `contract_note::side_features`.
const WORDS: [&str; 17] =
    ["l", "le", "l1", "l2", "l1e", "r", "r1", "u", "h", "k", "s", "a", "n", "p", "q", "f", "e"];

/// An example with numbered features.
struct Numbered {
    none: Option<usize>,
    independent: bool,
    choices: Vec<(Vec<usize>, bool)>,
}

struct Weights {
    /// The learning rate of each feature.
    rates: Vec<f32>,
    values: Vec<f32>,
    squares: Vec<f32>,
    settings: Settings,
}

impl Weights {
    fn score(&self, features: &[usize]) -> f32 {
        features.iter().map(|&feature| self.values[feature]).sum()
    }

    fn step(&mut self, features: &[usize], gradient: f32) {
        for &feature in features {
            let slope = gradient + self.settings.l2 * self.values[feature];
            self.squares[feature] += slope * slope;
            self.values[feature] -=
                self.rates[feature] * slope / (self.squares[feature].sqrt() + 1e-6);
        }
    }
}

/// Fits a model. Features that occur with one issuer only are dropped: they say nothing about others.
pub fn fit(examples: &[&Example], settings: Settings, provenance: Provenance) -> Model {
    let names = names(examples);
    let mut numbered: Vec<Numbered> =
        examples.iter().map(|example| number(example, &names)).collect();
    let mut rates = vec![settings.rate; names.len()];
    for ((_, feature), number) in &names {
        if is_word(feature) {
            rates[*number] *= settings.words;
        }
    }
    let mut weights = Weights {
        rates,
        values: vec![0.0; names.len()],
        squares: vec![0.0; names.len()],
        settings,
    };
    let mut state = settings.seed;
    let mut mean = vec![0.0_f32; names.len()];
    // The mean over the second half of the epochs depends less on the order of the last examples.
    let averaged = settings.epochs.div_ceil(2);
    for epoch in 0..settings.epochs {
        shuffle(&mut numbered, &mut state);
        for example in &numbered {
            if example.independent {
                independent_step(example, &mut weights);
            } else {
                softmax_step(example, &mut weights);
            }
        }
        if epoch + averaged >= settings.epochs {
            #[expect(clippy::cast_precision_loss, reason = "a few epochs")]
            for (mean, value) in mean.iter_mut().zip(&weights.values) {
                *mean += value / averaged as f32;
            }
        }
    }
    let mut model = Model::new(provenance);
    for ((field, feature), number) in names {
        let weight = mean[number];
        if weight.abs() >= 0.01 {
            model.set(field, feature, weight);
        }
    }
    model
}

fn names<'e>(examples: &[&'e Example]) -> HashMap<(&'e str, &'e str), usize> {
    /// The first issuer of a feature, and whether there is another.
    type Issuers<'e> = (&'e str, bool);
    let mut seen: BTreeMap<(&str, &str), Issuers<'_>> = BTreeMap::new();
    for example in examples {
        if example.with_none {
            seen.insert((&example.field, NONE), ("", true));
        }
        for choice in &example.choices {
            let own = choice.own.iter().map(|feature| (example.field.as_str(), feature.as_str()));
            let shared = choice.shared.iter().map(|feature| (SHARED, feature.as_str()));
            for name in own.chain(shared) {
                let (first, several) = seen.entry(name).or_insert((&example.issuer, false));
                *several |= *first != example.issuer;
            }
        }
    }
    let common = seen.into_iter().filter(|(_, (_, several))| *several);
    common.enumerate().map(|(number, (name, _))| (name, number)).collect()
}

fn number(example: &Example, names: &HashMap<(&str, &str), usize>) -> Numbered {
    let choices = example.choices.iter().map(|choice| {
        let own = choice
            .own
            .iter()
            .filter_map(|name| names.get(&(example.field.as_str(), name.as_str())));
        let shared = choice.shared.iter().filter_map(|name| names.get(&(SHARED, name.as_str())));
        (own.chain(shared).copied().collect(), choice.is_right)
    });
    Numbered {
        none: example
            .with_none
            .then(|| names.get(&(example.field.as_str(), NONE)).copied())
            .flatten(),
        independent: example.independent,
        choices: choices.collect(),
    }
}

fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state
}

fn independent_step(example: &Numbered, weights: &mut Weights) {
    for (features, is_right) in &example.choices {
        let probability = 1.0 / (1.0 + (-weights.score(features)).exp());
        weights.step(features, probability - f32::from(u8::from(*is_right)));
    }
}

/// The right choices share the probability that the model gives them now.
fn softmax_step(example: &Numbered, weights: &mut Weights) {
    let none = example.none.map(|none| vec![none]);
    let any_right = example.choices.iter().any(|(_, is_right)| *is_right);
    let mut choices: Vec<(&[usize], bool)> = example
        .choices
        .iter()
        .map(|(features, is_right)| (features.as_slice(), *is_right))
        .collect();
    if let Some(none) = &none {
        choices.push((none, !any_right));
    } else if !any_right {
        return;
    }
    let scores: Vec<f32> = choices.iter().map(|(features, _)| weights.score(features)).collect();
    let top = scores.iter().copied().fold(f32::MIN, f32::max);
    let powers: Vec<f32> = scores.iter().map(|score| (score - top).exp()).collect();
    let total: f32 = powers.iter().sum();
    let right: f32 = powers.iter().zip(&choices).filter(|(_, c)| c.1).map(|(power, _)| power).sum();
    for ((features, is_right), power) in choices.iter().zip(&powers) {
        let probability = power / total;
        let wanted = if *is_right { power / right.max(1e-12) } else { 0.0 };
        let gradient = probability - wanted;
        if gradient.abs() > 1e-4 {
            weights.step(features, gradient);
        }
    }
}

/// Fisher–Yates with a linear congruential generator: the order must not depend on the machine.
fn shuffle<T>(items: &mut [T], state: &mut u64) {
    for at in (1..items.len()).rev() {
        let other = usize::try_from(next(state) >> 33).unwrap_or_default() % (at + 1);
        items.swap(at, other);
    }
}

/// Whether a feature is a single word around the value, alone or with the side of the trade.
fn is_word(feature: &str) -> bool {
    let Some((name, _)) = feature.split_once('=') else { return false };
    WORDS.contains(&name.rsplit(' ').next().unwrap_or(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(features: &[&str], is_right: bool) -> Choice {
        let own = features.iter().map(|&feature| feature.to_owned()).collect();
        Choice { own, shared: Vec::new(), is_right }
    }

    fn example(issuer: &str) -> Example {
        let right = choice(&["@trade_date left", "l1=handelstag", issuer], true);
        let wrong = choice(&["@settlement_date left", "l1=valuta"], false);
        Example {
            field: "trade_date".to_owned(),
            issuer: issuer.to_owned(),
            independent: false,
            with_none: false,
            choices: vec![right, wrong],
        }
    }

    fn weight(model: &Model, feature: &str) -> f32 {
        model.score("trade_date", [&feature.to_owned()])
    }

    #[test]
    fn terms_are_learned_faster_than_words() {
        let examples = [example("one"), example("two")];
        let examples: Vec<&Example> = examples.iter().collect();
        let model = fit(&examples, Settings::default(), Provenance::default());
        assert!(weight(&model, "@trade_date left") > 2.0 * weight(&model, "l1=handelstag"));
        assert!(weight(&model, "l1=handelstag") > 0.0);
        assert!(weight(&model, "@settlement_date left") < 0.0);
        assert!(
            weight(&model, "one").abs() < 1e-9,
            "a feature of one issuer says nothing of others"
        );
        assert_eq!(model, fit(&examples, Settings::default(), Provenance::default()));
    }

    #[test]
    fn words_are_told_from_other_features() {
        assert!(is_word("l1=valuta") && is_word("dividend h=datum") && is_word("sell e=kauf"));
        assert!(!is_word("@trade_date left") && !is_word("timed") && !is_word("settled=5"));
    }
}
