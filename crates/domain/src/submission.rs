//! Decides what happens to submitted content, from what is known of it and what the caller may do.
//!
//! A document is identified by its content, so all callers who upload the same bytes upload the same document. That makes
//! each of them an owner; it does not change what the others see. A *new version* is a run of content that is active
//! already; to *restore* is to process deleted or withdrawn content again. Both need the permission to rerun. A document
//! that is identified by its location in a source gets a new version when its content there has changed.

use thiserror::Error;

use crate::DedupResult;

/// What is known of content when it is submitted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct KnownContent {
    /// It was never submitted before.
    pub is_new: bool,
    pub is_deleted: bool,
    /// It was active, and was withdrawn.
    pub is_withdrawn: bool,
    /// It has an active version.
    pub is_active: bool,
    /// A run of it is queued or running.
    pub is_in_progress: bool,
    /// That run has another password, or one where this submission has none.
    pub run_has_other_password: bool,
    /// A password opened it, and this submission has another one or none.
    pub password_missing: bool,
    /// The document with the same identity has other content.
    pub has_other_content: bool,
    /// The run that counts (the live one, otherwise the one of the active version) lacks masks that apply now.
    pub lacks_masks: bool,
}

/// What the caller requests, and what they may request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct SubmissionOptions {
    /// Content that is active already is skipped.
    pub dedupe: bool,
    /// The pipeline is not the tenant's default.
    pub pipeline_is_chosen: bool,
    pub has_password: bool,
    /// The caller may process documents again.
    pub may_rerun: bool,
    /// It is an attachment of another document: no user requested anything.
    pub is_attachment: bool,
    /// It replaces the original of one document, which keeps its owners and their titles.
    pub is_update: bool,
}

/// What to do with submitted content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Nothing: it is active, or it is an attachment that was deleted or withdrawn.
    Skip,
    /// Use the live run.
    Join,
    /// Start a run.
    Process(DedupResult),
    /// Start a run that restores the deleted or withdrawn document.
    Restore,
}

/// Why content is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    #[error("this document was deleted; ask an administrator to restore it")]
    Deleted,
    #[error("this document was withdrawn; ask an administrator to restore it")]
    Withdrawn,
    #[error(
        "this document exists already; only administrators may process it again (dedupe: false) or choose \
         its pipeline. Upload it without these options"
    )]
    VersionNotPermitted,
    #[error("this document exists already and has a password; upload it with its password")]
    PasswordRequired,
    #[error(
        "this document exists already, and another password opened it; upload it with that password"
    )]
    WrongPassword,
    #[error(
        "this document is being processed with another password; upload it again when that has ended"
    )]
    OtherPasswordInProgress,
}

impl Refusal {
    /// The error code in the API.
    pub fn code(self) -> &'static str {
        match self {
            Self::Deleted => "document_deleted",
            Self::Withdrawn => "document_withdrawn",
            Self::VersionNotPermitted => "forbidden",
            Self::PasswordRequired => "password_required",
            Self::WrongPassword => "wrong_password",
            Self::OtherPasswordInProgress => "document_in_progress",
        }
    }

    /// The same request may be accepted later.
    pub fn is_transient(self) -> bool {
        self == Self::OtherPasswordInProgress
    }
}

impl KnownContent {
    pub fn decide(self, options: SubmissionOptions) -> Result<Decision, Refusal> {
        if self.is_new {
            return Ok(Decision::Process(DedupResult::New));
        }
        if options.is_attachment {
            return Ok(self.decide_on_attachment());
        }
        self.check_rights(options)?;
        // A password that opened the replaced content does not apply to this.
        if !self.has_other_content {
            self.check_password(options)?;
        }
        if self.is_deleted || self.is_withdrawn && !self.is_in_progress {
            return Ok(Decision::Restore);
        }
        let wants_version = !options.dedupe || options.pipeline_is_chosen;
        match self.default_decision(wants_version && options.may_rerun) {
            Decision::Join if self.run_has_other_password && !self.is_active => {
                Err(Refusal::OtherPasswordInProgress)
            }
            decision => Ok(decision),
        }
    }

    /// An attachment never restores. It needs no password here: its owners need theirs to read it.
    fn decide_on_attachment(self) -> Decision {
        if self.is_deleted || self.is_withdrawn {
            Decision::Skip
        } else {
            self.default_decision(false)
        }
    }

    fn default_decision(self, wants_version: bool) -> Decision {
        if wants_version || self.lacks_masks || self.has_other_content && !self.is_in_progress {
            let is_active = self.is_active;
            let result = if is_active { DedupResult::NewVersion } else { DedupResult::New };
            return Decision::Process(result);
        }
        match self {
            Self { is_in_progress: true, .. } => Decision::Join,
            Self { is_active: true, .. } => Decision::Skip,
            _ => Decision::Process(DedupResult::New),
        }
    }

    fn check_rights(self, options: SubmissionOptions) -> Result<(), Refusal> {
        if options.may_rerun {
            return Ok(());
        }
        if self.is_deleted {
            return Err(Refusal::Deleted);
        }
        if self.is_withdrawn {
            return Err(Refusal::Withdrawn);
        }
        // Every uploader may submit failed content again with the default options.
        let would_replace = !options.dedupe && (self.is_active || self.is_in_progress);
        if would_replace || options.pipeline_is_chosen {
            return Err(Refusal::VersionNotPermitted);
        }
        Ok(())
    }

    fn check_password(self, options: SubmissionOptions) -> Result<(), Refusal> {
        match (self.password_missing, options.has_password) {
            (false, _) => Ok(()),
            (true, true) => Err(Refusal::WrongPassword),
            (true, false) => Err(Refusal::PasswordRequired),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACTIVE: KnownContent = KnownContent {
        is_new: false,
        is_deleted: false,
        is_withdrawn: false,
        is_active: true,
        is_in_progress: false,
        run_has_other_password: false,
        password_missing: false,
        has_other_content: false,
        lacks_masks: false,
    };
    const UPLOAD: SubmissionOptions = SubmissionOptions {
        dedupe: true,
        pipeline_is_chosen: false,
        has_password: false,
        may_rerun: false,
        is_attachment: false,
        is_update: false,
    };

    /// Every state of the content against every kind of caller, one line each.
    #[test]
    fn every_state_against_every_caller() {
        let failed = KnownContent { is_active: false, ..ACTIVE };
        let states = [
            ("new", KnownContent { is_new: true, ..failed }),
            ("failed", failed),
            ("running", KnownContent { is_in_progress: true, ..failed }),
            ("active", ACTIVE),
            ("rerunning", KnownContent { is_in_progress: true, ..ACTIVE }),
            ("withdrawn", KnownContent { is_withdrawn: true, ..failed }),
            ("deleted", KnownContent { is_deleted: true, ..failed }),
            ("unmasked", KnownContent { lacks_masks: true, ..ACTIVE }),
            ("locked", KnownContent { password_missing: true, ..ACTIVE }),
            ("changed", KnownContent { has_other_content: true, password_missing: true, ..ACTIVE }),
        ];
        let callers = [
            ("user", UPLOAD),
            ("again", SubmissionOptions { dedupe: false, ..UPLOAD }),
            ("choosing", SubmissionOptions { pipeline_is_chosen: true, ..UPLOAD }),
            ("admin", SubmissionOptions { may_rerun: true, ..UPLOAD }),
            ("admin again", SubmissionOptions { may_rerun: true, dedupe: false, ..UPLOAD }),
            ("attachment", SubmissionOptions { is_attachment: true, ..UPLOAD }),
        ];
        let name = |decided| match decided {
            Ok(Decision::Skip) => "skip".to_owned(),
            Ok(Decision::Join) => "join".to_owned(),
            Ok(Decision::Process(result)) => result.to_string(),
            Ok(Decision::Restore) => "restore".to_owned(),
            Err(refusal) => Refusal::code(refusal).to_owned(),
        };
        let rows: Vec<String> = states
            .iter()
            .map(|(state_name, state)| {
                let cells: Vec<String> =
                    callers.iter().map(|(_, options)| name(state.decide(*options))).collect();
                format!("{state_name}: {}", cells.join(", "))
            })
            .collect();
        assert_eq!(
            rows,
            [
                "new: new, new, new, new, new, new",
                "failed: new, new, forbidden, new, new, new",
                "running: join, forbidden, forbidden, join, new, join",
                "active: skip, forbidden, forbidden, skip, new_version, skip",
                "rerunning: join, forbidden, forbidden, join, new_version, join",
                "withdrawn: document_withdrawn, document_withdrawn, document_withdrawn, restore, restore, skip",
                "deleted: document_deleted, document_deleted, document_deleted, restore, restore, skip",
                "unmasked: new_version, forbidden, forbidden, new_version, new_version, new_version",
                "locked: password_required, forbidden, forbidden, password_required, password_required, skip",
                "changed: new_version, forbidden, forbidden, new_version, new_version, new_version",
            ]
        );
    }

    #[test]
    fn a_wrong_password_differs_from_a_missing_one() {
        let locked = KnownContent { password_missing: true, ..ACTIVE };
        let wrong = SubmissionOptions { has_password: true, ..UPLOAD };
        assert_eq!(locked.decide(wrong), Err(Refusal::WrongPassword));
        let running = KnownContent {
            is_active: false,
            is_in_progress: true,
            run_has_other_password: true,
            ..ACTIVE
        };
        assert_eq!(running.decide(wrong), Err(Refusal::OtherPasswordInProgress));
        assert!(Refusal::OtherPasswordInProgress.is_transient());
    }
}
