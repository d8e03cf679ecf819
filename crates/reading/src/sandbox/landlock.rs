//! The lock on paths, ports and signals: a process names what it may still open, and loses the rest.
//!
//! It does not hide that a path *exists* (`stat` still answers), and it does not touch descriptors that
//! are open already: that is how a document is handed over.

use std::path::PathBuf;

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetStatus, Scope, path_beneath_rules,
};

use super::{Hold, SandboxError};

/// The newest set of rights that was tried with this code. An older kernel enforces what it knows.
const KNOWN: ABI = ABI::V6;

/// Keeps reading below `readable` and running of `executable`, and nothing else. A path that is not
/// there is left out: what is not there cannot be opened either.
pub(super) fn restrict(readable: &[PathBuf], executable: &[PathBuf]) -> Result<Hold, SandboxError> {
    let status = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(KNOWN))?
        .handle_access(AccessNet::from_all(KNOWN))?
        .scope(Scope::from_all(KNOWN))?
        .create()?
        .add_rules(path_beneath_rules(readable, AccessFs::ReadFile | AccessFs::ReadDir))?
        .add_rules(path_beneath_rules(executable, AccessFs::ReadFile | AccessFs::Execute))?
        .restrict_self()?;
    Ok(match status.ruleset {
        RulesetStatus::FullyEnforced => Hold::Full,
        RulesetStatus::PartiallyEnforced => Hold::Partial,
        RulesetStatus::NotEnforced => Hold::None,
    })
}
