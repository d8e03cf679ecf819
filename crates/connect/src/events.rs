//! Server-sent events, read as they come.
//!
//! The network cuts the bytes where it likes, in the middle of a character too, so only whole lines are ever looked
//! at. The time it takes grows with the bytes alone and an event has a largest size, whatever a server sends: see
//! `docs/decisions/server-sent-events.md`.

use std::mem::take;

/// What comes up to an empty line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    pub id: Option<String>,
    /// Empty when the server does not name its events.
    pub name: String,
    /// Several lines of it are joined.
    pub data: String,
}

/// A stream of events, so far.
#[derive(Debug, Default)]
pub struct Events {
    line: Vec<u8>,
    event: Event,
    /// An event without any is none.
    has_data: bool,
    /// The last byte was `\r`: a `\n` that follows belongs to it.
    after_return: bool,
}

/// One event is larger than [`Events::LARGEST`].
#[derive(Debug, PartialEq, Eq)]
pub struct TooLarge;

impl Events {
    pub const LARGEST: usize = 1024 * 1024;

    /// Adds the events that are complete now to `found`.
    pub fn read(&mut self, bytes: &[u8], found: &mut Vec<Event>) -> Result<(), TooLarge> {
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
        self.line.len() + self.event.data.len()
    }

    fn end_line(&mut self) -> Option<Event> {
        if self.line.is_empty() {
            let event = take(&mut self.event);
            return take(&mut self.has_data).then_some(event);
        }
        let line = String::from_utf8_lossy(&self.line);
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "id" => self.event.id = Some(value.to_owned()),
            "event" => value.clone_into(&mut self.event.name),
            "data" => {
                if self.has_data {
                    self.event.data.push('\n');
                }
                self.event.data.push_str(value);
                self.has_data = true;
            }
            // A comment, which keeps the connection alive, or something new.
            _ => {}
        }
        self.line.clear();
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pieces: &[&[u8]]) -> Vec<Event> {
        let (mut events, mut found) = (Events::default(), Vec::new());
        for piece in pieces {
            events.read(piece, &mut found).unwrap();
        }
        found
    }

    #[test]
    fn events_are_the_same_wherever_they_are_cut() {
        let text = ": hello\n\nevent: a\ndata: één\n\ndata:two\r\ndata: lines\r\n\r\nid: 7\rdata:  €\r\r\
                    id: 8\nevent: nothing\n\ndata\n\ndata: unfinished\n";
        let event = |id: Option<&str>, name: &str, data: &str| Event {
            id: id.map(str::to_owned),
            name: name.to_owned(),
            data: data.to_owned(),
        };
        let wanted = [
            event(None, "a", "één"),
            event(None, "", "two\nlines"),
            event(Some("7"), "", " €"),
            event(None, "", ""),
        ];
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
