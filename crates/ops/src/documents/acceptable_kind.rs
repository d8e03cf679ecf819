//! Which files are taken in, by what is in them.

use blob::Staged;
use domain::FileKind;
use reading::detect::{Detected, detect, ending};

use crate::OpsError;
use crate::documents::intake::Intake;

impl Intake {
    /// The kind of a file that is taken in: not empty, of a kind that the operator accepts, and named as what it is.
    pub(crate) fn acceptable_kind(
        &self,
        staged: &Staged,
        file_name: &str,
    ) -> Result<FileKind, OpsError> {
        if staged.size == 0 {
            return Err(OpsError::invalid("file", "the file is empty"));
        }
        let kind = match detect(&staged.head, file_name) {
            Detected::Kind(kind) if self.settings().accepted.contains(&kind) => kind,
            Detected::Kind(kind) => return Err(self.refused(kind.media_type())),
            Detected::Foreign(what) => return Err(self.refused(what)),
        };
        match ending(file_name).and_then(|ending| ending.parse::<FileKind>().ok()) {
            Some(named) if named != kind && !both_text(named, kind) => {
                Err(OpsError::UnsupportedType {
                    problem: format!(
                        "the file is named .{named} but contains {}; send it under its right name",
                        kind.media_type()
                    ),
                })
            }
            _ => Ok(kind),
        }
    }

    fn refused(&self, what: &str) -> OpsError {
        let kinds: Vec<&str> = self.settings().accepted.iter().map(|kind| kind.as_str()).collect();
        OpsError::UnsupportedType {
            problem: format!("the file is {what}; accepted are {}", kinds.join(", ")),
        }
    }
}

fn both_text(one: FileKind, other: FileKind) -> bool {
    let text = |kind| matches!(kind, FileKind::Txt | FileKind::Md | FileKind::Html | FileKind::Eml);
    text(one) && text(other)
}
