//! A simulated worker: what it believes to hold, and its operations, one store call each.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration as Time;

use chrono::{DateTime, Duration, Utc};
use domain::{
    Clock, ClockUse, Dependency, Failure, Jitter, JobId, LeaseToken, RetryPolicy, StageName,
    TenantId, Tries,
};
use store::{
    ClaimedJob, DatabaseClock, JobClaim, Lease, LeaseRef, NextJob, Outcome, Report, StageSlots,
};
use uuid::Uuid;

use super::clocks::Machine;
use super::seed::{Fault, Seed};

pub(crate) const LEASE: Duration = Duration::seconds(15);

#[derive(Debug)]
pub(crate) struct SimWorker {
    pub(crate) name: String,
    pub(crate) stages: Vec<StageName>,
    pub(crate) hands: Vec<Hand>,
    pub(crate) machine: Arc<Machine>,
    pub(crate) clock: DatabaseClock,
    /// When the process last read the database's clock, by the time that really passes.
    pub(crate) clock_read: Time,
    pub(crate) paused: bool,
    turns: HashMap<StageName, TenantId>,
}

/// A job the worker believes to hold, and what it will report when it is through with it.
#[derive(Clone, Debug)]
pub(crate) struct Hand {
    pub(crate) job: ClaimedJob,
    pub(crate) outcome: Option<Outcome>,
}

impl SimWorker {
    pub(crate) fn new(name: String, stages: Vec<StageName>, machine: Arc<Machine>) -> Self {
        Self {
            name,
            stages,
            hands: Vec::new(),
            clock: machine.start_process(),
            machine,
            clock_read: Time::ZERO,
            paused: false,
            turns: HashMap::new(),
        }
    }

    fn slots(&self, room: usize, until: DateTime<Utc>) -> Vec<StageSlots> {
        let turn = |stage| self.turns.get(stage).copied().unwrap_or(TenantId(Uuid::nil()));
        self.stages
            .iter()
            .map(|stage| StageSlots {
                stage: stage.clone(),
                count: room,
                is_reserved: false,
                last_tenant: turn(stage),
                lease_until: until,
            })
            .collect()
    }
}

impl Seed<'_> {
    pub(crate) fn now_of(&self, worker: usize) -> DateTime<Utc> {
        self.workers[worker].clock.now()
    }

    pub(crate) async fn claim(&mut self, worker: usize, fault: Fault) -> Result<usize, String> {
        self.follow_clock(worker);
        let now = self.now_of(worker);
        let room = if self.calm { 8 } else { 1 + self.dice.below(3) };
        let slots = self.workers[worker].slots(room, now + LEASE);
        let name = self.workers[worker].name.clone();
        let mut across = self.store().queue_transaction().await.map_err(refused)?;
        let claim =
            JobClaim { stages: &slots, max_jobs: room, busy_tenants: &[], worker_id: &name, now };
        let jobs = across.claim_jobs(&claim).await.map_err(refused)?;
        self.note(format!("{name} claims {} {fault:?}", jobs.len()));
        if fault == Fault::BeforeCommit {
            across.rollback().await.map_err(refused)?;
            return Ok(0);
        }
        across.commit().await.map_err(refused)?;
        for job in &jobs {
            self.model.claimed(job, self.passed.now())?;
        }
        let claimed = jobs.len();
        if fault == Fault::None {
            for job in jobs {
                self.workers[worker].turns.insert(job.stage.clone(), job.tenant_id);
                self.workers[worker].hands.push(Hand { job, outcome: None });
            }
        }
        Ok(claimed)
    }

    /// Two workers are woken by one announcement and claim at the same moment.
    pub(crate) async fn claim_together(&mut self, one: usize, other: usize) -> Result<(), String> {
        let mut open = Vec::new();
        for worker in [one, other] {
            self.follow_clock(worker);
            let now = self.now_of(worker);
            let slots = self.workers[worker].slots(2, now + LEASE);
            let mut across = self.store().queue_transaction().await.map_err(refused)?;
            let name = self.workers[worker].name.clone();
            let claim =
                JobClaim { stages: &slots, max_jobs: 2, busy_tenants: &[], worker_id: &name, now };
            let jobs = across.claim_jobs(&claim).await.map_err(refused)?;
            self.note(format!("{name} claims {} beside another", jobs.len()));
            open.push((worker, across, jobs));
        }
        for (worker, across, jobs) in open {
            across.commit().await.map_err(refused)?;
            for job in jobs {
                self.model.claimed(&job, self.passed.now())?;
                self.workers[worker].hands.push(Hand { job, outcome: None });
            }
        }
        Ok(())
    }

    /// One job's stage comes to its end.
    pub(crate) fn run_stage(&mut self, worker: usize, only_good: bool) {
        let waiting: Vec<usize> = (0..self.workers[worker].hands.len())
            .filter(|hand| self.workers[worker].hands[*hand].outcome.is_none())
            .collect();
        if waiting.is_empty() {
            return;
        }
        let hand = waiting[self.dice.below(waiting.len())];
        let job = self.workers[worker].hands[hand].job.clone();
        let outcome = match self.dice.below(11) {
            7 if !only_good => {
                let failure = Failure::unavailable(Dependency::ObjectStore, "it does not answer");
                self.failed(worker, &job, failure)
            }
            8 if !only_good => self.failed(worker, &job, Failure::retry("it broke")),
            9 if !only_good => {
                let failure = match self.dice.below(3) {
                    0 => Failure::permanent("it is no document", "send another"),
                    _ => Failure::poison("it crashed", "look at it"),
                };
                self.failed(worker, &job, failure)
            }
            _ => self.succeeded(worker, &job),
        };
        let name = &self.workers[worker].name;
        self.note(format!("{name} runs {} of {}", job.stage, job.run_id));
        self.workers[worker].hands[hand].outcome = Some(outcome);
    }

    fn failed(&mut self, worker: usize, job: &ClaimedJob, failure: Failure) -> Outcome {
        let jitter = Jitter::from_bits(self.dice.bits());
        let now = self.now_of(worker);
        engine::after_failure(failure, &RetryPolicy::PIPELINE, job.tries, now, jitter)
    }

    fn succeeded(&mut self, worker: usize, job: &ClaimedJob) -> Outcome {
        let next = job.pipeline.after(&job.stage).cloned().map(|stage| {
            let goes_on = self.workers[worker].stages.contains(&stage) && self.dice.percent(70);
            let (job_id, token) = (JobId(self.ids().next()), LeaseToken(self.ids().next()));
            let until = self.now_of(worker) + LEASE;
            let lease = goes_on.then_some(Lease { token, until });
            NextJob { stage, job_id, lease, retries: RetryPolicy::PIPELINE.retries() }
        });
        Outcome::Succeeded { output: Arc::default(), next }
    }

    /// Reports everything the worker is through with, in one batch.
    pub(crate) async fn settle(&mut self, worker: usize, fault: Fault) -> Result<(), String> {
        let (done, rest): (Vec<Hand>, Vec<Hand>) =
            self.workers[worker].hands.drain(..).partition(|hand| hand.outcome.is_some());
        self.workers[worker].hands = rest;
        if done.is_empty() {
            return Ok(());
        }
        let now = self.now_of(worker);
        let reports: Vec<Report> = done.iter().map(|hand| report(hand, now + LEASE)).collect();
        let mut across = self.store().queue_transaction().await.map_err(refused)?;
        let counted = across.settle_jobs(&reports, now).await.map_err(refused)?;
        let name = &self.workers[worker].name;
        self.note(format!("{name} settles {} of {} {fault:?}", counted.len(), done.len()));
        if fault == Fault::BeforeCommit {
            across.rollback().await.map_err(refused)?;
            self.workers[worker].hands.extend(done);
            return Ok(());
        }
        across.commit().await.map_err(refused)?;
        for (hand, report) in done.into_iter().zip(reports) {
            let did = counted.contains(&report.lease);
            self.model.settled(&hand.job, &report.outcome, did, self.passed.now())?;
            if fault == Fault::AnswerLost {
                // Not knowing, the worker reports again later.
                self.workers[worker].hands.push(hand);
            } else if did {
                self.go_on(worker, &hand.job, report.outcome);
            }
        }
        Ok(())
    }

    /// With the next stage, when it was leased in advance.
    fn go_on(&mut self, worker: usize, job: &ClaimedJob, outcome: Outcome) {
        if let Outcome::Succeeded {
            next: Some(NextJob { stage, job_id, lease: Some(lease), .. }),
            ..
        } = outcome
        {
            let job = ClaimedJob {
                job_id,
                token: lease.token,
                stage,
                tries: Tries::none(RetryPolicy::PIPELINE.retries()),
                ..job.clone()
            };
            self.workers[worker].hands.push(Hand { job, outcome: None });
        }
    }

    pub(crate) async fn heartbeat(&mut self, worker: usize) -> Result<(), String> {
        let now = self.now_of(worker);
        let until = now + LEASE;
        if self.workers[worker].hands.is_empty() {
            return Ok(());
        }
        let leases: Vec<(LeaseRef, DateTime<Utc>)> =
            self.workers[worker].hands.iter().map(|hand| (held(&hand.job), until)).collect();
        let mut across = self.store().queue_transaction().await.map_err(refused)?;
        let lost = across.renew_leases(&leases, now).await.map_err(refused)?;
        across.commit().await.map_err(refused)?;
        for (held, _) in leases {
            self.model.prolonged(held, self.passed.now(), lost.contains(&held))?;
        }
        let name = &self.workers[worker].name;
        self.note(format!("{name} beats and has lost {}", lost.len()));
        self.workers[worker].hands.retain(|hand| !lost.contains(&held(&hand.job)));
        Ok(())
    }

    pub(crate) async fn expire_leases(
        &mut self,
        worker: usize,
        fault: Fault,
    ) -> Result<(), String> {
        const ALLOWED_EXPIRIES: u32 = 4;
        self.follow_clock(worker);
        let clock = &self.workers[worker].clock;
        let Some(now) = clock.now_for(ClockUse::Expire) else { return Ok(()) };
        let mut across = self.store().queue_transaction().await.map_err(refused)?;
        let taken = across.expire_leases(now, ALLOWED_EXPIRIES, 20).await.map_err(refused)?;
        let resumed =
            across.resume_paused(now, now - Duration::seconds(30)).await.map_err(refused)?;
        self.note(format!("{} jobs are taken back, {resumed} resumed {fault:?}", taken.len()));
        if fault == Fault::BeforeCommit || !self.confirms_time_for(worker, ClockUse::Expire) {
            return across.rollback().await.map_err(refused);
        }
        across.commit().await.map_err(refused)?;
        for job in taken {
            self.model.taken_back(job.job_id, self.passed.now())?;
        }
        Ok(())
    }

    /// A clean stop: all jobs are returned to the queue, and the worker restarts.
    pub(crate) async fn stop(&mut self, worker: usize) -> Result<(), String> {
        for slot in &mut self.workers[worker].hands {
            slot.outcome = Some(Outcome::Released);
        }
        self.settle(worker, Fault::None).await
    }

    /// The worker dies and restarts without any job.
    pub(crate) fn crash(&mut self, worker: usize) {
        let name = self.workers[worker].name.clone();
        self.note(format!("{name} crashes"));
        self.workers[worker].hands.clear();
        self.workers[worker].turns.clear();
        self.restart_clock(worker);
    }
}

fn held(job: &ClaimedJob) -> LeaseRef {
    LeaseRef { job_id: job.job_id, token: job.token }
}

/// The lease of the next job begins with the report.
fn report(hand: &Hand, lease_until: DateTime<Utc>) -> Report {
    let mut outcome = hand.outcome.clone().unwrap_or(Outcome::Released);
    if let Outcome::Succeeded { next: Some(NextJob { lease: Some(lease), .. }), .. } = &mut outcome
    {
        lease.until = lease_until;
    }
    Report { lease: held(&hand.job), outcome }
}

/// The store must not fail: whatever fails here was not planned.
pub(crate) fn refused(error: store::StoreError) -> String {
    use std::error::Error;
    let cause = error.source().map(ToString::to_string).unwrap_or_default();
    format!("{error}: {cause}")
}
