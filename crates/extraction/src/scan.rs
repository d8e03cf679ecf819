//! What stays of a document after its pages were read one after the other: candidates with their context, and the text of
//! its rows. The size is bounded, however many pages there are.

use std::collections::VecDeque;

use pages::{Area, Page};

use crate::candidates::{self, Conventions, Found, Products};
use crate::geometry::View;
use crate::letter_spacing;
use crate::memory::{Collector, Fingerprint};
use crate::scoring::mention::{self, Mention, PageWords};

/// The most mentions and rows that are kept from the beginning of a document, and from its end.
const MAX_MENTIONS: usize = 6_000;
const MAX_ROWS: usize = 8_000;
const MAX_LAST_MENTIONS: usize = 600;
const MAX_LAST_ROWS: usize = 600;

/// A visual row.
#[derive(Clone, Debug, PartialEq)]
pub struct RowText {
    /// The number of the row in the document.
    pub number: usize,
    pub page: u32,
    /// As they are written.
    pub text: Vec<String>,
    /// As contexts contain them, without values.
    pub words: Vec<String>,
    pub area: Option<Area>,
}

/// The candidates and rows of a document.
#[derive(Debug, Default)]
pub struct Scan {
    pub mentions: Vec<Mention>,
    pub rows: Vec<RowText>,
    pub conventions: Conventions,
    pub pages: u32,
    /// Whether pages in the middle of the document were left out.
    pub truncated: bool,
    /// Which layout the document has; known after the last page.
    pub fingerprint: Fingerprint,
    layout: Collector,
    last_mentions: VecDeque<Mention>,
    last_rows: VecDeque<RowText>,
    next_row: usize,
}

impl Scan {
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes in a page.
    pub fn add(&mut self, page: &Page) {
        let page = letter_spacing::join(page);
        let view = View::new(&page);
        let found = candidates::find(&view);
        self.add_found(&view, found);
    }

    /// Takes in a page whose candidates are known.
    pub fn add_found(&mut self, view: &View<'_>, found: Vec<Found>) {
        let page = view.page;
        self.pages += 1;
        self.layout.add(page);
        self.conventions.observe(page.language.as_deref(), &found);
        let words = PageWords::new(view, &found);
        for found in found {
            let Some((row, _)) = view.place(found.words.from as usize) else { continue };
            let context = mention::context(view, &words, &found);
            self.push_mention(Mention { found, row: self.next_row + row, context });
        }
        for (at, row) in view.rows.iter().enumerate() {
            let text = row.words.iter().map(|&word| page.words[word].text.clone()).collect();
            let words = words.row(view, at);
            let number = self.next_row + at;
            self.push_row(RowText { number, page: page.number, text, words, area: row.area });
        }
        self.next_row += view.rows.len();
    }

    fn push_mention(&mut self, mention: Mention) {
        if self.mentions.len() < MAX_MENTIONS {
            self.mentions.push(mention);
            return;
        }
        self.last_mentions.push_back(mention);
        if self.last_mentions.len() > MAX_LAST_MENTIONS {
            self.last_mentions.pop_front();
            self.truncated = true;
        }
    }

    fn push_row(&mut self, row: RowText) {
        if self.rows.len() < MAX_ROWS {
            self.rows.push(row);
            return;
        }
        self.last_rows.push_back(row);
        if self.last_rows.len() > MAX_LAST_ROWS {
            self.last_rows.pop_front();
            self.truncated = true;
        }
    }

    /// Call this after the last page. Decides what ambiguous dates and numbers mean.
    pub fn finish(&mut self) {
        self.fingerprint = std::mem::take(&mut self.layout).finish();
        self.mentions.extend(self.last_mentions.drain(..));
        self.rows.extend(self.last_rows.drain(..));
        let products = Products::new(self.mentions.iter().map(|mention| &mention.found));
        for Mention { found, .. } in &mut self.mentions {
            if !products.resolve(found) {
                self.conventions.resolve(found);
            }
        }
    }

    /// The row with this number.
    pub fn row(&self, number: usize) -> Option<&RowText> {
        self.rows.binary_search_by_key(&number, |row| row.number).ok().map(|at| &self.rows[at])
    }
}
