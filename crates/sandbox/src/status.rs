//! What the sandbox of a child enforces, what the operator requires, and how it is reported.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// How much of a lock the kernel enforces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Enforcement {
    None,
    /// Landlock of an older kernel, which knows fewer kinds of access. All versions deny access to
    /// files; what they lack (ports, signals, truncation, device commands) seccomp denies as well.
    Partial,
    Full,
}

impl Enforcement {
    pub fn is_active(self) -> bool {
        self != Self::None
    }
}

/// What the sandbox enforces, as the child tested after locking down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SandboxStatus {
    pub landlock: Enforcement,
    pub seccomp: Enforcement,
    /// Whether only what the child may read exists for it. Without a private root it may open nothing.
    pub private_root: bool,
    /// The user that the child runs as.
    pub uid: u32,
}

impl SandboxStatus {
    /// The status of an unrestricted process.
    pub(crate) const NONE: Self = Self {
        landlock: Enforcement::None,
        seccomp: Enforcement::None,
        private_root: false,
        uid: 0,
    };

    /// Both locks by name.
    pub fn locks(self) -> [(&'static str, Enforcement); 2] {
        [("landlock", self.landlock), ("seccomp", self.seccomp)]
    }

    /// Whether both locks are active.
    pub fn is_active(self) -> bool {
        self.locks().iter().all(|(_, lock)| lock.is_active())
    }

    /// The beginning of a sentence: "Landlock is", "Landlock and seccomp are".
    pub(crate) fn missing_locks(self) -> &'static str {
        match (self.landlock.is_active(), self.seccomp.is_active()) {
            (false, false) => "Landlock and seccomp are",
            (false, true) => "Landlock is",
            (true, false) => "seccomp is",
            (true, true) => "nothing is",
        }
    }
}

/// Whether documents are read without one of the locks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum SandboxPolicy {
    /// No document is read without Landlock and seccomp.
    #[default]
    Required,
    /// Documents are read with the locks that are available.
    BestEffort,
}

impl SandboxPolicy {
    pub const ALL: [Self; 2] = [Self::Required, Self::BestEffort];

    /// The value of the setting `sandbox`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Required => "required",
            Self::BestEffort => "best_effort",
        }
    }

    pub fn admits(self, status: SandboxStatus) -> bool {
        self == Self::BestEffort || status.is_active()
    }
}

impl FromStr for SandboxPolicy {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|policy| policy.as_str() == text).ok_or(())
    }
}

impl fmt::Display for SandboxPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The sandbox status that a process determined at its start, for the log, `/readyz`, the metrics and
/// `docket doctor`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SandboxReport {
    pub policy: SandboxPolicy,
    /// Or why the check failed.
    pub status: Result<SandboxStatus, String>,
}

impl SandboxReport {
    /// Whether this process takes jobs that read documents. It does when the check failed: each child checks
    /// again before it takes a document.
    pub fn reads_documents(&self) -> bool {
        self.status.as_ref().map_or(true, |status| self.policy.admits(*status))
    }

    /// Both locks by name, and whether each is active.
    pub fn locks(&self) -> [(&'static str, bool); 2] {
        match &self.status {
            Ok(status) => status.locks().map(|(name, lock)| (name, lock.is_active())),
            Err(_) => [("landlock", false), ("seccomp", false)],
        }
    }

    /// The problem to report; `None` when both locks are active.
    pub fn problem(&self) -> Option<String> {
        let status = match &self.status {
            Ok(status) if status.is_active() => return None,
            Ok(status) => status,
            Err(why) => return Some(format!("the sandbox could not be checked: {why}")),
        };
        let missing = status.missing_locks();
        Some(match self.policy {
            SandboxPolicy::Required => format!(
                "{missing} not active on this machine, so no document is read here. Documents are \
                 still accepted and wait. {}",
                Self::REMEDY
            ),
            SandboxPolicy::BestEffort => format!(
                "{missing} not active on this machine. Documents are read anyway, because \
                 sandbox = \"best_effort\""
            ),
        })
    }

    pub const REMEDY: &'static str = "Enable the missing lock (docs/sandbox.md says how), or set \
        sandbox = \"best_effort\" (DOCKET_SANDBOX=best_effort) to read documents without it";
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(landlock: Enforcement, seccomp: Enforcement) -> SandboxStatus {
        SandboxStatus { landlock, seccomp, private_root: false, uid: 1000 }
    }

    #[test]
    fn both_locks_are_required_and_an_older_landlock_is_enough() {
        use Enforcement::{Full, None, Partial};
        for (landlock, seccomp, is_active) in [
            (Full, Full, true),
            (Partial, Full, true),
            (None, Full, false),
            (Full, None, false),
            (None, None, false),
        ] {
            let status = status(landlock, seccomp);
            assert_eq!(status.is_active(), is_active, "{status:?}");
            assert_eq!(SandboxPolicy::Required.admits(status), is_active, "{status:?}");
            assert!(SandboxPolicy::BestEffort.admits(status));
        }
    }

    #[test]
    fn a_report_names_the_missing_lock_and_its_effect() {
        let of = |policy, landlock| SandboxReport {
            policy,
            status: Ok(status(landlock, Enforcement::Full)),
        };
        assert_eq!(of(SandboxPolicy::Required, Enforcement::Full).problem(), None);
        let refusing = of(SandboxPolicy::Required, Enforcement::None);
        assert!(!refusing.reads_documents());
        let problem = refusing.problem().unwrap();
        assert!(problem.starts_with("Landlock is not active on this machine, so no"), "{problem}");
        assert!(problem.contains("DOCKET_SANDBOX=best_effort"), "{problem}");
        let reading = of(SandboxPolicy::BestEffort, Enforcement::None);
        assert!(reading.reads_documents());
        assert!(reading.problem().unwrap().contains("read anyway"));
    }
}
