//! `docket download`

use std::collections::HashSet;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use api_types::{DocumentDetailView, DocumentView, LinkView, PageView};
use reqwest::Response;
use serde_json::json;
use tempfile::NamedTempFile;
use uuid::Uuid;

use crate::cli::{DownloadArgs, DownloadFormat};
use crate::client::{Client, ClientError, Kind, Session, short_id};
use crate::config::ConfigError;
use crate::say::{complain, say};
use crate::table::bytes;

/// Where the documents go.
enum Target {
    StandardOutput,
    File(PathBuf),
    Folder(PathBuf),
}

pub(crate) async fn run(args: &DownloadArgs) -> anyhow::Result<ExitCode> {
    let target = target(args.output.as_deref(), args.ids.len())?;
    let client = Session::find(args.server.server.as_deref())?.signed_in()?;
    let ids = client.resolve_all(Kind::Document, &args.ids).await?;
    let mut download = Download { client, args, target, used: HashSet::new() };
    let mut failures = 0;
    for doc_id in ids {
        match download.save(doc_id).await {
            Ok(()) => {}
            Err(error) if concerns_all(&error) => return Err(error),
            Err(error) => {
                failures += 1;
                complain(format_args!("{}: {}", short_id(doc_id), crate::in_one_line(&error)));
            }
        }
    }
    Ok(if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A server that cannot be reached, or does not let the user in, is the same for every document.
fn concerns_all(error: &anyhow::Error) -> bool {
    let error = error.downcast_ref::<ClientError>();
    error.is_some_and(|error| {
        matches!(error, ClientError::Unreachable { .. } | ClientError::NotSignedIn { .. })
            || matches!(error, ClientError::Refused(problem) if problem.status == 401)
    })
}

fn target(output: Option<&Path>, documents: usize) -> Result<Target, ConfigError> {
    let Some(output) = output else { return Ok(Target::Folder(PathBuf::from("."))) };
    let is_folder = output.is_dir() || output.as_os_str().as_encoded_bytes().ends_with(b"/");
    match output {
        _ if is_folder => Ok(Target::Folder(output.to_owned())),
        output if documents > 1 => Err(ConfigError::argument(format_args!(
            "{documents} documents need a folder to go to, and {} is none; create it, or end its name with /",
            output.display()
        ))),
        output if output.as_os_str() == "-" => Ok(Target::StandardOutput),
        output => Ok(Target::File(output.to_owned())),
    }
}

struct Download<'a> {
    client: Client,
    args: &'a DownloadArgs,
    target: Target,
    /// The files that this command has written.
    used: HashSet<PathBuf>,
}

/// What is saved of one document.
enum Content {
    Response(Response),
    Pages(Box<DocumentView>),
}

impl Download<'_> {
    async fn save(&mut self, doc_id: Uuid) -> anyhow::Result<()> {
        let (name, content) = self.fetch(doc_id).await?;
        let file = match &self.target {
            Target::StandardOutput => {
                self.write(content, &mut io::stdout().lock()).await?;
                return Ok(());
            }
            Target::File(file) => file.clone(),
            Target::Folder(folder) => {
                fs::create_dir_all(folder)
                    .with_context(|| format!("cannot create the folder {}", folder.display()))?;
                let plain = folder.join(&name);
                if self.used.contains(&plain) { folder.join(with_id(&name, doc_id)) } else { plain }
            }
        };
        if !self.args.force && file.exists() {
            return Err(exists(&file));
        }
        let size = self.write_file(content, &file).await?;
        say(format_args!("Saved {} ({})", file.display(), bytes(size)));
        self.used.insert(file);
        Ok(())
    }

    /// The name of the file to write, and its content.
    async fn fetch(&self, doc_id: Uuid) -> Result<(String, Content), ClientError> {
        let path = format!("/v1/documents/{doc_id}");
        if self.args.format == DownloadFormat::Original {
            let link: LinkView = self.client.get(&format!("{path}/original")).await?;
            let response = self.client.download_by_link(&link.url).await?;
            return Ok((safe_name(&link.filename), Content::Response(response)));
        }
        let found: DocumentDetailView = self.client.get(&path).await?;
        let (extension, format) = match self.args.format {
            DownloadFormat::Markdown => ("md", "markdown"),
            DownloadFormat::Text => ("txt", "text"),
            DownloadFormat::Original | DownloadFormat::Json => ("json", ""),
        };
        let name = named_after(&safe_name(&found.document.filename), extension);
        if self.args.format == DownloadFormat::Json {
            return Ok((name, Content::Pages(Box::new(found.document))));
        }
        let text = self.client.download(&format!("{path}/text?format={format}")).await?;
        Ok((name, Content::Response(text)))
    }

    /// Written to a temporary file in the same folder, which gets its name when it is complete.
    async fn write_file(&self, content: Content, file: &Path) -> anyhow::Result<i64> {
        let folder = file.parent().filter(|it| !it.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        let mut draft = tempfile::Builder::new()
            .prefix(".docket-download-")
            // The umask takes away from this what the user does not want to share.
            .permissions(fs::Permissions::from_mode(0o666))
            .tempfile_in(folder)
            .with_context(|| format!("cannot write to the folder {}", folder.display()))?;
        let size = self.write(content, &mut draft).await?;
        draft.as_file().sync_all().context("cannot write the file")?;
        self.keep(draft, file)?;
        Ok(size)
    }

    fn keep(&self, draft: NamedTempFile, file: &Path) -> anyhow::Result<()> {
        let kept =
            if self.args.force { draft.persist(file) } else { draft.persist_noclobber(file) };
        match kept {
            Ok(_) => Ok(()),
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Err(exists(file)),
            Err(error) => {
                Err(error.error).with_context(|| format!("cannot write {}", file.display()))
            }
        }
    }

    async fn write(&self, content: Content, to: &mut impl Write) -> anyhow::Result<i64> {
        let mut size = 0;
        let mut write = |part: &[u8]| {
            size += i64::try_from(part.len()).unwrap_or(0);
            to.write_all(part).context("cannot write the file")
        };
        match content {
            Content::Response(mut response) => {
                while let Some(chunk) = self.client.next_chunk(&mut response).await? {
                    write(&chunk)?;
                }
            }
            Content::Pages(document) => {
                let Some(pages) = document.pages else {
                    bail!("the document has no pages yet: {}", document.status);
                };
                write(format!("{{\"document\":{},\"pages\":[", json!(document)).as_bytes())?;
                for number in 1..=pages {
                    let path = format!("/v1/documents/{}/pages/{number}", document.doc_id);
                    let page: PageView = self.client.get(&path).await?;
                    let separator = if number == 1 { "" } else { "," };
                    write(format!("{separator}\n{}", json!(page)).as_bytes())?;
                }
                write(b"\n]}\n")?;
            }
        }
        to.flush().context("cannot write the file")?;
        Ok(size)
    }
}

fn exists(file: &Path) -> anyhow::Error {
    anyhow::anyhow!(
        "{} exists; overwrite it with --force, or choose another with -o",
        file.display()
    )
}

/// A file name that stays in its folder, is not hidden and can be printed, whatever the uploader called the file.
fn safe_name(name: &str) -> String {
    const LONGEST: usize = 200;
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let mut safe: String =
        last.chars().map(|c| if c.is_control() || c == ':' { '_' } else { c }).collect();
    if safe.starts_with(['.', '-']) {
        safe.replace_range(..1, "_");
    }
    if safe.len() > LONGEST {
        let extension = Path::new(&safe).extension().map(|it| it.to_string_lossy().into_owned());
        let mut end = LONGEST - 20;
        while !safe.is_char_boundary(end) {
            end -= 1;
        }
        safe.truncate(end);
        if let Some(extension) = extension.filter(|it| it.len() < 20) {
            safe = format!("{safe}.{extension}");
        }
    }
    if safe.trim().is_empty() { "document".to_owned() } else { safe }
}

/// `rent.pdf` becomes `rent.md`.
fn named_after(name: &str, extension: &str) -> String {
    let stem = Path::new(name).file_stem().unwrap_or_default().to_string_lossy();
    format!("{stem}.{extension}")
}

/// `rent.pdf` becomes `rent-5921a8f5.pdf`: another document has the same file name.
fn with_id(name: &str, doc_id: Uuid) -> String {
    let path = Path::new(name);
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension = path.extension().map(|it| format!(".{}", it.to_string_lossy()));
    format!("{stem}-{}{}", short_id(doc_id), extension.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_name_cannot_leave_its_folder_or_hide() {
        assert_eq!(safe_name("rent 2026.pdf"), "rent 2026.pdf");
        assert_eq!(safe_name("../../etc/passwd"), "passwd");
        assert_eq!(safe_name("c:\\docs\\rent.pdf"), "rent.pdf");
        assert_eq!(safe_name(".bashrc"), "_bashrc");
        assert_eq!(safe_name(".."), "_.");
        assert_eq!(safe_name("-rf.txt"), "_rf.txt");
        assert_eq!(safe_name("a\u{1b}[2Jb\n.txt"), "a_[2Jb_.txt");
        assert_eq!(safe_name(""), "document");
        assert_eq!(safe_name("docs/"), "document");
        let long = safe_name(&format!("{}.pdf", "ü".repeat(300)));
        assert!(long.len() <= 200 && long.ends_with("ü.pdf"), "{long}");
    }

    #[test]
    fn other_formats_and_equal_names_get_names_of_their_own() {
        assert_eq!(named_after("rent.final.pdf", "md"), "rent.final.md");
        let id = Uuid::try_parse("01a1e13b-ba5d-77ed-b170-2bb85921a8f5").unwrap();
        assert_eq!(with_id("rent.pdf", id), "rent-5921a8f5.pdf");
        assert_eq!(with_id("README", id), "README-5921a8f5");
    }
}
