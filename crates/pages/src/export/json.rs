//! JSON: one object for a document, written part by part, so that at most one page is in memory.

use std::io::{self, Write};

use serde::Serialize;

use crate::Part;

/// Writes `{"head": …, "pages": […], "attachments": […], "tail": …}`.
#[derive(Debug)]
pub struct JsonWriter<W> {
    to: W,
    pages: u32,
    attachments: Vec<AttachmentSummary>,
}

/// An attachment without its bytes.
#[derive(Debug, Serialize)]
struct AttachmentSummary {
    name: String,
    media_type: Option<String>,
    bytes: usize,
}

impl<W: Write> JsonWriter<W> {
    pub fn new(to: W) -> Self {
        Self { to, pages: 0, attachments: Vec::new() }
    }

    /// Takes the parts in reading order; the tail ends the object.
    pub fn write(&mut self, part: &Part) -> io::Result<()> {
        match part {
            Part::Head(head) => {
                self.to.write_all(b"{\"head\":")?;
                serde_json::to_writer(&mut self.to, head)?;
                self.to.write_all(b",\"pages\":[")
            }
            Part::Page(page) => {
                if self.pages > 0 {
                    self.to.write_all(b",")?;
                }
                self.pages += 1;
                self.to.write_all(b"\n")?;
                Ok(serde_json::to_writer(&mut self.to, page)?)
            }
            Part::Attachment(attachment) => {
                self.attachments.push(AttachmentSummary {
                    name: attachment.name.clone(),
                    media_type: attachment.media_type.clone(),
                    bytes: attachment.bytes.len(),
                });
                Ok(())
            }
            Part::Tail(tail) => {
                self.to.write_all(b"\n],\"attachments\":")?;
                serde_json::to_writer(&mut self.to, &self.attachments)?;
                self.to.write_all(b",\"tail\":")?;
                serde_json::to_writer(&mut self.to, tail)?;
                self.to.write_all(b"}\n")
            }
        }
    }

    pub fn into_inner(self) -> W {
        self.to
    }
}
