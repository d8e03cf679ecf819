//! Which words of two names belong together.

use super::{NameForm, Word};

/// Words that are less similar than this do not belong together.
const LEAST: f64 = 0.6;
/// How similar an initial is to a word that it may stand for.
const INITIAL: f64 = 0.8;
/// The most words that an acronym stands for.
const LONGEST_ACRONYM: usize = 5;

/// The words of two names that belong together, and what is left.
#[derive(Debug)]
pub(super) struct Alignment {
    /// The weights of the words that belong together, each times its similarity.
    pub(super) agreement: f64,
    pub(super) unmatched_left: f64,
    pub(super) unmatched_right: f64,
    /// The least similarity of words that belong together and matter.
    pub(super) worst: f64,
    /// The sum of the differences of words that belong together.
    pub(super) edits: f64,
    /// The letters that differ between words that belong together: in all of them, and in the worst.
    pub(super) letters: f64,
    pub(super) worst_letters: f64,
    /// How many initials stand for words.
    pub(super) initials: f64,
    /// Both names have numbers, and they are not the same.
    pub(super) has_number_conflict: bool,
    pub(super) keeps_order: bool,
    /// How similar the consonants of the names are.
    pub(super) consonants: f64,
}

struct Pairs {
    /// Left word, right word, similarity.
    found: Vec<(usize, usize, f64)>,
    left_taken: Vec<bool>,
    right_taken: Vec<bool>,
    initials: f64,
}

impl Alignment {
    pub(super) fn new(left: &NameForm, right: &NameForm) -> Self {
        let mut pairs = Pairs {
            found: Vec::new(),
            left_taken: vec![false; left.words.len()],
            right_taken: vec![false; right.words.len()],
            initials: 0.0,
        };
        pairs.take_equal(&left.words, &right.words);
        pairs.take_joined(&left.words, &right.words, false);
        pairs.take_joined(&right.words, &left.words, true);
        pairs.take_similar(&left.words, &right.words);
        pairs.take_repeated(&left.words, &right.words);

        let mut alignment = Self {
            agreement: 0.0,
            unmatched_left: unmatched(&left.words, &pairs.left_taken),
            unmatched_right: unmatched(&right.words, &pairs.right_taken),
            worst: 1.0,
            edits: 0.0,
            letters: 0.0,
            worst_letters: 0.0,
            initials: pairs.initials,
            has_number_conflict: numbers_differ(&left.words, &right.words),
            keeps_order: true,
            consonants: 0.0,
        };
        pairs.found.sort_unstable_by_key(|(left, right, _)| (*left, *right));
        let mut last_right = 0;
        for &(at, other, similarity) in &pairs.found {
            let weight = left.words[at].weight.min(right.words[other].weight);
            alignment.agreement += weight * similarity;
            alignment.edits += weight * (1.0 - similarity);
            if weight >= 0.4 {
                alignment.worst = alignment.worst.min(similarity);
            }
            let letters = different_letters(&left.words[at], &right.words[other], similarity);
            alignment.letters += letters;
            alignment.worst_letters = alignment.worst_letters.max(letters);
            alignment.keeps_order &= other >= last_right;
            last_right = other;
        }
        if pairs.found.is_empty() {
            alignment.worst = 0.0;
        }
        if left.is_abjad != right.is_abjad {
            let (a, b) = (consonants(&left.joined), consonants(&right.joined));
            alignment.consonants = similarity_of_letters(&a, &b);
        }
        alignment
    }
}

impl Pairs {
    fn take(&mut self, left: usize, right: usize, similarity: f64) {
        self.left_taken[left] = true;
        self.right_taken[right] = true;
        self.found.push((left, right, similarity));
    }

    fn take_equal(&mut self, left: &[Word], right: &[Word]) {
        for (at, word) in left.iter().enumerate() {
            let equal = right.iter().enumerate().position(|(other, candidate)| {
                !self.right_taken[other] && candidate.text == word.text
            });
            if let Some(other) = equal {
                self.take(at, other, 1.0);
            }
        }
    }

    /// Several words of one name are one word of the other: `blue river` and `blueriver`, `united states` and `us`.
    fn take_joined(&mut self, parts: &[Word], wholes: &[Word], is_swapped: bool) {
        for (at, whole) in wholes.iter().enumerate() {
            if self.whole_taken(is_swapped)[at] || whole.text.len() < 2 {
                continue;
            }
            let Some((start, length, similarity)) = self.joined(parts, whole, is_swapped) else {
                continue;
            };
            for part in start..start + length {
                if is_swapped {
                    self.take(at, part, similarity);
                } else {
                    self.take(part, at, similarity);
                }
            }
        }
    }

    fn whole_taken(&self, is_swapped: bool) -> &[bool] {
        if is_swapped { &self.left_taken } else { &self.right_taken }
    }

    fn joined(
        &self,
        parts: &[Word],
        whole: &Word,
        is_swapped: bool,
    ) -> Option<(usize, usize, f64)> {
        let parts_taken = if is_swapped { &self.right_taken } else { &self.left_taken };
        for start in 0..parts.len() {
            // Joined or as initials, the parts begin with the same letter: most pairs of words end here.
            if parts_taken[start] || parts[start].text.as_bytes()[0] != whole.text.as_bytes()[0] {
                continue;
            }
            let mut text = String::new();
            let mut initials = String::new();
            for (at, part) in parts.iter().enumerate().skip(start).take(LONGEST_ACRONYM) {
                if parts_taken[at] {
                    break;
                }
                text.push_str(&part.text);
                initials.extend(part.text.chars().next());
                let length = at + 1 - start;
                if length < 2 {
                    continue;
                }
                if text == whole.text {
                    return Some((start, length, 1.0));
                }
                // A single typing error in a long word does not hide that it was split.
                if text.len() >= 7 && strsim::osa_distance(&text, &whole.text) == 1 {
                    return Some((start, length, 0.9));
                }
                if initials == whole.text {
                    return Some((start, length, INITIAL));
                }
            }
        }
        None
    }

    fn take_similar(&mut self, left: &[Word], right: &[Word]) {
        let mut possible = Vec::new();
        for (at, word) in left.iter().enumerate().filter(|(at, _)| !self.left_taken[*at]) {
            for (other, candidate) in right.iter().enumerate() {
                if self.right_taken[other] {
                    continue;
                }
                let similarity = word_similarity(word, candidate);
                if similarity >= LEAST {
                    possible.push((similarity, at, other));
                }
            }
        }
        possible.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then((a.1 + a.2).cmp(&(b.1 + b.2))));
        for (similarity, at, other) in possible {
            if !self.left_taken[at] && !self.right_taken[other] {
                self.take(at, other, similarity);
                if left[at].text.len() == 1 || right[other].text.len() == 1 {
                    self.initials += 1.0;
                }
            }
        }
    }

    /// A word that a name has twice counts as matched if the other name has it once.
    fn take_repeated(&mut self, left: &[Word], right: &[Word]) {
        for (at, word) in left.iter().enumerate() {
            self.left_taken[at] |= right.iter().any(|other| other.text == word.text);
        }
        for (at, word) in right.iter().enumerate() {
            self.right_taken[at] |= left.iter().any(|other| other.text == word.text);
        }
    }
}

fn unmatched(words: &[Word], taken: &[bool]) -> f64 {
    words.iter().zip(taken).filter(|(_, taken)| !**taken).map(|(word, _)| word.weight).sum()
}

/// How similar two different words are, from 0 to 1.
pub(crate) fn word_similarity(left: &Word, right: &Word) -> f64 {
    let (a, b) = (left.text.as_str(), right.text.as_str());
    if left.skeleton == right.skeleton && a.len().min(b.len()) > 1 {
        return 0.95;
    }
    let (shorter, longer) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if shorter.len() == 1 {
        return if longer.starts_with(shorter) { INITIAL } else { 0.0 };
    }
    let has_digit = |text: &str| text.bytes().any(|byte| byte.is_ascii_digit());
    if has_digit(a) || has_digit(b) || longer.len() > 2 * shorter.len() {
        return 0.0;
    }
    // A letter that only one word has is a difference; a replaced letter can be two of them. Most words end here.
    let (c, d) = (&left.skeleton, &right.skeleton);
    let differences = (left.letters ^ right.letters).count_ones() as usize;
    if differences > 2 * (longer.len() - longer.len() * 6 / 10) {
        return 0.0;
    }
    similarity_of_letters(a, b).max(0.95 * similarity_of_letters(c, d))
}

/// 1 less the share of letters that are inserted, deleted, replaced or swapped with the next.
pub(super) fn similarity_of_letters(a: &str, b: &str) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a name has at most a few thousand letters")]
    let (distance, length) =
        (strsim::osa_distance(a, b) as f64, a.len().max(b.len()).max(1) as f64);
    1.0 - distance / length
}

/// The letters that differ between two words that belong together. Other spellings of a sound are no difference, and an
/// initial or an acronym has no letters to compare.
fn different_letters(left: &Word, right: &Word, similarity: f64) -> f64 {
    let shorter = left.text.len().min(right.text.len());
    if similarity >= 0.9 || shorter < 2 || left.text.len().max(right.text.len()) > 2 * shorter {
        return 0.0;
    }
    let of_text = strsim::osa_distance(&left.text, &right.text);
    let letters = of_text.min(strsim::osa_distance(&left.skeleton, &right.skeleton));
    f64::from(u8::try_from(letters).unwrap_or(u8::MAX))
}

fn numbers_differ(left: &[Word], right: &[Word]) -> bool {
    let numbers = |words: &[Word]| {
        let digits = |word: &&Word| word.text.bytes().all(|byte| byte.is_ascii_digit());
        let mut numbers: Vec<String> =
            words.iter().filter(digits).map(|word| word.text.clone()).collect();
        numbers.sort_unstable();
        numbers
    };
    let (left, right) = (numbers(left), numbers(right));
    !left.is_empty() && !right.is_empty() && left != right
}

/// The consonants of a name. Scripts without vowels have no letters for `p` and `v` either, or write them with others.
fn consonants(joined: &str) -> String {
    let consonants =
        joined.chars().filter(|char| !matches!(char, 'a' | 'e' | 'i' | 'o' | 'u' | 'w' | 'y'));
    let unified = consonants.map(|char| match char {
        'p' => 'b',
        'v' => 'f',
        'c' | 'q' => 'k',
        'g' => 'j',
        'z' => 's',
        other => other,
    });
    let mut form: Vec<char> = unified.collect();
    form.dedup();
    form.into_iter().collect()
}
