//! `docket audit verify` and `docket audit export`

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use domain::{ChainReport, CheckpointStatement, SignedCheckpoint};
use serde_json::json;

use crate::backend::{DataFolder, with_ops};
use crate::config::Config;
use crate::say::say;

pub(crate) async fn verify(
    config: &Config,
    against: Option<&Path>,
    as_json: bool,
) -> anyhow::Result<ExitCode> {
    let stored = against.map(read_checkpoints).transpose()?.unwrap_or_default();
    let reports =
        with_ops(config, DataFolder::MustExist, async |ops| ops.audit.verify_audit(&stored).await)
            .await?;
    anyhow::ensure!(
        !reports.is_empty(),
        "there is no tenant in this database, so nothing to verify"
    );
    if as_json {
        say(json!({ "tenants": reports.iter().map(as_value).collect::<Vec<_>>() }));
    } else {
        reports.iter().for_each(print);
    }
    let intact = reports.iter().all(ChainReport::is_intact);
    Ok(if intact { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

pub(crate) async fn export(config: &Config) -> anyhow::Result<ExitCode> {
    let exported =
        with_ops(config, DataFolder::MustExist, async |ops| ops.audit.export_checkpoints().await)
            .await?;
    for signed in exported {
        say(serde_json::to_string(&signed)?);
    }
    Ok(ExitCode::SUCCESS)
}

/// An invalid line is an error: otherwise an attacker could hide a checkpoint by damaging its line.
fn read_checkpoints(file: &Path) -> anyhow::Result<Vec<SignedCheckpoint>> {
    let name = file.display();
    let text = std::fs::read_to_string(file).with_context(|| format!("{name} cannot be read"))?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let stored: anyhow::Result<Vec<SignedCheckpoint>> = lines
        .map(|(index, line)| {
            let signed: Result<SignedCheckpoint, _> = serde_json::from_str(line);
            let signed = signed.ok().filter(states_something);
            signed.with_context(|| {
                format!(
                    "line {} of {name} is not a checkpoint as `docket audit export` prints them",
                    index + 1
                )
            })
        })
        .collect();
    let stored = stored?;
    anyhow::ensure!(!stored.is_empty(), "{name} has no checkpoints");
    Ok(stored)
}

fn states_something(signed: &SignedCheckpoint) -> bool {
    serde_json::from_str::<CheckpointStatement>(&signed.statement).is_ok()
}

fn as_value(report: &ChainReport) -> serde_json::Value {
    json!({
        "tenant_id": report.tenant_id,
        "name": report.tenant_name,
        "rows": report.rows,
        "checkpoints": report.checkpoints.compared,
        "last_checkpoint_at": report.checkpoints.last_taken_at,
        "faults": report.sentences(),
    })
}

fn print(report: &ChainReport) {
    let ChainReport { tenant_id, tenant_name, rows, checkpoints, .. } = report;
    let compared = match (checkpoints.compared, checkpoints.last_taken_at) {
        (0, _) | (_, None) => "no checkpoints yet".to_owned(),
        (1, Some(at)) => format!("1 checkpoint of {}", at.format("%F %T UTC")),
        (some, Some(at)) => format!("{some} checkpoints, the last of {}", at.format("%F %T UTC")),
    };
    let state = if report.is_intact() { "chain intact" } else { "chain BROKEN" };
    say(format_args!("{tenant_name} ({tenant_id}): {rows} rows, {compared}, {state}"));
    for fault in report.sentences() {
        say(format_args!("  {fault}"));
    }
}
