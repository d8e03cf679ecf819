//! `postmaster.pid`, the file with the process id and the status of a running server.

use std::fs;
use std::io;
use std::path::Path;

use rustix::process::Pid;

/// The content of the file. A server writes its lines one by one while it starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PidFile {
    pub(super) pid: Pid,
    pub(super) ready: bool,
}

/// The state of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PidFileState {
    Missing,
    /// Empty or incomplete: the machine crashed while it was written.
    Garbage,
    PidFile(PidFile),
}

/// The index of the status line: pid, folder, start time, port, socket folder, address, shared memory, status.
const STATUS_LINE: usize = 7;

pub(super) fn read(data: &Path) -> io::Result<PidFileState> {
    match fs::read(data.join("postmaster.pid")) {
        Ok(content) => Ok(parse(&String::from_utf8_lossy(&content))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(PidFileState::Missing),
        Err(error) => Err(error),
    }
}

pub(super) fn remove(data: &Path) -> io::Result<()> {
    remove_if_there(&data.join("postmaster.pid"))
}

/// Removes the lock file of the socket, which is not needed in a folder that only one server may use.
pub(super) fn remove_socket_lock(data: &Path) -> io::Result<()> {
    remove_if_there(&data.join(format!("{}.lock", super::SOCKET)))
}

fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn parse(text: &str) -> PidFileState {
    let mut lines = text.lines().map(str::trim);
    let pid = lines.next().and_then(|line| line.parse().ok()).filter(|pid| *pid > 0);
    let Some(pid) = pid.and_then(Pid::from_raw) else {
        return PidFileState::Garbage;
    };
    let ready = lines.nth(STATUS_LINE - 1) == Some("ready");
    PidFileState::PidFile(PidFile { pid, ready })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pid_file(pid: i32, ready: bool) -> PidFileState {
        PidFileState::PidFile(PidFile { pid: Pid::from_raw(pid).unwrap(), ready })
    }

    #[test]
    fn a_server_is_ready_when_its_status_line_says_so() {
        let text = |status| {
            format!("4711\n/proc/self/cwd\n1792000000\n5432\n.\n\n  1234 65536\n{status}\n")
        };
        assert_eq!(parse(&text("ready   ")), pid_file(4711, true));
        assert_eq!(parse(&text("starting")), pid_file(4711, false));
        assert_eq!(parse(&text("stopping")), pid_file(4711, false));
    }

    #[test]
    fn a_file_still_being_written_names_a_server_that_is_not_ready() {
        assert_eq!(parse("4711\n/proc/self/cwd\n"), pid_file(4711, false));
    }

    #[test]
    fn an_incomplete_file_names_no_server() {
        assert_eq!(parse(""), PidFileState::Garbage);
        assert_eq!(parse("0\n"), PidFileState::Garbage);
        assert_eq!(parse("\0\0\0"), PidFileState::Garbage);
    }
}
