//! GitHub-flavoured Markdown.

use super::{cell_words, grid, has_authored_lines, lines_without_block};
use crate::{Block, BlockKind, Line, Page, Span, Table, Word};

/// Appends the page's Markdown, with an empty line between pages.
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

    /// Lines with their emphasis; `indent` is added before every line but the first.
    fn lines(&mut self, lines: &[Line], indent: &str) {
        let start = self.to.len();
        if has_authored_lines(self.page) {
            for (at, line) in lines.iter().enumerate() {
                if at > 0 {
                    self.to.push('\n');
                    self.to.push_str(indent);
                }
                let words: Vec<_> = line.words.of(&self.page.words).iter().map(styled).collect();
                emphasised(&words, self.to);
            }
        } else {
            let words = dehyphenated(self.page, lines);
            emphasised(&words, self.to);
        }
        escape_start(self.to, start);
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
        let rows = grid(table);
        for (at, row) in rows.iter().enumerate() {
            self.to.push('|');
            let mut previous = None;
            for cell in row {
                self.to.push(' ');
                // On a page with a size, spans are detected and may be wrong, so the text is written once. A span in a
                // file without pages was made by the author, so the text is repeated in all its columns.
                if has_authored_lines(self.page) || *cell != previous {
                    self.to.push_str(&cell_text(self.page, cell_words(table, *cell)));
                }
                previous = *cell;
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

/// A word's text, and whether it is bold and italic.
type StyledWord<'p> = (std::borrow::Cow<'p, str>, (bool, bool));

fn styled(word: &Word) -> StyledWord<'_> {
    (word.text.as_str().into(), (word.style.bold, word.style.italic))
}

/// The words of wrapped lines: words that are hyphenated at the end of a line are joined.
fn dehyphenated<'p>(page: &'p Page, lines: &[Line]) -> Vec<StyledWord<'p>> {
    let mut words: Vec<StyledWord> = Vec::new();
    for line in lines {
        let mut rest = line.words.of(&page.words).iter();
        if let (Some((last, _)), Some(next)) = (words.last_mut(), rest.clone().next())
            && let Some(beginning) = without_hyphen(last, &next.text)
        {
            *last = format!("{beginning}{}", next.text).into();
            rest.next();
        }
        words.extend(rest.map(styled));
    }
    words
}

/// The beginning of a word that continues in the next line, without its hyphen.
fn without_hyphen<'w>(word: &'w str, next: &str) -> Option<&'w str> {
    if let Some(beginning) = word.strip_suffix('\u{AD}') {
        return Some(beginning);
    }
    let beginning = word.strip_suffix(['-', '\u{2010}'])?;
    let continues = next.chars().next().is_some_and(char::is_lowercase);
    let is_word = beginning.chars().count() > 1 && beginning.chars().all(char::is_alphabetic);
    // «Haus- und Hof-» is two words.
    let joins =
        matches!(next, "und" | "oder" | "and" | "or" | "et" | "ou" | "y" | "e" | "en" | "of");
    (continues && is_word && !joins).then_some(beginning)
}

/// The words of the lines, separated by spaces.
fn plain(page: &Page, lines: &[Line]) -> String {
    let words = if has_authored_lines(page) {
        lines.iter().flat_map(|line| line.words.of(&page.words)).map(styled).collect()
    } else {
        dehyphenated(page, lines)
    };
    words.into_iter().map(|(text, _)| text).collect::<Vec<_>>().join(" ")
}

fn cell_text(page: &Page, words: Span) -> String {
    escaped(&page.text_of(words)).replace('|', "\\|")
}

/// Writes the words, with `**` and `*` around bold and italic ones.
fn emphasised(words: &[StyledWord], to: &mut String) {
    for (at, run) in words.chunk_by(|a, b| a.1 == b.1).enumerate() {
        if at > 0 {
            to.push(' ');
        }
        let text = run.iter().map(|(text, _)| text.as_ref()).collect::<Vec<_>>().join(" ");
        let mark = match run.first().map(|(_, style)| *style) {
            // Around punctuation, the marks would be read as text.
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

/// Escapes characters with a meaning in Markdown. Formulas stay as they are.
fn escaped(text: &str) -> String {
    if text.contains('$') && text.contains('\\') {
        return text.to_owned();
    }
    let mut safe = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    let mut previous = ' ';
    while let Some(character) = characters.next() {
        let next = characters.peek().copied().unwrap_or(' ');
        let special = match character {
            '*' | '`' | '\\' => true,
            '_' => !(previous.is_alphanumeric() && next.is_alphanumeric()),
            '<' => next.is_ascii_alphabetic() || matches!(next, '/' | '!'),
            _ => false,
        };
        if special {
            safe.push('\\');
        }
        safe.push(character);
        previous = character;
    }
    safe
}

/// Escapes the start of a paragraph that looks like a heading, a quote or a list item.
fn escape_start(to: &mut String, start: usize) {
    let Some(text) = to.get(start..) else { return };
    let first = text.chars().next().unwrap_or(' ');
    let after = text.chars().nth(1).unwrap_or(' ');
    let digits = text.chars().take_while(char::is_ascii_digit).count();
    let at = match first {
        '#' | '>' => Some(start),
        '-' | '+' if after == ' ' => Some(start),
        _ if digits > 0 && text.get(digits..).is_some_and(|rest| rest.starts_with(". ")) => {
            Some(start + digits)
        }
        _ => None,
    };
    if let Some(at) = at {
        to.insert(at, '\\');
    }
}
