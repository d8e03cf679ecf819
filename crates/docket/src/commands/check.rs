//! `docket check`

use std::io::{self, IsTerminal};
use std::process::ExitCode;

use indicatif::ProgressBar;
use ops::{CheckStep, ObjectFinding, ObjectProblem, ObjectTotals};
use serde_json::json;

use crate::backend::{DataFolder, with_objects};
use crate::cli::CheckArgs;
use crate::config::Config;
use crate::objects::ObjectStoreUse;
use crate::say::say;

pub(crate) async fn run(config: &Config, args: &CheckArgs) -> anyhow::Result<ExitCode> {
    let wanted = if args.adopt { ObjectStoreUse::Adopt } else { ObjectStoreUse::Required };
    let is_seen = io::stderr().is_terminal() && !args.json;
    let progress = if is_seen { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
    let checked = with_objects(config, DataFolder::MustExist, wanted, async |ops| {
        let mut report = |step| match step {
            CheckStep::Finding(finding) => progress.suspend(|| print(&finding, args.json)),
            CheckStep::Progress(totals) => {
                progress.set_message(counted(&totals));
                progress.tick();
            }
        };
        ops.objects.check_objects(args.quick, &mut report).await
    })
    .await;
    progress.finish_and_clear();
    let totals = checked?;
    summarise(&totals, args);
    Ok(if totals.is_sound() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn print(finding: &ObjectFinding, as_json: bool) {
    let ObjectFinding { key, doc_id, problem, advice } = finding;
    let (state, how) = match problem {
        ObjectProblem::Missing => ("missing", None),
        ObjectProblem::Damaged { how } => ("damaged", Some(how)),
        ObjectProblem::Orphaned => ("orphaned", None),
    };
    if as_json {
        say(
            json!({ "state": state, "key": key, "doc_id": doc_id, "detail": how, "advice": advice }),
        );
        return;
    }
    let of_document = doc_id.map(|doc_id| format!(" of document {doc_id}")).unwrap_or_default();
    let how = how.map(|how| format!(": {how}")).unwrap_or_default();
    say(format_args!("{state:<9} {key}{of_document}{how}"));
    say(format_args!("          {advice}"));
}

fn counted(totals: &ObjectTotals) -> String {
    let ObjectTotals { originals, artifacts, bytes, .. } = totals;
    let size = indicatif::HumanBytes(*bytes);
    format!("{originals} originals and {artifacts} artifacts, {size}")
}

fn summarise(totals: &ObjectTotals, args: &CheckArgs) {
    let ObjectTotals { originals, artifacts, bytes, missing, damaged, orphaned } = *totals;
    if args.json {
        say(json!({ "summary": {
            "sound": totals.is_sound(), "quick": args.quick, "originals": originals,
            "artifacts": artifacts, "bytes": bytes, "missing": missing, "damaged": damaged,
            "orphaned": orphaned,
        }}));
        return;
    }
    let done = if args.quick { "Checked" } else { "Read" };
    say(format_args!("{done} {}.", counted(totals)));
    if totals.is_sound() {
        say("No object is missing, damaged or unused.");
    } else {
        say(format_args!("{missing} missing, {damaged} damaged, {orphaned} orphaned."));
    }
}
