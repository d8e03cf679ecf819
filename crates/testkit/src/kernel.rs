//! Simulates a kernel without a feature, as in old kernels and many containers.
//!
//! A seccomp filter makes the system calls of the feature fail. It applies to the calling thread and to every thread and
//! process that this one starts later, so the program under test needs no test hooks.

use std::collections::BTreeMap;

use libc::{c_int, c_long};
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition,
    SeccompFilter, SeccompRule, TargetArch, apply_filter,
};

type Calls = BTreeMap<c_long, Vec<SeccompRule>>;

/// A feature that the kernel does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingKernelFeature {
    Landlock,
    Seccomp,
    /// No process may have a file system or users of its own.
    Namespaces,
}

impl MissingKernelFeature {
    /// Applies to this thread and to all that it starts from now on.
    pub fn apply(self) {
        let (calls, error) = self.refused().expect("the rules are well-formed");
        let machine = TargetArch::try_from(std::env::consts::ARCH).expect("a known machine");
        let error = SeccompAction::Errno(error.unsigned_abs());
        let filter: BpfProgram = SeccompFilter::new(calls, SeccompAction::Allow, error, machine)
            .and_then(TryInto::try_into)
            .expect("the rules are well-formed");
        apply_filter(&filter).expect("this kernel has seccomp");
    }

    /// The system calls, and the error that they return.
    fn refused(self) -> Result<(Calls, c_int), BackendError> {
        let always = |calls: &[c_long]| calls.iter().map(|call| (*call, Vec::new())).collect();
        Ok(match self {
            Self::Landlock => (always(&[libc::SYS_landlock_create_ruleset]), libc::ENOSYS),
            Self::Seccomp => {
                let mut calls: Calls = always(&[libc::SYS_seccomp]);
                let setting = SeccompCondition::new(
                    0,
                    SeccompCmpArgLen::Dword,
                    SeccompCmpOp::Eq,
                    u64::from(libc::PR_SET_SECCOMP.unsigned_abs()),
                )?;
                calls.insert(libc::SYS_prctl, vec![SeccompRule::new(vec![setting])?]);
                (calls, libc::EINVAL)
            }
            Self::Namespaces => {
                let calls = [libc::SYS_unshare, libc::SYS_mount, libc::SYS_pivot_root];
                (always(&calls), libc::EPERM)
            }
        })
    }
}
