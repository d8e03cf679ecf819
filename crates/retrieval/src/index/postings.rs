//! Posting lists: the chunks that contain a term, as ascending positions with counts, in one to three bytes each.
//!
//! Entries are only appended. For each chunk, in LEB128: twice the distance from the one before, plus one when the term
//! occurs more than once; in that case the count follows.

use crate::terms::put;

#[derive(Debug, Default)]
pub(super) enum Postings {
    #[default]
    None,
    /// Most terms occur in only one chunk.
    One {
        place: u32,
        count: u32,
    },
    Many(Box<List>),
}

#[derive(Debug, Default)]
pub(super) struct List {
    bytes: Vec<u8>,
    last: u32,
    len: u32,
}

impl Postings {
    /// Appends a chunk.
    pub(super) fn push(&mut self, place: u32, count: u32) {
        match self {
            Self::None => *self = Self::One { place, count },
            Self::One { place: first, count: first_count } => {
                let mut list = List::default();
                list.push(*first, *first_count);
                list.push(place, count);
                *self = Self::Many(Box::new(list));
            }
            Self::Many(list) => list.push(place, count),
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::None => 0,
            Self::One { .. } => 1,
            Self::Many(list) => list.len as usize,
        }
    }

    pub(super) fn iter(&self) -> Iter<'_> {
        match self {
            Self::None => Iter { bytes: &[], place: 0, one: None },
            Self::One { place, count } => {
                Iter { bytes: &[], place: 0, one: Some((*place, *count)) }
            }
            Self::Many(list) => Iter { bytes: &list.bytes, place: 0, one: None },
        }
    }

    /// Assigns the new positions and drops chunks without one; returns whether any are left.
    pub(super) fn renumber(&mut self, new_place: &[Option<u32>]) -> bool {
        let mut new = Self::None;
        for (place, count) in self.iter() {
            if let Some(place) = new_place[place as usize] {
                new.push(place, count);
            }
        }
        if let Self::Many(list) = &mut new {
            list.bytes.shrink_to_fit();
        }
        *self = new;
        !matches!(self, Self::None)
    }

    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Many(list) => size_of::<List>() + list.bytes.capacity(),
            Self::None | Self::One { .. } => 0,
        }
    }
}

impl List {
    fn push(&mut self, place: u32, count: u32) {
        let more_than_once = u64::from(count > 1);
        put(&mut self.bytes, u64::from(place - self.last) << 1 | more_than_once);
        if count > 1 {
            put(&mut self.bytes, u64::from(count));
        }
        self.last = place;
        self.len += 1;
    }
}

pub(super) struct Iter<'a> {
    bytes: &'a [u8],
    place: u32,
    one: Option<(u32, u32)>,
}

impl Iterator for Iter<'_> {
    type Item = (u32, u32);

    #[inline]
    fn next(&mut self) -> Option<(u32, u32)> {
        if self.bytes.is_empty() {
            return self.one.take();
        }
        let head = take(&mut self.bytes);
        self.place += u32::try_from(head >> 1).unwrap_or(u32::MAX);
        let count = if head & 1 == 0 { 1 } else { take(&mut self.bytes) };
        Some((self.place, u32::try_from(count).unwrap_or(u32::MAX)))
    }
}

/// Reads a number written by [`put`].
#[inline]
fn take(bytes: &mut &[u8]) -> u64 {
    let mut number = 0;
    let mut shift = 0;
    while let Some((&byte, rest)) = bytes.split_first() {
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            break;
        }
        shift += 7;
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_can_be_read_back() {
        let entries = [(0, 1), (1, 300), (2, 1), (200, 2), (70_000, 1), (u32::MAX, u32::MAX)];
        let mut list = Postings::default();
        for (end, (place, count)) in entries.into_iter().enumerate() {
            list.push(place, count);
            assert_eq!(list.iter().collect::<Vec<_>>(), entries[..=end]);
            assert_eq!(list.len(), end + 1);
        }
    }

    #[test]
    fn chunks_without_a_new_position_are_dropped() {
        let mut list = Postings::default();
        for place in 0..4 {
            list.push(place, place + 1);
        }
        assert!(list.renumber(&[None, Some(0), None, Some(1)]));
        assert_eq!(list.iter().collect::<Vec<_>>(), [(0, 2), (1, 4)]);
        assert!(!list.renumber(&[None, None]));
    }
}
