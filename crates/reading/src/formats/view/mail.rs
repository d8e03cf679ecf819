//! Mails: the headers, the body as HTML or text, and what is attached.

use std::collections::HashMap;

use mail_parser::{Message, MimeHeaders, PartType};

use super::images::Images;
use super::markup::Markup;
use super::web;
use crate::formats::{eml, text};
use crate::{ReadError, Source};

/// Pictures within the body that are looked for.
const MAX_PARTS: usize = 500;

pub(super) fn render(
    source: &Source<'_>,
    images: &mut Images,
    markup: &mut Markup,
) -> Result<(), ReadError> {
    eml::check_depth(source)?;
    let bytes = eml::with_readable_headers(source.bytes);
    let message = eml::parse(&bytes)?;
    markup.raw("<article class=\"dk-mail\">");
    write_headers(&message, markup);
    let mut body = Markup::default();
    if write_body(&message, source.limits.nesting, images, &mut body)? {
        markup.raw("<p class=\"dk-note\">Pictures from other servers are not loaded.</p>");
    }
    markup.append(body);
    write_attachments(&message, markup);
    markup.raw("</article>");
    Ok(())
}

fn write_headers(message: &Message, markup: &mut Markup) {
    let labels =
        [("from", "From"), ("to", "To"), ("cc", "Cc"), ("date", "Date"), ("reply_to", "Reply to")];
    let fields = eml::fields(message);
    let value =
        |name: &str| fields.iter().find(|(known, _)| *known == name).map(|(_, value)| value);
    markup.raw("<header class=\"dk-mailhead\"><h1>");
    let subject = value("subject").map_or("(no subject)", String::as_str);
    // Characters that change the text direction could disguise an address.
    markup.text(&text::visible(subject));
    markup.raw("</h1><table>");
    for (name, label) in labels {
        if let Some(value) = value(name) {
            markup.raw("<tr><th>");
            markup.text(label);
            markup.raw("</th><td>");
            let value = if name == "date" { readable_date(value) } else { value.clone() };
            markup.text(&text::visible(&value));
            markup.raw("</td></tr>");
        }
    }
    markup.raw("</table></header>");
}

/// `2026-03-01T09:15:00+01:00` as `2026-03-01 09:15 +01:00`.
fn readable_date(date: &str) -> String {
    match date.split_once('T') {
        Some((day, time)) => {
            let zone = time.get(8..).filter(|zone| !zone.is_empty()).unwrap_or_default();
            let zone = if zone == "Z" { "UTC" } else { zone };
            format!("{day} {} {zone}", time.get(..5).unwrap_or(time))
        }
        None => date.to_owned(),
    }
}

/// Returns whether pictures of other servers were left out.
fn write_body(
    message: &Message,
    nesting: u32,
    images: &mut Images,
    markup: &mut Markup,
) -> Result<bool, ReadError> {
    let mut parts: HashMap<String, &[u8]> = HashMap::new();
    for part in message.parts.iter().take(MAX_PARTS) {
        if let (Some(id), PartType::Binary(bytes) | PartType::InlineBinary(bytes)) =
            (part.content_id(), &part.body)
        {
            parts.insert(id.trim_matches(['<', '>']).to_owned(), bytes);
        }
    }
    let mut is_blocked = false;
    for part in message.html_bodies() {
        match &part.body {
            PartType::Html(characters) => {
                let characters = eml::repaired(message, part, characters);
                match web::write(&characters, nesting, &parts, images, markup) {
                    Ok(blocked) => is_blocked |= blocked,
                    // The plain text version may still be readable.
                    Err(ReadError::TooLarge { .. }) => {
                        for part in message.text_bodies() {
                            if let PartType::Text(characters) = &part.body {
                                write_text(characters, markup);
                            }
                        }
                    }
                    Err(error) => return Err(error),
                }
            }
            PartType::Text(characters) => {
                write_text(&eml::repaired(message, part, characters), markup);
            }
            _ => {}
        }
    }
    Ok(is_blocked)
}

fn write_text(characters: &str, markup: &mut Markup) {
    markup.raw("<div class=\"dk-plain\">");
    for line in characters.lines() {
        if markup.is_full() {
            break;
        }
        let is_quoted = line.starts_with('>');
        markup.raw(if is_quoted { "<span class=\"dk-quoted\">" } else { "<span>" });
        markup.text(line);
        markup.raw("</span>\n");
    }
    markup.raw("</div>");
}

fn write_attachments(message: &Message, markup: &mut Markup) {
    let mut is_open = false;
    for (number, part) in (1..).zip(message.attachments()) {
        let Some(attachment) = eml::attachment(message, part, number) else { continue };
        if !is_open {
            markup.raw("<footer class=\"dk-attached\"><h2>Attachments</h2><ul>");
            is_open = true;
        }
        markup.raw("<li><b>");
        markup.text(&text::visible(&attachment.name));
        markup.raw("</b> <span>");
        if let Some(media_type) = &attachment.media_type {
            markup.text(media_type);
            markup.raw(", ");
        }
        markup.text(&size_of(attachment.bytes.len()));
        markup.raw("</span></li>");
    }
    if is_open {
        markup.raw("</ul></footer>");
    }
}

fn size_of(bytes: usize) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{} kB", bytes.div_ceil(1_000)),
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes % 1_000_000 / 100_000),
    }
}
