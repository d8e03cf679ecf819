//! Values that are text: names, addresses, a tenant's own fields.
//!
//! Many are the same on every document of a layout (the name of the issuer): their hash is kept. Of the others the words
//! before them in their row are kept, or the row above.

use std::collections::BTreeSet;

use domain::{Field, FieldKind, FieldSource};
use pages::Area;

use super::context::{Context, hashes, small};
use super::recall::Recall;
use super::tokens::{self, Token};
use crate::fold::folded_words;
use crate::parsed::Candidate;
use crate::scan::RowText;
use crate::scoring::mention::context_word;

/// The most rows that are searched, and the most words of each.
const MAX_ROWS: usize = 300;
const MAX_ROW_WORDS: usize = 40;
/// The most words of a text.
const MAX_WORDS: usize = 12;
/// How many words before and after a value are its anchors.
const LEFT_WORDS: usize = 6;
const RIGHT_WORDS: usize = 3;
/// How many places of a text are kept.
const MAX_PLACES: usize = 3;
/// Texts with fewer letters are found by chance.
const MIN_LETTERS: usize = 3;
/// How much of the words before a value must be the same.
const MIN_ANCHOR: f32 = 0.6;

/// Whether values of the kind are text, and no typed values of a page.
pub(super) fn is_text(kind: FieldKind) -> bool {
    matches!(kind, FieldKind::Text | FieldKind::Party | FieldKind::Address)
}

/// What identifies a text, however it is spaced and punctuated. `None` when it is too short.
pub(super) fn hash(text: &str) -> Option<Token> {
    let folded = folded_words(text).concat();
    (folded.chars().count() >= MIN_LETTERS).then(|| tokens::hash(&folded))
}

/// A row as it is searched.
#[derive(Debug)]
pub(super) struct TextRow {
    page: u32,
    area: Option<Area>,
    text: Vec<String>,
    /// Each word without case, accents and punctuation.
    folded: Vec<String>,
    /// Each word as contexts contain it.
    words: Vec<Option<Token>>,
    /// The words of the row above.
    previous: Vec<Token>,
}

/// The first rows of a document.
pub(super) fn rows(rows: &[RowText]) -> Vec<TextRow> {
    let mut previous = Vec::new();
    let text_row = |row: &RowText| {
        let text: Vec<String> = row.text.iter().take(MAX_ROW_WORDS).cloned().collect();
        let words = text.iter().map(|word| context_word(word).map(|word| tokens::hash(&word)));
        TextRow {
            page: row.page,
            area: row.area,
            folded: text.iter().map(|word| folded_words(word).concat()).collect(),
            words: words.collect(),
            previous: std::mem::replace(&mut previous, hashes(&row.words)),
            text,
        }
    };
    rows.iter().take(MAX_ROWS).map(text_row).collect()
}

/// A run of words of a row.
#[derive(Clone, Copy)]
struct Run<'r> {
    row: &'r TextRow,
    from: usize,
    to: usize,
    hash: Token,
}

impl TextRow {
    /// The runs that are long enough to be a text, the longest first for each beginning.
    fn runs(&self) -> impl Iterator<Item = Run<'_>> {
        (0..self.folded.len()).flat_map(move |from| {
            let mut folded = String::new();
            let mut runs = Vec::new();
            for (length, word) in self.folded.iter().skip(from).take(MAX_WORDS).enumerate() {
                folded.push_str(word);
                if word.is_empty() || folded.chars().nth(MIN_LETTERS - 1).is_none() {
                    continue;
                }
                runs.push(Run {
                    row: self,
                    from,
                    to: from + length + 1,
                    hash: tokens::hash(&folded),
                });
            }
            runs.into_iter().rev()
        })
    }
}

impl Run<'_> {
    fn left(&self) -> impl Iterator<Item = Token> {
        self.row.words.iter().take(self.from).rev().filter_map(|word| *word)
    }

    fn right(&self) -> impl Iterator<Item = Token> {
        self.row.words.iter().skip(self.to).filter_map(|word| *word)
    }

    fn context(&self) -> Context {
        Context {
            left: self.left().take(LEFT_WORDS).collect(),
            right: self.right().take(RIGHT_WORDS).collect(),
            previous: self.row.previous.clone(),
            position: (small(self.from), small(self.row.text.len())),
            page: self.row.page,
            ..Context::default()
        }
    }

    fn candidate(&self) -> Candidate {
        let words = self.row.text.get(self.from..self.to).unwrap_or_default().join(" ");
        let is_separator = |c: char| c.is_whitespace() || matches!(c, ':' | ';' | '|' | ',');
        let value = words.trim_matches(is_separator).to_owned();
        Candidate {
            raw: value.clone(),
            value,
            page: Some(self.row.page),
            area: self.row.area,
            source: FieldSource::LayoutMemory,
            score: 0.0,
            currency: None,
        }
    }
}

/// Where the value of a field stands.
pub(super) fn places(rows: &[TextRow], field: &Field) -> Vec<Context> {
    let Some(wanted) = field.value.as_deref().and_then(hash) else { return Vec::new() };
    let found = rows.iter().filter_map(|row| row.runs().find(|run| run.hash == wanted));
    found.take(MAX_PLACES).map(|run| run.context()).collect()
}

/// The texts that the memory finds for a field, each with how strongly, from 0 to 1; the strongest first.
pub(super) fn recalled(
    recall: &Recall<'_>,
    rows: &[TextRow],
    field: &str,
) -> Vec<(Candidate, f32)> {
    let mut found: Vec<(Run<'_>, f32)> = Vec::new();
    for (memory, weight) in recall.text_memories(field) {
        let known: Vec<Context> =
            memory.texts.iter().map(|known| known.common(recall.vocabulary())).collect();
        for run in rows.iter().flat_map(TextRow::runs) {
            let fit = if memory.constants.contains(&run.hash) {
                1.0
            } else {
                known.iter().map(|known| anchored(known, &run)).fold(0.0, f32::max)
            };
            if fit > 0.0 {
                found.push((run, weight * fit));
            }
        }
    }
    // Of equally strong texts the first one on the pages counts.
    found.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mut seen = BTreeSet::new();
    found.retain(|(run, _)| seen.insert(run.hash));
    found.into_iter().take(MAX_PLACES).map(|(run, strength)| (run.candidate(), strength)).collect()
}

/// From 0 to 1: how well a text fits a known place. It must stand behind the same words and end before the same ones.
fn anchored(known: &Context, run: &Run<'_>) -> f32 {
    if run.right().next() != known.right.first().copied() {
        return 0.0;
    }
    let (wanted, fit) = if known.left.is_empty() {
        // A text that begins its row: the row above must be the same.
        if run.from > 0 || known.position.0 > 0 {
            return 0.0;
        }
        let above = known.previous.iter().zip(&run.row.previous);
        (known.previous.len(), above.filter(|(a, b)| a == b).count())
    } else {
        let left = known.left.iter().zip(run.left());
        (known.left.len(), left.filter(|(a, b)| *a == b).count())
    };
    #[expect(clippy::cast_precision_loss, reason = "a few words")]
    let share = fit as f32 / wanted.max(1) as f32;
    if share >= MIN_ANCHOR { share } else { 0.0 }
}
