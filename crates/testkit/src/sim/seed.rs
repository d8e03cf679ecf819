//! One seed, from its first step to the last check.

use std::sync::Arc;
use std::time::Duration as Time;

use chrono::{DateTime, Duration, Utc};
use domain::{Clock, IdGen, RunId, StageName, TenantId};
use store::Store;

use super::Tally;
use super::clocks::{ClockRecord, Machine, Original, Passed};
use super::model::Model;
use super::people::STAGES;
use super::sim_database::SimDatabase;
use super::worker::SimWorker;
use crate::seeded_rng::SeededRng;

/// What goes wrong with one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    None,
    /// An error before the commit: nothing of it lasts.
    BeforeCommit,
    /// An error after the commit: all of it lasts, and the caller does not know.
    AnswerLost,
}

#[derive(Debug)]
pub(crate) struct Seed<'a> {
    pub(crate) database: &'a mut SimDatabase,
    pub(crate) dice: SeededRng,
    pub(crate) model: Model,
    pub(crate) tenants: Vec<TenantId>,
    pub(crate) runs: Vec<(TenantId, RunId)>,
    pub(crate) workers: Vec<SimWorker>,
    pub(crate) passed: Arc<Passed>,
    pub(crate) clocks: ClockRecord,
    pub(crate) originals: Vec<Original>,
    /// The periodic task: its name, when it was last begun, and when it must be due again at the latest.
    pub(crate) schedule: String,
    pub(crate) schedule_begun: (Time, Time),
    /// The faults are over.
    pub(crate) calm: bool,
    steps: Vec<String>,
}

impl<'a> Seed<'a> {
    pub(crate) fn new(database: &'a mut SimDatabase, seed: u64) -> Self {
        let passed = Arc::new(Passed::default());
        Self {
            schedule: format!("sim {}", database.ids.next()),
            schedule_begun: (passed.now(), Time::ZERO),
            passed,
            clocks: ClockRecord::default(),
            originals: Vec::new(),
            database,
            dice: SeededRng::new(seed),
            model: Model::default(),
            tenants: Vec::new(),
            runs: Vec::new(),
            workers: Vec::new(),
            calm: false,
            steps: Vec::new(),
        }
    }

    pub(crate) fn into_record(self) -> (Tally, Vec<String>) {
        let count = |length: usize| u64::try_from(length).unwrap();
        let tally =
            Tally { seeds: 1, steps: count(self.steps.len()), runs: count(self.runs.len()) };
        (tally, self.steps)
    }

    pub(crate) fn store(&self) -> Store {
        self.database.store.clone()
    }

    pub(crate) fn ids(&self) -> &dyn IdGen {
        self.database.ids.as_ref()
    }

    pub(crate) fn now(&self) -> DateTime<Utc> {
        self.database.clock.now()
    }

    pub(crate) fn advance(&self, by: Duration) {
        self.passed.pass(by.to_std().unwrap());
        self.database.clock.advance(by);
    }

    /// Ids differ from database to database; what comes after the seed's number does not.
    pub(crate) fn note(&mut self, step: String) {
        self.steps.push(step);
    }

    pub(crate) async fn play(&mut self) -> Result<(), String> {
        const STEPS: usize = 40;
        let tenants = 1 + self.dice.below(2);
        self.make_tenants(tenants).await?;
        self.hire();
        for _ in 0..3 {
            self.submit().await?;
        }
        for _ in 0..STEPS {
            self.step().await?;
        }
        self.work_off().await?;
        self.check().await
    }

    /// The first worker has every stage, so that everything can be done; the others have some.
    fn hire(&mut self) {
        let all: Vec<StageName> = STAGES.iter().map(|stage| stage.parse().unwrap()).collect();
        for number in 0..3 {
            let missing = self.dice.below(STAGES.len() + 1);
            let has = |(place, _): &(usize, &StageName)| number == 0 || *place != missing;
            let stages = all.iter().enumerate().filter(has).map(|(_, stage)| stage.clone());
            let stages = stages.collect();
            let ahead = self.wrong_time();
            let machine = Machine::new(&self.passed, ahead);
            self.workers.push(SimWorker::new(format!("w{number}"), stages, machine));
            self.read_clock(number);
        }
    }

    async fn step(&mut self) -> Result<(), String> {
        let worker = self.dice.below(self.workers.len());
        let passed = i64::try_from(self.dice.below(3000)).unwrap();
        self.advance(Duration::milliseconds(passed));
        self.follow_clocks();
        if self.workers[worker].paused {
            // It wakes up with what it had in its hands, however long that is ago.
            self.workers[worker].paused = self.dice.percent(60);
            return Ok(());
        }
        let fault = match self.dice.below(10) {
            0 => Fault::BeforeCommit,
            1 => Fault::AnswerLost,
            _ => Fault::None,
        };
        match self.dice.below(115) {
            0..20 => self.claim(worker, fault).await.map(|_| ()),
            20..43 => {
                self.run_stage(worker, false);
                Ok(())
            }
            43..62 => self.settle(worker, fault).await,
            62..69 => self.heartbeat(worker).await,
            69..75 => self.expire_leases(worker, fault).await,
            75..78 => self.claim_together(worker, (worker + 1) % 3).await,
            78..81 => self.stop(worker).await,
            81..84 => {
                self.crash(worker);
                Ok(())
            }
            84..89 => {
                self.workers[worker].paused = true;
                self.advance(Duration::seconds(20));
                let other = (worker + 1) % 3;
                self.expire_leases(other, Fault::None).await?;
                self.claim(other, Fault::None).await.map(|_| ())
            }
            89..92 => {
                self.jump();
                Ok(())
            }
            92..94 => self.cancel().await,
            94..97 => self.retry().await,
            100..106 => self.look_at_schedule(worker, fault).await,
            106..109 => self.sweep(worker),
            109..112 => self.correct_future_times(worker).await,
            112..115 => {
                self.set_machine(worker);
                Ok(())
            }
            _ => self.submit().await,
        }
    }

    /// No more faults: whoever slept wakes up and reports late, and the first worker does the rest.
    async fn work_off(&mut self) -> Result<(), String> {
        const ROUNDS: usize = 40;
        self.calm = true;
        for worker in 0..self.workers.len() {
            self.workers[worker].paused = false;
            for _ in 0..self.workers[worker].hands.len() {
                self.run_stage(worker, true);
            }
            self.settle(worker, Fault::None).await?;
        }
        for _ in 0..ROUNDS {
            self.wait_long();
            self.correct_future_times(0).await?;
            self.look_at_schedule(0, Fault::None).await?;
            self.expire_leases(0, Fault::None).await?;
            loop {
                let claimed = self.claim(0, Fault::None).await?;
                while !self.workers[0].hands.is_empty() {
                    self.run_stage(0, true);
                    self.settle(0, Fault::None).await?;
                }
                if claimed == 0 {
                    break;
                }
            }
            if self.count_unfinished().await? == 0 {
                return Ok(());
            }
        }
        Err(format!("{} runs never end", self.count_unfinished().await?))
    }
}
