//! What a bucket of Google Cloud Storage holds, and the rules it keeps.

use std::collections::BTreeMap;

use bytes::{Bytes, BytesMut};
use chrono::{DateTime, TimeDelta, Utc};

/// Every part of an upload but the last has at least this many bytes.
const SMALLEST_PART: usize = 5 * 1024 * 1024;

/// The objects, and the uploads under way. A *generation* counts every change of the bucket.
#[derive(Debug, Default)]
pub(super) struct Objects {
    stored: BTreeMap<String, Object>,
    uploads: BTreeMap<String, Upload>,
    changes: u64,
}

#[derive(Clone, Debug)]
pub(super) struct Object {
    pub(super) content: Bytes,
    pub(super) content_type: String,
    pub(super) generation: u64,
}

#[derive(Debug)]
struct Upload {
    key: String,
    content_type: String,
    parts: BTreeMap<usize, Bytes>,
}

/// A status and the code of an error.
pub(super) type Refusal = (u16, &'static str);

const NO_KEY: Refusal = (404, "NoSuchKey");
const NO_UPLOAD: Refusal = (404, "NoSuchUpload");

impl Object {
    pub(super) fn etag(&self) -> String {
        format!("\"{}\"", self.generation)
    }

    /// One second for each change since the bucket was made: the order is right without waiting.
    pub(super) fn last_modified(&self) -> DateTime<Utc> {
        let made = DateTime::from_timestamp(1_767_225_600, 0).expect("the first day of 2026");
        made + TimeDelta::seconds(i64::try_from(self.generation).expect("few changes"))
    }
}

impl Objects {
    pub(super) fn of(contents: &BTreeMap<String, Bytes>) -> Self {
        let object = |content: &Bytes| Object {
            content: content.clone(),
            content_type: "application/octet-stream".to_owned(),
            generation: 1,
        };
        let stored = contents.iter().map(|(key, content)| (key.clone(), object(content))).collect();
        Self { stored, changes: 1, ..Self::default() }
    }

    pub(super) fn contents(&self) -> BTreeMap<String, Bytes> {
        self.stored.iter().map(|(key, object)| (key.clone(), object.content.clone())).collect()
    }

    pub(super) fn get(&self, key: &str) -> Result<&Object, Refusal> {
        self.stored.get(key).ok_or(NO_KEY)
    }

    /// `if_generation`: what must be there; 0 for nothing.
    pub(super) fn put(
        &mut self,
        key: &str,
        content: Bytes,
        content_type: &str,
        if_generation: Option<u64>,
    ) -> Result<Object, Refusal> {
        let there = self.stored.get(key).map_or(0, |object| object.generation);
        if if_generation.is_some_and(|wanted| wanted != there) {
            return Err((412, "PreconditionFailed"));
        }
        self.changes += 1;
        let content_type = content_type.to_owned();
        let object = Object { content, content_type, generation: self.changes };
        self.stored.insert(key.to_owned(), object.clone());
        Ok(object)
    }

    pub(super) fn delete(&mut self, key: &str) -> Result<(), Refusal> {
        self.stored.remove(key).map(drop).ok_or(NO_KEY)
    }

    /// A page of what lies below the prefix and after the last key of the page before; and whether
    /// there is more.
    pub(super) fn list(
        &self,
        prefix: &str,
        after: &str,
        most: usize,
    ) -> (Vec<(&str, &Object)>, bool) {
        let mut matching = self
            .stored
            .iter()
            .filter(|(key, _)| key.starts_with(prefix) && key.as_str() > after)
            .map(|(key, object)| (key.as_str(), object));
        let page: Vec<_> = matching.by_ref().take(most).collect();
        (page, matching.next().is_some())
    }

    pub(super) fn begin_upload(&mut self, key: &str, content_type: &str) -> String {
        self.changes += 1;
        let id = format!("upload-{}", self.changes);
        let (key, content_type) = (key.to_owned(), content_type.to_owned());
        self.uploads.insert(id.clone(), Upload { key, content_type, parts: BTreeMap::new() });
        id
    }

    pub(super) fn put_part(
        &mut self,
        id: &str,
        number: usize,
        part: Bytes,
    ) -> Result<String, Refusal> {
        let upload = self.uploads.get_mut(id).ok_or(NO_UPLOAD)?;
        let etag = part_etag(number, &part);
        upload.parts.insert(number, part);
        Ok(etag)
    }

    /// `named` are the parts that the client wants in it, with the tags it was given for them.
    pub(super) fn complete(
        &mut self,
        id: &str,
        named: &[(usize, String)],
    ) -> Result<Object, Refusal> {
        let upload = self.uploads.get(id).ok_or(NO_UPLOAD)?;
        let mut whole = BytesMut::new();
        for (at, (number, etag)) in named.iter().enumerate() {
            let part = upload.parts.get(number).ok_or((400, "InvalidPart"))?;
            if *etag != part_etag(*number, part) {
                return Err((400, "InvalidPart"));
            }
            if part.len() < SMALLEST_PART && at + 1 < named.len() {
                return Err((400, "EntityTooSmall"));
            }
            whole.extend_from_slice(part);
        }
        let upload = self.uploads.remove(id).ok_or(NO_UPLOAD)?;
        self.put(&upload.key, whole.freeze(), &upload.content_type, None)
    }

    pub(super) fn abort(&mut self, id: &str) -> Result<(), Refusal> {
        self.uploads.remove(id).map(drop).ok_or(NO_UPLOAD)
    }

    pub(super) fn uploads_under_way(&self) -> usize {
        self.uploads.len()
    }
}

fn part_etag(number: usize, part: &Bytes) -> String {
    format!("\"part-{number}-{}\"", part.len())
}
