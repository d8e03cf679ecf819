//! A reading child for tests, which does whatever its document says: `open /etc/passwd`, `hang`.
//!
//! What became of it comes back as the title of a head. `tests/` start it as the product starts
//! `docket read-worker`.

#![expect(clippy::unwrap_used, clippy::panic, reason = "it exists to misbehave")]

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::unix::net::{UnixDatagram, UnixStream};
use std::process::{Command, ExitCode};
use std::thread;

use domain::FileKind;
use pages::{Attachment, Head, Page, Preparation, Size, Tail, TextSource, Word};
use reading::pool::{
    Document, Drawn, Job, OcrPage, Picture, PictureFormat, Pool, PoolSettings, Ready, Request,
    Role, Subject, Work,
};
use reading::sandbox::{lock_down, run_program};
use reading::worker::{Handler, JobFiles, Opened, Replies, serve_requests};
use reading::{Limits, Part, ReadError, Sink};

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let role = arguments.next().unwrap_or_default();
    let outcome = match role.to_str() {
        Some("read-worker") => match arguments.next() {
            Some(run) if run == "--run" => return run_program(arguments),
            with => serve_requests(|| open(with)).map_err(to_text),
        },
        Some("run-program") => return run_program(arguments),
        // Locks itself down while a thread is running.
        Some("with-a-thread") => {
            let (hold, wait) = std::sync::mpsc::channel::<()>();
            let thread = thread::spawn(move || wait.recv());
            let parent = rustix::process::getppid().unwrap().as_raw_pid().unsigned_abs();
            let closed = lock_down(parent, &[]).map(|_| ()).map_err(to_text);
            drop(hold);
            drop(thread.join());
            closed
        }
        Some("parent") => hang_as_a_parent(),
        Some("talk-garbage") => {
            std::io::stdout().write_all(&[0x55; 4096]).unwrap();
            loop {
                thread::park();
            }
        }
        _ => Err("not to be started by hand".to_owned()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            drop(writeln!(std::io::stderr(), "{error}"));
            ExitCode::FAILURE
        }
    }
}

/// Has a child of its own hang, says which, and waits.
fn hang_as_a_parent() -> ! {
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let pool = Pool::new(PoolSettings::new("/proc/self/exe", &["read-worker"]));
        let subject = Subject {
            kind: FileKind::Txt,
            file_name: String::new(),
            password: None,
            limits: Limits::default(),
        };
        let document = Document::from_bytes(b"hang").unwrap();
        let job = Job::new(Request { work: Work::Read { masks: Vec::new() }, subject })
            .with(Role::Document, document);
        let tenant = "00000000-0000-7000-8000-000000000001".parse().unwrap();
        let answers = pool.run(tenant, job).await.unwrap();
        let (child, _) = answers.child().unwrap();
        std::io::stdout().write_all(format!("{child}\n").as_bytes()).unwrap();
        std::future::pending().await
    })
}

fn open(readable: Option<std::ffi::OsString>) -> Result<Opened, ReadError> {
    if readable.as_ref().is_some_and(|folder| folder == "nothing installed") {
        return Err(ReadError::Missing { what: "a library".to_owned() });
    }
    let is_recogniser = readable.as_ref().is_some_and(|role| role == "--ocr");
    let inherited = descriptors();
    // The pipe to the parent, so that it can be spoilt later.
    let pipe = File::options().write(true).open("/proc/self/fd/3").unwrap();
    let readable = readable.filter(|_| !is_recogniser).into_iter().map(Into::into).collect();
    Ok(Opened { handler: Box::new(Hostile { pipe, inherited, is_recogniser }), readable })
}

/// What each open descriptor leads to.
fn descriptors() -> Vec<String> {
    let open = fs::read_dir("/proc/self/fd").unwrap().flatten();
    let target = |entry: fs::DirEntry| fs::read_link(entry.path()).ok();
    open.filter_map(target).map(|target| target.display().to_string()).collect()
}

struct Hostile {
    pipe: File,
    /// What was open before the child opened anything itself.
    inherited: Vec<String>,
    is_recogniser: bool,
}

impl Handler for Hostile {
    fn handle(
        &mut self,
        request: Request,
        files: JobFiles,
        answers: &mut Replies<'_>,
    ) -> Result<(), ReadError> {
        if let Work::Render { page, width, .. } = request.work {
            let bytes = vec![9; page as usize];
            let format = PictureFormat::Grey;
            return answers.picture(Picture { width, height: 1, format, bytes });
        }
        match request.work {
            Work::Show { pages } => return show(&request.subject, pages, answers),
            Work::Recognise { pages } => {
                let step = if self.is_recogniser { "second" } else { "first" };
                return recognise(&request.subject, step, pages, answers);
            }
            _ => {}
        }
        let document = files.bytes(Role::Document)?;
        let order = String::from_utf8_lossy(document.get(..99).unwrap_or(&document)).into_owned();
        let (what, with) = order.split_once(' ').unwrap_or((&order, ""));
        match what {
            "abort" => std::process::abort(),
            "panic" => panic!("as ordered"),
            "exit" => std::process::exit(3),
            "overflow" => title(answers, overflow(1)),
            "hang" => spin(),
            "page-then-hang" => {
                answers.take(Part::Page(Page::default()))?;
                spin()
            }
            "flood" => loop {
                answers
                    .take(Part::Page(Page { label: Some("x".repeat(9999)), ..Page::default() }))?;
            },
            "complain" => loop {
                std::io::stderr().write_all(&[b'!'; 4096]).unwrap();
            },
            "print" => {
                std::io::stdout().write_all(b"a library says hello\n").unwrap();
                title(answers, "printed")
            }
            "garbage" => {
                self.pipe.write_all(&[0x55; 4096]).unwrap();
                spin()
            }
            "attach" => {
                let bytes = vec![7; with.parse().unwrap()];
                let (name, media_type) = ("a.bin".to_owned(), None);
                answers.take(Part::Attachment(Attachment { name, media_type, bytes }))
            }
            "pages" => {
                let pages = with.parse().unwrap();
                title(answers, "pages")?;
                for number in 1..=pages {
                    answers.take(Part::Page(Page { number, ..Page::default() }))?;
                }
                answers.take(Part::Tail(Tail { pages, remarks: Vec::new() }))
            }
            "inherited" => title(answers, self.inherited.join(" ")),
            "refuse" => Err(ReadError::damaged("as ordered")),
            "length" => title(answers, document.len()),
            _ => title(answers, attempt(what, with)),
        }
    }
}

/// Does to a page what the document's name says: `draw:2=abort second:*=hang`.
fn misbehave(subject: &Subject, step: &str, page: u32) {
    for order in subject.file_name.split(' ') {
        let Some((at, what)) = order.split_once('=') else { continue };
        let Some((of, number)) = at.split_once(':') else { continue };
        if of != step || number != "*" && number != page.to_string() {
            continue;
        }
        match what {
            "abort" => std::process::abort(),
            "hang" => spin(),
            _ => {}
        }
    }
}

/// Gives pictures of one pixel.
fn show(
    subject: &Subject,
    pages: Vec<OcrPage>,
    answers: &mut Replies<'_>,
) -> Result<(), ReadError> {
    for OcrPage { number, .. } in pages {
        misbehave(subject, "draw", number);
        let (preparation, size) = (Preparation::default(), Size { width: 9.0, height: 9.0 });
        answers.drawn(Drawn::Ready(Ready { number, preparation, pixels: (1, 1), size }))?;
        let (format, bytes) = (PictureFormat::Grey, b"P5\n1 1\n255\n\0".to_vec());
        answers.picture(Picture { width: 1, height: 1, format, bytes })?;
    }
    Ok(())
}

/// Says on each page who read it.
fn recognise(
    subject: &Subject,
    step: &str,
    pages: Vec<Ready>,
    answers: &mut Replies<'_>,
) -> Result<(), ReadError> {
    for Ready { number, .. } in pages {
        misbehave(subject, step, number);
        let words = vec![Word { text: step.to_owned(), ..Word::default() }];
        let text = TextSource::Recognised;
        answers.take(Part::Page(Page { number, text, words, ..Page::default() }))?;
    }
    Ok(())
}

/// Things that a reader has no business to do.
fn attempt(what: &str, with: &str) -> String {
    let parent = rustix::process::getppid().unwrap();
    match what {
        "allocate" => outcome(Ok::<_, String>(vec![1_u8; with.parse().unwrap()])),
        "child" => std::process::id().to_string(),
        "environment" => std::env::vars_os().count().to_string(),
        "open" => outcome(File::open(with)),
        "list" => outcome(fs::read_dir(with)),
        "look" => outcome(fs::metadata(with)),
        "look-at-link" => outcome(fs::read_link(with)),
        "access" => outcome(rustix::fs::access(with, rustix::fs::Access::EXISTS)),
        "create" => outcome(File::create(with)),
        "append" => outcome(File::options().append(true).open(with)),
        "remove" => outcome(fs::remove_file(with)),
        "tcp" => outcome(TcpStream::connect("127.0.0.1:9")),
        "listen" => outcome(TcpListener::bind("127.0.0.1:0")),
        "udp" => outcome(UdpSocket::bind("127.0.0.1:0")),
        "unix" => outcome(UnixStream::connect(with)),
        "datagram" => outcome(UnixDatagram::unbound()),
        "spawn" => outcome(Command::new("/bin/true").spawn()),
        "signal" => outcome(rustix::process::kill_process(parent, rustix::process::Signal::TERM)),
        "priority" => outcome(rustix::process::nice(-5)),
        "limit" => outcome(raise_own_limit()),
        "thread" => thread::spawn(|| "done".to_owned()).join().unwrap(),
        other => format!("unknown order: {other}"),
    }
}

fn raise_own_limit() -> rustix::io::Result<()> {
    use rustix::process::{Resource, Rlimit, setrlimit};
    setrlimit(Resource::Cpu, Rlimit { current: None, maximum: None })
}

fn outcome<T, E: ToString>(result: Result<T, E>) -> String {
    match result {
        Ok(_) => "done".to_owned(),
        Err(error) => error.to_string(),
    }
}

fn title(answers: &mut Replies<'_>, title: impl ToString) -> Result<(), ReadError> {
    answers.take(Part::Head(Head {
        kind: FileKind::Txt,
        title: Some(title.to_string()),
        properties: BTreeMap::new(),
        pages: None,
    }))
}

fn to_text(error: impl std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text = format!("{text}: {error}");
        source = error.source();
    }
    text
}

fn spin() -> ! {
    loop {
        std::hint::spin_loop();
    }
}

#[expect(unconditional_recursion, reason = "as ordered")]
fn overflow(depth: u64) -> u64 {
    std::hint::black_box(overflow(std::hint::black_box(depth + 1))) + depth
}
