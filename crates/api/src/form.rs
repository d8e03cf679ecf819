//! Multipart forms (RFC 7578), streamed in bounded memory.
//!
//! *File content* is the content of the parts named `file`; it is passed on chunk by chunk and may have any length.
//! Everything else is *overhead*: the preamble and epilogue, the delimiters, the headers of the parts, and the other
//! fields. A form has at most [`FormReader::MAX_OVERHEAD`] of it. So a reader buffers one chunk of the body and the header
//! of one part.

use std::time::Duration;

use axum::body::{Body, BodyDataStream, Bytes};
use bytes::{Buf, BytesMut};
use futures_util::TryStreamExt;
use memchr::memmem;
use thiserror::Error;

/// Why a form cannot be read.
#[derive(Debug, Error)]
pub enum FormError {
    #[error("The form is not valid: {0}.")]
    Damaged(&'static str),
    #[error("The form ended early.")]
    EndedEarly,
    #[error(
        "The form contains more than {} kB besides the files. Send fewer fields, or several requests.",
        FormReader::MAX_OVERHEAD / 1024
    )]
    TooMuchOverhead,
    /// The client sent nothing for too long.
    #[error("No data arrived for too long.")]
    TooSlow,
    #[error("The form could not be received.")]
    Body(#[source] axum::Error),
}

/// The name of a part, and its file name if it is a file.
#[derive(Debug, PartialEq, Eq)]
pub struct PartHead {
    pub name: String,
    pub file_name: Option<String>,
}

/// The parser state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ParserState {
    /// In the content of a part, or before the first one.
    Content {
        is_file: bool,
    },
    /// After a delimiter.
    Delimiter,
    End,
}

/// Reads a form from a request body.
#[derive(Debug)]
pub struct FormReader {
    body: BodyDataStream,
    /// How long to wait for the next chunk of the body.
    read_timeout: Duration,
    /// Received bytes that were not returned yet.
    buffer: BytesMut,
    /// `\r\n--boundary`
    delimiter: Vec<u8>,
    overhead: usize,
    state: ParserState,
}

impl FormReader {
    /// The most bytes of a form besides the content of its files.
    pub const MAX_OVERHEAD: usize = 256 * 1024;
    /// The most bytes of the header of one part.
    const MAX_HEAD: usize = 16 * 1024;
    const MAX_HEADER_LINES: usize = 16;

    pub fn new(body: Body, boundary: &str, read_timeout: Duration) -> Self {
        Self {
            body: body.into_data_stream(),
            read_timeout,
            // The first delimiter may be at the very beginning of the body.
            buffer: BytesMut::from("\r\n"),
            delimiter: format!("\r\n--{boundary}").into_bytes(),
            overhead: 0,
            state: ParserState::Content { is_file: false },
        }
    }

    /// The next part; skips the rest of the previous one. `None` at the end of the form.
    pub async fn next_part(&mut self) -> Result<Option<PartHead>, FormError> {
        while self.chunk().await?.is_some() {}
        if self.state == ParserState::End {
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
                self.state = ParserState::Content { is_file: head.name == "file" };
                return Ok(Some(head));
            }
            self.fill().await?;
        }
    }

    /// The next chunk of the part's content; `None` at its end.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, FormError> {
        loop {
            let ParserState::Content { is_file } = self.state else { return Ok(None) };
            let delimiter = memmem::find(&self.buffer, &self.delimiter);
            // Without a delimiter, the last bytes may be the beginning of one.
            let length = delimiter
                .unwrap_or_else(|| (self.buffer.len() + 1).saturating_sub(self.delimiter.len()));
            if !is_file {
                self.count_overhead(length)?;
            }
            let content = self.buffer.split_to(length).freeze();
            if delimiter.is_some() {
                self.buffer.advance(self.delimiter.len());
                self.count_overhead(self.delimiter.len())?;
                self.state = ParserState::Delimiter;
            }
            if !content.is_empty() {
                return Ok(Some(content));
            }
            if delimiter.is_none() {
                self.fill().await?;
            }
        }
    }

    /// Reads what the client sends after the end of the form, within the overhead limit.
    async fn read_epilogue(&mut self) -> Result<(), FormError> {
        self.state = ParserState::End;
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

/// Parses a part's header: from the delimiter to the empty line before the content.
fn parse_head(block: &[u8]) -> Result<PartHead, FormError> {
    let line = memmem::find(block, b"\r\n").unwrap_or(block.len());
    let (padding, lines) = block.split_at(line);
    if !padding.iter().all(|byte| matches!(byte, b' ' | b'\t')) {
        return Err(FormError::Damaged("a delimiter is not followed by a part"));
    }
    let mut headers = [httparse::EMPTY_HEADER; FormReader::MAX_HEADER_LINES];
    let parsed = httparse::parse_headers(lines.get(2..).unwrap_or_default(), &mut headers);
    let Ok(httparse::Status::Complete((_, headers))) = parsed else {
        return Err(FormError::Damaged("the header of a part cannot be parsed"));
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

/// The value of a parameter in `name=value; other="quoted value"`.
fn parameter(mut text: &str, wanted: &str) -> Option<String> {
    loop {
        let (name, rest) = text.split_once('=')?;
        let (value, rest_after) = if let Some(quoted) = rest.trim_start().strip_prefix('"') {
            unquote(quoted)
        } else {
            let end = rest.find(';').unwrap_or(rest.len());
            (rest[..end].trim().to_owned(), &rest[end..])
        };
        if name.trim().eq_ignore_ascii_case(wanted) {
            return Some(value);
        }
        text = rest_after.split_once(';')?.1;
    }
}

/// The text up to the closing quote, and the rest after it. Only quotes and backslashes are escaped: any other backslash is
/// part of a Windows path.
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

    /// Reads a form that arrives in chunks of `size` bytes.
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
    async fn chunk_sizes_do_not_affect_the_result() {
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
    async fn invalid_forms_are_rejected() {
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
    async fn only_files_may_exceed_the_overhead_limit() {
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
    fn a_boundary_may_be_quoted() {
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
