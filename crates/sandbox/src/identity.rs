//! Drops privileges: root's user id, every group, every capability.
//!
//! As root, each child switches to a user id of its own, which no account has and no other process uses:
//! it can neither signal nor trace another child. An ordinary user's child keeps its user id, because it
//! has no right to change it.

use rustix::io::Errno;
use rustix::process::{Gid, Uid, geteuid, getpid, getuid};
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, remove_capability_from_bounding_set,
    set_capabilities, set_thread_groups, set_thread_res_gid, set_thread_res_uid,
};

/// User ids beyond those that distributions, systemd and container runtimes assign (systemd's
/// `UIDS-GIDS` calls 1,879,048,192 to 2,147,483,647 unused). The process id is added to it.
const FIRST: u32 = 1_900_000_000;
/// In a container with the usual 65,536 ids: a range that is rarely used.
const FIRST_IN_CONTAINER: u32 = 50_000;
const COUNT_IN_CONTAINER: u32 = 10_000;

/// Returns the resulting user id. It stays 0 only where no other exists (a user namespace of one id) or
/// where root may not change it; the capabilities are dropped there too.
pub(super) fn drop_privileges() -> Result<u32, Errno> {
    if capabilities(None)?.effective.contains(CapabilitySet::SETPCAP) {
        empty_bounding_set()?;
    }
    if geteuid().is_root() || getuid().is_root() {
        switch_to_unused_user()?;
    }
    let none = CapabilitySet::empty();
    set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })?;
    Ok(getuid().as_raw())
}

/// Keeps even a program with file capabilities from regaining one.
fn empty_bounding_set() -> Result<(), Errno> {
    for capability in CapabilitySet::all().iter() {
        match remove_capability_from_bounding_set(capability) {
            // The kernel does not know this capability.
            Ok(()) | Err(Errno::INVAL) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn switch_to_unused_user() -> Result<(), Errno> {
    if_allowed(set_thread_groups(&[]))?;
    let process = getpid().as_raw_pid().unsigned_abs();
    for id in [FIRST + process, FIRST_IN_CONTAINER + process % COUNT_IN_CONTAINER] {
        let (uid, gid) = (Uid::from_raw(id), Gid::from_raw(id));
        if if_allowed(set_thread_res_gid(gid, gid, gid))?
            && if_allowed(set_thread_res_uid(uid, uid, uid))?
        {
            break;
        }
    }
    Ok(())
}

/// `false` where this process has no permission, or the id does not exist.
fn if_allowed(result: Result<(), Errno>) -> Result<bool, Errno> {
    match result {
        Ok(()) => Ok(true),
        Err(Errno::PERM | Errno::INVAL) => Ok(false),
        Err(error) => Err(error),
    }
}
