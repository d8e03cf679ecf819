//! What a run proved, or did not.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Utc};
use docket::say;
use domain::{DocId, RunId, RunState};
use serde::Serialize;
use store::{CheckedRun, Takeover};

/// What is known of a run when everything is over.
#[derive(Debug, Default)]
pub(crate) struct Evidence {
    pub(crate) runs: Vec<CheckedRun>,
    pub(crate) takeovers: Vec<Takeover>,
    pub(crate) stages_committed_twice: i64,
    pub(crate) audit_faults: usize,
    /// Documents that were acknowledged, and the run that was named, if one was.
    pub(crate) accepted: HashMap<DocId, Option<RunId>>,
    /// How often each document was submitted.
    pub(crate) submissions: HashMap<DocId, usize>,
    /// Documents that no server accepted.
    pub(crate) never_accepted: usize,
    pub(crate) worker_kills: HashMap<String, DateTime<Utc>>,
    pub(crate) faults: Faults,
    pub(crate) ended_by_themselves: usize,
    pub(crate) seconds: u64,
    pub(crate) seed: u64,
}

/// The processes that were killed, and the other faults.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct Faults {
    pub(crate) server: usize,
    pub(crate) workers: usize,
    pub(crate) database: usize,
    pub(crate) suspended_workers: usize,
    pub(crate) database_restarts: usize,
    pub(crate) store_outages: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct Report {
    seed: u64,
    seconds: u64,
    faults: Faults,
    accepted: usize,
    never_accepted: usize,
    finished: usize,
    /// Ended as failed: too many workers died under them. Nothing is lost, a person can retry them.
    failed: usize,
    lost: usize,
    duplicated: usize,
    duplicates: Duplicates,
    stages_redone: usize,
    most_stages_redone_per_document_and_kill: usize,
    resume: Resume,
    ended_by_themselves: usize,
    audit_faults: usize,
}

#[derive(Debug, Serialize)]
struct Duplicates {
    /// Stages of a run that were committed more than once.
    stages: usize,
    /// Runs beyond one for each submission of the document.
    runs: usize,
    /// Ends of runs that the outbox tells more than once.
    events: usize,
}

/// From the kill of a worker until another one begins each of its jobs again.
#[derive(Debug, Serialize)]
struct Resume {
    jobs: usize,
    p50_seconds: Option<f64>,
    p99_seconds: Option<f64>,
    /// What the 99th percentile may be.
    limit_seconds: f64,
    longest_seconds: Option<f64>,
    /// The longest few, for who wants to know why.
    slowest: Vec<Resumed>,
}

#[derive(Clone, Debug, Serialize)]
struct Resumed {
    seconds: f64,
    worker_id: String,
    killed: DateTime<Utc>,
    taken_back: DateTime<Utc>,
    begun_again: DateTime<Utc>,
}

impl Report {
    pub(crate) fn on(evidence: &Evidence, resume_limit: f64) -> Self {
        let runs: HashMap<RunId, &CheckedRun> =
            evidence.runs.iter().map(|run| (run.run_id, run)).collect();
        let is_over = |run: &CheckedRun| run.state.is_terminal();
        let of_accepted = |run: &Option<RunId>| run.and_then(|id| runs.get(&id).copied());
        let accepted = evidence.accepted.values();
        let finished = accepted.clone().filter(|run| match run {
            // Known as processed already: then a run of it succeeded.
            None => true,
            Some(_) => of_accepted(run)
                .is_some_and(|run| run.state == RunState::Succeeded && run.all_stages_succeeded),
        });
        let failed =
            accepted.clone().filter_map(of_accepted).filter(|run| run.state == RunState::Failed);
        let (finished, failed) = (finished.count(), failed.count());
        // A run whose acknowledgement got lost must end all the same.
        let named: HashSet<RunId> = accepted.clone().flatten().copied().collect();
        let stuck = evidence
            .runs
            .iter()
            .filter(|run| !is_over(run) && !named.contains(&run.run_id))
            .count();
        let duplicates = Duplicates::in_the(evidence);
        Self {
            seed: evidence.seed,
            seconds: evidence.seconds,
            faults: evidence.faults,
            accepted: evidence.accepted.len(),
            never_accepted: evidence.never_accepted,
            finished,
            failed,
            lost: evidence.accepted.len() - finished - failed + stuck,
            duplicated: duplicates.stages + duplicates.runs + duplicates.events,
            duplicates,
            stages_redone: evidence.takeovers.len(),
            most_stages_redone_per_document_and_kill: most_redone(&evidence.takeovers),
            resume: Resume::after(&evidence.worker_kills, &evidence.takeovers, resume_limit),
            ended_by_themselves: evidence.ended_by_themselves,
            audit_faults: evidence.audit_faults,
        }
    }

    /// Whether all promises were kept. Kills of workers that interrupted no job say nothing about resuming.
    pub(crate) fn holds(&self) -> bool {
        self.lost == 0
            && self.duplicated == 0
            && self.audit_faults == 0
            && (self.faults.workers == 0 || self.resume.is_within_limit())
    }

    pub(crate) fn print(&self) {
        let Faults {
            server,
            workers,
            database,
            suspended_workers,
            database_restarts,
            store_outages,
        } = self.faults;
        let kills = server + workers + database;
        let seconds =
            |value: Option<f64>| value.map_or("–".to_owned(), |value| format!("{value:.1} s"));
        say(format_args!(
            "{kills} kills in {} s: {workers} of workers, {server} of the server, {database} of PostgreSQL \
             (--seed {})",
            self.seconds, self.seed
        ));
        if suspended_workers + database_restarts + store_outages > 0 {
            say(format_args!(
                "  {suspended_workers} workers suspended, {database_restarts} restarts of PostgreSQL, \
                 {store_outages} outages of the object store"
            ));
        }
        for (label, value, note) in [
            (
                "accepted",
                self.accepted.to_string(),
                unless_zero(self.never_accepted, "never accepted"),
            ),
            ("finished", self.finished.to_string(), unless_zero(self.failed, "failed")),
            ("lost", self.lost.to_string(), String::new()),
            ("duplicated", self.duplicated.to_string(), self.duplicates.explained()),
            (
                "stages redone",
                self.stages_redone.to_string(),
                format!(
                    "at most {} for one document and one kill",
                    self.most_stages_redone_per_document_and_kill
                ),
            ),
            ("resume p50", seconds(self.resume.p50_seconds), format!("{} jobs", self.resume.jobs)),
            (
                "resume p99",
                seconds(self.resume.p99_seconds),
                format!("at most {} s is allowed", self.resume.limit_seconds),
            ),
            (
                "audit log",
                if self.audit_faults == 0 { "intact" } else { "BROKEN" }.to_owned(),
                String::new(),
            ),
        ] {
            let note = if note.is_empty() { note } else { format!("   ({note})") };
            say(format_args!("  {label:<13}  {value}{note}"));
        }
        if self.ended_by_themselves > 0 {
            let count = self.ended_by_themselves;
            say(format_args!("  started again after they ended by themselves: {count}"));
        }
    }
}

fn unless_zero(count: usize, what: &str) -> String {
    if count == 0 { String::new() } else { format!("{count} {what}") }
}

impl Duplicates {
    fn in_the(evidence: &Evidence) -> Self {
        let mut runs_of: HashMap<DocId, usize> = HashMap::new();
        for run in &evidence.runs {
            *runs_of.entry(run.doc_id).or_default() += 1;
        }
        let beyond = |(doc, runs): (&DocId, &usize)| {
            runs.saturating_sub(evidence.submissions.get(doc).copied().unwrap_or(0))
        };
        let twice = |run: &&CheckedRun| run.end_events > 1;
        Self {
            stages: usize::try_from(evidence.stages_committed_twice).unwrap_or(usize::MAX),
            runs: runs_of.iter().map(beyond).sum(),
            events: evidence.runs.iter().filter(twice).count(),
        }
    }

    fn explained(&self) -> String {
        let Self { stages, runs, events } = self;
        if stages + runs + events == 0 {
            return String::new();
        }
        format!("{stages} stages, {runs} runs, {events} events")
    }
}

fn most_redone(takeovers: &[Takeover]) -> usize {
    let mut redone: HashMap<(&str, RunId), usize> = HashMap::new();
    for takeover in takeovers {
        *redone.entry((takeover.worker_id.as_str(), takeover.run_id)).or_default() += 1;
    }
    redone.into_values().max().unwrap_or(0)
}

impl Resume {
    const SLOWEST: usize = 5;

    fn after(kills: &HashMap<String, DateTime<Utc>>, takeovers: &[Takeover], limit: f64) -> Self {
        let mut resumed: Vec<Resumed> =
            takeovers.iter().filter_map(|it| resumed(kills, it)).collect();
        resumed.sort_unstable_by(|one, other| one.seconds.total_cmp(&other.seconds));
        let seconds: Vec<f64> = resumed.iter().map(|resumed| resumed.seconds).collect();
        Self {
            jobs: seconds.len(),
            p50_seconds: percentile(&seconds, 50),
            p99_seconds: percentile(&seconds, 99),
            limit_seconds: limit,
            longest_seconds: seconds.last().copied(),
            slowest: resumed.into_iter().rev().take(Self::SLOWEST).collect(),
        }
    }

    /// Not when nothing was measured.
    fn is_within_limit(&self) -> bool {
        self.p99_seconds.is_some_and(|seconds| seconds <= self.limit_seconds)
    }
}

/// `None` when its worker was not killed, or not before: then its lease ran out while the database was
/// away.
fn resumed(kills: &HashMap<String, DateTime<Utc>>, takeover: &Takeover) -> Option<Resumed> {
    let killed = *kills.get(&takeover.worker_id)?;
    let begun_again = takeover.restarted_at?;
    let seconds = (begun_again - killed).as_seconds_f64();
    let (worker_id, taken_back) = (takeover.worker_id.clone(), takeover.expired_at);
    (taken_back >= killed).then_some(Resumed {
        seconds,
        worker_id,
        killed,
        taken_back,
        begun_again,
    })
}

/// The smallest value that so many of a hundred do not exceed.
fn percentile(sorted: &[f64], percent: usize) -> Option<f64> {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.saturating_sub(1)).copied()
}

#[cfg(test)]
mod tests {
    use chrono::Duration;
    use uuid::Uuid;

    use super::*;

    const LIMIT: f64 = 20.0;

    fn run(number: u128, state: RunState) -> CheckedRun {
        let id = Uuid::from_u128(number);
        let all_stages_succeeded = state == RunState::Succeeded;
        CheckedRun {
            run_id: RunId(id),
            doc_id: DocId(id),
            state,
            all_stages_succeeded,
            end_events: 1,
        }
    }

    /// Three documents: all accepted, submitted once, processed.
    fn evidence() -> Evidence {
        let runs: Vec<CheckedRun> =
            (1..=3).map(|number| run(number, RunState::Succeeded)).collect();
        Evidence {
            accepted: runs.iter().map(|run| (run.doc_id, Some(run.run_id))).collect(),
            submissions: runs.iter().map(|run| (run.doc_id, 1)).collect(),
            runs,
            ..Evidence::default()
        }
    }

    #[test]
    fn what_went_well_holds() {
        let report = Report::on(&evidence(), LIMIT);
        assert_eq!((report.finished, report.lost, report.duplicated), (3, 0, 0));
        assert!(report.holds());
    }

    #[test]
    fn whatever_is_missing_or_doubled_is_found() {
        let spoiled: [fn(&mut Evidence); 7] = [
            |evidence| evidence.runs.truncate(2),
            |evidence| evidence.runs[0].state = RunState::Running,
            |evidence| evidence.runs[0].all_stages_succeeded = false,
            |evidence| evidence.runs.push(run(9, RunState::Queued)),
            |evidence| evidence.runs[0].end_events = 2,
            |evidence| evidence.stages_committed_twice = 1,
            |evidence| {
                evidence.runs.push(CheckedRun {
                    doc_id: evidence.runs[0].doc_id,
                    ..run(9, RunState::Succeeded)
                });
            },
        ];
        for (number, spoil) in spoiled.into_iter().enumerate() {
            let mut evidence = evidence();
            spoil(&mut evidence);
            assert!(!Report::on(&evidence, LIMIT).holds(), "{number}");
        }
    }

    #[test]
    fn a_document_submitted_twice_may_have_two_runs() {
        let mut evidence = evidence();
        let again = CheckedRun { doc_id: evidence.runs[0].doc_id, ..run(9, RunState::Succeeded) };
        evidence.submissions.insert(again.doc_id, 2);
        evidence.runs.push(again);
        assert!(Report::on(&evidence, LIMIT).holds());
    }

    fn takeover(seconds: i64) -> Takeover {
        let moment = DateTime::UNIX_EPOCH + Duration::seconds(seconds);
        Takeover {
            run_id: RunId(Uuid::nil()),
            worker_id: "w".to_owned(),
            expired_at: moment,
            restarted_at: Some(moment),
        }
    }

    #[test]
    fn resuming_is_measured_from_the_kill() {
        let mut takeovers: Vec<Takeover> = (1..=100).map(takeover).collect();
        takeovers.push(Takeover { worker_id: "alive".to_owned(), ..takeover(500) });
        let kills = HashMap::from([("w".to_owned(), DateTime::UNIX_EPOCH)]);
        let resume = Resume::after(&kills, &takeovers, LIMIT);
        assert_eq!(
            (resume.jobs, resume.p50_seconds, resume.p99_seconds),
            (100, Some(50.0), Some(99.0))
        );
        assert_eq!(percentile(&[], 99), None);
    }

    #[test]
    fn work_must_resume_in_time_and_be_seen_to() {
        let mut evidence = evidence();
        evidence.faults.workers = 1;
        evidence.worker_kills = HashMap::from([("w".to_owned(), DateTime::UNIX_EPOCH)]);
        assert!(!Report::on(&evidence, LIMIT).holds(), "no kill interrupted anything");
        evidence.takeovers = vec![takeover(20)];
        assert!(Report::on(&evidence, LIMIT).holds());
        evidence.takeovers = vec![takeover(21)];
        assert!(!Report::on(&evidence, LIMIT).holds());
    }
}
