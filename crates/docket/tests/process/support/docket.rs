//! The binary itself.

use std::ffi::OsStr;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::Signal;
use testkit::MissingKernelFeature;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWriteExt, BufReader};
use tokio::net::unix::pipe;
use tokio::process::{Child, ChildStdin, Command};
use tokio::sync::watch;
use tokio::time::timeout;

use super::{DataFolder, PASSWORD, TIMEOUT, kill};

pub(crate) const ADMIN: &str = "admin@localhost";

/// A command line. It gets no variable of the test's environment except PATH.
#[derive(Debug)]
pub(crate) struct Docket {
    command: Command,
    missing_feature: Option<MissingKernelFeature>,
}

impl Docket {
    pub(crate) fn run<I: AsRef<OsStr>>(arguments: impl IntoIterator<Item = I>) -> Self {
        let mut command = Command::new(crate::PROGRAM);
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            // No output may contain a stack trace even then.
            .env("RUST_BACKTRACE", "1")
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        Self { command, missing_feature: None }
    }

    /// A command on this data folder.
    pub(crate) fn on<'a>(
        folder: &DataFolder,
        arguments: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        Self::run(arguments).and("--data-dir", folder.path())
    }

    /// `docket serve` as a newcomer calls it, on any free port.
    pub(crate) fn serve_plainly(folder: &DataFolder) -> Self {
        Self::on(folder, ["serve"]).and("--listen", "127.0.0.1:0")
    }

    /// `docket serve` with a known password and no limit that a test would run into.
    pub(crate) fn serve(folder: &DataFolder) -> Self {
        Self::serve_plainly(folder)
            .env("DOCKET_ADMIN_PASSWORD", PASSWORD)
            .env("DOCKET_RATE_LIMIT_PER_SECOND", "100000")
            .env("DOCKET_RATE_LIMIT_BURST", "100000")
    }

    /// A server without workers of its own.
    pub(crate) fn without_workers(mut self) -> Self {
        self.command.arg("--no-workers");
        self
    }

    pub(crate) fn and(mut self, flag: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.arg(flag).arg(value);
        self
    }

    pub(crate) fn database_url(self, url: &str) -> Self {
        self.and("--database-url", url)
    }

    /// Where servers with folders of their own keep the objects of one database.
    pub(crate) fn objects_beside(self, folder: &DataFolder) -> Self {
        let objects = folder.path().with_file_name("objects");
        self.env("DOCKET_BLOB_URL", &format!("file://{}", objects.display()))
    }

    pub(crate) fn config(self, file: &Path) -> Self {
        self.and("--config", file)
    }

    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    pub(crate) fn on_a_kernel_without(mut self, missing_feature: MissingKernelFeature) -> Self {
        self.missing_feature = Some(missing_feature);
        self
    }

    /// Starts it and waits until it says that it is ready.
    pub(crate) async fn start(self) -> Server {
        let mut running = self.spawn();
        let ready = running.stdout.wait_for(|text| ready_address(text).is_some());
        let received = timeout(TIMEOUT, ready).await;
        let address = received.map(|said| said.ok().and_then(|text| ready_address(&text)));
        let why = match address {
            Ok(Some(address)) => return Server { running, address },
            Ok(None) => "it ended first",
            Err(_) => "it takes too long",
        };
        panic!("docket does not become ready, {why}: {}", running.stderr.borrow().as_str());
    }

    /// Starts it with standard output and standard error in one pipe, as `2>&1 |` has it, and waits until it says there
    /// that it is ready. The pipe's reader is the test.
    pub(crate) async fn start_into_pipe(mut self) -> (Server, BufReader<pipe::Receiver>) {
        let (writer, reader) = pipe::pipe().expect("a pipe");
        let writer = writer.into_blocking_fd().expect("a pipe");
        self.command.stdout(writer.try_clone().expect("a pipe")).stderr(writer);
        let running = self.spawn();
        let mut reader = BufReader::new(reader);
        let ready = async {
            let mut said = String::new();
            while ready_address(&said).is_none() {
                let read = reader.read_line(&mut said).await.expect("it says something");
                assert_ne!(read, 0, "it ended first: {said}");
            }
            ready_address(&said).expect("an address")
        };
        let address = timeout(TIMEOUT, ready).await.expect("it is ready in time");
        (Server { running, address }, reader)
    }

    /// Standard error goes to this file.
    pub(crate) fn stderr_to(mut self, path: &str) -> Self {
        let file = std::fs::OpenOptions::new().write(true).open(path).expect("it can be written");
        self.command.stderr(file);
        self
    }

    /// As another user; for tests that run as root.
    pub(crate) fn run_by(mut self, uid: u32) -> Self {
        self.command.uid(uid).gid(uid);
        self
    }

    /// Starts `docket worker` and waits until it says that it is ready.
    pub(crate) async fn start_worker(self) -> WorkerProcess {
        let mut running = self.spawn();
        let ready = running.stdout.wait_for(|text| text.contains(" is ready\n"));
        let received = timeout(TIMEOUT, ready).await.map(|said| said.map(|text| text.clone()));
        let Ok(Ok(said)) = received else {
            panic!("the worker does not become ready: {}", running.stderr.borrow().as_str());
        };
        let id = said.split_whitespace().nth(1).expect("Worker ID is ready").to_owned();
        WorkerProcess { running, id }
    }

    /// Starts it, to be spoken to and waited for.
    pub(crate) fn begin(mut self) -> Begun {
        self.command.stdin(Stdio::piped());
        let mut running = self.spawn();
        let stdin = running.child.stdin.take();
        Begun { running, stdin }
    }

    /// The same command on a terminal of this size, which shows both of its outputs; `script` makes the terminal.
    pub(crate) fn at_a_terminal(mut self, columns: usize, rows: usize) -> Self {
        let quoted = |part: &OsStr| format!("'{}'", part.to_str().expect("UTF-8"));
        let command = self.command.as_std();
        let parts: Vec<String> =
            std::iter::once(command.get_program()).chain(command.get_args()).map(quoted).collect();
        let line = format!("stty cols {columns} rows {rows} && exec {}", parts.join(" "));
        let mut script = Command::new("script");
        script.env_clear();
        for (name, value) in command.get_envs() {
            if let Some(value) = value {
                script.env(name, value);
            }
        }
        script
            .args(["-qec", &line, "/dev/null"])
            .env("TERM", "xterm")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        self.command = script;
        self
    }

    /// Starts it and waits for nothing.
    pub(crate) fn start_unheard(self) -> WorkerProcess {
        WorkerProcess { running: self.spawn(), id: String::new() }
    }

    /// What it reads on its standard input.
    pub(crate) async fn finish_with_input(mut self, input: &str) -> Finished {
        self.command.stdin(Stdio::piped());
        let mut running = self.spawn();
        let mut stdin = running.child.stdin.take().expect("a pipe");
        stdin.write_all(input.as_bytes()).await.expect("it listens");
        drop(stdin);
        running.finish().await
    }

    /// Runs it to its end.
    pub(crate) async fn finish(self) -> Finished {
        self.spawn().finish().await
    }

    /// The same for what takes its time.
    pub(crate) async fn finish_within(self, limit: Duration) -> Finished {
        self.spawn().finish_within(limit).await
    }

    fn spawn(mut self) -> Running {
        let start = |command: &mut Command| command.spawn().expect("docket can be run");
        let mut child = match self.missing_feature {
            None => start(&mut self.command),
            Some(missing_feature) => on_a_thread_of_its_own(|| {
                missing_feature.apply();
                start(&mut self.command)
            }),
        };
        // Output that is redirected is not received here.
        let stdout = child.stdout.take().map_or_else(|| watch::channel(String::new()).1, listen_to);
        let stderr = child.stderr.take().map_or_else(|| watch::channel(String::new()).1, listen_to);
        Running { child, stdout, stderr }
    }
}

/// What a thread loses, the processes that it starts do not have; the other threads keep it.
fn on_a_thread_of_its_own<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let runtime = tokio::runtime::Handle::current();
    let within = || {
        let _entered = runtime.enter();
        work()
    };
    std::thread::scope(|scope| scope.spawn(within).join()).expect("it does not panic")
}

/// `Docket is ready at http://127.0.0.1:8080`
fn ready_address(text: &str) -> Option<SocketAddr> {
    let (line, _) = text.split_once("Docket is ready at http://")?.1.split_once('\n')?;
    Some(line.parse().expect("an address"))
}

/// Everything said so far, for as long as the pipe is open.
fn listen_to(pipe: impl AsyncRead + Unpin + Send + 'static) -> watch::Receiver<String> {
    let (said, received) = watch::channel(String::new());
    tokio::spawn(async move {
        let mut lines = BufReader::new(pipe).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            said.send_modify(|text| text.extend([&line, "\n"]));
        }
    });
    received
}

async fn everything_said(mut received: watch::Receiver<String>) -> String {
    let end = received.wait_for(|_| false).await.map(drop);
    assert!(end.is_err(), "only the end of the pipe ends this");
    received.borrow().clone()
}

#[derive(Debug)]
struct Running {
    child: Child,
    stdout: watch::Receiver<String>,
    stderr: watch::Receiver<String>,
}

impl Running {
    async fn finish(self) -> Finished {
        self.finish_within(TIMEOUT).await
    }

    async fn finish_within(mut self, limit: Duration) -> Finished {
        let Ok(ended) = timeout(limit, self.child.wait()).await else {
            panic!("docket does not end: {}", self.stderr.borrow().as_str());
        };
        Finished {
            code: ended.expect("its end is reported").code(),
            stdout: everything_said(self.stdout).await,
            stderr: everything_said(self.stderr).await,
        }
    }
}

/// A `docket serve` that answers requests.
#[derive(Debug)]
pub(crate) struct Server {
    running: Running,
    address: SocketAddr,
}

impl Server {
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn pid(&self) -> u32 {
        self.running.child.id().expect("it runs")
    }

    /// The password it printed for the first administrator.
    pub(crate) async fn printed_password(&mut self) -> String {
        let printed = self.running.stdout.wait_for(|text| text.contains("(shown this once"));
        let text = timeout(TIMEOUT, printed).await.expect("a password in time").unwrap().clone();
        shown_password(&text)
    }

    /// SIGKILL: it cannot do anything about it.
    pub(crate) async fn kill(mut self) {
        self.running.child.kill().await.expect("it was there to be killed");
    }

    /// SIGTERM, and its end.
    pub(crate) async fn stop(self) -> Finished {
        self.stop_by(Signal::TERM).await
    }

    pub(crate) async fn stop_by(self, signal: Signal) -> Finished {
        self.signal(signal);
        self.finish().await
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill(self.pid(), signal);
    }

    pub(crate) async fn finish(self) -> Finished {
        self.running.finish().await
    }
}

/// A `docket worker` that works.
#[derive(Debug)]
pub(crate) struct WorkerProcess {
    running: Running,
    pub(crate) id: String,
}

impl WorkerProcess {
    pub(crate) fn pid(&self) -> u32 {
        self.running.child.id().expect("it runs")
    }

    /// Where it said that its metrics are.
    pub(crate) async fn metrics_address(&mut self) -> SocketAddr {
        const BEFORE: &str = "metrics      http://";
        let said = self.running.stdout.wait_for(|text| text.contains("/metrics\n"));
        let text = timeout(TIMEOUT, said).await.expect("it says so in time").unwrap().clone();
        let (_, after) = text.split_once(BEFORE).expect("an address");
        after.split_once('/').and_then(|(address, _)| address.parse().ok()).expect("an address")
    }

    /// SIGKILL.
    pub(crate) async fn kill(mut self) {
        self.running.child.kill().await.expect("it was there to be killed");
    }

    pub(crate) async fn stop_by(self, signal: Signal) -> Finished {
        kill(self.running.child.id().expect("it runs"), signal);
        self.running.finish().await
    }
}

/// A command that is at work.
#[derive(Debug)]
pub(crate) struct Begun {
    running: Running,
    stdin: Option<ChildStdin>,
}

impl Begun {
    /// Waits until this is on its standard output.
    pub(crate) async fn has_said(&mut self, part: &str) {
        let said = self.running.stdout.wait_for(|text| text.contains(part));
        let said = timeout(TIMEOUT, said).await.is_ok_and(|said| said.is_ok());
        assert!(said, "'{part}' is not in {:?}", self.running.stdout.borrow().as_str());
    }

    /// Says this on its standard input, and no more.
    pub(crate) async fn hears(&mut self, text: &str) {
        let mut stdin = self.stdin.take().expect("its standard input is open");
        stdin.write_all(text.as_bytes()).await.expect("it listens");
    }

    pub(crate) async fn stop_by(self, signal: Signal) -> Finished {
        kill(self.running.child.id().expect("it runs"), signal);
        // Its standard input stays open: the command must not wait for its end.
        let Self { running, stdin } = self;
        let finished = running.finish().await;
        drop(stdin);
        finished
    }

    pub(crate) async fn finish(self) -> Finished {
        self.running.finish().await
    }
}

/// The password in `  password     dsej7bp7fz792jsgfvx6   (shown this once; keep it)`.
#[track_caller]
pub(crate) fn shown_password(printed: &str) -> String {
    let line = printed.lines().find(|line| line.contains("(shown this once"));
    let word = line.and_then(|line| line.split_whitespace().nth(1));
    word.unwrap_or_else(|| panic!("a password in {printed}")).to_owned()
}

/// What is left of a process.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Finished {
    /// It went well, and nothing was complained about.
    #[track_caller]
    pub(crate) fn succeeded(self) -> String {
        assert_eq!(self.code, Some(0), "{self:#?}");
        assert_eq!(self.complaints(), [""; 0], "{self:#?}");
        self.stdout
    }

    /// It failed with this code and one sentence, which is returned: no panic, no stack, no second
    /// opinion.
    #[track_caller]
    pub(crate) fn failed_with(self, code: i32) -> String {
        assert_eq!(self.code, Some(code), "{self:#?}");
        let [complaint] = self.complaints()[..] else { panic!("one line, not {self:#?}") };
        assert!(!complaint.contains("panicked") && !complaint.contains("::"), "{complaint}");
        let sentence = complaint.strip_prefix("docket: ");
        sentence.unwrap_or_else(|| panic!("this is a log line: {complaint}")).to_owned()
    }

    /// What is on standard error beside the log of what goes well, and of statements that a busy
    /// machine was slow with.
    fn complaints(&self) -> Vec<&str> {
        let harmless = [r#""level":"INFO""#, r#""target":"sqlx::query""#];
        let is_harmless = |line: &&str| harmless.iter().any(|part| line.contains(part));
        self.stderr.lines().filter(|line| !is_harmless(line)).collect()
    }
}
