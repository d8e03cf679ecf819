//! Stages that only take time, so that there is something to interrupt.
//!
//! A run whose title begins with `panic: ` makes them panic over the rest of it, as a bug in a real stage would over a
//! document.

use std::time::Duration;

use domain::StageName;
use engine::{Stage, StageFuture, StageOutput, StageSettings, Stages, Work};
use serde_json::json;

/// In the pipeline's order.
pub(crate) const NAMES: [&str; 4] = ["drill_a", "drill_b", "drill_c", "drill_d"];

const SHORTEST: u64 = 100;
const LONGEST: u64 = 400;
const STEP: Duration = Duration::from_millis(20);

struct Drill {
    name: StageName,
    settings: StageSettings,
}

/// Adds the drill's stages. A name that is not a stage's would be a bug, and is left out.
pub(crate) fn add_stages(stages: Stages) -> Stages {
    let names = NAMES.iter().filter_map(|name| name.parse().ok());
    names.map(|name| Drill { name, settings: StageSettings::default() }).fold(stages, Stages::with)
}

impl Stage for Drill {
    fn name(&self) -> &StageName {
        &self.name
    }

    fn settings(&self) -> &StageSettings {
        &self.settings
    }

    fn run<'a>(&'a self, work: &'a Work) -> StageFuture<'a> {
        Box::pin(async {
            if let Some(text) = work.config.title.strip_prefix("panic: ") {
                panic_over(text);
            }
            let length = length(work);
            let mut spent = Duration::ZERO;
            while spent < length && !work.cancelled.is_cancelled() {
                tokio::time::sleep(STEP).await;
                spent += STEP;
            }
            Ok(StageOutput {
                artifacts: vec![json!({ "drill": self.name, "ms": length_ms(work) })],
                ..StageOutput::default()
            })
        })
    }
}

#[expect(clippy::panic, reason = "this is the bug that the drill stands for")]
fn panic_over(text: &str) -> ! {
    std::panic::panic_any(format!("the drill panics over '{text}'"))
}

fn length(work: &Work) -> Duration {
    Duration::from_millis(length_ms(work))
}

/// The same for the same work, however often it is done: a stage gives the same result again.
fn length_ms(work: &Work) -> u64 {
    let (low, high) = work.run_id.0.as_u64_pair();
    let stage = work
        .stage
        .as_str()
        .bytes()
        .fold(0, |sum: u64, byte| sum.wrapping_mul(31) + u64::from(byte));
    SHORTEST + (low ^ high ^ stage) % (LONGEST - SHORTEST)
}
