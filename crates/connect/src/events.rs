//! Parses server-sent events as their bytes arrive.
//!
//! The network may split the bytes anywhere, even within a character, so the parser decodes whole lines only. Its time
//! is linear in the bytes and the size of an event is limited: see `docs/decisions/server-sent-events.md`.

use std::mem::take;

/// The fields up to an empty line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    pub id: Option<String>,
    /// Empty when the server does not name its events.
    pub name: String,
    /// Several `data` lines are joined by line breaks.
    pub data: String,
}

/// The parser of a stream of events.
#[derive(Debug, Default)]
pub struct Events {
    line: Vec<u8>,
    event: Event,
    /// Events without data are ignored.
    has_data: bool,
    /// The last byte was `\r`: a `\n` that follows belongs to it.
    after_return: bool,
}

/// One event is larger than [`Events::MAX_SIZE`].
#[derive(Debug, PartialEq, Eq)]
pub struct TooLarge;

impl Events {
    pub const MAX_SIZE: usize = 1024 * 1024;

    /// Adds the events that these bytes complete to `complete`.
    pub fn read(&mut self, bytes: &[u8], complete: &mut Vec<Event>) -> Result<(), TooLarge> {
        for &byte in bytes {
            let ends_return = std::mem::replace(&mut self.after_return, byte == b'\r');
            match byte {
                b'\n' if ends_return => {}
                b'\n' | b'\r' => complete.extend(self.end_line()),
                _ if self.size() == Self::MAX_SIZE => return Err(TooLarge),
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
            // A comment, which keeps the connection alive, or an unknown field.
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
        let (mut events, mut complete) = (Events::default(), Vec::new());
        for piece in pieces {
            events.read(piece, &mut complete).unwrap();
        }
        complete
    }

    #[test]
    fn events_are_the_same_wherever_the_bytes_are_split() {
        let text = ": hello\n\nevent: a\ndata: één\n\ndata:two\r\ndata: lines\r\n\r\nid: 7\rdata:  €\r\r\
                    id: 8\nevent: nothing\n\ndata\n\ndata: unfinished\n";
        let event = |id: Option<&str>, name: &str, data: &str| Event {
            id: id.map(str::to_owned),
            name: name.to_owned(),
            data: data.to_owned(),
        };
        let expected = [
            event(None, "a", "één"),
            event(None, "", "two\nlines"),
            event(Some("7"), "", " €"),
            event(None, "", ""),
        ];
        let bytes = text.as_bytes();
        for cut in 0..=bytes.len() {
            assert_eq!(read(&[&bytes[..cut], &bytes[cut..]]), expected, "cut at {cut}");
        }
        for size in 1..bytes.len() {
            assert_eq!(read(&bytes.chunks(size).collect::<Vec<_>>()), expected, "pieces of {size}");
        }
    }

    #[test]
    fn the_size_of_an_event_is_limited_in_one_line_or_many() {
        let mut complete = Vec::new();
        let line = vec![b'x'; Events::MAX_SIZE];
        let mut events = Events::default();
        assert_eq!(events.read(&line, &mut complete), Ok(()));
        assert_eq!(events.read(b"x", &mut complete), Err(TooLarge));

        let lines = b"data: xxxxxxxxxxxxxxxxxxxxxxxxx\n".repeat(Events::MAX_SIZE / 16);
        assert_eq!(Events::default().read(&lines, &mut complete), Err(TooLarge));
        assert!(complete.is_empty());
    }

    #[test]
    fn many_small_events_do_not_reach_the_limit() {
        let mut complete = Vec::new();
        let events = b"data: x\n\n".repeat(Events::MAX_SIZE / 8);
        assert_eq!(Events::default().read(&events, &mut complete), Ok(()));
        assert_eq!(complete.len(), Events::MAX_SIZE / 8);
    }
}
