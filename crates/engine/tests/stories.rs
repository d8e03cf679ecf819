//! Tests of the engine's guarantees, on a real database.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may do what a test may")]

#[path = "stories/clock_safety.rs"]
mod clock_safety;
#[path = "stories/harness.rs"]
mod harness;
#[path = "stories/leasing.rs"]
mod leasing;
#[path = "stories/messages.rs"]
mod messages;
#[path = "stories/pausing.rs"]
mod pausing;
#[path = "stories/periodic_tasks.rs"]
mod periodic_tasks;
#[path = "stories/retrying.rs"]
mod retrying;
#[path = "stories/stage_input.rs"]
mod stage_input;
#[path = "stories/stale_runs.rs"]
mod stale_runs;
