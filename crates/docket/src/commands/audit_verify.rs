//! `docket audit verify`

use std::process::ExitCode;

use domain::ChainReport;
use serde_json::json;

use crate::backend::{Folder, with_ops};
use crate::config::Config;
use crate::say::say;

pub(crate) async fn run(config: &Config, as_json: bool) -> anyhow::Result<ExitCode> {
    let reports =
        with_ops(config, Folder::MustBeThere, async |ops| ops.verify_audit().await).await?;
    anyhow::ensure!(
        !reports.is_empty(),
        "there is no tenant in this database, so nothing to verify"
    );
    if as_json {
        say(json!({ "tenants": reports.iter().map(as_value).collect::<Vec<_>>() }));
    } else {
        reports.iter().for_each(print);
    }
    let intact = reports.iter().all(|report| report.faults.is_empty());
    Ok(if intact { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn as_value(report: &ChainReport) -> serde_json::Value {
    json!({
        "tenant_id": report.tenant_id,
        "name": report.tenant_name,
        "rows": report.rows,
        "faults": report.faults.iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
}

fn print(report: &ChainReport) {
    let ChainReport { tenant_id, tenant_name, rows, faults } = report;
    if faults.is_empty() {
        say(format_args!("{tenant_name} ({tenant_id}): {rows} rows, chain intact"));
        return;
    }
    say(format_args!("{tenant_name} ({tenant_id}): {rows} rows, chain BROKEN"));
    for fault in faults {
        say(format_args!("  {fault}"));
    }
}
