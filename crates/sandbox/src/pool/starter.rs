//! The thread that starts children.
//!
//! A child asks the kernel to be killed with its parent, and the kernel takes the *thread* that started
//! it for the parent. Threads of an async runtime come and go; this one lives as long as the pool. It
//! also keeps the slow part of starting a process away from the runtime.

use std::io;
use std::process::Command;
use std::sync::mpsc;
use std::thread;

use tokio::process::Child;
use tokio::runtime::Handle;
use tokio::sync::oneshot;

struct Order {
    command: Command,
    reply: oneshot::Sender<io::Result<Child>>,
}

#[derive(Debug)]
pub(crate) struct ProcessStarter {
    orders: mpsc::Sender<Order>,
}

impl ProcessStarter {
    /// Must be called within a runtime, which from then on reaps the children.
    pub(crate) fn open() -> io::Result<Self> {
        let runtime = Handle::try_current().map_err(io::Error::other)?;
        let (orders, received) = mpsc::channel();
        thread::Builder::new()
            .name("process-starter".to_owned())
            .spawn(move || obey(&runtime, received))?;
        Ok(Self { orders })
    }

    /// Starts a process, which is killed when its [`Child`] is dropped.
    pub(crate) async fn start(&self, command: Command) -> io::Result<Child> {
        let (reply, answer) = oneshot::channel();
        let gone = || io::Error::other("the thread that starts readers is gone");
        self.orders.send(Order { command, reply }).map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }
}

fn obey(runtime: &Handle, orders: mpsc::Receiver<Order>) {
    let _within = runtime.enter();
    for Order { command, reply } in orders {
        let child = tokio::process::Command::from(command).kill_on_drop(true).spawn();
        // Whoever asked may have gone; the child then goes with the reply.
        drop(reply.send(child));
    }
}
