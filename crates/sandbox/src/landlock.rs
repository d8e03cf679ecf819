//! The lock on paths, ports and signals: a process names what it may still open, and loses the rest.
//!
//! It does not hide that a path *exists* (see `private_root`), and it does not touch descriptors that
//! are open already: that is how a document is handed over.

use std::io;
use std::path::PathBuf;

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetStatus, Scope, path_beneath_rules,
};

use super::{Enforcement, SandboxError};

/// The newest set of rights that was tried with this code. An older kernel enforces what it knows.
const KNOWN: ABI = ABI::V6;

/// Keeps reading below `readable` and running of `executable`, and nothing else. A path that is not
/// there is left out: what is not there cannot be opened either.
pub(super) fn restrict(
    readable: &[PathBuf],
    executable: &[PathBuf],
) -> Result<Enforcement, SandboxError> {
    let status = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(KNOWN))?
        .handle_access(AccessNet::from_all(KNOWN))?
        .scope(Scope::from_all(KNOWN))?
        .create()?
        .add_rules(path_beneath_rules(readable, AccessFs::ReadFile | AccessFs::ReadDir))?
        .add_rules(path_beneath_rules(executable, AccessFs::ReadFile | AccessFs::Execute))?
        .restrict_self()?;
    let enforcement = match status.ruleset {
        RulesetStatus::FullyEnforced => Enforcement::Full,
        RulesetStatus::PartiallyEnforced => Enforcement::Partial,
        RulesetStatus::NotEnforced => Enforcement::None,
    };
    Ok(if refuses() { enforcement } else { Enforcement::None })
}

/// Tries it out: the root folder is there, and nobody may list it.
fn refuses() -> bool {
    let listed = std::fs::read_dir("/");
    listed.is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied)
}
