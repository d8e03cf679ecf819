//! Markdown, as GitHub understands it.

use super::{cell_words, lines_are_meant, lines_without_block, places};
use crate::{Block, BlockKind, Line, Page, Span, Table, Word};

/// Adds the page's Markdown. Pages follow each other with an empty line between.
pub fn markdown(page: &Page, to: &mut String) {
    let mut writer = Writer { page, to, last: None };
    if let Some(label) = &page.label
        && !has_heading(page, label)
    {
        writer.begin(BlockKind::Heading { level: 2 });
        writer.to.extend(["## ", &escaped(label), "\n"]);
    }
    for block in &page.blocks {
        writer.block(block);
    }
    let rest = lines_without_block(page);
    if !rest.is_empty() {
        writer.begin(BlockKind::Paragraph);
        writer.lines(rest, "");
    }
}

fn has_heading(page: &Page, label: &str) -> bool {
    page.blocks.iter().any(|block| {
        matches!(block.kind, BlockKind::Heading { .. })
            && plain(page, block.lines.of(&page.lines))
                == label.split_whitespace().collect::<Vec<_>>().join(" ")
    })
}

struct Writer<'p> {
    page: &'p Page,
    to: &'p mut String,
    last: Option<BlockKind>,
}

impl Writer<'_> {
    /// An empty line, but not between items of one list.
    fn begin(&mut self, kind: BlockKind) {
        let both_items = matches!(kind, BlockKind::ListItem { .. })
            && matches!(self.last, Some(BlockKind::ListItem { .. }));
        if !self.to.is_empty() && !self.to.ends_with("\n\n") && !both_items {
            self.to.push('\n');
        }
        self.last = Some(kind);
    }

    fn block(&mut self, block: &Block) {
        let lines = block.lines.of(&self.page.lines);
        if matches!(block.kind, BlockKind::Header | BlockKind::Footer) {
            return;
        }
        self.begin(block.kind);
        match block.kind {
            BlockKind::Heading { level } => {
                let marks = "#".repeat(usize::from(level.clamp(1, 6)));
                self.to.extend([&marks, " ", &escaped(&plain(self.page, lines)), "\n"]);
            }
            BlockKind::ListItem { depth, number } => {
                let indent = "    ".repeat(usize::from(depth.min(20)));
                let mark = number.map_or_else(|| "- ".to_owned(), |number| format!("{number}. "));
                self.to.push_str(&indent);
                self.to.push_str(&mark);
                self.lines(lines, &format!("{indent}{}", " ".repeat(mark.len())));
            }
            BlockKind::Quote => {
                self.to.push_str("> ");
                self.lines(lines, "> ");
            }
            BlockKind::Code => self.code(lines),
            BlockKind::Figure => {
                let description = plain(self.page, lines);
                if !description.is_empty() {
                    self.to.push_str(&escaped(&description));
                    self.to.push_str("\n\n");
                }
                self.to.push_str("<!-- image -->\n");
            }
            BlockKind::Table { table } => match self.page.tables.get(table as usize) {
                Some(table) => self.table(table),
                None => self.lines(lines, ""),
            },
            BlockKind::Paragraph | BlockKind::Header | BlockKind::Footer => self.lines(lines, ""),
        }
    }

    /// Lines with their emphasis; `indent` stands before every line but the first.
    fn lines(&mut self, lines: &[Line], indent: &str) {
        let begins = self.to.len();
        if lines_are_meant(self.page) {
            for (at, line) in lines.iter().enumerate() {
                if at > 0 {
                    self.to.push('\n');
                    self.to.push_str(indent);
                }
                let words: Vec<_> = line.words.of(&self.page.words).iter().map(borrowed).collect();
                emphasised(&words, self.to);
            }
        } else {
            let words = mended(self.page, lines);
            emphasised(&words, self.to);
        }
        escape_beginning(self.to, begins);
        self.to.push('\n');
    }

    fn code(&mut self, lines: &[Line]) {
        let text: Vec<String> = lines.iter().map(|line| self.page.text_of(line.words)).collect();
        let mut fence = "```".to_owned();
        while text.iter().any(|line| line.contains(&fence)) {
            fence.push('`');
        }
        self.to.extend([&fence, "\n", &text.join("\n"), "\n", &fence, "\n"]);
    }

    fn table(&mut self, table: &Table) {
        let rows = places(table);
        for (at, row) in rows.iter().enumerate() {
            self.to.push('|');
            let mut shown = None;
            for cell in row {
                self.to.push(' ');
                // On paper a span is only a guess, and its text is said once. An author who merges columns means all
                // of them.
                if lines_are_meant(self.page) || *cell != shown {
                    self.to.push_str(&cell_text(self.page, cell_words(table, *cell)));
                }
                shown = *cell;
                self.to.push_str(" |");
            }
            self.to.push('\n');
            if at == 0 {
                self.to.push('|');
                self.to.push_str(&" --- |".repeat(row.len()));
                self.to.push('\n');
            }
        }
    }
}

/// A word's text and looks.
type Shown<'p> = (std::borrow::Cow<'p, str>, (bool, bool));

fn borrowed(word: &Word) -> Shown<'_> {
    (word.text.as_str().into(), (word.style.bold, word.style.italic))
}

/// The words of lines that the paper ended: a word parted at the end of a line is put together.
fn mended<'p>(page: &'p Page, lines: &[Line]) -> Vec<Shown<'p>> {
    let mut words: Vec<Shown> = Vec::new();
    for line in lines {
        let mut rest = line.words.of(&page.words).iter();
        if let (Some((last, _)), Some(next)) = (words.last_mut(), rest.clone().next())
            && let Some(beginning) = parted(last, &next.text)
        {
            *last = format!("{beginning}{}", next.text).into();
            rest.next();
        }
        words.extend(rest.map(borrowed));
    }
    words
}

/// What stays of a word that goes on in the next line.
fn parted<'w>(word: &'w str, next: &str) -> Option<&'w str> {
    if let Some(beginning) = word.strip_suffix('\u{AD}') {
        return Some(beginning);
    }
    let beginning = word.strip_suffix(['-', '\u{2010}'])?;
    let goes_on = next.chars().next().is_some_and(char::is_lowercase);
    let is_word = beginning.chars().count() > 1 && beginning.chars().all(char::is_alphabetic);
    // «Haus- und Hof-» is two words.
    let joins =
        matches!(next, "und" | "oder" | "and" | "or" | "et" | "ou" | "y" | "e" | "en" | "of");
    (goes_on && is_word && !joins).then_some(beginning)
}

/// The words of lines, with a space between.
fn plain(page: &Page, lines: &[Line]) -> String {
    let words = if lines_are_meant(page) {
        lines.iter().flat_map(|line| line.words.of(&page.words)).map(borrowed).collect()
    } else {
        mended(page, lines)
    };
    words.into_iter().map(|(text, _)| text).collect::<Vec<_>>().join(" ")
}

fn cell_text(page: &Page, words: Span) -> String {
    escaped(&page.text_of(words)).replace('|', "\\|")
}

/// Words with `**` and `*` around those that are bold and italic.
fn emphasised(words: &[Shown], to: &mut String) {
    for (at, run) in words.chunk_by(|a, b| a.1 == b.1).enumerate() {
        if at > 0 {
            to.push(' ');
        }
        let text = run.iter().map(|(text, _)| text.as_ref()).collect::<Vec<_>>().join(" ");
        let mark = match run.first().map(|(_, style)| *style) {
            // Marks around what is no word would be read as the word itself.
            _ if !text.contains(char::is_alphanumeric) => "",
            Some((true, true)) => "***",
            Some((true, false)) => "**",
            Some((false, true)) => "*",
            _ => "",
        };
        to.push_str(mark);
        to.push_str(&escaped(&text));
        to.push_str(mark);
    }
}

/// Signs that Markdown would take for its own. Formulas are left alone.
fn escaped(text: &str) -> String {
    if text.contains('$') && text.contains('\\') {
        return text.to_owned();
    }
    let mut safe = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    let mut before = ' ';
    while let Some(character) = characters.next() {
        let next = characters.peek().copied().unwrap_or(' ');
        let special = match character {
            '*' | '`' | '\\' => true,
            '_' => !(before.is_alphanumeric() && next.is_alphanumeric()),
            '<' => next.is_ascii_alphabetic() || matches!(next, '/' | '!'),
            _ => false,
        };
        if special {
            safe.push('\\');
        }
        safe.push(character);
        before = character;
    }
    safe
}

/// A paragraph must not begin like a heading, a quote or a list.
fn escape_beginning(to: &mut String, begins: usize) {
    let Some(text) = to.get(begins..) else { return };
    let first = text.chars().next().unwrap_or(' ');
    let after = text.chars().nth(1).unwrap_or(' ');
    let digits = text.chars().take_while(char::is_ascii_digit).count();
    let at = match first {
        '#' | '>' => Some(begins),
        '-' | '+' if after == ' ' => Some(begins),
        _ if digits > 0 && text.get(digits..).is_some_and(|rest| rest.starts_with(". ")) => {
            Some(begins + digits)
        }
        _ => None,
    };
    if let Some(at) = at {
        to.insert(at, '\\');
    }
}
