//! Which files are accepted, by their content.

use blob::Staged;
use domain::FileKind;
use reading::detect::{Detected, detect, ending};

use crate::OpsError;
use crate::documents::intake::Intake;

impl Intake {
    /// The kind of an acceptable file: not empty, of a kind that the operator accepts, and with a matching file extension.
    pub(crate) fn acceptable_kind(
        &self,
        staged: &Staged,
        file_name: &str,
    ) -> Result<FileKind, OpsError> {
        if staged.size == 0 {
            return Err(OpsError::invalid("file", "The file is empty."));
        }
        let kind = match detect(&staged.head, file_name) {
            Detected::Kind(kind) if self.settings().accepted.contains(&kind) => kind,
            Detected::Kind(kind) => return Err(self.unsupported(kind.media_type())),
            Detected::Foreign(what) => return Err(self.unsupported(what)),
        };
        match ending(file_name).and_then(|ending| ending.parse::<FileKind>().ok()) {
            Some(named) if named != kind && !both_text(named, kind) => {
                Err(OpsError::UnsupportedType {
                    problem: format!(
                        "The file is named .{named} but contains {}. Rename it and upload it again.",
                        kind.media_type()
                    ),
                })
            }
            _ => Ok(kind),
        }
    }

    fn unsupported(&self, what: &str) -> OpsError {
        let kinds: Vec<&str> = self.settings().accepted.iter().map(|kind| kind.as_str()).collect();
        OpsError::UnsupportedType {
            problem: format!("The file is {what}. Accepted formats: {}.", kinds.join(", ")),
        }
    }
}

fn both_text(one: FileKind, other: FileKind) -> bool {
    let text = |kind| {
        matches!(
            kind,
            FileKind::Txt | FileKind::Md | FileKind::Html | FileKind::Eml | FileKind::Xml
        )
    };
    text(one) && text(other)
}
