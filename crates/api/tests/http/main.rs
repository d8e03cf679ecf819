//! What clients see, as stories. Each has an application and a database of its own.

mod api_keys;
mod audit;
mod authorisation;
mod idempotency;
mod jobs;
mod limits;
mod openapi;
mod problems;
mod session;
mod users;
