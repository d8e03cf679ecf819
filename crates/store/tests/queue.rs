//! The queue on a real database: claims, leases, and what commits together.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may do what a test may")]

#[path = "queue/claiming.rs"]
mod claiming;
#[path = "queue/event_order.rs"]
mod event_order;
#[path = "queue/future_times.rs"]
mod future_times;
#[path = "queue/harness.rs"]
mod harness;
#[path = "queue/leases.rs"]
mod leases;
#[path = "queue/pausing.rs"]
mod pausing;
#[path = "queue/results.rs"]
mod results;
#[path = "queue/schedules.rs"]
mod schedules;
#[path = "queue/secrets.rs"]
mod secrets;
#[path = "queue/settling.rs"]
mod settling;
#[path = "queue/transitions.rs"]
mod transitions;
#[path = "queue/user_actions.rs"]
mod user_actions;
