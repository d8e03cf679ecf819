//! What the engine promises, told as stories on a real database.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may do what a test may")]

#[path = "stories/harness.rs"]
mod harness;
#[path = "stories/lasting.rs"]
mod lasting;
#[path = "stories/leasing.rs"]
mod leasing;
#[path = "stories/messages.rs"]
mod messages;
#[path = "stories/passing_on.rs"]
mod passing_on;
#[path = "stories/pausing.rs"]
mod pausing;
#[path = "stories/retrying.rs"]
mod retrying;
#[path = "stories/staleness.rs"]
mod staleness;
#[path = "stories/timing.rs"]
mod timing;
