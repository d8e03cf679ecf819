//! Office and web documents against the Markdown that docling makes of them.
//!
//! Its Markdown was accepted by its makers, not written by hand: a yardstick, not the truth. Link
//! targets, image marks and backslashes are taken out of both sides before words are compared.
//!
//! `DOCKET_BENCH_KEEP` names a folder that keeps what was read, to look at.

use std::io::{self, Write};
use std::path::Path;

use anyhow::Context;
use domain::FileKind;
use reading::{Limits, Part, Source};

use crate::score::TokenCounts;

/// How much of each kind was found.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    documents: usize,
    sum: f64,
    tokens: TokenCounts,
    headings: (usize, usize),
    tables: (usize, usize),
}

pub(crate) fn measure(corpus: &Path, each: bool) -> anyhow::Result<()> {
    let kinds = [FileKind::Docx, FileKind::Html, FileKind::Xlsx, FileKind::Pptx];
    let folder = corpus.join("office_docling");
    if !folder.is_dir() {
        writeln!(io::stdout(), "OFFICE: LEFT OUT, {} IS NOT THERE", folder.display())?;
        return Ok(());
    }
    let mut all = Tally::default();
    for kind in kinds {
        let mut tally = Tally::default();
        for path in files(&folder.join(kind.as_str()), kind.as_str())? {
            one(&path, kind, each, &mut tally)?;
        }
        print(kind.as_str(), tally)?;
        all.documents += tally.documents;
        all.sum += tally.sum;
        all.tokens.read += tally.tokens.read;
        all.tokens.truth += tally.tokens.truth;
        all.tokens.both += tally.tokens.both;
        all.headings = (all.headings.0 + tally.headings.0, all.headings.1 + tally.headings.1);
        all.tables = (all.tables.0 + tally.tables.0, all.tables.1 + tally.tables.1);
    }
    print("office", all)
}

fn one(path: &Path, kind: FileKind, each: bool, tally: &mut Tally) -> anyhow::Result<()> {
    let bytes = std::fs::read(path)?;
    let truth = format!("{}.md", path.display());
    let truth = comparable(&std::fs::read_to_string(&truth).with_context(|| truth.clone())?);
    let read = match markdown_of(&bytes, kind) {
        Ok(read) => read,
        Err(error) => {
            writeln!(io::stdout(), "  {}: {error}", path.display())?;
            String::new()
        }
    };
    if let Some(folder) = std::env::var_os("DOCKET_BENCH_KEEP") {
        let name = path.file_name().unwrap_or_default();
        std::fs::write(Path::new(&folder).join(name).with_added_extension("md"), &read)?;
    }
    let read = comparable(&read);
    let tokens = TokenCounts::of(&read, &truth);
    let (headings, tables) = ((headings(&read), headings(&truth)), (tables(&read), tables(&truth)));
    if each {
        let name = path.file_name().unwrap_or_default().display();
        writeln!(
            io::stdout(),
            "  {name}: F1 {:.3} headings {headings:?} tables {tables:?}",
            tokens.f1()
        )?;
    }
    tally.documents += 1;
    tally.sum += tokens.f1();
    tally.tokens.add(&read, &truth);
    tally.headings = (tally.headings.0 + headings.0, tally.headings.1 + headings.1);
    tally.tables = (tally.tables.0 + tables.0, tally.tables.1 + tables.1);
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "no corpus has that many documents")]
fn print(name: &str, tally: Tally) -> anyhow::Result<()> {
    writeln!(
        io::stdout(),
        "{name}: {} documents, F1 {:.3} (all words together {:.3}), headings {} of {}, tables {} of {}",
        tally.documents,
        tally.sum / tally.documents.max(1) as f64,
        tally.tokens.f1(),
        tally.headings.0,
        tally.headings.1,
        tally.tables.0,
        tally.tables.1
    )?;
    Ok(())
}

pub(crate) fn files(folder: &Path, ending: &str) -> anyhow::Result<Vec<std::path::PathBuf>> {
    let mut found = Vec::new();
    for file in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = file?.path();
        if path.extension().is_some_and(|found| found == ending) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// The document as Markdown.
fn markdown_of(bytes: &[u8], kind: FileKind) -> anyhow::Result<String> {
    let source = Source { bytes, kind, file_name: "", password: None, limits: Limits::default() };
    let mut text = String::new();
    reading::formats::read_flow(&source, &mut |part: Part| {
        if let Part::Page(page) = part {
            pages::export::markdown(&page, &mut text);
        }
        Ok(())
    })?;
    Ok(text)
}

/// Without what is no text: comments, the targets of links, backslashes before signs.
fn comparable(markdown: &str) -> String {
    let mut text = String::with_capacity(markdown.len());
    let mut rest = markdown;
    while let Some(at) = rest.find(['<', ']', '\\']) {
        let (before, from) = rest.split_at(at);
        text.push_str(before);
        rest = if let Some((_, after)) =
            from.strip_prefix("<!--").and_then(|from| from.split_once("-->"))
        {
            after
        } else if let Some(target) = from.strip_prefix("](") {
            text.push(']');
            after_target(target)
        } else if from.starts_with('\\')
            && from.chars().nth(1).is_some_and(|c| c.is_ascii_punctuation())
        {
            from.get(1..).unwrap_or_default()
        } else {
            let length = from.chars().next().map_or(1, char::len_utf8);
            text.push_str(from.get(..length).unwrap_or_default());
            from.get(length..).unwrap_or_default()
        };
    }
    text.push_str(rest);
    text
}

/// What follows the bracket that ends a link's target.
fn after_target(target: &str) -> &str {
    let mut open = 1;
    for (at, character) in target.char_indices() {
        match character {
            '(' => open += 1,
            ')' => open -= 1,
            '\n' => return target,
            _ => {}
        }
        if open == 0 {
            return target.get(at + 1..).unwrap_or_default();
        }
    }
    target
}

fn headings(markdown: &str) -> usize {
    let mut in_code = false;
    let mut count = 0;
    for line in markdown.lines() {
        if line.starts_with("```") {
            in_code = !in_code;
        }
        let marks = line.bytes().take_while(|byte| *byte == b'#').count();
        count += usize::from(
            !in_code
                && (1..=6).contains(&marks)
                && line.get(marks..).is_some_and(|rest| rest.starts_with(' ')),
        );
    }
    count
}

/// Tables have one line of dashes each.
fn tables(markdown: &str) -> usize {
    markdown
        .lines()
        .filter(|line| {
            line.starts_with('|')
                && line.contains('-')
                && line.chars().all(|c| matches!(c, '|' | '-' | ' ' | ':'))
        })
        .count()
}
