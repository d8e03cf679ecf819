//! The thread that starts children.
//!
//! A child asks the kernel to be killed with its parent, and for the kernel the parent is the *thread* that
//! started it. Threads of an async runtime may end; this one lives as long as the pool. It also keeps the
//! slow part of starting a process off the runtime.

use std::io;
use std::process::Command;
use std::sync::mpsc;
use std::thread;

use tokio::process::Child;
use tokio::runtime::Handle;
use tokio::sync::oneshot;

struct SpawnRequest {
    command: Command,
    reply: oneshot::Sender<io::Result<Child>>,
}

#[derive(Debug)]
pub(crate) struct ProcessStarter {
    requests: mpsc::Sender<SpawnRequest>,
}

impl ProcessStarter {
    /// Call it within a runtime, which reaps the children from then on.
    pub(crate) fn open() -> io::Result<Self> {
        let runtime = Handle::try_current().map_err(io::Error::other)?;
        let (requests, received) = mpsc::channel();
        thread::Builder::new()
            .name("process-starter".to_owned())
            .spawn(move || run(&runtime, received))?;
        Ok(Self { requests })
    }

    /// Starts a process, which is killed when its [`Child`] is dropped.
    pub(crate) async fn start(&self, command: Command) -> io::Result<Child> {
        let (reply, answer) = oneshot::channel();
        let gone = || io::Error::other("the thread that starts readers has ended");
        self.requests.send(SpawnRequest { command, reply }).map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }
}

fn run(runtime: &Handle, requests: mpsc::Receiver<SpawnRequest>) {
    let _within = runtime.enter();
    for SpawnRequest { command, reply } in requests {
        let child = tokio::process::Command::from(command).kill_on_drop(true).spawn();
        // If the caller is gone, dropping the reply kills the child.
        drop(reply.send(child));
    }
}
