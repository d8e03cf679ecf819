//! The queue on a real database: who gets what, what a lease protects, and what commits together.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may do what a test may")]

#[path = "queue/claiming.rs"]
mod claiming;
#[path = "queue/following.rs"]
mod following;
#[path = "queue/harness.rs"]
mod harness;
#[path = "queue/healing.rs"]
mod healing;
#[path = "queue/leases.rs"]
mod leases;
#[path = "queue/pausing.rs"]
mod pausing;
#[path = "queue/people.rs"]
mod people;
#[path = "queue/schedules.rs"]
mod schedules;
#[path = "queue/secrets.rs"]
mod secrets;
#[path = "queue/settling.rs"]
mod settling;
#[path = "queue/transitions.rs"]
mod transitions;
