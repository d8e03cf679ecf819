//! The text of a document in windows that fit into a model's context.
//!
//! A window has whole pages. A page that is too long for one window continues in the next. Where a table goes on across the
//! border of two windows, the second one begins with the table's header and last rows. What stays of a long document is
//! bounded: its first windows and the last one.

use std::collections::BTreeSet;

use pages::artifact::ArtifactError;
use pages::{BlockKind, Page, Part, Span, Table};
use serde::{Deserialize, Serialize};

use crate::geometry::View;
use crate::letter_spacing;

/// How many of the last rows of a table a window repeats.
const REPEATED_ROWS: usize = 4;
/// A gap of this many times the height of the words separates columns.
const COLUMN_GAP: f32 = 2.0;
/// The longest row, in bytes. Rows of documents are shorter; garbage is not.
const MAX_ROW: usize = 4_000;

/// A part of a document that is sent in one request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// The pages that it has text of, counted from 1.
    pub pages: BTreeSet<u32>,
    pub text: String,
}

/// The windows of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Windows {
    pub windows: Vec<Window>,
    /// How many pages the document has.
    pub pages: u32,
    /// Some of its text is in no window.
    pub is_shortened: bool,
    /// The file is encrypted and was opened with a password. Then there are no windows.
    pub was_opened_with_password: bool,
}

/// Reads the pages one by one. `text_tokens` is the size of a window, and `most` is how many there may be.
pub fn windows(
    parts: impl Iterator<Item = Result<Part, ArtifactError>>,
    text_tokens: u32,
    most: u32,
) -> Result<Windows, ArtifactError> {
    let mut builder = Builder::new(text_tokens, most);
    for part in parts {
        match part? {
            Part::Head(head) if head.was_opened_with_password() => {
                return Ok(Windows { was_opened_with_password: true, ..Windows::default() });
            }
            Part::Page(page) => builder.page(&letter_spacing::join(&page)),
            _ => {}
        }
    }
    Ok(builder.finish())
}

/// About how many tokens a text has. It is rather too many than too few: digits and signs are often a token each.
pub fn estimated_tokens(text: &str) -> u32 {
    let tenths: usize = text
        .chars()
        .map(|c| match c {
            c if c.is_ascii_alphabetic() => 3,
            c if c.is_ascii_whitespace() => 1,
            c if c.is_ascii() => 8,
            c if c.is_alphabetic() && u32::from(c) < 0x250 => 8,
            _ => 12,
        })
        .sum();
    u32::try_from(tenths / 10 + 1).unwrap_or(u32::MAX)
}

struct Builder {
    text_tokens: u32,
    most: usize,
    done: Windows,
    window: Window,
    /// The tokens of the window so far.
    tokens: u32,
    /// The rows of the table at the end of the last page.
    open_table: Option<(u32, Vec<String>)>,
}

impl Builder {
    fn new(text_tokens: u32, most: u32) -> Self {
        Self {
            text_tokens,
            most: usize::try_from(most).unwrap_or(usize::MAX).max(1),
            done: Windows::default(),
            window: Window::default(),
            tokens: 0,
            open_table: None,
        }
    }

    fn page(&mut self, page: &Page) {
        self.done.pages += 1;
        let view = View::new(page);
        let rows: Vec<String> = (0..view.rows.len()).map(|at| row_text(&view, at)).collect();
        let tokens: u32 = rows.iter().map(|row| estimated_tokens(row)).sum();
        let repeated = self.open_table.take().filter(|_| begins_with_table(page));
        if !self.window.text.is_empty() && self.tokens.saturating_add(tokens) > self.text_tokens {
            self.close();
            if let Some((number, rows)) = repeated {
                self.begin_page(number, " (repeated)");
                for row in &rows {
                    self.row(number, row);
                }
            }
        }
        self.begin_page(page.number, "");
        for row in &rows {
            self.row(page.number, row);
        }
        self.open_table = last_table(page).map(|table| (page.number, repeated_rows(&view, table)));
    }

    fn begin_page(&mut self, number: u32, remark: &str) {
        let title = format!("[page {number}{remark}]\n");
        self.tokens += estimated_tokens(&title);
        self.window.text.push_str(&title);
        self.window.pages.insert(number);
    }

    fn row(&mut self, page: u32, row: &str) {
        let tokens = estimated_tokens(row);
        if self.tokens.saturating_add(tokens) > self.text_tokens && !self.window.text.is_empty() {
            self.close();
            self.begin_page(page, " (continued)");
        }
        if self.tokens.saturating_add(tokens) > self.text_tokens {
            self.done.is_shortened = true;
            return;
        }
        self.tokens += tokens;
        self.window.text.push_str(row);
        self.window.text.push('\n');
    }

    /// Keeps the first windows and the last one.
    fn close(&mut self) {
        let window = std::mem::take(&mut self.window);
        self.tokens = 0;
        if self.done.windows.len() < self.most {
            self.done.windows.push(window);
            return;
        }
        self.done.is_shortened = true;
        if self.most > 1 {
            self.done.windows.pop();
            self.done.windows.push(window);
        }
    }

    fn finish(mut self) -> Windows {
        if !self.window.text.is_empty() {
            self.close();
        }
        self.done
    }
}

/// A visual row as a line of text; `|` separates columns.
fn row_text(view: &View<'_>, row: usize) -> String {
    let words = &view.rows[row].words;
    let mut text = String::new();
    for (at, &word) in words.iter().enumerate() {
        let own = &view.page.words[word];
        if text.len() + own.text.len() > MAX_ROW {
            break;
        }
        if at > 0 {
            let gap =
                view.page.words[words[at - 1]].area.zip(own.area).is_some_and(|(left, right)| {
                    right.left - left.right > COLUMN_GAP * left.height().max(right.height())
                });
            text.push_str(if gap { " | " } else { " " });
        }
        push_inert(&mut text, &own.text);
    }
    text.replace("[INST]", "(INST)").replace("[/INST]", "(/INST)")
}

/// Adds a word without what models or their servers give a meaning: tags, control tokens such as `<|im_end|>`, and
/// characters that nobody sees.
fn push_inert(text: &mut String, word: &str) {
    for letter in word.chars() {
        match letter {
            '<' => text.push('‹'),
            '>' => text.push('›'),
            letter if letter.is_control() || is_invisible(letter) => {}
            letter => text.push(letter),
        }
    }
}

/// Marks of direction and width, and the tags of Unicode, which spell text that nobody sees.
fn is_invisible(letter: char) -> bool {
    matches!(
        letter,
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e0000}'..='\u{e01ef}'
    )
}

fn is_margin(kind: BlockKind) -> bool {
    matches!(kind, BlockKind::Header | BlockKind::Footer)
}

fn begins_with_table(page: &Page) -> bool {
    let first = page.blocks.iter().find(|block| !is_margin(block.kind));
    matches!(first.map(|block| block.kind), Some(BlockKind::Table { .. }))
}

/// The table at the end of a page.
fn last_table(page: &Page) -> Option<&Table> {
    let last = page.blocks.iter().rev().find(|block| !is_margin(block.kind))?;
    let BlockKind::Table { table } = last.kind else { return None };
    page.tables.get(usize::try_from(table).ok()?)
}

/// The header and the last rows of a table.
fn repeated_rows(view: &View<'_>, table: &Table) -> Vec<String> {
    let row_of = |words: Span| view.place(words.from as usize).map(|(row, _)| row);
    let rows = |is: &dyn Fn(u32) -> bool| -> BTreeSet<usize> {
        let cells =
            table.cells.iter().filter(|cell| is(cell.row) && cell.words.from < cell.words.to);
        cells.filter_map(|cell| row_of(cell.words)).collect()
    };
    let mut repeated = rows(&|row| row < table.header_rows);
    let body = rows(&|row| row >= table.header_rows);
    repeated.extend(body.iter().rev().take(REPEATED_ROWS));
    repeated.into_iter().map(|row| row_text(view, row)).collect()
}
