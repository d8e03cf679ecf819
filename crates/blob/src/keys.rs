//! The keys of objects: formatting and parsing.

use std::fmt;
use std::str::FromStr;

use domain::{ContentHash, DocId, RunId, StageName, TenantId};
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use thiserror::Error;
use uuid::Uuid;

use crate::ListedObject;
use crate::error::Result;

pub(crate) fn staged_key(upload: Uuid) -> String {
    format!("staging/{upload}")
}

pub(crate) fn read_staged_key(key: &str) -> Option<Uuid> {
    key.strip_prefix("staging/")?.parse().ok()
}

/// With two digits of the hash as a folder, so that no folder has a million files.
pub fn original_key(tenant: TenantId, hash: &ContentHash) -> String {
    let hash = hash.to_string();
    format!("originals/{tenant}/{}/{hash}", &hash[..2])
}

pub(crate) fn read_original_key(key: &str) -> Option<(TenantId, ContentHash)> {
    let (tenant, rest) = key.strip_prefix("originals/")?.split_once('/')?;
    let (_, hash) = rest.split_once('/')?;
    Some((tenant.parse().ok()?, hash.parse().ok()?))
}

pub(crate) fn artifacts_key(tenant: TenantId, doc: DocId) -> String {
    format!("artifacts/{tenant}/{doc}")
}

/// The number comes first and has a fixed length, so that a listing is in order.
pub(crate) fn checkpoint_key(place: &CheckpointPlace) -> String {
    let CheckpointPlace { tenant, number, digest } = place;
    format!("audit/{tenant}/{number:012}-{digest}.json")
}

pub(crate) fn read_checkpoint_key(key: &str) -> Option<CheckpointPlace> {
    let (tenant, rest) = key.strip_prefix("audit/")?.split_once('/')?;
    let (number, digest) = rest.strip_suffix(".json")?.split_once('-')?;
    let (tenant, number) = (tenant.parse().ok()?, number.parse().ok()?);
    Some(CheckpointPlace { tenant, number, digest: digest.parse().ok()? })
}

/// Identifies a checkpoint of a tenant's audit log. Two with the same number, as after a restored backup, have different
/// keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CheckpointPlace {
    pub tenant: TenantId,
    pub number: i64,
    /// The hash of its statement.
    pub digest: ContentHash,
}

/// The entries of a listing whose keys Docket wrote. Others are ignored.
pub(crate) fn only<T: Send + 'static>(
    listing: BoxStream<'static, Result<ListedObject>>,
    read: impl Fn(ListedObject) -> Option<T> + Send + 'static,
) -> BoxStream<'static, Result<T>> {
    let known = move |found: Result<ListedObject>| {
        let known = match found {
            Ok(found) => {
                let key = found.key.clone();
                let known = read(found);
                if known.is_none() {
                    tracing::debug!(key, "not an object of Docket's");
                }
                known.map(Ok)
            }
            Err(error) => Some(Err(error)),
        };
        std::future::ready(known)
    };
    listing.filter_map(known).boxed()
}

/// Identifies one artifact of one run. [`ArtifactPlace::key`] formats its key, which parses back.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ArtifactPlace {
    pub tenant: TenantId,
    pub doc: DocId,
    pub run: RunId,
    pub stage: StageName,
    pub name: ArtifactName,
}

#[derive(Debug, Error, PartialEq, Eq)]
pub enum InvalidPlace {
    #[error(
        "'{0}' cannot be the name of an artifact: use up to 100 letters, digits, dots, dashes and \
         underscores, and no dot at the beginning"
    )]
    Name(String),
    #[error("'{0}' is not the key of an artifact")]
    Key(String),
}

impl ArtifactPlace {
    pub fn key(&self) -> String {
        let Self { tenant, doc, run, stage, name } = self;
        format!("artifacts/{tenant}/{doc}/{run}/{stage}/{name}")
    }
}

impl FromStr for ArtifactPlace {
    type Err = InvalidPlace;

    fn from_str(key: &str) -> std::result::Result<Self, Self::Err> {
        let place = || {
            let parts: Vec<&str> = key.split('/').collect();
            let ["artifacts", tenant, doc, run, stage, name] = parts.as_slice() else {
                return None;
            };
            Some(Self {
                tenant: tenant.parse().ok()?,
                doc: doc.parse().ok()?,
                run: run.parse().ok()?,
                stage: stage.parse().ok()?,
                name: name.parse().ok()?,
            })
        };
        place().ok_or_else(|| InvalidPlace::Key(key.to_owned()))
    }
}

/// The last part of an artifact's key, such as `pages.json`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ArtifactName(String);

impl FromStr for ArtifactName {
    type Err = InvalidPlace;

    fn from_str(text: &str) -> std::result::Result<Self, Self::Err> {
        let fits = (1..=100).contains(&text.len())
            && !text.starts_with('.')
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b));
        if fits { Ok(Self(text.to_owned())) } else { Err(InvalidPlace::Name(text.to_owned())) }
    }
}

impl ArtifactName {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ArtifactName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_parse_back() {
        let tenant = TenantId(Uuid::from_u128(7));
        let hash = ContentHash([0xab; 32]);
        assert_eq!(read_original_key(&original_key(tenant, &hash)), Some((tenant, hash)));
        assert_eq!(read_staged_key(&staged_key(tenant.0)), Some(tenant.0));
        let place = ArtifactPlace {
            tenant,
            doc: DocId(Uuid::from_u128(8)),
            run: RunId(Uuid::from_u128(9)),
            stage: "read".parse().unwrap(),
            name: "pages.json".parse().unwrap(),
        };
        assert_eq!(place.key().parse(), Ok(place.clone()));
        assert!(place.key().starts_with(&artifacts_key(tenant, place.doc)));
    }

    #[test]
    fn a_name_cannot_leave_its_folder() {
        for wrong in ["", ".", "..", ".hidden", "a/b", "a\\b", "a b", "ä", &"x".repeat(101)] {
            assert!(wrong.parse::<ArtifactName>().is_err(), "{wrong}");
        }
    }
}
