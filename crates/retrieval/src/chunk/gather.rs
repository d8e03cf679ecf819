//! Collects blocks into chunks.

use std::collections::VecDeque;
use std::iter::Fuse;

use super::areas::merged;
use super::cut::cut;
use super::size::Ruler;
use super::{Area, Block, BlockKind, Chunk, Place, TARGET_TOKENS};

/// A smaller chunk is extended when more blocks follow. Together with [`TARGET_TOKENS`] it stays well below the maximum.
const MIN_TOKENS: usize = 175;
/// Not exceeded, even when the collected blocks are smaller than [`MIN_TOKENS`].
const MAX_GATHERED: usize = 700;
/// A longer heading is treated as a paragraph.
const MAX_HEADING_TOKENS: usize = 60;
/// How much of a heading is kept for the chunks below it.
const MAX_HEADING_CHARACTERS: usize = 200;
/// A longer header is not repeated.
const MAX_TABLE_HEADER_TOKENS: usize = 150;

/// The chunks of a document, from its `blocks` in reading order. `count` counts tokens, as
/// [`crate::embed::Embedder::count_tokens`] does.
pub fn chunks<B: Iterator<Item = Block>>(
    blocks: B,
    count: &dyn Fn(&str) -> usize,
) -> Chunks<'_, B> {
    Chunks { blocks: blocks.fuse(), builder: ChunkBuilder::new(Ruler::new(count)) }
}

#[derive(Debug)]
pub struct Chunks<'a, B> {
    blocks: Fuse<B>,
    builder: ChunkBuilder<'a>,
}

impl<B: Iterator<Item = Block>> Iterator for Chunks<'_, B> {
    type Item = Chunk;

    fn next(&mut self) -> Option<Chunk> {
        while self.builder.ready.is_empty() {
            let Some(block) = self.blocks.next() else {
                self.builder.end_list();
                self.builder.close();
                break;
            };
            self.builder.take(block);
        }
        self.builder.ready.pop_front()
    }
}

/// A text that is added to a chunk unchanged.
#[derive(Debug)]
struct Piece {
    text: String,
    /// Including the separator.
    size: usize,
    page: u32,
    areas: Vec<Area>,
    path: Vec<String>,
    /// Separated from the piece before it by one line break instead of two.
    tight: bool,
    heading: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InList {
    No,
    /// So far all its items fit in one chunk.
    Whole,
    /// It does not fit, so its items are added one by one.
    ByItems,
}

#[derive(Debug)]
struct ChunkBuilder<'a> {
    ruler: Ruler<'a>,
    path: Vec<(u8, String)>,
    open: Vec<Piece>,
    /// Items that are not added yet: a list stays together when all of it fits.
    list: Vec<Piece>,
    in_list: InList,
    ready: VecDeque<Chunk>,
}

impl<'a> ChunkBuilder<'a> {
    fn new(ruler: Ruler<'a>) -> Self {
        let (path, open, list) = (Vec::new(), Vec::new(), Vec::new());
        Self { ruler, path, open, list, in_list: InList::No, ready: VecDeque::new() }
    }

    fn take(&mut self, block: Block) {
        let is_omitted = matches!(block.kind, BlockKind::Header | BlockKind::Footer);
        if is_omitted || block.text.trim().is_empty() {
            return;
        }
        if block.kind != BlockKind::ListItem {
            self.end_list();
            self.in_list = InList::No;
        }
        match block.kind {
            BlockKind::Heading { level } => self.take_heading(level, &block),
            BlockKind::ListItem => self.take_item(&block),
            BlockKind::Table { header_rows } => self.take_table(header_rows, &block),
            _ => self.take_paragraph(&block),
        }
    }

    fn take_heading(&mut self, level: u8, block: &Block) {
        let text = block.text.trim();
        let only_headings = self.open.iter().all(|piece| piece.heading);
        if !only_headings && self.is_large_enough() {
            self.close_before_headings();
        }
        self.path.retain(|(above, _)| *above < level);
        let title = text.split_whitespace().collect::<Vec<_>>().join(" ");
        self.path.push((level, title.chars().take(MAX_HEADING_CHARACTERS).collect()));
        if self.ruler.size(text) > MAX_HEADING_TOKENS {
            return self.take_paragraph(block);
        }
        let piece = Piece { heading: true, ..self.piece(text, block, false) };
        self.place(vec![piece]);
    }

    fn take_paragraph(&mut self, block: &Block) {
        let text = block.text.trim();
        if self.ruler.size(text) <= TARGET_TOKENS {
            let piece = self.piece(text, block, false);
            return self.place(vec![piece]);
        }
        self.take_split(text, block);
    }

    /// Adds each part separately; following blocks may join the last one.
    fn take_split(&mut self, text: &str, block: &Block) {
        for part in cut(text, TARGET_TOKENS, self.ruler) {
            if !part.trim().is_empty() {
                let piece = self.piece(part.trim(), block, false);
                self.place(vec![piece]);
            }
        }
    }

    fn take_item(&mut self, block: &Block) {
        let text = block.text.trim();
        if self.ruler.size(text) > TARGET_TOKENS {
            self.end_list();
            return self.take_split(text, block);
        }
        let piece = self.piece(text, block, self.in_list != InList::No);
        self.list.push(piece);
        if self.in_list == InList::No {
            self.in_list = InList::Whole;
        }
        if size_of(&self.list) > TARGET_TOKENS {
            self.in_list = InList::ByItems;
        }
        if self.in_list == InList::ByItems {
            for piece in std::mem::take(&mut self.list) {
                self.place(vec![piece]);
            }
        }
    }

    fn end_list(&mut self) {
        let list = std::mem::take(&mut self.list);
        if !list.is_empty() {
            self.place(list);
        }
    }

    fn take_table(&mut self, header_rows: usize, block: &Block) {
        let text = block.text.trim_matches('\n');
        if self.ruler.size(text) <= TARGET_TOKENS {
            let piece = self.piece(text.trim(), block, false);
            return self.place(vec![piece]);
        }
        let rows: Vec<&str> = text.lines().filter(|row| !row.trim().is_empty()).collect();
        let (mut header, mut rows) = rows.split_at(header_rows.min(rows.len()));
        let mut header_size = self.ruler.size(&header.join("\n"));
        if header_size > MAX_TABLE_HEADER_TOKENS || rows.is_empty() {
            self.take_split(&header.join("\n"), block);
            (header, header_size) = (&[], 0);
        }
        while !rows.is_empty() {
            let fitting = self.rows_that_fit(rows, TARGET_TOKENS - header_size);
            let (part, rest) = rows.split_at(fitting.max(1));
            let text = [header, part].concat().join("\n");
            if fitting == 0 {
                self.take_split(&text, block);
            } else {
                let piece = self.piece(&text, block, false);
                self.place(vec![piece]);
            }
            rows = rest;
        }
    }

    fn rows_that_fit(&self, rows: &[&str], room: usize) -> usize {
        let sizes = rows.iter().scan(0, |sum, row| {
            *sum += self.ruler.size(row) + 1;
            Some(*sum)
        });
        sizes.take_while(|size| *size < room).count()
    }

    fn piece(&self, text: &str, block: &Block, tight: bool) -> Piece {
        Piece {
            text: text.to_owned(),
            size: self.ruler.size(text) + 1,
            page: block.page,
            areas: block.areas.clone(),
            path: self.path.iter().map(|(_, title)| title.clone()).collect(),
            tight,
            heading: false,
        }
    }

    /// Adds pieces that belong together to the open chunk, or to a new one when the open chunk is full.
    fn place(&mut self, pieces: Vec<Piece>) {
        let together = size_of(&self.open) + size_of(&pieces);
        let closes = self.is_large_enough() || self.ends_with_headings() || together > MAX_GATHERED;
        if together > TARGET_TOKENS && closes {
            self.close_before_headings();
        }
        self.open.extend(pieces);
    }

    /// Whether the text before the trailing headings belongs to another section.
    fn ends_with_headings(&self) -> bool {
        (1..self.open.len()).contains(&self.trailing_headings_start())
    }

    fn is_large_enough(&self) -> bool {
        size_of(&self.open[..self.trailing_headings_start()]) >= MIN_TOKENS
    }

    /// Closes the chunk and moves its trailing headings to the next.
    fn close_before_headings(&mut self) {
        let headings = self.open.split_off(self.trailing_headings_start());
        self.close();
        self.open = headings;
    }

    /// The index of the first trailing heading of the open chunk. A long run of headings, as in a table of contents, counts
    /// as content.
    fn trailing_headings_start(&self) -> usize {
        let run = self.open.iter().rev().take_while(|piece| piece.heading).count();
        let start = self.open.len() - run;
        if size_of(&self.open[start..]) < MIN_TOKENS { start } else { self.open.len() }
    }

    fn close(&mut self) {
        let pieces = std::mem::take(&mut self.open);
        let Some(first) = pieces.first() else { return };
        let (mut text, mut places) = (String::new(), Vec::new());
        let (mut low, mut high) = (first.page, first.page);
        for piece in &pieces {
            if !text.is_empty() {
                text.push_str(if piece.tight { "\n" } else { "\n\n" });
            }
            let begin = text.len();
            text.push_str(&piece.text);
            (low, high) = (low.min(piece.page), high.max(piece.page));
            for area in &piece.areas {
                (low, high) = (low.min(area.page), high.max(area.page));
                places.push(Place { area: *area, text: begin..text.len() });
            }
        }
        let tokens = u32::try_from(self.ruler.tokens(&text)).unwrap_or(u32::MAX);
        let heading = common_path(&pieces);
        let places = merged(places);
        self.ready.push_back(Chunk { text, heading, pages: low..=high, places, tokens });
    }
}

/// The headings that all pieces have in common. Pieces that are headings count only when there are no others.
fn common_path(pieces: &[Piece]) -> Vec<String> {
    let only_headings = pieces.iter().all(|piece| piece.heading);
    let mut paths =
        pieces.iter().filter(|piece| only_headings || !piece.heading).map(|piece| &piece.path);
    let mut common = paths.next().cloned().unwrap_or_default();
    for path in paths {
        let length = common.iter().zip(path).take_while(|(a, b)| a == b).count();
        common.truncate(length);
    }
    common
}

fn size_of(pieces: &[Piece]) -> usize {
    pieces.iter().map(|piece| piece.size).sum()
}
