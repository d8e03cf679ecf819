//! The child processes that read documents.

use anyhow::Context;
use reading::reader::{Reader, ReaderSettings};
use reading::sandbox::{SandboxPolicy, SandboxReport};
use reading::tools::Tools;

use crate::config::ReadConfig;

/// Starts no process yet.
pub(crate) fn reader(config: &ReadConfig) -> anyhow::Result<Reader> {
    let program =
        std::env::current_exe().context("the path of this program cannot be determined")?;
    Ok(Reader::new(ReaderSettings {
        program,
        children: config.children,
        tools: Tools::find(),
        sandbox: config.sandbox,
        languages: config.languages.clone(),
        longest_job: ReaderSettings::LONGEST_JOB,
    }))
}

/// Starts a child to check what its sandbox enforces, and logs the result.
pub(crate) async fn check_sandbox(reader: &Reader) -> SandboxReport {
    let report = reader.check_sandbox().await;
    let [(_, landlock), (_, seccomp)] = report.locks();
    let policy = report.policy.as_str();
    match (report.problem(), report.policy) {
        (None, SandboxPolicy::Required) => {
            tracing::info!(landlock, seccomp, policy, "documents are read in a sandbox");
        }
        (None, SandboxPolicy::BestEffort) => tracing::warn!(
            landlock,
            seccomp,
            policy,
            "documents are read in a sandbox, but sandbox = \"best_effort\" allows reading them without one"
        ),
        (Some(problem), SandboxPolicy::Required) => {
            tracing::error!(landlock, seccomp, policy, "{problem}");
        }
        (Some(problem), SandboxPolicy::BestEffort) => {
            tracing::warn!(landlock, seccomp, policy, "{problem}");
        }
    }
    report
}
