//! Pipelines: ordered lists of stage names.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The name of a stage: lower-case letters, digits and underscores.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct StageName(String);

impl StageName {
    /// The stage that makes a version searchable, and serves it.
    pub const INDEX: &'static str = "index";

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for StageName {
    type Err = InvalidPipeline;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let fits = (1..=40).contains(&text.len())
            && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
        if fits { Ok(Self(text.to_owned())) } else { Err(InvalidPipeline::Name(text.to_owned())) }
    }
}

impl TryFrom<String> for StageName {
    type Error = InvalidPipeline;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<StageName> for String {
    fn from(name: StageName) -> Self {
        name.0
    }
}

impl fmt::Display for StageName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The stages a run passes, in order. Not empty, and no stage twice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<StageName>", into = "Vec<StageName>")]
pub struct Pipeline(Vec<StageName>);

#[derive(Debug, Error, PartialEq, Eq)]
pub enum InvalidPipeline {
    #[error("'{0}' is not the name of a stage: use lower-case letters, digits and underscores")]
    Name(String),
    #[error("a pipeline needs at least one stage")]
    Empty,
    #[error("the stage '{0}' stands twice in the pipeline")]
    Twice(StageName),
}

impl Pipeline {
    pub fn first(&self) -> &StageName {
        &self.0[0]
    }

    pub fn stages(&self) -> &[StageName] {
        &self.0
    }

    /// The stage after this one; `None` after the last, and for a stage that is not in it.
    pub fn after(&self, stage: &StageName) -> Option<&StageName> {
        let place = self.0.iter().position(|name| name == stage)?;
        self.0.get(place + 1)
    }
}

impl TryFrom<Vec<StageName>> for Pipeline {
    type Error = InvalidPipeline;

    fn try_from(stages: Vec<StageName>) -> Result<Self, Self::Error> {
        if stages.is_empty() {
            return Err(InvalidPipeline::Empty);
        }
        for (place, name) in stages.iter().enumerate() {
            if stages[..place].contains(name) {
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
    fn a_pipeline_knows_what_follows() {
        let pipeline = pipeline(&["ocr", "layout", "index"]).unwrap();
        assert_eq!(pipeline.first().as_str(), "ocr");
        assert_eq!(pipeline.after(&"ocr".parse().unwrap()).unwrap().as_str(), "layout");
        assert_eq!(pipeline.after(&"index".parse().unwrap()), None);
        assert_eq!(pipeline.after(&"parse".parse().unwrap()), None);
    }

    #[test]
    fn what_is_no_pipeline_is_refused() {
        assert_eq!(pipeline(&[]), Err(InvalidPipeline::Empty));
        assert!(matches!(pipeline(&["ocr", "ocr"]), Err(InvalidPipeline::Twice(_))));
        assert!(matches!(pipeline(&["OCR"]), Err(InvalidPipeline::Name(_))));
        assert!(serde_json::from_str::<Pipeline>("[]").is_err());
    }
}
