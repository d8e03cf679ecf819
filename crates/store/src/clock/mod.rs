//! The database's clock, which every process uses.
//!
//! A process reads the database's clock when it opens the store and every few seconds afterwards. In between it adds the
//! monotonic time of its machine, so that a wrong or changed clock of that machine does not matter. `watch.rs` handles
//! jumps of the database's clock itself; `docs/decisions/database-clock.md` explains both.

mod watch;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use domain::{Clock, ClockJump, ClockReading, ClockReport, ClockUse, format_duration};
use sqlx::PgConnection;
use tokio_util::sync::CancellationToken;

use crate::{AcrossTenants, Store, StoreError, sql};
use watch::Watch;

/// Returns the database's time. Before the first reading it returns the machine's, which is reliable for nothing.
#[derive(Debug)]
pub struct DatabaseClock {
    /// Only its monotonic time is used; its wall clock is only compared.
    machine: Arc<dyn Clock>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    watch: Option<Watch>,
    /// The skew that was last logged.
    logged: Option<TimeDelta>,
}

impl DatabaseClock {
    pub fn new(machine: Arc<dyn Clock>) -> Self {
        Self { machine, state: Mutex::default() }
    }

    /// A panic cannot leave the state inconsistent.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clock for DatabaseClock {
    fn now(&self) -> DateTime<Utc> {
        let elapsed = self.machine.elapsed();
        match &mut self.lock().watch {
            Some(watch) => watch.now(elapsed),
            None => self.machine.now(),
        }
    }

    fn elapsed(&self) -> Duration {
        self.machine.elapsed()
    }

    fn now_for(&self, purpose: ClockUse) -> Option<DateTime<Utc>> {
        let elapsed = self.machine.elapsed();
        self.lock().watch.as_mut()?.now_for(purpose, elapsed)
    }

    fn observe(&self, reading: &ClockReading) -> Option<ClockJump> {
        let (machine, elapsed) = (self.machine.now(), self.machine.elapsed());
        let mut state = self.lock();
        let jump = if let Some(watch) = &mut state.watch {
            watch.observe(reading)
        } else {
            state.watch = Some(Watch::begin(reading));
            None
        };
        if let Some(watch) = &mut state.watch {
            watch.note_skew(machine, elapsed);
            let report = watch.report(elapsed);
            state.log_skew(&report);
        }
        jump
    }

    fn report(&self) -> Option<ClockReport> {
        let elapsed = self.machine.elapsed();
        Some(self.lock().watch.as_mut()?.report(elapsed))
    }
}

impl State {
    /// Logs each change once, not each reading.
    fn log_skew(&mut self, report: &ClockReport) {
        /// Well below the notable skew, so that a skew at that limit is not logged repeatedly.
        const SYNCHRONISED: TimeDelta = TimeDelta::seconds(1);
        let skew = report.skew;
        match self.logged {
            Some(_) if skew.abs() <= SYNCHRONISED => {
                self.logged = None;
                tracing::info!("the clock of this machine agrees with the database's again");
            }
            Some(logged) if (skew - logged).abs() <= ClockReport::NOTABLE_SKEW => {}
            None if !report.is_skewed() => {}
            _ => {
                self.logged = Some(skew);
                tracing::warn!(
                    skew_seconds = skew.as_seconds_f64(),
                    "the clock of this machine differs from the database's, which is used instead; \
                     set up time synchronisation (NTP) on both machines"
                );
            }
        }
    }
}

impl Store {
    const READ_CLOCK_EVERY: Duration = Duration::from_secs(5);
    const RETRY_AFTER: Duration = Duration::from_secs(1);
    /// A slower first reading is repeated, up to four times.
    const GOOD_FIRST_READING: Duration = Duration::from_millis(100);

    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.clock
    }

    pub fn ids(&self) -> &Arc<dyn domain::IdGen> {
        &self.ids
    }

    /// Reads the database's clock once. Call it right after opening, before any decision uses the time.
    pub async fn synchronise_clock(&self) -> Result<(), StoreError> {
        let mut connection = self.system.acquire().await?;
        let mut reading = read(&mut connection, self.clock.as_ref()).await?;
        let took = |reading: &ClockReading| reading.received.saturating_sub(reading.sent);
        for _ in 0..4 {
            if took(&reading) <= Self::GOOD_FIRST_READING {
                break;
            }
            let another = read(&mut connection, self.clock.as_ref()).await?;
            if took(&another) < took(&reading) {
                reading = another;
            }
        }
        if let Some(jump) = self.clock.observe(&reading) {
            record(&mut connection, jump).await?;
        }
        Ok(())
    }

    /// Follows the database's clock until `stop` fires.
    pub async fn follow_clock(&self, stop: CancellationToken) {
        let follow = async {
            loop {
                let pause = match self.compare_clock().await {
                    Ok(()) => Self::READ_CLOCK_EVERY,
                    Err(error) => {
                        let error = &error as &dyn std::error::Error;
                        tracing::debug!(error, "the database's clock was not read");
                        Self::RETRY_AFTER
                    }
                };
                tokio::time::sleep(pause).await;
            }
        };
        tokio::select! {
            () = stop.cancelled() => {}
            () = follow => {}
        }
    }

    async fn compare_clock(&self) -> Result<(), StoreError> {
        let mut connection = self.system.acquire().await?;
        let reading = read(&mut connection, self.clock.as_ref()).await?;
        if let Some(jump) = self.clock.observe(&reading) {
            record(&mut connection, jump).await?;
        }
        Ok(())
    }
}

impl AcrossTenants {
    /// Whether the time that this transaction used is reliable for expiring or deleting. Call it before the commit: it is
    /// `false` when the database's clock has jumped since this process last read it, because other processes may already
    /// use the new time.
    pub async fn confirms_time_for(&mut self, purpose: ClockUse) -> Result<bool, StoreError> {
        let clock = Arc::clone(&self.store().clock);
        let reading = read(self.connection(), clock.as_ref()).await?;
        // `follow_clock` records the jump.
        clock.observe(&reading);
        Ok(clock.now_for(purpose).is_some())
    }
}

async fn read(
    connection: &mut PgConnection,
    clock: &dyn Clock,
) -> Result<ClockReading, StoreError> {
    let sent = clock.elapsed();
    let (time, jumped_at, deletion_held_until) =
        sqlx::query_as(sql!("clock/read")).fetch_one(connection).await?;
    Ok(ClockReading { time, sent, received: clock.elapsed(), jumped_at, deletion_held_until })
}

async fn record(connection: &mut PgConnection, jump: ClockJump) -> Result<(), StoreError> {
    let seconds = jump.by.as_seconds_f64();
    sqlx::query(sql!("clock/record_jump"))
        .bind(seconds)
        .bind(jump.hold_deletion_until)
        .execute(connection)
        .await?;
    let direction = if seconds > 0.0 { "forward" } else { "back" };
    tracing::warn!(
        seconds,
        deletion_held_until = ?jump.hold_deletion_until,
        "the database's clock jumped {direction} by {}; no leases expire for half a minute, and after a large \
         jump nothing is deleted for a day",
        format_duration(jump.by)
    );
    Ok(())
}
