//! `docket doctor`: what reading needs, what is missing, and what to do about it.

use std::path::Path;
use std::process::ExitCode;

use reading::sandbox::{SandboxPolicy, SandboxReport};
use reading::tools::Tools;
use serde::Serialize;
use serde_json::json;

use crate::config::ReadConfig;
use crate::readers;
use crate::say::say;

#[derive(Debug, Serialize)]
struct Finding {
    what: &'static str,
    /// What does not work without it.
    needed_for: &'static str,
    found: Option<String>,
    /// What installs or enables it.
    command: &'static str,
}

/// Exits with 1 when something is missing: documents that do not need it still work. Without a lock of the
/// sandbox no document is read, unless the setting `sandbox` says so.
pub(crate) async fn run(config: &ReadConfig, as_json: bool) -> anyhow::Result<ExitCode> {
    let sandbox = readers::reader(config)?.check_sandbox().await;
    let mut findings = findings(&Tools::find());
    findings.extend(locks(&sandbox));
    let missing = findings.iter().filter(|finding| finding.found.is_none()).count();
    if as_json {
        let sandbox = json!({
            "policy": sandbox.policy.as_str(),
            "reads_documents": sandbox.reads_documents(),
            "problem": sandbox.problem(),
        });
        say(json!({ "healthy": missing == 0, "findings": findings, "sandbox": sandbox }));
    } else {
        findings.iter().for_each(show);
        if let Some(problem) = sandbox.problem() {
            say(format_args!("  SANDBOX  {problem}."));
        } else if sandbox.policy == SandboxPolicy::BestEffort {
            say("  SANDBOX  sandbox = \"best_effort\": documents would be read without it too.");
        }
        match missing {
            0 => say("Nothing is missing."),
            _ => say(format_args!("{missing} of {} are missing.", findings.len())),
        }
    }
    Ok(if missing == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What a reading child enforced on itself.
fn locks(sandbox: &SandboxReport) -> Vec<Finding> {
    let known = [
        (
            "Landlock",
            "a kernel of version 5.13 or newer with Landlock enabled: see docs/sandbox.md",
        ),
        ("seccomp", "a kernel with CONFIG_SECCOMP_FILTER: see docs/sandbox.md"),
    ];
    let finding = |((what, command), (_, is_active))| Finding {
        what,
        needed_for: "reading documents safely",
        found: Some("active".to_owned()).filter(|_| is_active),
        command,
    };
    known.into_iter().zip(sandbox.locks()).map(finding).collect()
}

fn show(finding: &Finding) {
    let Finding { what, needed_for, found, command } = finding;
    if let Some(place) = found {
        say(format_args!("  ok       {what}: {place}"));
    } else {
        say(format_args!("  MISSING  {what}: needed for {needed_for}"));
        say(format_args!("           get it with: {command}"));
    }
}

fn findings(tools: &Tools) -> Vec<Finding> {
    let shown = |path: &Path| path.display().to_string();
    vec![
        Finding {
            what: "pdfium",
            needed_for: "PDF files",
            found: tools.pdfium.as_deref().map(shown),
            command: "scripts/pdfium",
        },
        Finding {
            what: "tesseract",
            needed_for: "pictures of text, as the first reader",
            found: tools.tesseract.as_ref().map(|found| shown(&found.program)),
            command: "scripts/need tesseract-ocr tesseract-ocr-eng",
        },
        Finding {
            what: "OCR models",
            needed_for: "pictures of text, as the second reader",
            found: tools.models.as_deref().map(shown),
            command: "scripts/ocr-models",
        },
        Finding {
            what: "embedding model",
            needed_for: "finding by meaning; without it documents are found by their words",
            found: retrieval::embed::default_folder().as_deref().map(shown),
            command: "scripts/embedding-model",
        },
        Finding {
            what: "fonts",
            needed_for: "pictures of PDF pages whose fonts are not embedded",
            found: fonts(),
            command: "scripts/need fonts-dejavu-core fonts-liberation2",
        },
    ]
}

fn fonts() -> Option<String> {
    let folders = ["/usr/share/fonts", "/usr/local/share/fonts"];
    let has_files = |folder: &&&str| {
        std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some())
    };
    folders.iter().find(has_files).map(|folder| (*folder).to_owned())
}
