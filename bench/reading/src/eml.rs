//! Mails against the fields that are known of them.
//!
//! A field of the truth may hold characters that its makers could not tell; whatever is read there counts
//! as right.

use std::io::{self, Write};
use std::path::Path;

use domain::FileKind;
use pages::{Attachment, Head};
use reading::{Limits, Part, Source};
use serde::Deserialize;

use crate::office::files;
use crate::score::TokenCounts;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Truth {
    from: Vec<Person>,
    to: Vec<Person>,
    subject: Option<String>,
    date: Option<String>,
    message_id: Option<String>,
    /// A picture within the text counts as a body of its own, without text.
    text_bodies: Vec<Option<String>>,
    html_bodies: Vec<Option<String>>,
    attachments: Vec<File>,
}

#[derive(Debug, Deserialize)]
struct Person {
    name: Option<String>,
    address: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct File {
    #[serde(rename = "type")]
    media_type: Option<String>,
    filename: Option<String>,
    bytes: Option<usize>,
}

#[derive(Default)]
struct Read {
    head: Option<Head>,
    text: String,
    attachments: Vec<Attachment>,
}

pub(crate) fn measure(corpus: &Path, each: bool) -> anyhow::Result<()> {
    let folder = corpus.join("eml");
    if !folder.is_dir() {
        writeln!(io::stdout(), "EML: LEFT OUT, {} IS NOT THERE", folder.display())?;
        return Ok(());
    }
    let (mut right, mut all, mut documents) = (0_usize, 0_usize, 0_usize);
    for path in files(&folder, "eml")? {
        let truth: Truth =
            serde_json::from_slice(&std::fs::read(path.with_extension("expected.json"))?)?;
        let bytes = std::fs::read(&path)?;
        let name = path.file_name().unwrap_or_default().display().to_string();
        let read = match read(&bytes) {
            Ok(read) => read,
            Err(error) => {
                writeln!(io::stdout(), "  {name}: {error}")?;
                Read::default()
            }
        };
        for (field, is_right) in compare(&truth, &read) {
            all += 1;
            right += usize::from(is_right);
            if each && !is_right {
                writeln!(io::stdout(), "  {name}: {field} differs")?;
            }
        }
        documents += 1;
    }
    #[expect(clippy::cast_precision_loss, reason = "no corpus has that many fields")]
    let share = right as f64 / all.max(1) as f64;
    writeln!(io::stdout(), "eml: {documents} documents, {right} of {all} fields ({share:.3})")?;
    Ok(())
}

fn read(bytes: &[u8]) -> Result<Read, reading::ReadError> {
    let limits = Limits::default();
    let source = Source { bytes, kind: FileKind::Eml, file_name: "", password: None, limits };
    let mut read = Read::default();
    reading::formats::read_flow(&source, &mut |part: Part| {
        match part {
            Part::Head(head) => read.head = Some(head),
            Part::Page(page) => pages::export::text(&page, &mut read.text),
            Part::Attachment(attachment) => read.attachments.push(attachment),
            Part::Tail(_) => {}
        }
        Ok(())
    })?;
    Ok(read)
}

fn compare(truth: &Truth, read: &Read) -> Vec<(&'static str, bool)> {
    let field = |name: &str| {
        read.head.as_ref().and_then(|head| head.properties.get(name)).map_or("", String::as_str)
    };
    let mut fields = Vec::new();
    for (name, people) in [("from", &truth.from), ("to", &truth.to)] {
        if !people.is_empty() {
            let has = |wanted: &Option<String>| {
                wanted.as_ref().is_none_or(|wanted| holds(field(name), wanted))
            };
            fields.push((
                name,
                people.iter().all(|person| has(&person.name) && has(&person.address)),
            ));
        }
    }
    if let Some(subject) = &truth.subject {
        fields.push(("subject", holds(field("subject"), subject)));
    }
    if let Some(date) = &truth.date {
        fields.push(("date", field("date").replace('Z', "+00:00") == *date));
    }
    if let Some(id) = &truth.message_id {
        fields.push(("message_id", field("message_id") == id));
    }
    fields.push(("body", body_is_there(truth, &read.text)));
    if truth.attachments.len() != read.attachments.len() {
        fields.push(("number of attachments", false));
    }
    for (wanted, found) in truth.attachments.iter().zip(&read.attachments) {
        let same_type = wanted.media_type.is_none() || wanted.media_type == found.media_type;
        let same_name = wanted.filename.as_ref().is_none_or(|name| holds(&found.name, name));
        let same_size = wanted.bytes.is_none_or(|bytes| bytes == found.bytes.len());
        fields.push(("attachment", same_type && same_name && same_size));
    }
    fields
}

/// Whether the text has the words, without those that cannot be recognised.
fn holds(text: &str, wanted: &str) -> bool {
    let known: Vec<&str> =
        wanted.split_whitespace().filter(|word| !word.contains('\u{FFFD}')).collect();
    known.iter().all(|word| text.contains(word))
}

fn body_is_there(truth: &Truth, text: &str) -> bool {
    let found = |bodies: &[Option<String>]| {
        let bodies: Vec<&str> = bodies.iter().flatten().map(String::as_str).collect();
        let wanted = without_tags(&bodies.join("\n"));
        let counts = TokenCounts::of(text, &wanted);
        counts.both * 100 >= counts.truth * 98
    };
    found(&truth.text_bodies) || found(&truth.html_bodies)
}

/// Roughly: without tags, entities and words that cannot be recognised.
fn without_tags(body: &str) -> String {
    let mut text = String::new();
    let mut rest = body;
    while let Some((before, tag)) = rest.split_once('<') {
        text.push_str(before);
        text.push(' ');
        let is_tag = tag.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!'));
        rest = if is_tag { tag.split_once('>').map_or("", |(_, after)| after) } else { tag };
    }
    text.push_str(rest);
    let entities =
        [("&quot;", "\""), ("&nbsp;", " "), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">")];
    for (entity, character) in entities {
        text = text.replace(entity, character);
    }
    text.split_whitespace().filter(|word| !word.contains('\u{FFFD}')).collect::<Vec<_>>().join(" ")
}
