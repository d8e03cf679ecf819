//! Server-sent events, read as they come.
//!
//! An *event* is what `data` lines up to an empty line say. The network cuts the bytes where it likes, in the
//! middle of a character too, so only whole lines are ever looked at. Names and ids of events are not kept:
//! both protocols repeat in the data what matters.

/// A stream of events, so far.
#[derive(Debug, Default)]
pub(super) struct Events {
    line: Vec<u8>,
    data: Option<String>,
    /// The last byte was `\r`: a `\n` that follows belongs to it.
    after_return: bool,
}

/// One event is larger than [`Events::LARGEST`].
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLarge;

impl Events {
    /// Pieces of text have a few hundred bytes.
    pub(super) const LARGEST: usize = 1024 * 1024;

    /// Adds the data of the events that are complete now to `found`.
    pub(super) fn read(&mut self, bytes: &[u8], found: &mut Vec<String>) -> Result<(), TooLarge> {
        for &byte in bytes {
            let ends_return = std::mem::replace(&mut self.after_return, byte == b'\r');
            match byte {
                b'\n' if ends_return => {}
                b'\n' | b'\r' => found.extend(self.end_line()),
                _ if self.size() == Self::LARGEST => return Err(TooLarge),
                _ => self.line.push(byte),
            }
        }
        Ok(())
    }

    fn size(&self) -> usize {
        self.line.len() + self.data.as_ref().map_or(0, String::len)
    }

    fn end_line(&mut self) -> Option<String> {
        if self.line.is_empty() {
            return self.data.take();
        }
        let line = String::from_utf8_lossy(&self.line);
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        if field == "data" {
            let value = value.strip_prefix(' ').unwrap_or(value);
            match &mut self.data {
                None => self.data = Some(value.to_owned()),
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
            }
        }
        self.line.clear();
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pieces: &[&[u8]]) -> Vec<String> {
        let (mut events, mut found) = (Events::default(), Vec::new());
        for piece in pieces {
            events.read(piece, &mut found).unwrap();
        }
        found
    }

    #[test]
    fn events_are_the_same_wherever_they_are_cut() {
        let text = ": hello\n\nevent: a\ndata: één\n\ndata:two\r\ndata: lines\r\n\r\nid: 7\rdata:  €\r\r\
                    data\n\ndata: unfinished\n";
        let wanted = ["één", "two\nlines", " €", ""];
        let bytes = text.as_bytes();
        for cut in 0..=bytes.len() {
            assert_eq!(read(&[&bytes[..cut], &bytes[cut..]]), wanted, "cut at {cut}");
        }
        for size in 1..bytes.len() {
            assert_eq!(read(&bytes.chunks(size).collect::<Vec<_>>()), wanted, "pieces of {size}");
        }
    }

    #[test]
    fn an_event_has_a_largest_size_in_one_line_or_many() {
        let mut found = Vec::new();
        let line = vec![b'x'; Events::LARGEST];
        let mut events = Events::default();
        assert_eq!(events.read(&line, &mut found), Ok(()));
        assert_eq!(events.read(b"x", &mut found), Err(TooLarge));

        let lines = b"data: xxxxxxxxxxxxxxxxxxxxxxxxx\n".repeat(Events::LARGEST / 16);
        assert_eq!(Events::default().read(&lines, &mut found), Err(TooLarge));
        assert!(found.is_empty());
    }

    #[test]
    fn many_small_events_never_add_up_to_a_large_one() {
        let mut found = Vec::new();
        let events = b"data: x\n\n".repeat(Events::LARGEST / 8);
        assert_eq!(Events::default().read(&events, &mut found), Ok(()));
        assert_eq!(found.len(), Events::LARGEST / 8);
    }
}
