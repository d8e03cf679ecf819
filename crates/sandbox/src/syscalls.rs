//! The seccomp filters.
//!
//! Three filters, of which the kernel applies the strictest result:
//!
//! - **allowed**: the calls that computing and reading need. All others fail with `EPERM`, which libraries
//!   that probe for features tolerate.
//! - **hostile**: calls that no reader makes by accident (sockets, processes, tracing, mounts). They end
//!   the process at once, so that an attack is visible as a crash and not as an error code.
//! - **unfiltered arguments**: `clone3` keeps its flags in memory that a filter cannot read. It fails with
//!   `ENOSYS`, and the C library falls back to `clone`, whose flags the filter can check.
//!
//! A filter cannot read paths either. Without a private root, a reading child may therefore make no call that
//! takes a path: each would reveal whether the path exists.

use std::collections::BTreeMap;

use libc::c_long;
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition,
    SeccompFilter, SeccompRule, TargetArch, apply_filter,
};

use super::{Enforcement, SandboxError};

type Calls = BTreeMap<c_long, Vec<SeccompRule>>;

/// Which system calls a process may make.
pub(super) struct Rules {
    allowed: Calls,
    hostile: Calls,
}

impl Rules {
    /// For a reading child, which has loaded all its libraries. It may use paths when it has a private root.
    pub(super) fn reading(private_root: bool) -> Result<Self, BackendError> {
        let mut allowed = computing()?;
        if private_root {
            allowed.extend(using_paths()?);
        }
        let no_code = || clear_bits(2, libc::PROT_EXEC);
        allowed.insert(libc::SYS_mmap, vec![no_code()?]);
        allowed.insert(libc::SYS_mprotect, vec![no_code()?]);
        // Requests and documents arrive on its only socket.
        allowed.insert(libc::SYS_recvmsg, vec![equals(0, 0)?]);
        let mut hostile = hostile()?;
        hostile.insert(libc::SYS_execve, Vec::new());
        hostile.insert(libc::SYS_execveat, Vec::new());
        Ok(Self { allowed, hostile })
    }

    /// For an external program, which loads its libraries under these rules. Landlock restricts which program
    /// may be executed.
    pub(super) fn running_a_program() -> Result<Self, BackendError> {
        let mut allowed = computing()?;
        allowed.extend(using_paths()?);
        let loading = [
            libc::SYS_mmap,
            libc::SYS_mprotect,
            libc::SYS_execve,
            libc::SYS_set_tid_address,
            libc::SYS_getcwd,
            libc::SYS_readlinkat,
            libc::SYS_faccessat,
            libc::SYS_faccessat2,
            libc::SYS_dup,
            libc::SYS_sched_setaffinity,
        ];
        allowed.extend(loading.map(|call| (call, Vec::new())));
        // Reading a limit only: without a new value none can be set.
        allowed.insert(libc::SYS_prlimit64, vec![is_null(2)?]);
        #[cfg(target_arch = "x86_64")]
        allowed.extend(
            [libc::SYS_arch_prctl, libc::SYS_access, libc::SYS_readlink, libc::SYS_dup2]
                .map(|call| (call, Vec::new())),
        );
        let mut hostile = hostile()?;
        hostile.insert(libc::SYS_execveat, Vec::new());
        Ok(Self { allowed, hostile })
    }
}

/// Applies the filters to this thread and its descendants.
pub(super) fn restrict(rules: Rules) -> Result<Enforcement, SandboxError> {
    // The list of allowed calls comes last, because it denies adding another filter.
    let filters = [
        compiled(rules.hostile, SeccompAction::Allow, SeccompAction::KillProcess)?,
        compiled(
            BTreeMap::from([(libc::SYS_clone3, Vec::new())]),
            SeccompAction::Allow,
            SeccompAction::Errno(libc::ENOSYS.unsigned_abs()),
        )?,
        compiled(
            rules.allowed,
            SeccompAction::Errno(libc::EPERM.unsigned_abs()),
            SeccompAction::Allow,
        )?,
    ];
    for filter in filters {
        if apply_filter(&filter).is_err() {
            return Ok(Enforcement::None);
        }
    }
    Ok(if is_enforced() { Enforcement::Full } else { Enforcement::None })
}

/// Tests it: reading the process group, which is always permitted otherwise, must be denied.
fn is_enforced() -> bool {
    rustix::process::getpgid(None) == Err(rustix::io::Errno::PERM)
}

fn compiled(
    calls: Calls,
    otherwise: SeccompAction,
    matched: SeccompAction,
) -> Result<BpfProgram, BackendError> {
    let machine = TargetArch::try_from(std::env::consts::ARCH)?;
    SeccompFilter::new(calls, otherwise, matched, machine)?.try_into()
}

/// What every process needs to compute, to use threads, and to read.
fn computing() -> Result<Calls, BackendError> {
    let plain = [
        // Memory.
        libc::SYS_brk,
        libc::SYS_madvise,
        libc::SYS_mremap,
        libc::SYS_munmap,
        // Threads and time.
        libc::SYS_clone3,
        libc::SYS_clock_getres,
        libc::SYS_clock_gettime,
        libc::SYS_clock_nanosleep,
        libc::SYS_exit,
        libc::SYS_exit_group,
        libc::SYS_futex,
        libc::SYS_getcpu,
        libc::SYS_getegid,
        libc::SYS_geteuid,
        libc::SYS_getgid,
        libc::SYS_getpid,
        libc::SYS_getppid,
        libc::SYS_getrandom,
        libc::SYS_getrusage,
        libc::SYS_gettid,
        libc::SYS_gettimeofday,
        libc::SYS_getuid,
        libc::SYS_membarrier,
        libc::SYS_nanosleep,
        libc::SYS_restart_syscall,
        libc::SYS_rseq,
        libc::SYS_sched_getaffinity,
        libc::SYS_sched_yield,
        libc::SYS_set_robust_list,
        libc::SYS_sysinfo,
        libc::SYS_times,
        libc::SYS_uname,
        // Signals to itself.
        libc::SYS_rt_sigaction,
        libc::SYS_rt_sigprocmask,
        libc::SYS_rt_sigreturn,
        libc::SYS_sigaltstack,
        // Open descriptors.
        libc::SYS_close,
        libc::SYS_fadvise64,
        libc::SYS_fstat,
        libc::SYS_getdents64,
        libc::SYS_lseek,
        libc::SYS_ppoll,
        libc::SYS_pread64,
        libc::SYS_read,
        libc::SYS_readv,
        libc::SYS_write,
        libc::SYS_writev,
    ];
    let mut calls: Calls = plain.map(|call| (call, Vec::new())).into_iter().collect();
    #[cfg(target_arch = "x86_64")]
    calls.extend([libc::SYS_poll, libc::SYS_time].map(|call| (call, Vec::new())));
    calls.insert(libc::SYS_clone, vec![set_bits(0, libc::CLONE_THREAD)?]);
    let commands = [libc::F_GETFD, libc::F_SETFD, libc::F_GETFL, libc::F_DUPFD_CLOEXEC];
    let commands = commands.map(|command| equals(1, command.unsigned_abs().into()));
    calls.insert(libc::SYS_fcntl, commands.into_iter().collect::<Result<_, _>>()?);
    calls.insert(libc::SYS_prctl, vec![equals(0, libc::PR_SET_NAME.unsigned_abs().into())?]);
    // `abort` sends itself a signal.
    let own = u64::from(std::process::id());
    calls.insert(libc::SYS_tgkill, vec![equals(0, own)?]);
    Ok(calls)
}

/// `stat` and opening for reading, as a search for fonts needs.
fn using_paths() -> Result<Calls, BackendError> {
    let stat = [libc::SYS_newfstatat, libc::SYS_statx];
    let mut calls: Calls = stat.map(|call| (call, Vec::new())).into_iter().collect();
    #[cfg(target_arch = "x86_64")]
    calls.extend([libc::SYS_lstat, libc::SYS_stat].map(|call| (call, Vec::new())));
    let writing = libc::O_WRONLY | libc::O_RDWR | libc::O_CREAT | libc::O_TRUNC | libc::O_APPEND;
    calls.insert(libc::SYS_openat, vec![clear_bits(2, writing)?]);
    #[cfg(target_arch = "x86_64")]
    calls.insert(libc::SYS_open, vec![clear_bits(1, writing)?]);
    Ok(calls)
}

/// Calls that no reader makes by accident.
fn hostile() -> Result<Calls, BackendError> {
    let always = [
        libc::SYS_accept,
        libc::SYS_accept4,
        libc::SYS_bind,
        libc::SYS_bpf,
        libc::SYS_chroot,
        libc::SYS_connect,
        libc::SYS_delete_module,
        libc::SYS_finit_module,
        libc::SYS_init_module,
        libc::SYS_io_uring_enter,
        libc::SYS_io_uring_setup,
        libc::SYS_kexec_load,
        libc::SYS_keyctl,
        libc::SYS_kill,
        libc::SYS_listen,
        libc::SYS_mount,
        libc::SYS_open_by_handle_at,
        libc::SYS_perf_event_open,
        libc::SYS_pidfd_getfd,
        libc::SYS_pidfd_open,
        libc::SYS_pidfd_send_signal,
        libc::SYS_pivot_root,
        libc::SYS_process_vm_readv,
        libc::SYS_process_vm_writev,
        libc::SYS_ptrace,
        libc::SYS_reboot,
        libc::SYS_sendmsg,
        libc::SYS_sendto,
        libc::SYS_setns,
        libc::SYS_setuid,
        libc::SYS_socket,
        libc::SYS_socketpair,
        libc::SYS_umount2,
        libc::SYS_unshare,
        libc::SYS_userfaultfd,
    ];
    let mut calls: Calls = always.map(|call| (call, Vec::new())).into_iter().collect();
    #[cfg(target_arch = "x86_64")]
    calls.extend([libc::SYS_fork, libc::SYS_vfork].map(|call| (call, Vec::new())));
    calls.insert(libc::SYS_clone, vec![clear_bits(0, libc::CLONE_THREAD)?]);
    Ok(calls)
}

fn clear_bits(argument: u8, bits: i32) -> Result<SeccompRule, BackendError> {
    let mask = u64::from(bits.unsigned_abs());
    rule(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::MaskedEq(mask), 0)
}

fn set_bits(argument: u8, bits: i32) -> Result<SeccompRule, BackendError> {
    let mask = u64::from(bits.unsigned_abs());
    rule(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::MaskedEq(mask), mask)
}

fn equals(argument: u8, value: u64) -> Result<SeccompRule, BackendError> {
    rule(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value)
}

fn is_null(argument: u8) -> Result<SeccompRule, BackendError> {
    rule(argument, SeccompCmpArgLen::Qword, SeccompCmpOp::Eq, 0)
}

fn rule(
    argument: u8,
    length: SeccompCmpArgLen,
    comparison: SeccompCmpOp,
    value: u64,
) -> Result<SeccompRule, BackendError> {
    SeccompRule::new(vec![SeccompCondition::new(argument, length, comparison, value)?])
}
