//! `postmaster.pid`, the file in which a running server says who and how it is.

use std::fs;
use std::io;
use std::path::Path;

use rustix::process::Pid;

/// What the first lines of the file say. A server fills them in one by one while it starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PidFile {
    pub(super) pid: Pid,
    pub(super) ready: bool,
}

/// What lies in the place of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    Nothing,
    /// Empty or torn: the machine went down while it was written.
    Garbage,
    PidFile(PidFile),
}

/// The line that carries the status: pid, folder, start time, port, socket folder, address, shared
/// memory, status.
const STATUS_LINE: usize = 7;

pub(super) fn read(data: &Path) -> io::Result<Found> {
    match fs::read(data.join("postmaster.pid")) {
        Ok(content) => Ok(parse(&String::from_utf8_lossy(&content))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Found::Nothing),
        Err(error) => Err(error),
    }
}

pub(super) fn remove(data: &Path) -> io::Result<()> {
    remove_if_there(&data.join("postmaster.pid"))
}

/// Removes the namesake beside the socket, which no living server needs in a folder that only one
/// may use.
pub(super) fn remove_socket_lock(data: &Path) -> io::Result<()> {
    remove_if_there(&data.join(format!("{}.lock", super::SOCKET)))
}

fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn parse(text: &str) -> Found {
    let mut lines = text.lines().map(str::trim);
    let pid = lines.next().and_then(|line| line.parse().ok()).filter(|pid| *pid > 0);
    let Some(pid) = pid.and_then(Pid::from_raw) else {
        return Found::Garbage;
    };
    let ready = lines.nth(STATUS_LINE - 1) == Some("ready");
    Found::PidFile(PidFile { pid, ready })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pid_file(pid: i32, ready: bool) -> Found {
        Found::PidFile(PidFile { pid: Pid::from_raw(pid).unwrap(), ready })
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
    fn a_torn_file_names_nobody() {
        assert_eq!(parse(""), Found::Garbage);
        assert_eq!(parse("0\n"), Found::Garbage);
        assert_eq!(parse("\0\0\0"), Found::Garbage);
    }
}
