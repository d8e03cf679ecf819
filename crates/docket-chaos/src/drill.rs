//! Stages that only take time, so that there are jobs to interrupt.
//!
//! A run whose title begins with `panic: ` makes them panic over the rest of it, as a bug in a real stage would over a
//! document.

use std::time::Duration;

use domain::{StageName, StageOutput};
use engine::{Stage, StageFuture, StageInput, StageSettings, Stages};

/// In the pipeline's order.
pub(crate) const NAMES: [StageName; 4] = [
    StageName::constant("drill_a"),
    StageName::constant("drill_b"),
    StageName::constant("drill_c"),
    StageName::constant("drill_d"),
];

const SHORTEST: u64 = 100;
const LONGEST: u64 = 400;
const STEP: Duration = Duration::from_millis(20);

struct Drill {
    name: StageName,
    settings: StageSettings,
}

/// Adds the drill's stages.
pub(crate) fn add_stages(stages: Stages) -> Stages {
    NAMES
        .into_iter()
        .map(|name| Drill { name, settings: StageSettings::default() })
        .fold(stages, Stages::with)
}

impl Stage for Drill {
    fn name(&self) -> &StageName {
        &self.name
    }

    fn settings(&self) -> &StageSettings {
        &self.settings
    }

    fn run<'a>(&'a self, work: &'a StageInput) -> StageFuture<'a> {
        Box::pin(async {
            if let Some(text) = work.config.title.strip_prefix("panic: ") {
                panic_over(text);
            }
            let length = Duration::from_millis(length_ms(work));
            let mut spent = Duration::ZERO;
            while spent < length && !work.cancelled.is_cancelled() {
                tokio::time::sleep(STEP).await;
                spent += STEP;
            }
            Ok(StageOutput::default())
        })
    }
}

#[expect(clippy::panic, reason = "this simulates a bug in a stage")]
fn panic_over(text: &str) -> ! {
    std::panic::panic_any(format!("the drill panics over '{text}'"))
}

/// The same for the same job, however often it runs: a stage is idempotent.
fn length_ms(work: &StageInput) -> u64 {
    let (low, high) = work.run_id.0.as_u64_pair();
    let stage = work
        .stage
        .as_str()
        .bytes()
        .fold(0, |sum: u64, byte| sum.wrapping_mul(31) + u64::from(byte));
    SHORTEST + (low ^ high ^ stage) % (LONGEST - SHORTEST)
}
