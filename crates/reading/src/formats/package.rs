//! An Office file: a zip archive of named *members*, most of them XML.
//!
//! The sizes that an archive states may be wrong. So they are added up before anything is unpacked, and checked again
//! during unpacking. Only requested members are unpacked, and no name in an archive is used as a path on this machine.

use std::cell::Cell;
use std::collections::HashMap;
use std::io::{Cursor, Read};

use zip::ZipArchive;
use zip::result::ZipError;

use super::xml::{Element, read_tree};
use crate::{ReadError, Source};

const MAX_MEMBERS: usize = 20_000;
/// The unpacked size of one member, which is in memory while it is read.
const MAX_MEMBER: u64 = 256 << 20;
/// Up to this unpacked size, the expansion of a member is not checked.
const HARMLESS_MEMBER: u64 = 32 << 20;
/// Beyond it, the largest ratio of unpacked to packed size. A sheet of a million equal cells has 13.
const MAX_EXPANSION: u64 = 300;
/// The first bytes of an encrypted Office file, which is a compound file instead of a zip archive.
const COMPOUND_FILE: [u8; 8] = [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1];

pub(super) struct Package<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    /// By name in lower case: Office ignores case.
    members: HashMap<String, usize>,
    left: Cell<u64>,
    nesting: u32,
}

/// A reference of one member to another member or to an address.
#[derive(Clone, Debug)]
pub(super) struct Relation {
    /// The last part of the relation type: `image`, `header`, `comments`.
    pub(super) kind: String,
    /// A member, or an address when `external`.
    pub(super) target: String,
    pub(super) external: bool,
}

pub(super) type Relations = HashMap<String, Relation>;

impl<'a> Package<'a> {
    pub(super) fn open(source: &Source<'a>) -> Result<Self, ReadError> {
        if source.bytes.starts_with(&COMPOUND_FILE) {
            return Err(compound_file(source));
        }
        let archive = ZipArchive::new(Cursor::new(source.bytes)).map_err(zip_error)?;
        if archive.len() > MAX_MEMBERS {
            return Err(ReadError::too_large(format!("it has {} members", archive.len())));
        }
        let mut members = HashMap::with_capacity(archive.len());
        let mut unpacked: u64 = 0;
        for index in 0..archive.len() {
            let data = archive.by_index_data(index).map_err(zip_error)?;
            unpacked = unpacked.saturating_add(data.size());
            if let Ok(name) = data.name() {
                members
                    .insert(name.trim_start_matches('/').replace('\\', "/").to_lowercase(), index);
            }
        }
        if unpacked > source.limits.unpacked {
            return Err(ReadError::too_large(format!("it unpacks to {} MB", unpacked >> 20)));
        }
        let left = Cell::new(source.limits.unpacked);
        Ok(Self { archive, members, left, nesting: source.limits.nesting })
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.members.contains_key(&name.to_lowercase())
    }

    /// Unpacks a member.
    pub(super) fn member(&self, name: &str) -> Result<Option<Vec<u8>>, ReadError> {
        let Some(index) = self.members.get(&name.to_lowercase()) else { return Ok(None) };
        // Cloning the archive copies one pointer, and allows reading several members at once.
        let mut archive = self.archive.clone();
        let file = archive.by_index(*index).map_err(zip_error)?;
        let likely = file.compressed_size().saturating_mul(MAX_EXPANSION).max(HARMLESS_MEMBER);
        let room = self.left.get().min(MAX_MEMBER).min(likely);
        let too_much = || ReadError::too_large(format!("{name} exceeds the limit when unpacked"));
        if file.size() > room {
            return Err(too_much());
        }
        let mut bytes = Vec::new();
        file.take(room + 1).read_to_end(&mut bytes).map_err(|error| {
            ReadError::damaged(format!("its member {name} cannot be unpacked ({error})"))
        })?;
        let size = bytes.len() as u64;
        if size > room {
            return Err(too_much());
        }
        self.left.set(self.left.get() - size);
        Ok(Some(bytes))
    }

    /// Reads a small XML member as a tree; an empty tree when the member does not exist.
    pub(super) fn tree(&self, name: &str) -> Result<Element, ReadError> {
        match self.member(name)? {
            Some(bytes) => read_tree(&bytes, self.nesting),
            None => Ok(Element::default()),
        }
    }

    /// The relations of a member.
    pub(super) fn relations(&self, member: &str) -> Result<Relations, ReadError> {
        let (folder, file) = member.rsplit_once('/').unwrap_or(("", member));
        let tree = self.tree(&joined(folder, &format!("_rels/{file}.rels")))?;
        let mut relations = Relations::new();
        for relation in tree.children("Relationship") {
            let kind = relation.attribute("Type").unwrap_or_default();
            let kind = kind.rsplit('/').next().unwrap_or_default().to_owned();
            let external = relation.attribute("TargetMode") == Some("External");
            let target = relation.attribute("Target").unwrap_or_default();
            let target = if external { target.to_owned() } else { joined(folder, target) };
            if let Some(id) = relation.attribute("Id") {
                relations.insert(id.to_owned(), Relation { kind, target, external });
            }
        }
        Ok(relations)
    }

    /// The main member of the document.
    pub(super) fn main_member(&self, usual: &str) -> Result<String, ReadError> {
        let relations = self.relations("")?;
        let named = relations.values().find(|relation| relation.kind == "officeDocument");
        match named.map(|relation| relation.target.as_str()).filter(|name| self.has(name)) {
            Some(name) => Ok(name.to_owned()),
            None if self.has(usual) => Ok(usual.to_owned()),
            None => Err(ReadError::damaged("it has no main part")),
        }
    }

    /// `title`, `author` and other properties of the file.
    pub(super) fn properties(&self) -> std::collections::BTreeMap<String, String> {
        let known = [
            ("title", "title"),
            ("creator", "author"),
            ("subject", "subject"),
            ("keywords", "keywords"),
            ("description", "description"),
            ("created", "created"),
            ("modified", "modified"),
            ("lastModifiedBy", "modified_by"),
        ];
        let tree = self.tree("docProps/core.xml").unwrap_or_default();
        known
            .into_iter()
            .filter_map(|(element, name)| {
                let text = tree.child(element)?.all_text();
                (!text.trim().is_empty()).then(|| (name.to_owned(), text.trim().to_owned()))
            })
            .collect()
    }
}

/// Resolves the name of a member relative to a folder.
fn joined(folder: &str, target: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    if !target.starts_with('/') {
        parts.extend(folder.split('/').filter(|part| !part.is_empty()));
    }
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

fn compound_file(source: &Source) -> ReadError {
    let name: Vec<u8> = "EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let encrypted = source.bytes.windows(name.len()).any(|window| window == name.as_slice());
    if encrypted {
        encrypted_office()
    } else {
        ReadError::unsupported("the Office format of before 2007")
    }
}

/// Decryption of Office files is not implemented, so asking for a password would not help.
fn encrypted_office() -> ReadError {
    ReadError::unsupported("the encryption of Office files")
}

fn zip_error(error: ZipError) -> ReadError {
    match error {
        ZipError::UnsupportedArchive(what) if what == ZipError::PASSWORD_REQUIRED => {
            encrypted_office()
        }
        ZipError::UnsupportedArchive(what) => ReadError::unsupported(what),
        ZipError::CompressionMethodNotSupported(method) => {
            ReadError::unsupported(format!("the zip compression method {method}"))
        }
        error => ReadError::damaged(format!("its zip archive cannot be opened ({error})")),
    }
}
