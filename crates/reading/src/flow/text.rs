//! Text that is not on a page yet.

use pages::{Style, Word};

/// Characters with their styles. `\n` ends a line; other white space separates words.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Text {
    characters: String,
    /// The position at which each style begins.
    styles: Vec<(usize, Style)>,
}

impl Text {
    pub(crate) fn plain(text: impl Into<String>) -> Self {
        Self { characters: text.into(), styles: Vec::new() }
    }

    pub(crate) fn push(&mut self, text: &str, style: Style) {
        if self.styles.last().map_or_else(Style::default, |(_, last)| *last) != style {
            self.styles.push((self.characters.len(), style));
        }
        self.characters.push_str(text);
    }

    pub(crate) fn append(&mut self, other: &Self) {
        let mut from = 0;
        let mut style = Style::default();
        for (at, next) in &other.styles {
            self.push(other.characters.get(from..*at).unwrap_or_default(), style);
            (from, style) = (*at, *next);
        }
        self.push(other.characters.get(from..).unwrap_or_default(), style);
    }

    /// Appends another text on a new line.
    pub(crate) fn append_line(&mut self, other: &Self) {
        if other.is_blank() {
            return;
        }
        if !self.is_blank() {
            self.push("\n", Style::default());
        }
        self.append(other);
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.characters
    }

    pub(crate) fn is_blank(&self) -> bool {
        self.characters.trim().is_empty()
    }

    fn style_at(&self, at: usize) -> Style {
        let after = self.styles.partition_point(|(from, _)| *from <= at);
        after
            .checked_sub(1)
            .and_then(|last| self.styles.get(last))
            .map_or_else(Style::default, |s| s.1)
    }

    /// The lines with their positions in the text.
    pub(super) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let mut at = 0;
        self.characters.split('\n').map(move |line| {
            let begins = at;
            at += line.len() + 1;
            (begins, line)
        })
    }

    /// The words of a line that begins at this position.
    pub(super) fn words<'t>(
        &'t self,
        begins: usize,
        line: &'t str,
    ) -> impl Iterator<Item = Word> + 't {
        let place = move |word: &str| begins + (word.as_ptr() as usize - line.as_ptr() as usize);
        line.split_whitespace().map(move |word| self.word(word.to_owned(), place(word)))
    }

    /// Like `words`, but keeps white space: blanks beyond the first belong to the next word.
    pub(super) fn words_as_typed<'t>(&'t self, line: &'t str) -> impl Iterator<Item = Word> + 't {
        let mut blank = String::new();
        line.trim_end().split_inclusive([' ', '\t']).filter_map(move |piece| {
            let shown = piece.trim_end_matches([' ', '\t']);
            if shown.is_empty() {
                blank.push_str(piece);
                return None;
            }
            Some(self.word(std::mem::take(&mut blank) + shown, 0))
        })
    }

    fn word(&self, text: String, at: usize) -> Word {
        Word { text, style: self.style_at(at), ..Word::default() }
    }
}
