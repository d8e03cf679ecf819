//! What the engine promises, told as stories on a real database.

#[path = "stories/lasting.rs"]
mod lasting;
#[path = "stories/leasing.rs"]
mod leasing;
#[path = "stories/retrying.rs"]
mod retrying;
#[path = "stories/workshop.rs"]
mod workshop;
