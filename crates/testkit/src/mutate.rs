//! Hostile files: good ones, damaged by a number.
//!
//! A *mutant* is made by its seed alone: the same seed gives the same bytes. It begins as one of the
//! [`samples`](crate::samples) and suffers one to four *harms*. Harm done inside a container (a member of an
//! archive, an object of a PDF, a chunk of a PNG) is mostly wrapped up again as if nothing had happened, or
//! checksums and tables would stop nearly all of it at the door.

mod harm;
mod vocabulary;

use crate::samples::{Form, Sample, samples};
use crate::seeded_rng::SeededRng;
use harm::Harm;
use vocabulary::vocabulary_of;

/// No mutant is larger than this, except by what a single harm adds.
const ENOUGH: usize = 256 << 10;

/// A file that means harm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    pub seed: u64,
    /// With an ending that says what it was once.
    pub file_name: String,
    pub bytes: Vec<u8>,
}

/// Makes mutants.
#[derive(Debug)]
pub struct Mutator {
    samples: Vec<Sample>,
}

impl Default for Mutator {
    fn default() -> Self {
        Self { samples: samples() }
    }
}

impl Mutator {
    pub fn mutant(&self, seed: u64) -> Mutant {
        let mut dice = SeededRng::new(seed);
        let sample = &self.samples[dice.below(self.samples.len())];
        let other = &self.samples[dice.below(self.samples.len())];
        let mut form = sample.form.clone();
        for _ in 0..=dice.below(4) {
            // Past the container, or in it.
            if dice.percent(25) {
                form = Form::Plain(form.to_bytes());
            }
            hurt(&mut form, sample.ending, other, &mut dice);
        }
        let bytes = form.to_bytes();
        Mutant { seed, file_name: format!("{seed}.{}", sample.ending), bytes }
    }
}

fn hurt(form: &mut Form, ending: &str, other: &Sample, dice: &mut SeededRng) {
    match form {
        Form::Plain(bytes) | Form::Png(bytes) => {
            let stranger = other.form.to_bytes();
            Harm { dice, vocabulary: vocabulary_of(ending), stranger: &stranger }.do_to(bytes);
        }
        Form::Objects(objects) => {
            let stranger = objects[dice.below(objects.len())].clone();
            let at = dice.below(objects.len());
            if dice.percent(10) {
                objects[at] = stranger;
                return;
            }
            let harm = Harm { dice, vocabulary: vocabulary_of(ending), stranger: &stranger };
            harm.do_to(&mut objects[at]);
        }
        Form::Members(members) => hurt_members(members, ending, dice),
    }
}

fn hurt_members(members: &mut Vec<(String, Vec<u8>)>, ending: &str, dice: &mut SeededRng) {
    if members.is_empty() {
        return;
    }
    let (at, other) = (dice.below(members.len()), dice.below(members.len()));
    match dice.below(20) {
        0 => drop(members.remove(at)),
        1 => members[at].1 = members[other].1.clone(),
        2 => "../../../../tmp/escaped.xml".clone_into(&mut members[at].0),
        3 => members[at].0.push('/'),
        4 => {
            // Unpacks to far more than it weighs.
            let unit = vocabulary_of("docx").openers[dice.below(3)];
            members[at].1 = unit.repeat((1 << 20) / unit.len());
        }
        5 => {
            let copies = (0..500).map(|number| (format!("word/{number}.xml"), b"<x/>".to_vec()));
            members.extend(copies);
        }
        _ => {
            let stranger = members[other].1.clone();
            let harm = Harm { dice, vocabulary: vocabulary_of(ending), stranger: &stranger };
            harm.do_to(&mut members[at].1);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_same_seed_makes_the_same_bytes_and_another_one_others() {
        let (first, second) = (Mutator::default(), Mutator::default());
        let mut seen = BTreeSet::new();
        for seed in 0..300 {
            let mutant = first.mutant(seed);
            assert_eq!(mutant, second.mutant(seed));
            seen.insert(mutant.bytes);
        }
        assert!(seen.len() > 290, "only {} differ", seen.len());
    }

    #[test]
    fn every_kind_of_file_is_hurt() {
        let mutator = Mutator::default();
        let ending = |seed| mutator.mutant(seed).file_name.split_once('.').unwrap().1.to_owned();
        let endings: BTreeSet<String> = (0..200).map(ending).collect();
        assert_eq!(endings.len(), 12, "{endings:?}");
    }

    #[test]
    fn no_mutant_is_large() {
        let mutator = Mutator::default();
        let longest = (0..500).map(|seed| mutator.mutant(seed).bytes.len()).max().unwrap();
        assert!(longest < 4 * ENOUGH, "{longest}");
    }
}
