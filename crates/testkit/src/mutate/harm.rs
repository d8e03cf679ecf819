//! What can be done to bytes.

use std::ops::Range;

use super::ENOUGH;
use super::vocabulary::Vocabulary;
use crate::seeded_rng::SeededRng;

/// Boundary values that a parser may not expect.
const NUMBERS: [&[u8]; 14] = [
    b"0",
    b"-1",
    b"1",
    b"255",
    b"65535",
    b"65536",
    b"1000000",
    b"2147483647",
    b"2147483648",
    b"-2147483648",
    b"4294967295",
    b"9223372036854775807",
    b"99999999999999999999999",
    b"1e308",
];

pub(super) struct Harm<'a> {
    pub(super) dice: &'a mut SeededRng,
    pub(super) vocabulary: Vocabulary,
    /// Where foreign parts are taken from.
    pub(super) stranger: &'a [u8],
}

impl Harm<'_> {
    /// One harm.
    pub(super) fn do_to(mut self, bytes: &mut Vec<u8>) {
        if bytes.is_empty() {
            bytes.extend_from_slice(self.opened());
            return;
        }
        match self.dice.below(14) {
            0 | 1 => self.flip(bytes),
            2 => bytes.truncate(self.dice.below(bytes.len())),
            3 => drop(bytes.drain(self.chunk(bytes.len()))),
            4 => self.repeat(bytes),
            5 => self.swap(bytes),
            6 | 7 => self.blow_up_a_written_number(bytes),
            8 => self.blow_up_a_binary_number(bytes),
            9 => self.nest(bytes),
            10 => self.splice(bytes),
            _ => self.exchange_a_word(bytes),
        }
    }

    /// A place in something so long, mostly near the beginning of a line of thought: headers count.
    fn place(&mut self, length: usize) -> usize {
        let within = if self.dice.percent(30) { length.min(64) } else { length };
        self.dice.below(within.max(1))
    }

    fn chunk(&mut self, length: usize) -> Range<usize> {
        let begin = self.place(length);
        let most = (length - begin).min(if self.dice.percent(50) { 16 } else { 1024 });
        begin..begin + 1 + self.dice.below(most.max(1)).min(length - begin - 1)
    }

    fn flip(&mut self, bytes: &mut [u8]) {
        const FAVOURITES: [u8; 8] = [0, 1, 0x7f, 0x80, 0xff, b'<', b'(', b'9'];
        for _ in 0..=self.dice.below(6) {
            let at = self.place(bytes.len());
            bytes[at] = match self.dice.below(3) {
                0 => bytes[at] ^ (1 << self.dice.below(8)),
                1 => FAVOURITES[self.dice.below(FAVOURITES.len())],
                _ => self.dice.next().to_le_bytes()[0],
            };
        }
    }

    fn repeat(&mut self, bytes: &mut Vec<u8>) {
        let chunk = self.chunk(bytes.len());
        let copy = bytes[chunk.clone()].to_vec();
        let most = if self.dice.percent(20) { 2_000 } else { 8 };
        let times = (1 + self.dice.below(most)).min(ENOUGH / copy.len());
        bytes.splice(chunk.end..chunk.end, copy.repeat(times));
    }

    fn swap(&mut self, bytes: &mut Vec<u8>) {
        let chunk = self.chunk(bytes.len());
        let moved: Vec<u8> = bytes.drain(chunk).collect();
        let to = self.dice.below(bytes.len() + 1);
        bytes.splice(to..to, moved);
    }

    /// A length, an offset, a count, a column.
    fn blow_up_a_written_number(&mut self, bytes: &mut Vec<u8>) {
        let is_digit = |at: usize| bytes[at].is_ascii_digit();
        let begins = |at: &usize| is_digit(*at) && (*at == 0 || !is_digit(*at - 1));
        let numbers: Vec<usize> = (0..bytes.len()).filter(begins).collect();
        if numbers.is_empty() {
            return self.blow_up_a_binary_number(bytes);
        }
        let begin = numbers[self.dice.below(numbers.len())];
        let length = bytes[begin..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let number = NUMBERS[self.dice.below(NUMBERS.len())];
        bytes.splice(begin..begin + length, number.iter().copied());
    }

    fn blow_up_a_binary_number(&mut self, bytes: &mut [u8]) {
        let width = [1, 2, 4, 8][self.dice.below(4)];
        let at = self.place(bytes.len());
        let end = (at + width).min(bytes.len());
        let value = [0, 1, 0x7fff_ffff, 0xffff_ffff, 0x8000_0000, 0x0001_0000, u64::MAX, 60_000]
            [self.dice.below(8)];
        let all = if self.dice.percent(50) { value.to_le_bytes() } else { value.to_be_bytes() };
        let from = if self.dice.percent(50) { 0 } else { 8 - width };
        bytes[at..end].copy_from_slice(&all[from..from + end - at]);
    }

    fn opened(&mut self) -> &'static [u8] {
        self.vocabulary.openers[self.dice.below(self.vocabulary.openers.len())]
    }

    fn nest(&mut self, bytes: &mut Vec<u8>) {
        let opener = self.opened();
        let depth = [20, 200, 600, 5_000][self.dice.below(4)].min(ENOUGH / opener.len());
        let at = self.dice.below(bytes.len() + 1);
        bytes.splice(at..at, opener.repeat(depth));
    }

    /// A part of another file, in the middle or instead of the rest.
    fn splice(&mut self, bytes: &mut Vec<u8>) {
        if self.stranger.is_empty() {
            return;
        }
        let from = self.chunk(self.stranger.len());
        let to = self.chunk(bytes.len());
        if self.dice.percent(50) {
            bytes.truncate(to.start);
            bytes.extend_from_slice(&self.stranger[from.start..]);
        } else {
            bytes.splice(to, self.stranger[from].iter().copied());
        }
    }

    fn exchange_a_word(&mut self, bytes: &mut Vec<u8>) {
        let words = self.vocabulary.words;
        let new = words[self.dice.below(words.len())];
        // Any word that is there; a few tries, then anywhere.
        for _ in 0..12 {
            let old = words[self.dice.below(words.len())];
            let places: Vec<usize> = places_of(old, bytes).collect();
            if !places.is_empty() {
                let at = places[self.dice.below(places.len())];
                bytes.splice(at..at + old.len(), new.iter().copied());
                return;
            }
        }
        let at = self.place(bytes.len());
        bytes.splice(at..at, new.iter().copied());
    }
}

fn places_of<'a>(word: &'a [u8], bytes: &'a [u8]) -> impl Iterator<Item = usize> + 'a {
    bytes.windows(word.len()).enumerate().filter(move |(_, it)| *it == word).map(|(at, _)| at)
}
