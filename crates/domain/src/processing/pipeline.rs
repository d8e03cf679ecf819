//! Pipelines: ordered lists of stage names.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The name of a stage: lower-case letters, digits and underscores.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct StageName(Cow<'static, str>);

impl StageName {
    pub const INGEST: Self = Self::constant("ingest");
    pub const PREPROCESS: Self = Self::constant("preprocess");
    pub const OCR: Self = Self::constant("ocr");
    pub const LAYOUT: Self = Self::constant("layout");
    /// The stage that makes a version searchable and active.
    pub const INDEX: Self = Self::constant("index");
    pub const PARSE: Self = Self::constant("parse");
    pub const RECONCILE: Self = Self::constant("reconcile");
    pub const PACKAGE: Self = Self::constant("package");

    /// A name for a constant.
    ///
    /// # Panics
    /// When the name is not valid; in a constant this is a compile error.
    pub const fn constant(name: &'static str) -> Self {
        assert!(is_valid(name.as_bytes()), "not the name of a stage");
        Self(Cow::Borrowed(name))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

const fn is_valid(name: &[u8]) -> bool {
    let mut at = 0;
    while at < name.len() && matches!(name[at], b'a'..=b'z' | b'0'..=b'9' | b'_') {
        at += 1;
    }
    at == name.len() && 1 <= at && at <= 40
}

impl FromStr for StageName {
    type Err = InvalidPipeline;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.to_owned().try_into()
    }
}

impl TryFrom<String> for StageName {
    type Error = InvalidPipeline;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        if is_valid(text.as_bytes()) {
            Ok(Self(Cow::Owned(text)))
        } else {
            Err(InvalidPipeline::Name(text))
        }
    }
}

impl From<StageName> for String {
    fn from(name: StageName) -> Self {
        name.0.into_owned()
    }
}

impl fmt::Display for StageName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The stages of a run, in order: at least one, and no stage twice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<StageName>", into = "Vec<StageName>")]
pub struct Pipeline(Vec<StageName>);

#[derive(Debug, Error, PartialEq, Eq)]
pub enum InvalidPipeline {
    #[error("'{0}' is not the name of a stage: use lower-case letters, digits and underscores")]
    Name(String),
    #[error("a pipeline needs at least one stage")]
    Empty,
    #[error("the stage '{0}' is in the pipeline twice")]
    Twice(StageName),
}

impl Pipeline {
    pub fn first(&self) -> &StageName {
        &self.0[0]
    }

    pub fn stages(&self) -> &[StageName] {
        &self.0
    }

    /// The stage after this one; `None` for the last stage, and for a stage that is not in the pipeline.
    pub fn after(&self, stage: &StageName) -> Option<&StageName> {
        let index = self.0.iter().position(|name| name == stage)?;
        self.0.get(index + 1)
    }
}

impl TryFrom<Vec<StageName>> for Pipeline {
    type Error = InvalidPipeline;

    fn try_from(stages: Vec<StageName>) -> Result<Self, Self::Error> {
        if stages.is_empty() {
            return Err(InvalidPipeline::Empty);
        }
        for (index, name) in stages.iter().enumerate() {
            if stages[..index].contains(name) {
                return Err(InvalidPipeline::Twice(name.clone()));
            }
        }
        Ok(Self(stages))
    }
}

impl From<Pipeline> for Vec<StageName> {
    fn from(pipeline: Pipeline) -> Self {
        pipeline.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pipeline(names: &[&str]) -> Result<Pipeline, InvalidPipeline> {
        let names: Result<Vec<StageName>, _> = names.iter().map(|name| name.parse()).collect();
        names?.try_into()
    }

    #[test]
    fn a_pipeline_knows_the_next_stage() {
        let pipeline = pipeline(&["ocr", "layout", "index"]).unwrap();
        assert_eq!(pipeline.first().as_str(), "ocr");
        assert_eq!(pipeline.after(&"ocr".parse().unwrap()).unwrap().as_str(), "layout");
        assert_eq!(pipeline.after(&"index".parse().unwrap()), None);
        assert_eq!(pipeline.after(&"parse".parse().unwrap()), None);
    }

    #[test]
    fn an_invalid_pipeline_is_refused() {
        assert_eq!(pipeline(&[]), Err(InvalidPipeline::Empty));
        assert!(matches!(pipeline(&["ocr", "ocr"]), Err(InvalidPipeline::Twice(_))));
        assert!(matches!(pipeline(&["OCR"]), Err(InvalidPipeline::Name(_))));
        assert!(serde_json::from_str::<Pipeline>("[]").is_err());
    }
}
