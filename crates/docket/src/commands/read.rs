//! `docket read`, and the children that it and the workers start.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, bail};
use domain::{FailureCode, FileKind, TenantId};
use pages::artifact;
use pages::export::{self, JsonWriter};
use pages::{Part, TextSource};
use reading::Limits;
use reading::detect::{Detected, detect};
use reading::pool::{Document, DocumentWriter, ReadFailure, Subject};
use reading::reader::{Parts, Reader, run_child as serve};
use uuid::Uuid;

use crate::cli::{ReadArgs, ReadFormat, ReadWorkerArgs};
use crate::config::Config;
use crate::readers;
use crate::say::complain;

/// Reading belongs to no tenant here: there is one document, and the children end with the command.
pub(crate) const NO_TENANT: TenantId = TenantId(Uuid::nil());

/// Runs as a reading child, or runs another program in the sandbox.
pub(crate) fn run_child(args: &ReadWorkerArgs) -> ExitCode {
    if args.run {
        return reading::sandbox::run_program(args.order.clone());
    }
    match serve(args.ocr, extraction::sandboxed::register) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(format_args!("{error}"));
            ExitCode::FAILURE
        }
    }
}

pub(crate) async fn run(args: &ReadArgs, config: &Config) -> anyhow::Result<ExitCode> {
    let file = LocalFile::open(&args.file, args.password.clone(), config).await?;
    exit_code(print(&file, args.format).await)
}

/// The exit code, after a failure of the document was reported on standard error.
pub(crate) fn exit_code(done: anyhow::Result<()>) -> anyhow::Result<ExitCode> {
    let Err(error) = done else { return Ok(ExitCode::SUCCESS) };
    if let Some(failure) = error.downcast_ref::<ReadFailure>() {
        complain(format_args!("{failure}. {}", advice(failure)));
        return Ok(ExitCode::FAILURE);
    }
    // The reader of the output has closed it.
    if is_broken_pipe(&error) { Ok(ExitCode::SUCCESS) } else { Err(error) }
}

/// What the user can do about a local file.
fn advice(failure: &ReadFailure) -> &'static str {
    match failure.code() {
        Some(FailureCode::PasswordRequired) => "Give its password with `--password`.",
        Some(FailureCode::WrongPassword) => "Give the right password with `--password`.",
        None => failure.advice(),
    }
}

/// A local file, and the children that read it.
pub(crate) struct LocalFile {
    pub(crate) reader: Reader,
    subject: Subject,
    document: Document,
}

impl LocalFile {
    pub(crate) async fn open(
        path: &Path,
        password: Option<String>,
        config: &Config,
    ) -> anyhow::Result<Self> {
        let (document, kind, file_name) = open(path)?;
        let subject = Subject { kind, file_name, password, limits: Limits::default() };
        let reader = readers::reader(&config.read)?;
        let sandbox = reader.check_sandbox().await;
        // Where no document is read, or no child starts, the reader reports that itself.
        let is_unlocked = sandbox.status.is_ok() && sandbox.reads_documents();
        if let Some(problem) = sandbox.problem().filter(|_| is_unlocked) {
            complain(format_args!("{problem}."));
        }
        Ok(Self { reader, subject, document })
    }

    /// Reads the file, with OCR where that is needed, and returns the parts with the layout of their pages.
    pub(crate) async fn laid_out(&self) -> anyhow::Result<Parts> {
        let Self { reader, subject, document } = self;
        let (mut pages, mut wanting) = (artifact::Writer::new(DocumentWriter::new()?)?, 0);
        let mut parts = reader.read(NO_TENANT, subject, document, &[]).await?;
        while let Some(part) = parts.next().await? {
            let is_wanting = matches!(&part, Part::Page(page) if page.text == TextSource::Wanted);
            wanting += u32::from(is_wanting);
            pages.write(&part)?;
        }
        let mut pages = pages.finish()?.finish()?;
        if wanting > 0 {
            if !reader.has_ocr() {
                complain(format_args!(
                    "{wanting} pages are pictures of text, and no OCR engine is installed. Run `docket \
                     doctor`: it names the command that installs one."
                ));
            }
            let from = artifact::Reader::new(BufReader::new(pages.reopened()?))?;
            let mut to = artifact::Writer::new(DocumentWriter::new()?)?;
            let mut recognised = reader.recognise(NO_TENANT, subject, document, from);
            while let Some(part) = recognised.next().await? {
                to.write(&part)?;
            }
            pages = to.finish()?.finish()?;
        }
        Ok(reader.lay_out(NO_TENANT, subject, &pages).await?)
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let broken = error.downcast_ref::<io::Error>();
    broken.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

fn open(path: &Path) -> anyhow::Result<(Document, FileKind, String)> {
    const HEAD: u64 = 8 * 1024;
    let document = if path == Path::new("-") {
        let mut writer = DocumentWriter::new()?;
        io::copy(&mut io::stdin().lock(), &mut writer).context("standard input cannot be read")?;
        writer.finish()?
    } else {
        let cannot = || format!("{} cannot be read", path.display());
        let file = File::open(path).with_context(cannot)?;
        if file.metadata().with_context(cannot)?.is_dir() {
            bail!("{} is a folder; name a file in it", path.display());
        }
        Document::from_file(file).with_context(cannot)?
    };
    let mut head = Vec::new();
    document.reopened()?.take(HEAD).read_to_end(&mut head)?;
    if head.is_empty() {
        bail!("{} is empty", path.display());
    }
    let file_name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    match detect(&head, &file_name) {
        Detected::Kind(kind) => Ok((document, kind, file_name)),
        Detected::Foreign(what) => {
            let known: Vec<&str> = FileKind::ALL.iter().map(|kind| kind.as_str()).collect();
            bail!("{} is {what}; Docket reads {}", path.display(), known.join(", "))
        }
    }
}

async fn print(file: &LocalFile, format: ReadFormat) -> anyhow::Result<()> {
    let mut laid_out = file.laid_out().await?;
    let mut printer = Printer::new(format)?;
    while let Some(part) = laid_out.next().await? {
        printer.print(&part)?;
    }
    printer.finish()
}

/// Prints the parts of the document as they arrive.
enum Printer {
    Pages { format: ReadFormat, to: BufWriter<io::Stdout> },
    Json(JsonWriter<BufWriter<io::Stdout>>),
    Stored(artifact::Writer<BufWriter<io::Stdout>>),
}

impl Printer {
    fn new(format: ReadFormat) -> anyhow::Result<Self> {
        let to = BufWriter::new(io::stdout());
        Ok(match format {
            ReadFormat::Json => Self::Json(JsonWriter::new(to)),
            ReadFormat::Pages => Self::Stored(artifact::Writer::new(to)?),
            ReadFormat::Text | ReadFormat::Markdown => Self::Pages { format, to },
        })
    }

    fn print(&mut self, part: &Part) -> anyhow::Result<()> {
        match (self, part) {
            (Self::Json(writer), part) => writer.write(part)?,
            (Self::Stored(writer), part) => writer.write(part)?,
            (Self::Pages { format, to }, Part::Page(page)) => {
                let mut text = String::new();
                match format {
                    ReadFormat::Markdown => export::markdown(page, &mut text),
                    ReadFormat::Text | ReadFormat::Json | ReadFormat::Pages => {
                        export::text(page, &mut text);
                    }
                }
                to.write_all(text.as_bytes())?;
            }
            (Self::Pages { .. }, Part::Tail(tail)) => {
                for remark in &tail.remarks {
                    complain(format_args!("{remark}"));
                }
            }
            (Self::Pages { .. }, Part::Head(_) | Part::Attachment(_)) => {}
        }
        Ok(())
    }

    fn finish(self) -> anyhow::Result<()> {
        match self {
            Self::Pages { mut to, .. } => to.flush()?,
            Self::Json(writer) => writer.into_inner().flush()?,
            Self::Stored(writer) => writer.finish()?.flush()?,
        }
        Ok(())
    }
}
