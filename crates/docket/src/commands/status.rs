//! `docket status`

use std::process::ExitCode;

use api_types::{HealthStatus, HealthView, QueuesView};
use chrono::Duration;
use serde_json::json;

use crate::client::{Client, Session};
use crate::say::say;
use crate::table::{Table, age};

/// Prints whether the server is ready, and its queues. Exits with 1 when it is not ready.
pub(crate) async fn run(server: Option<&str>, as_json: bool) -> anyhow::Result<ExitCode> {
    let session = Session::find(server)?;
    let anonymous = session.anonymous()?;
    let health: HealthView = anonymous.get_any_status("/readyz").await?;
    let ready = health.status != HealthStatus::Unavailable;
    if !as_json {
        print_health(&anonymous, &health);
    }
    if !ready {
        if as_json {
            say(
                json!({ "server": session.server.as_str(), "ready": false, "health": health, "queues": null }),
            );
        }
        return Ok(ExitCode::FAILURE);
    }
    let queues: QueuesView = session.signed_in()?.get("/v1/queues").await?;
    if as_json {
        say(json!({
            "server": session.server.as_str(), "ready": true, "health": health, "queues": queues.queues,
        }));
    } else {
        print_queues(&queues);
    }
    Ok(ExitCode::SUCCESS)
}

fn print_health(client: &Client, health: &HealthView) {
    let word = match health.status {
        HealthStatus::Ok => "ready",
        HealthStatus::Degraded => "ready, but DEGRADED",
        HealthStatus::Unavailable => "NOT READY",
    };
    say(format_args!("Docket {} at {} is {word}", health.version, client.server()));
    for dependency in &health.dependencies {
        let problem = dependency.problem.as_deref().unwrap_or("ok");
        say(format_args!("  {:<11}  {problem}", dependency.name));
    }
}

fn print_queues(queues: &QueuesView) {
    if queues.queues.is_empty() {
        say("The queues are empty, and no job needs attention.");
        return;
    }
    let heads = ["STAGE", ">WAITING", ">OLDEST", ">IN FLIGHT", ">DEAD", ">LAST MINUTE"];
    let mut table = Table::with_columns(heads);
    for queue in &queues.queues {
        let oldest = queue.oldest_age_seconds.map(Duration::seconds);
        table.row([
            queue.stage.clone(),
            queue.waiting.to_string(),
            oldest.map_or_else(|| "–".to_owned(), age),
            queue.in_flight.to_string(),
            queue.dead.to_string(),
            queue.finished_last_minute.to_string(),
        ]);
    }
    say(table.text());
}
