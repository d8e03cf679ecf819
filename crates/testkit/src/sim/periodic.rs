//! What workers do every so often: a periodic task, and moving times that lie ahead.

use std::time::Duration as Time;

use chrono::Duration;
use domain::{Clock, ClockUse};

use super::seed::{Fault, Seed};
use super::worker::refused;

const EVERY: Time = Time::from_mins(1);
const LONGEST: Time = Time::from_mins(2);
/// Times may differ by 30 s before a schedule is healed, and a process may not have noticed a jump for 5 s.
const LATE: Time = Time::from_secs(40);

impl Seed<'_> {
    /// Does the periodic task when it is due. It must be due one interval after it was last begun, or when the lease of
    /// a process that died in it ends.
    pub(crate) async fn look_at_schedule(
        &mut self,
        worker: usize,
        fault: Fault,
    ) -> Result<(), String> {
        let clock = &self.workers[worker].clock;
        let Some(now) = clock.now_for(ClockUse::Schedule) else { return Ok(()) };
        let (name, passed) = (self.schedule.clone(), self.passed.now());
        let mut across = self.store().across_tenants().await.map_err(refused)?;
        let begun =
            across.begin_schedule(&name, EVERY, now, now + LONGEST).await.map_err(refused)?;
        across.commit().await.map_err(refused)?;
        let Some(begun) = begun else {
            let (last, longest) = self.schedule_begun;
            let since = passed.saturating_sub(last);
            if since > longest + LATE {
                return Err(format!("the periodic task was not begun for {since:?}"));
            }
            return Ok(());
        };
        self.note(format!("w{worker} does the periodic task {fault:?}"));
        self.schedule_begun = (passed, LONGEST);
        if fault == Fault::None {
            let mut across = self.store().across_tenants().await.map_err(refused)?;
            across.end_schedule(&begun, now).await.map_err(refused)?;
            across.commit().await.map_err(refused)?;
            self.schedule_begun = (passed, EVERY);
        }
        Ok(())
    }

    pub(crate) async fn correct_future_times(&mut self, worker: usize) -> Result<(), String> {
        let clock = &self.workers[worker].clock;
        let Some(now) = clock.now_for(ClockUse::Expire) else { return Ok(()) };
        let mut across = self.store().queue_transaction().await.map_err(refused)?;
        let healed = across.correct_future_times(now, 500).await.map_err(refused)?;
        if !self.confirms_time_for(worker, ClockUse::Expire) {
            return across.rollback().await.map_err(refused);
        }
        across.commit().await.map_err(refused)?;
        if healed > 0 {
            self.note(format!("w{worker} moves the times of {healed} rows"));
        }
        Ok(())
    }

    /// Long enough for every lease to run out and every job put off to be due.
    pub(crate) fn wait_long(&mut self) {
        self.advance(Duration::minutes(70));
        self.follow_clocks();
    }
}
