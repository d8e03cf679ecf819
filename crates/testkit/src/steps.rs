//! Steps that are counted, and one of which can be disturbed: to try what follows a failure at every place.

use std::sync::{Arc, Mutex};

use tokio::sync::Notify;

/// What happens at a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disturbance {
    /// The step is not done, and an error is returned.
    Fails,
    /// The step is done, and an error is returned nevertheless.
    FailsAfterwards,
    /// The step is not done, and never returns.
    Hangs,
}

impl Disturbance {
    pub const ALL: [Self; 3] = [Self::Fails, Self::FailsAfterwards, Self::Hangs];
}

/// An error that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disturbed;

/// Whatever takes steps has a clone of it.
#[derive(Clone, Debug, Default)]
pub struct Steps(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    plan: Mutex<Plan>,
    hangs: Notify,
}

#[derive(Debug, Default)]
struct Plan {
    taken: usize,
    /// What happens, and at which step, counted from 1.
    disturbance: Option<(Disturbance, usize)>,
}

impl Steps {
    /// Counts from the beginning, and disturbs at most one step.
    pub fn begin(&self, disturbance: Option<(Disturbance, usize)>) {
        *self.0.plan.lock().unwrap() = Plan { taken: 0, disturbance };
    }

    pub fn taken(&self) -> usize {
        self.0.plan.lock().unwrap().taken
    }

    /// Takes a step: does the work, unless it is disturbed.
    pub async fn take<T>(&self, work: impl FnOnce() -> T) -> Result<T, Disturbed> {
        let fate = {
            let mut plan = self.0.plan.lock().unwrap();
            plan.taken += 1;
            let at = plan.taken;
            plan.disturbance.filter(|(_, step)| *step == at).map(|(disturbance, _)| disturbance)
        };
        match fate {
            None => Ok(work()),
            Some(Disturbance::Fails) => Err(Disturbed),
            Some(Disturbance::FailsAfterwards) => {
                work();
                Err(Disturbed)
            }
            Some(Disturbance::Hangs) => {
                self.0.hangs.notify_one();
                std::future::pending().await
            }
        }
    }

    /// Once a step hangs.
    pub async fn hang(&self) {
        self.0.hangs.notified().await;
    }
}
