//! Emails: the headers, the body and the attachments.
//!
//! When the body exists as HTML and as plain text, the HTML is read, because it has tables. An attached email is an
//! attachment; its text also becomes pages after those of the outer email.

use std::borrow::Cow;
use std::collections::BTreeMap;

use mail_parser::{
    Address, Encoding, HeaderName, Message, MessageParser, MessagePart, MimeHeaders, PartType,
};
use pages::{Attachment, BlockKind, Style};

use super::{html, text};
use crate::flow::{Flow, Text};
use crate::{ReadError, Sink, Source};

/// The depth of attached emails whose text is read.
const MAX_SHOWN_DEPTH: u32 = 8;
/// The limit of nested emails: the parser is recursive.
const MAX_MESSAGES: usize = 1_000;

pub fn read(source: &Source, sink: &mut dyn Sink) -> Result<(), ReadError> {
    check_depth(source)?;
    let bytes = with_readable_headers(source.bytes);
    let message = parse(&bytes)?;
    let fields = fields(&message);
    let title = message.subject().map(str::to_owned);
    let properties: BTreeMap<String, String> =
        fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    let mut flow = Flow::begin(source, sink, title, properties)?;
    add_message(&message, 0, &mut flow)?;
    for (number, part) in (1..).zip(message.attachments()) {
        if let Some(attachment) = attachment(&message, part, number) {
            flow.attach(attachment)?;
        }
    }
    flow.finish()
}

/// Rejects an email with too many nested emails before it is parsed.
pub(super) fn check_depth(source: &Source) -> Result<(), ReadError> {
    let marks =
        source.bytes.windows(14).filter(|window| window.eq_ignore_ascii_case(b"message/rfc822"));
    if marks.take(MAX_MESSAGES + 1).count() > MAX_MESSAGES {
        return Err(ReadError::too_large(format!("it contains more than {MAX_MESSAGES} emails")));
    }
    Ok(())
}

pub(super) fn parse(bytes: &[u8]) -> Result<Message<'_>, ReadError> {
    let message = MessageParser::default().parse(bytes);
    message.ok_or_else(|| ReadError::damaged("it has neither headers nor a body"))
}

/// Decodes header lines in a legacy encoding, which is guessed. A line with encoded words names its encoding.
pub(super) fn with_readable_headers(bytes: &[u8]) -> Cow<'_, [u8]> {
    let end = [&b"\r\n\r\n"[..], b"\n\n"]
        .iter()
        .filter_map(|gap| bytes.windows(gap.len()).position(|window| window == *gap))
        .min()
        .unwrap_or(bytes.len());
    let (headers, body) = bytes.split_at(end);
    if std::str::from_utf8(headers).is_ok() {
        return bytes.into();
    }
    let mut readable = Vec::with_capacity(bytes.len());
    for line in headers.split_inclusive(|byte| *byte == b'\n') {
        if std::str::from_utf8(line).is_ok() || line.windows(2).any(|pair| pair == b"=?") {
            readable.extend_from_slice(line);
        } else {
            readable.extend_from_slice(text::decode(line, None).as_bytes());
        }
    }
    readable.extend_from_slice(body);
    readable.into()
}

/// The headers, by their names in [`pages::Head`].
pub(super) fn fields(message: &Message) -> Vec<(&'static str, String)> {
    let addresses = |address: Option<&Address>| address.map(addresses).unwrap_or_default();
    let date = message.date().filter(|date| date.is_valid()).map(mail_parser::DateTime::to_rfc3339);
    let written = |name: HeaderName<'static>| {
        message.header(name).and_then(|value| value.as_text()).unwrap_or_default().to_owned()
    };
    let fields = [
        ("from", addresses(message.from())),
        ("to", addresses(message.to())),
        ("cc", addresses(message.cc())),
        ("bcc", addresses(message.bcc())),
        ("reply_to", addresses(message.reply_to())),
        ("date", date.unwrap_or_default()),
        ("subject", message.subject().unwrap_or_default().to_owned()),
        ("message_id", message.message_id().unwrap_or_default().to_owned()),
        ("in_reply_to", written(HeaderName::InReplyTo)),
    ];
    fields.into_iter().filter(|(_, value)| !value.is_empty()).collect()
}

/// `Ada Lovelace <ada@example.org>, bob@example.org`
fn addresses(address: &Address) -> String {
    let one = |address: &mail_parser::Addr| match (address.name(), address.address()) {
        (Some(name), Some(address)) if name != address => format!("{name} <{address}>"),
        (_, Some(address)) => address.to_owned(),
        (Some(name), None) => name.to_owned(),
        (None, None) => String::new(),
    };
    let all: Vec<String> = address.iter().map(one).filter(|one| !one.is_empty()).collect();
    all.join(", ")
}

fn add_message(message: &Message, depth: u32, flow: &mut Flow) -> Result<(), ReadError> {
    let shown =
        [("from", "From"), ("to", "To"), ("cc", "Cc"), ("date", "Date"), ("subject", "Subject")];
    let mut header = Text::default();
    for (name, value) in fields(message) {
        if let Some((_, label)) = shown.iter().find(|(known, _)| *known == name) {
            let mut line = Text::default();
            line.push(label, Style { bold: true, ..Style::default() });
            line.push(&format!(": {value}"), Style::default());
            header.append_line(&line);
        }
    }
    flow.block(BlockKind::Paragraph, &header)?;
    add_body(message, flow)?;
    if depth >= MAX_SHOWN_DEPTH {
        return Ok(());
    }
    for part in message.attachments() {
        if let PartType::Message(inner) = &part.body {
            let name = inner
                .subject()
                .map(str::to_owned)
                .or_else(|| part.attachment_name().map(str::to_owned));
            flow.begin_page(Some(name.unwrap_or_else(|| "Attached mail".to_owned())))?;
            add_message(inner, depth + 1, flow)?;
        }
    }
    Ok(())
}

fn add_body(message: &Message, flow: &mut Flow) -> Result<(), ReadError> {
    for part in message.html_bodies() {
        let added = match &part.body {
            PartType::Html(characters) => html::add(&repaired(message, part, characters), flow),
            PartType::Text(characters) => {
                text::paragraphs(&repaired(message, part, characters), flow)
            }
            _ => Ok(()),
        };
        match added {
            // The plain text version may still be readable.
            Err(ReadError::TooLarge { what }) => {
                flow.remark(format!("The HTML of the mail was left out: {what}."));
                for part in message.text_bodies() {
                    if let PartType::Text(characters) = &part.body {
                        text::paragraphs(characters, flow)?;
                    }
                }
                return Ok(());
            }
            added => added?,
        }
    }
    Ok(())
}

/// Decodes a part again when the parser could not, if its bytes are not encoded for transport.
pub(super) fn repaired<'t>(
    message: &'t Message,
    part: &MessagePart,
    characters: &'t str,
) -> Cow<'t, str> {
    if !characters.contains('\u{FFFD}') || part.encoding != Encoding::None {
        return characters.into();
    }
    let raw = message.raw_message().get(part.offset_body as usize..part.offset_end as usize);
    raw.map_or(characters.into(), |raw| text::decode(raw, None))
}

pub(super) fn attachment(message: &Message, part: &MessagePart, number: u32) -> Option<Attachment> {
    let bytes = match &part.body {
        PartType::Text(characters) | PartType::Html(characters) => characters.as_bytes().to_vec(),
        PartType::Binary(bytes) | PartType::InlineBinary(bytes) => {
            let encoding =
                part.content_transfer_encoding().unwrap_or_default().to_ascii_lowercase();
            let is_uu = matches!(encoding.as_str(), "x-uuencode" | "uuencode" | "x-uue");
            is_uu.then(|| uudecoded(bytes)).flatten().unwrap_or_else(|| bytes.to_vec())
        }
        PartType::Message(inner) if part.encoding != Encoding::None => inner.raw_message().to_vec(),
        PartType::Message(_) => {
            message.raw_message().get(part.offset_body as usize..part.offset_end as usize)?.to_vec()
        }
        PartType::Multipart(_) => return None,
    };
    let media_type = part.content_type().map(|kind| match kind.subtype() {
        Some(subtype) => format!("{}/{subtype}", kind.ctype()),
        None => kind.ctype().to_owned(),
    });
    let media_type = match (&part.body, media_type) {
        (PartType::Message(_), None) => Some("message/rfc822".to_owned()),
        (_, media_type) => media_type,
    };
    let name = part.attachment_name().map_or_else(|| format!("attachment {number}"), str::to_owned);
    Some(Attachment { name, media_type, bytes })
}

/// Decodes uuencoded data, which old programs sent before base64.
fn uudecoded(bytes: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(bytes).ok()?;
    let mut lines = text.lines().skip_while(|line| !line.starts_with("begin "));
    lines.next()?;
    let mut decoded = Vec::with_capacity(bytes.len());
    for line in lines.take_while(|line| line.trim_end() != "end") {
        // Trailing blanks, which stand for zeros, may be lost.
        let six_bits = |byte: u8| byte.wrapping_sub(32) & 0x3F;
        let Some((length, packed)) = line.as_bytes().split_first() else { continue };
        let mut unpacked = Vec::new();
        for four in packed.chunks(4) {
            let at = |place: usize| four.get(place).map_or(0, |byte| six_bits(*byte));
            let [a, b, c, d] = [at(0), at(1), at(2), at(3)];
            unpacked.extend([a << 2 | b >> 4, b << 4 | c >> 2, c << 6 | d]);
        }
        unpacked.resize(usize::from(six_bits(*length)), 0);
        decoded.append(&mut unpacked);
    }
    (!decoded.is_empty()).then_some(decoded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uuencoded_bytes_are_unpacked() {
        assert_eq!(
            uudecoded(b"\r\nbegin 644 a.txt\r\n#0V%T\r\n`\r\nend\r\n"),
            Some(b"Cat".to_vec())
        );
        assert_eq!(uudecoded(b"no beginning"), None);
    }
}
