//! Landlock restricts paths, ports and signals: a process lists what it may still open, and loses the rest.
//!
//! It does not hide that a path *exists* (see `private_root`), and it does not restrict descriptors that
//! are open already: that is how a child receives a document.

use std::io;
use std::path::PathBuf;

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetStatus, Scope, path_beneath_rules,
};

use super::{Enforcement, SandboxError};

/// The newest version of Landlock that this code was tested with. An older kernel enforces what it knows.
const NEWEST: ABI = ABI::V6;

/// Allows reading below `readable` and executing `executable`, and nothing else. Paths that do not exist
/// are skipped.
pub(super) fn restrict(
    readable: &[PathBuf],
    executable: &[PathBuf],
) -> Result<Enforcement, SandboxError> {
    let status = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(NEWEST))?
        .handle_access(AccessNet::from_all(NEWEST))?
        .scope(Scope::from_all(NEWEST))?
        .create()?
        .add_rules(path_beneath_rules(readable, AccessFs::ReadFile | AccessFs::ReadDir))?
        .add_rules(path_beneath_rules(executable, AccessFs::ReadFile | AccessFs::Execute))?
        .restrict_self()?;
    let enforcement = match status.ruleset {
        RulesetStatus::FullyEnforced => Enforcement::Full,
        RulesetStatus::PartiallyEnforced => Enforcement::Partial,
        RulesetStatus::NotEnforced => Enforcement::None,
    };
    Ok(if is_enforced() { enforcement } else { Enforcement::None })
}

/// Tests it: listing the root folder must be denied.
fn is_enforced() -> bool {
    let listed = std::fs::read_dir("/");
    listed.is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied)
}
