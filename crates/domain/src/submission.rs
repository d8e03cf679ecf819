//! What becomes of content that is handed in, decided from what is known of it and from what the caller may do.
//!
//! Documents are known by their content, so whoever has the bytes hands in the same document. That makes them one
//! of its owners; it gives them no say in what others see. A *new version* is a run of content that is served; to
//! *restore* is to process what was deleted or withdrawn. Both need the permission that a rerun needs. A document that
//! is identified by its place in a source gets a new version when its content there has changed.

use thiserror::Error;

use crate::DedupResult;

/// What is known of content when it is handed in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct KnownContent {
    /// Nobody has handed it in before.
    pub is_new: bool,
    pub is_deleted: bool,
    /// It was served, and somebody took it out of service.
    pub is_withdrawn: bool,
    /// It is served.
    pub is_active: bool,
    /// A run works on it.
    pub is_in_progress: bool,
    /// That run was given another password, or one where none was presented now.
    pub run_has_other_password: bool,
    /// A password opened it, and another one or none was presented now.
    pub password_missing: bool,
    /// What is known under the same identity has other content.
    pub has_other_content: bool,
    /// Regions that nobody may read were not masked by the run that counts: the one under way, else the one served.
    pub lacks_masks: bool,
}

/// What the caller asks for, and what they may ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Offer {
    /// Content that is served already is left alone.
    pub dedupe: bool,
    /// The pipeline is not the tenant's usual one.
    pub pipeline_is_chosen: bool,
    pub has_password: bool,
    /// The caller may process documents again.
    pub may_rerun: bool,
    /// It came within another document: nobody asks for anything.
    pub is_part: bool,
    /// It replaces the original of one document: that document's owners, and what they call it, stay.
    pub is_update: bool,
}

/// What to do with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Nothing: it is served, or it is a part of something that must not come back.
    Skip,
    /// The run under way is the one.
    Join,
    /// A run of its own.
    Process(DedupResult),
    /// A run of its own, which brings back what was deleted or withdrawn.
    Restore,
}

/// Why content is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    #[error("this document was deleted; ask an administrator to bring it back")]
    Deleted,
    #[error("this document was taken out of service; ask an administrator to bring it back")]
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
        "this document is being processed with another password; upload it again when that is done"
    )]
    OtherPasswordInProgress,
}

impl Refusal {
    /// The name by which clients know it.
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
    pub fn is_passing(self) -> bool {
        self == Self::OtherPasswordInProgress
    }
}

impl KnownContent {
    pub fn decide(self, offer: Offer) -> Result<Decision, Refusal> {
        if self.is_new {
            return Ok(Decision::Process(DedupResult::New));
        }
        if offer.is_part {
            return Ok(self.decide_on_part());
        }
        self.check_rights(offer)?;
        // A password opened the content that is replaced, and says nothing of this.
        if !self.has_other_content {
            self.check_password(offer)?;
        }
        if self.is_deleted || self.is_withdrawn && !self.is_in_progress {
            return Ok(Decision::Restore);
        }
        let wants_version = !offer.dedupe || offer.pipeline_is_chosen;
        match self.usual_decision(wants_version && offer.may_rerun) {
            Decision::Join if self.run_has_other_password && !self.is_active => {
                Err(Refusal::OtherPasswordInProgress)
            }
            decision => Ok(decision),
        }
    }

    /// A part never restores. It needs no password here: its owners are asked for theirs when they read it.
    fn decide_on_part(self) -> Decision {
        if self.is_deleted || self.is_withdrawn {
            Decision::Skip
        } else {
            self.usual_decision(false)
        }
    }

    fn usual_decision(self, wants_version: bool) -> Decision {
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

    fn check_rights(self, offer: Offer) -> Result<(), Refusal> {
        if offer.may_rerun {
            return Ok(());
        }
        if self.is_deleted {
            return Err(Refusal::Deleted);
        }
        if self.is_withdrawn {
            return Err(Refusal::Withdrawn);
        }
        // What failed, or was never served, anybody may try again in the usual way.
        let would_replace = !offer.dedupe && (self.is_active || self.is_in_progress);
        if would_replace || offer.pipeline_is_chosen {
            return Err(Refusal::VersionNotPermitted);
        }
        Ok(())
    }

    fn check_password(self, offer: Offer) -> Result<(), Refusal> {
        match (self.password_missing, offer.has_password) {
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
    const UPLOAD: Offer = Offer {
        dedupe: true,
        pipeline_is_chosen: false,
        has_password: false,
        may_rerun: false,
        is_part: false,
        is_update: false,
    };

    /// Every state of the content against every kind of caller, one line each.
    #[test]
    fn every_cell_of_the_table() {
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
        let offers = [
            ("user", UPLOAD),
            ("again", Offer { dedupe: false, ..UPLOAD }),
            ("choosing", Offer { pipeline_is_chosen: true, ..UPLOAD }),
            ("admin", Offer { may_rerun: true, ..UPLOAD }),
            ("admin again", Offer { may_rerun: true, dedupe: false, ..UPLOAD }),
            ("part", Offer { is_part: true, ..UPLOAD }),
        ];
        let word = |decided| match decided {
            Ok(Decision::Skip) => "skip".to_owned(),
            Ok(Decision::Join) => "join".to_owned(),
            Ok(Decision::Process(result)) => result.to_string(),
            Ok(Decision::Restore) => "restore".to_owned(),
            Err(refusal) => Refusal::code(refusal).to_owned(),
        };
        let rows: Vec<String> = states
            .iter()
            .map(|(name, state)| {
                let cells: Vec<String> =
                    offers.iter().map(|(_, offer)| word(state.decide(*offer))).collect();
                format!("{name}: {}", cells.join(", "))
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
    fn a_wrong_password_is_told_from_none() {
        let locked = KnownContent { password_missing: true, ..ACTIVE };
        let wrong = Offer { has_password: true, ..UPLOAD };
        assert_eq!(locked.decide(wrong), Err(Refusal::WrongPassword));
        let running = KnownContent {
            is_active: false,
            is_in_progress: true,
            run_has_other_password: true,
            ..ACTIVE
        };
        assert_eq!(running.decide(wrong), Err(Refusal::OtherPasswordInProgress));
        assert!(Refusal::OtherPasswordInProgress.is_passing());
    }
}
