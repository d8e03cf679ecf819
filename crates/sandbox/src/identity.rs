//! Gives up who a process is: root's user id, every group, every capability.
//!
//! As root, each child becomes a user of its own, which no account has and no other process runs as:
//! it can neither signal nor trace another child. An ordinary user's child stays that user, since it has
//! no right to become another.

use rustix::io::Errno;
use rustix::process::{Gid, Uid, geteuid, getpid, getuid};
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, remove_capability_from_bounding_set,
    set_capabilities, set_thread_groups, set_thread_res_gid, set_thread_res_uid,
};

/// User ids beyond those that distributions, systemd and container runtimes give away (systemd's
/// `UIDS-GIDS` calls 1,879,048,192 to 2,147,483,647 unused). A process id fits behind it.
const FIRST: u32 = 1_900_000_000;
/// In a container with the usual 65,536 ids, those that few use.
const FIRST_IN_CONTAINER: u32 = 50_000;
const MANY_IN_CONTAINER: u32 = 10_000;

/// Gives the user id that is left. It is still 0 only where the machine knows no other (a user
/// namespace of one id) or root may not change it; the capabilities are gone there too.
pub(super) fn give_up() -> Result<u32, Errno> {
    if capabilities(None)?.effective.contains(CapabilitySet::SETPCAP) {
        empty_bounding_set()?;
    }
    if geteuid().is_root() || getuid().is_root() {
        become_nobody()?;
    }
    let none = CapabilitySet::empty();
    set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })?;
    Ok(getuid().as_raw())
}

/// Not even a program with capabilities of its own could get one back.
fn empty_bounding_set() -> Result<(), Errno> {
    for capability in CapabilitySet::all().iter() {
        match remove_capability_from_bounding_set(capability) {
            // This kernel does not know it.
            Ok(()) | Err(Errno::INVAL) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn become_nobody() -> Result<(), Errno> {
    if_allowed(set_thread_groups(&[]))?;
    let process = getpid().as_raw_pid().unsigned_abs();
    for id in [FIRST + process, FIRST_IN_CONTAINER + process % MANY_IN_CONTAINER] {
        let (uid, gid) = (Uid::from_raw(id), Gid::from_raw(id));
        if if_allowed(set_thread_res_gid(gid, gid, gid))?
            && if_allowed(set_thread_res_uid(uid, uid, uid))?
        {
            break;
        }
    }
    Ok(())
}

/// `false` where this process may not do it, or the machine has no such id.
fn if_allowed(done: Result<(), Errno>) -> Result<bool, Errno> {
    match done {
        Ok(()) => Ok(true),
        Err(Errno::PERM | Errno::INVAL) => Ok(false),
        Err(error) => Err(error),
    }
}
