//! Multipart forms (RFC 7578), read as they come and in bounded memory.
//!
//! *File content* is the content of the parts named `file`; it is handed on piece by piece and may be of any length.
//! Everything else is *overhead*: what comes before the first part and after the last, the delimiters, the headers of
//! the parts, and the other fields. A form has at most [`FormReader::MAX_OVERHEAD`] of it. So a reader holds one piece
//! of the body and the header of one part, and takes at most the limit and one piece from a client that sends no file.

use std::time::Duration;

use axum::body::{Body, BodyDataStream, Bytes};
use bytes::{Buf, BytesMut};
use futures_util::TryStreamExt;
use memchr::memmem;
use thiserror::Error;

/// Why a form cannot be read to its end.
#[derive(Debug, Error)]
pub enum FormError {
    #[error("the form is damaged: {0}")]
    Damaged(&'static str),
    #[error("the form ended early")]
    EndedEarly,
    #[error(
        "the form holds more than {} kB beside the files; send fewer fields, or several requests",
        FormReader::MAX_OVERHEAD / 1024
    )]
    TooMuchOverhead,
    /// The client sent nothing for too long.
    #[error("nothing came for too long")]
    TooSlow,
    #[error("the form could not be received")]
    Body(#[source] axum::Error),
}

/// The name of a part, and of the file when it is one.
#[derive(Debug, PartialEq, Eq)]
pub struct PartHead {
    pub name: String,
    pub file_name: Option<String>,
}

/// Where the reader is in the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// In the content of a part, or before the first one.
    Content {
        is_file: bool,
    },
    /// Behind a delimiter.
    Delimiter,
    End,
}

/// A form on its way in.
#[derive(Debug)]
pub struct FormReader {
    body: BodyDataStream,
    /// How long to wait for the next piece.
    read_timeout: Duration,
    /// What came and was not taken yet.
    buffer: BytesMut,
    /// `\r\n--boundary`
    delimiter: Vec<u8>,
    overhead: usize,
    place: Place,
}

impl FormReader {
    /// The most that a form holds beside the content of its files.
    pub const MAX_OVERHEAD: usize = 256 * 1024;
    /// The longest header of one part.
    const MAX_HEAD: usize = 16 * 1024;
    const MAX_HEADER_LINES: usize = 16;

    pub fn new(body: Body, boundary: &str, read_timeout: Duration) -> Self {
        Self {
            body: body.into_data_stream(),
            read_timeout,
            // The first delimiter may stand at the very beginning.
            buffer: BytesMut::from("\r\n"),
            delimiter: format!("\r\n--{boundary}").into_bytes(),
            overhead: 0,
            place: Place::Content { is_file: false },
        }
    }

    /// The next part; what is left of the one before is passed over. `None` at the end of the form.
    pub async fn next_part(&mut self) -> Result<Option<PartHead>, FormError> {
        while self.chunk().await?.is_some() {}
        if self.place == Place::End {
            return Ok(None);
        }
        loop {
            if self.buffer.starts_with(b"--") {
                return self.read_epilogue().await.map(|()| None);
            }
            let end = memmem::find(&self.buffer, b"\r\n\r\n").map(|at| at + 4);
            if end.unwrap_or(self.buffer.len()) > Self::MAX_HEAD {
                return Err(FormError::Damaged("the header of a part is longer than 16 kB"));
            }
            if let Some(end) = end {
                let block = self.buffer.split_to(end);
                self.count_overhead(block.len())?;
                let head = parse_head(&block)?;
                self.place = Place::Content { is_file: head.name == "file" };
                return Ok(Some(head));
            }
            self.fill().await?;
        }
    }

    /// The next piece of the part's content; `None` behind the last one.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, FormError> {
        loop {
            let Place::Content { is_file } = self.place else { return Ok(None) };
            let delimiter = memmem::find(&self.buffer, &self.delimiter);
            // As long as no delimiter is there, the last bytes may be the beginning of one.
            let length = delimiter
                .unwrap_or_else(|| (self.buffer.len() + 1).saturating_sub(self.delimiter.len()));
            if !is_file {
                self.count_overhead(length)?;
            }
            let content = self.buffer.split_to(length).freeze();
            if delimiter.is_some() {
                self.buffer.advance(self.delimiter.len());
                self.count_overhead(self.delimiter.len())?;
                self.place = Place::Delimiter;
            }
            if !content.is_empty() {
                return Ok(Some(content));
            }
            if delimiter.is_none() {
                self.fill().await?;
            }
        }
    }

    /// A client that has more to say behind the end of the form is listened to, within the limit.
    async fn read_epilogue(&mut self) -> Result<(), FormError> {
        self.place = Place::End;
        self.count_overhead(self.buffer.len())?;
        self.buffer.clear();
        while let Some(piece) = self.next_piece().await? {
            self.count_overhead(piece.len())?;
        }
        Ok(())
    }

    fn count_overhead(&mut self, bytes: usize) -> Result<(), FormError> {
        self.overhead += bytes;
        if self.overhead > Self::MAX_OVERHEAD { Err(FormError::TooMuchOverhead) } else { Ok(()) }
    }

    async fn fill(&mut self) -> Result<(), FormError> {
        let piece = self.next_piece().await?.ok_or(FormError::EndedEarly)?;
        self.buffer.extend_from_slice(&piece);
        Ok(())
    }

    async fn next_piece(&mut self) -> Result<Option<Bytes>, FormError> {
        let next = tokio::time::timeout(self.read_timeout, self.body.try_next()).await;
        next.map_err(|_| FormError::TooSlow)?.map_err(FormError::Body)
    }
}

/// The boundary that the `Content-Type` of a form names.
pub fn boundary_of(content_type: &str) -> Option<String> {
    let (kind, parameters) = content_type.split_once(';')?;
    if !kind.trim().eq_ignore_ascii_case("multipart/form-data") {
        return None;
    }
    let boundary = parameter(parameters, "boundary")?;
    // RFC 2046, 5.1.1.
    (1..=70).contains(&boundary.len()).then_some(boundary)
}

/// From behind the delimiter to the empty line before the content.
fn parse_head(block: &[u8]) -> Result<PartHead, FormError> {
    let line = memmem::find(block, b"\r\n").unwrap_or(block.len());
    let (padding, lines) = block.split_at(line);
    if !padding.iter().all(|byte| matches!(byte, b' ' | b'\t')) {
        return Err(FormError::Damaged("a delimiter is followed by something else than a part"));
    }
    let mut headers = [httparse::EMPTY_HEADER; FormReader::MAX_HEADER_LINES];
    let parsed = httparse::parse_headers(lines.get(2..).unwrap_or_default(), &mut headers);
    let Ok(httparse::Status::Complete((_, headers))) = parsed else {
        return Err(FormError::Damaged("the header of a part is not one"));
    };
    let disposition =
        headers.iter().find(|header| header.name.eq_ignore_ascii_case("content-disposition"));
    let disposition = disposition.map(|header| String::from_utf8_lossy(header.value));
    let parameters =
        disposition.as_deref().and_then(|text| text.split_once(';')).map(|(_, rest)| rest);
    let named = |name| parameters.and_then(|parameters| parameter(parameters, name));
    let name = named("name").ok_or(FormError::Damaged("a part has no name"))?;
    Ok(PartHead { name, file_name: named("filename") })
}

/// One of `name=value; other="quoted value"`.
fn parameter(mut text: &str, wanted: &str) -> Option<String> {
    loop {
        let (name, rest) = text.split_once('=')?;
        let (value, behind) = if let Some(quoted) = rest.trim_start().strip_prefix('"') {
            unquote(quoted)
        } else {
            let end = rest.find(';').unwrap_or(rest.len());
            (rest[..end].trim().to_owned(), &rest[end..])
        };
        if name.trim().eq_ignore_ascii_case(wanted) {
            return Some(value);
        }
        text = behind.split_once(';')?.1;
    }
}

/// Up to the closing quote, and what comes behind it. Only quotes and backslashes are escaped: a backslash before
/// anything else is one of a Windows path.
fn unquote(text: &str) -> (String, &str) {
    let mut value = String::new();
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return (value, &text[at + 1..]),
            '\\' => match characters.next_if(|(_, next)| matches!(next, '"' | '\\')) {
                Some((_, escaped)) => value.push(escaped),
                None => value.push('\\'),
            },
            other => value.push(other),
        }
    }
    (value, "")
}

#[cfg(test)]
mod tests {
    use futures_util::stream;

    use super::*;

    /// What a reader makes of a form that comes in pieces of `size` bytes.
    async fn read(form: &[u8], size: usize) -> Result<Vec<(PartHead, Vec<u8>)>, FormError> {
        let pieces: Vec<Result<Bytes, std::io::Error>> =
            form.chunks(size).map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
        let body = Body::from_stream(stream::iter(pieces));
        let mut reader = FormReader::new(body, "limit", Duration::from_secs(5));
        let mut parts = Vec::new();
        while let Some(head) = reader.next_part().await? {
            let mut content = Vec::new();
            while let Some(chunk) = reader.chunk().await? {
                content.extend_from_slice(&chunk);
            }
            parts.push((head, content));
        }
        Ok(parts)
    }

    fn head(name: &str, file_name: Option<&str>) -> PartHead {
        PartHead { name: name.to_owned(), file_name: file_name.map(str::to_owned) }
    }

    #[tokio::test]
    async fn a_form_is_the_same_however_it_is_cut() {
        let form = b"a preamble\r\n--limit \t\r\n\
            Content-Disposition: form-data; name=\"title\"\r\n\r\n\
            almost a \r\n--limi\r\n--limit\r\n\
            content-type: text/plain\r\n\
            content-disposition: form-data; name=file; filename=\"a \\\"b\\\"; C:\\c.txt\"\r\n\r\n\
            one\r\n\r\n--two\r\n--limit\r\n\
            Content-Disposition: form-data; name=\"empty\"\r\n\r\n\
            \r\n--limit--\r\nan epilogue";
        let parts = vec![
            (head("title", None), b"almost a \r\n--limi".to_vec()),
            (head("file", Some("a \"b\"; C:\\c.txt")), b"one\r\n\r\n--two".to_vec()),
            (head("empty", None), Vec::new()),
        ];
        for size in 1..=form.len() {
            assert_eq!(read(form, size).await.unwrap(), parts, "in pieces of {size}");
        }
    }

    #[tokio::test]
    async fn a_form_that_is_none_is_refused_and_never_waited_for() {
        let damaged = [
            "--limit\r\ncontent-disposition: form-data; name=\"a\"\r\n\r\nno end",
            "--limit",
            "",
            "--limit\r\n\r\nno name\r\n--limit--",
            "--limitless\r\ncontent-disposition: form-data; name=\"a\"\r\n\r\n\r\n--limit--",
            "--limit\r\nno header\r\n\r\n\r\n--limit--",
        ];
        for form in damaged {
            assert!(read(form.as_bytes(), 7).await.is_err(), "{form:?}");
        }
        assert_eq!(read(b"--limit--", 100).await.unwrap(), []);
    }

    #[tokio::test]
    async fn only_files_may_be_large() {
        let large = "x".repeat(2 * FormReader::MAX_OVERHEAD);
        let part = |name: &str, content: &str| {
            format!(
                "--limit\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{content}\r\n"
            )
        };
        let file = format!("{}--limit--", part("file", &large));
        assert_eq!(read(file.as_bytes(), 8192).await.unwrap()[0].1.len(), large.len());
        let tags = part("tag", "a").repeat(8_000);
        let header = format!("--limit\r\nx: {large}\r\n\r\n\r\n--limit--");
        let field = format!("{}--limit--", part("title", &large));
        let preamble = format!("{large}\r\n--limit--");
        let epilogue = format!("--limit--{large}");
        for form in [tags, field, preamble, epilogue] {
            let refused = read(form.as_bytes(), 8192).await;
            assert!(matches!(refused, Err(FormError::TooMuchOverhead)), "{refused:?}");
        }
        assert!(matches!(read(header.as_bytes(), 8192).await, Err(FormError::Damaged(_))));
    }

    #[test]
    fn a_boundary_is_found_quoted_or_not() {
        let found = |text| boundary_of(text);
        assert_eq!(found("multipart/form-data; boundary=abc").as_deref(), Some("abc"));
        assert_eq!(
            found("Multipart/Form-Data;charset=utf-8; Boundary=\"a b;c\"").as_deref(),
            Some("a b;c")
        );
        assert_eq!(found("multipart/form-data"), None);
        assert_eq!(found("multipart/form-data; boundary="), None);
        assert_eq!(found("text/plain; boundary=abc"), None);
    }
}
