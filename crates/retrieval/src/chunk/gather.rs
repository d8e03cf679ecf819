//! Gathers blocks until they make a chunk.

use std::collections::VecDeque;
use std::iter::Fuse;

use super::areas::merged;
use super::cut::cut;
use super::size::Ruler;
use super::{Area, Block, BlockKind, Chunk, MOST_TOKENS, Place};

/// Less than this does not stand alone when more can follow. With [`MOST_TOKENS`] on top it stays well
/// below the hard cap.
const LEAST_TOKENS: usize = 175;
/// What is not exceeded even when what is gathered is too little to stand alone.
const TOO_MUCH: usize = 700;
/// A longer heading is a paragraph in large letters.
const MOST_OF_A_HEADING: usize = 60;
/// Headings are remembered for all that follows them: so much of each.
const CHARACTERS_OF_A_HEADING: usize = 200;
/// A longer header is not repeated.
const MOST_OF_A_TABLE_HEADER: usize = 150;

/// The chunks of a document, whose `blocks` come in reading order. `count` says how many tokens a text
/// has, as [`crate::embed::Embedder::count_tokens`] does.
pub fn chunks<B: Iterator<Item = Block>>(
    blocks: B,
    count: &dyn Fn(&str) -> usize,
) -> Chunks<'_, B> {
    Chunks { blocks: blocks.fuse(), gathering: Gathering::new(Ruler::new(count)) }
}

#[derive(Debug)]
pub struct Chunks<'a, B> {
    blocks: Fuse<B>,
    gathering: Gathering<'a>,
}

impl<B: Iterator<Item = Block>> Iterator for Chunks<'_, B> {
    type Item = Chunk;

    fn next(&mut self) -> Option<Chunk> {
        while self.gathering.ready.is_empty() {
            let Some(block) = self.blocks.next() else {
                self.gathering.end_list();
                self.gathering.close();
                break;
            };
            self.gathering.take(block);
        }
        self.gathering.ready.pop_front()
    }
}

/// What is put into a chunk as it is.
#[derive(Debug)]
struct Piece {
    text: String,
    /// With what sets it off from its neighbour.
    size: usize,
    page: u32,
    areas: Vec<Area>,
    path: Vec<String>,
    /// Follows what is before it on the next line, without an empty one between.
    tight: bool,
    heading: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InList {
    No,
    /// So far all of it fits a chunk.
    Whole,
    /// It does not, and its items are placed one by one.
    ByItems,
}

#[derive(Debug)]
struct Gathering<'a> {
    ruler: Ruler<'a>,
    path: Vec<(u8, String)>,
    open: Vec<Piece>,
    /// Items that are not placed yet: a list is kept together when all of it fits.
    list: Vec<Piece>,
    in_list: InList,
    ready: VecDeque<Chunk>,
}

impl<'a> Gathering<'a> {
    fn new(ruler: Ruler<'a>) -> Self {
        let (path, open, list) = (Vec::new(), Vec::new(), Vec::new());
        Self { ruler, path, open, list, in_list: InList::No, ready: VecDeque::new() }
    }

    fn take(&mut self, block: Block) {
        let left_out = matches!(block.kind, BlockKind::Header | BlockKind::Footer);
        if left_out || block.text.trim().is_empty() {
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
        if !only_headings && self.stands_alone() {
            self.close_what_headings_follow();
        }
        self.path.retain(|(above, _)| *above < level);
        let title = text.split_whitespace().collect::<Vec<_>>().join(" ");
        self.path.push((level, title.chars().take(CHARACTERS_OF_A_HEADING).collect()));
        if self.ruler.size(text) > MOST_OF_A_HEADING {
            return self.take_paragraph(block);
        }
        let piece = Piece { heading: true, ..self.piece(text, block, false) };
        self.place(vec![piece]);
    }

    fn take_paragraph(&mut self, block: &Block) {
        let text = block.text.trim();
        if self.ruler.size(text) <= MOST_TOKENS {
            let piece = self.piece(text, block, false);
            return self.place(vec![piece]);
        }
        self.take_in_parts(text, block);
    }

    /// Each part is placed by itself, and the last may be joined by what follows.
    fn take_in_parts(&mut self, text: &str, block: &Block) {
        for part in cut(text, MOST_TOKENS, self.ruler) {
            if !part.trim().is_empty() {
                let piece = self.piece(part.trim(), block, false);
                self.place(vec![piece]);
            }
        }
    }

    fn take_item(&mut self, block: &Block) {
        let text = block.text.trim();
        if self.ruler.size(text) > MOST_TOKENS {
            self.end_list();
            return self.take_in_parts(text, block);
        }
        let piece = self.piece(text, block, self.in_list != InList::No);
        self.list.push(piece);
        if self.in_list == InList::No {
            self.in_list = InList::Whole;
        }
        if size_of(&self.list) > MOST_TOKENS {
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
        if self.ruler.size(text) <= MOST_TOKENS {
            let piece = self.piece(text.trim(), block, false);
            return self.place(vec![piece]);
        }
        let rows: Vec<&str> = text.lines().filter(|row| !row.trim().is_empty()).collect();
        let (mut header, mut rows) = rows.split_at(header_rows.min(rows.len()));
        let mut header_size = self.ruler.size(&header.join("\n"));
        if header_size > MOST_OF_A_TABLE_HEADER || rows.is_empty() {
            self.take_in_parts(&header.join("\n"), block);
            (header, header_size) = (&[], 0);
        }
        while !rows.is_empty() {
            let fitting = self.rows_that_fit(rows, MOST_TOKENS - header_size);
            let (part, rest) = rows.split_at(fitting.max(1));
            let text = [header, part].concat().join("\n");
            if fitting == 0 {
                self.take_in_parts(&text, block);
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

    /// Adds pieces that belong together to the open chunk, or to a new one when that has enough.
    fn place(&mut self, pieces: Vec<Piece>) {
        let together = size_of(&self.open) + size_of(&pieces);
        let closes = self.stands_alone() || self.ends_in_headings() || together > TOO_MUCH;
        if together > MOST_TOKENS && closes {
            self.close_what_headings_follow();
        }
        self.open.extend(pieces);
    }

    /// What is before them is another section.
    fn ends_in_headings(&self) -> bool {
        (1..self.open.len()).contains(&self.last_headings())
    }

    fn stands_alone(&self) -> bool {
        size_of(&self.open[..self.last_headings()]) >= LEAST_TOKENS
    }

    /// Headings at the end go on with what follows.
    fn close_what_headings_follow(&mut self) {
        let headings = self.open.split_off(self.last_headings());
        self.close();
        self.open = headings;
    }

    /// Where the headings at the end of the open chunk begin. A long run of them, as in a table of
    /// contents, is what it says itself.
    fn last_headings(&self) -> usize {
        let run = self.open.iter().rev().take_while(|piece| piece.heading).count();
        let start = self.open.len() - run;
        if size_of(&self.open[start..]) < LEAST_TOKENS { start } else { self.open.len() }
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

/// The headings that all pieces stand under; of the headings among them, only when there is nothing else.
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
