//! Where a page shows a given text.

use pages::{Area, Page, Span};

use crate::fold::fold;

/// The most words that a text on a page has.
const MAX_WORDS: usize = 40;
/// Shorter texts are only found as whole words.
const LEAST_WITHIN_WORD: usize = 5;

/// Where a page shows a value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Place {
    pub(crate) page: u32,
    pub(crate) area: Option<Area>,
    /// As the page writes it.
    pub(crate) raw: String,
}

/// The letters and digits of a text, in a form in which spellings can be compared.
pub(crate) fn key(text: &str) -> String {
    fold(text).chars().filter(|c| c.is_alphanumeric()).collect()
}

/// The words of a page in comparable form.
pub(crate) struct Words<'p> {
    page: &'p Page,
    keys: Vec<String>,
}

impl<'p> Words<'p> {
    pub(crate) fn new(page: &'p Page) -> Self {
        Self { page, keys: page.words.iter().map(|word| key(&word.text)).collect() }
    }

    /// The first place where the words of the page, one after the other, spell this key. Spaces, punctuation and line
    /// breaks may differ.
    pub(crate) fn find(&self, target: &str) -> Option<Span> {
        if target.is_empty() {
            return None;
        }
        let starts = (0..self.keys.len()).filter(|at| !self.keys[*at].is_empty());
        let mut within = None;
        for from in starts {
            if let Some(to) = self.spelled(from, target) {
                return Some(Span::new(from..to));
            }
            if within.is_none()
                && target.len() >= LEAST_WITHIN_WORD
                && self.keys[from].contains(target)
            {
                within = Some(Span::new(from..from + 1));
            }
        }
        within
    }

    fn spelled(&self, from: usize, target: &str) -> Option<usize> {
        let mut rest = target;
        for (count, key) in self.keys[from..].iter().take(MAX_WORDS).enumerate() {
            rest = rest.strip_prefix(key.as_str())?;
            if rest.is_empty() {
                return Some(from + count + 1);
            }
        }
        None
    }

    pub(crate) fn place(&self, words: Span) -> Place {
        let areas = words.of(&self.page.words).iter().filter_map(|word| word.area);
        Place {
            page: self.page.number,
            area: areas.reduce(|all, area| all.around(&area)),
            raw: self.page.text_of(words),
        }
    }
}
