//! A program of somebody else's runs in a sandbox of its own.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may do what a test may")]

mod hostile;

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::Duration;

use hostile::{Lacking, program};
use reading::ReadError;
use reading::pool::{
    ChildFailure, Document, ReadFailure, RunnerSettings, Tesseract, tesseract_settings,
};
use reading::sandbox::limits::ResourceLimits;
use reading::sandbox::{ProgramRequest, SandboxPolicy};

fn settings() -> RunnerSettings {
    tesseract_settings(program(), &["run-program"])
}

/// Runs any program as tesseract would be run.
fn in_its_sandbox(of: &str, arguments: &[&str]) -> Output {
    let order = ProgramRequest {
        parent: std::process::id(),
        sandbox: SandboxPolicy::Required,
        limits: ResourceLimits { memory: 256 << 20, cpu: Duration::from_secs(5) },
        program: PathBuf::from(of).canonicalize().unwrap(),
        readable: settings().readable,
        arguments: arguments.iter().map(OsString::from).collect(),
    };
    Command::new(program()).arg("run-program").args(order.to_arguments()).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// With a private root a file does not exist; without one it may not be opened.
fn is_refused(output: &Output) -> bool {
    let said = said(output);
    said.contains("Permission denied") || said.contains("No such file")
}

#[test]
fn a_program_does_not_start_where_a_lock_is_missing() {
    for (lacking, missing) in [(Lacking::Landlock, "Landlock is"), (Lacking::Seccomp, "seccomp is")]
    {
        let output = std::thread::spawn(move || {
            lacking.apply();
            in_its_sandbox("/bin/echo", &["hello"])
        });
        let output = output.join().unwrap();
        assert!(output.stdout.is_empty() && !output.status.success(), "{output:?}");
        assert!(said(&output).starts_with(&format!("{missing} not active here")), "{output:?}");
    }
}

#[test]
fn a_program_of_root_is_run_by_nobody_in_particular() {
    let output = in_its_sandbox("/usr/bin/id", &["-u"]);
    let said = String::from_utf8_lossy(&output.stdout);
    let uid = rustix::process::getuid();
    if uid.is_root() {
        assert!(said.trim().parse::<u32>().unwrap() > 1_900_000_000, "{output:?}");
    } else {
        assert_eq!(said.trim(), uid.as_raw().to_string());
    }
}

#[test]
fn a_program_starts() {
    let output = in_its_sandbox("/bin/echo", &["hello"]);
    assert_eq!((output.stdout.as_slice(), said(&output).as_str()), (b"hello\n".as_slice(), ""));
}

#[test]
fn it_reads_its_libraries_and_nothing_else() {
    let output = in_its_sandbox("/bin/cat", &["/etc/passwd"]);
    assert!(is_refused(&output) && output.stdout.is_empty(), "{output:?}");
}

#[test]
fn it_writes_nowhere() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("new");
    let output = in_its_sandbox("/usr/bin/touch", &[file.to_str().unwrap()]);
    assert!(!output.status.success() && !file.exists(), "{output:?}");
}

#[test]
fn it_starts_no_other_program() {
    let output = in_its_sandbox("/usr/bin/env", &["/bin/echo", "hello"]);
    assert!(is_refused(&output), "{output:?}");
    // With a process of its own for it, or without.
    for script in ["/bin/echo hello; :", "exec /bin/echo hello", "/bin/echo hello"] {
        let output = in_its_sandbox("/bin/sh", &["-c", script]);
        assert!(output.stdout.is_empty() && !output.status.success(), "{output:?}");
    }
}

#[tokio::test]
async fn a_missing_program_is_named() {
    let mut settings = settings();
    settings.program = "/nowhere/tesseract".into();
    let picture = Document::from_bytes(b"").unwrap();
    let failure = Tesseract::new(settings, None).recognise(&picture, &[], &[]).await.unwrap_err();
    assert_eq!(failure.to_string(), "tesseract is not installed");
}

#[tokio::test]
async fn a_language_cannot_be_a_path() {
    let mut settings = settings();
    settings.program = "/bin/echo".into();
    let picture = Document::from_bytes(b"").unwrap();
    let tesseract = Tesseract::new(settings, None);
    for language in ["../eng", "-l", "", "eng+deu"] {
        let failure = tesseract.recognise(&picture, &[language], &[]).await.unwrap_err();
        assert!(matches!(failure, ReadFailure::Typed(ReadError::Unsupported { .. })));
    }
}

#[tokio::test]
async fn a_program_that_floods_or_hangs_is_stopped() {
    let mut settings = settings();
    settings.program = "/usr/bin/yes".into();
    settings.output = 100_000;
    let picture = Document::from_bytes(b"").unwrap();
    let failure = Tesseract::new(settings.clone(), None).recognise(&picture, &[], &["--"]).await;
    assert_eq!(failure, Err(ReadFailure::Child(ChildFailure::TooMuchOutput { limit: 100_000 })));
    settings.output = 8 << 30;
    settings.wall = Duration::from_millis(100);
    let failure = Tesseract::new(settings.clone(), None).recognise(&picture, &[], &["--"]).await;
    assert_eq!(failure, Err(ReadFailure::Child(ChildFailure::TimedOut { limit: settings.wall })));
}

/// The letters H, I and L, drawn as a person would on squared paper.
fn picture_of_text(text: &str) -> Document {
    const SCALE: usize = 8;
    let rows = |letter: char| match letter {
        'H' => ["#...#", "#...#", "#...#", "#####", "#...#", "#...#", "#...#"],
        'I' => ["#####", "..#..", "..#..", "..#..", "..#..", "..#..", "#####"],
        'L' => ["#....", "#....", "#....", "#....", "#....", "#....", "#####"],
        _ => [".....", ".....", ".....", ".....", ".....", ".....", "....."],
    };
    let width = (text.chars().count() * 6 + 10) * SCALE;
    let height = 17 * SCALE;
    let mut pixels = vec![255_u8; width * height];
    for (place, letter) in text.chars().enumerate() {
        for (y, row) in rows(letter).iter().enumerate() {
            for x in row.char_indices().filter(|(_, dot)| *dot == '#').map(|(x, _)| x) {
                for line in (y + 5) * SCALE..(y + 6) * SCALE {
                    let from = line * width + (place * 6 + 5 + x) * SCALE;
                    pixels[from..from + SCALE].fill(0);
                }
            }
        }
    }
    let mut bytes = format!("P5 {width} {height} 255\n").into_bytes();
    bytes.write_all(&pixels).unwrap();
    Document::from_bytes(&bytes).unwrap()
}

#[tokio::test]
async fn tesseract_reads_a_picture() {
    let tesseract = Tesseract::new(settings(), None);
    if !tesseract.is_installed() {
        eprintln!("TESSERACT IS NOT INSTALLED: left out");
        return;
    }
    let picture = picture_of_text("HILL HILL");
    let table = tesseract.recognise(&picture, &["eng"], &["--psm", "7"]).await.unwrap();
    assert!(table.starts_with("level\tpage_num") && table.contains("HILL"), "{table}");
    // The same picture can be read again.
    let again = tesseract.recognise(&picture, &["eng"], &["--psm", "7"]).await.unwrap();
    assert_eq!(table, again);
    let failure = tesseract.recognise(&picture, &["xyz"], &[]).await.unwrap_err();
    assert!(matches!(failure, ReadFailure::Typed(ReadError::Missing { .. })), "{failure:?}");
    let nothing = Document::from_bytes(b"this is no picture").unwrap();
    let failure = tesseract.recognise(&nothing, &["eng"], &[]).await.unwrap_err();
    assert!(matches!(failure, ReadFailure::Typed(ReadError::Damaged { .. })), "{failure:?}");
}
