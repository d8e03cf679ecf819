//! The `docket` program: reads the configuration, wires the parts together and runs one command. A library, so that
//! another program (`docket-chaos`) can be Docket with more stages.
//!
//! Exit codes: 0 done; 1 it did not work, and one sentence on standard error says why and what to
//! do; 2 the command line or the configuration is wrong; 3 the server cannot be reached; 4 nobody is
//! signed in there, or may not do this; 130 a signal ended it, and what was done was said.

mod answering;
mod backend;
mod cli;
mod client;
mod commands;
mod config;
mod data_dir;
mod line_queue;
mod logging;
mod models;
mod objects;
mod panics;
mod readers;
pub mod reference;
mod say;
mod signals;
mod stages;
mod system;
mod table;
mod workers;

use std::process::ExitCode;

use clap::Parser;
use domain::TenantLimits;

use crate::cli::{
    AuditCommand, Cli, Command, DlqCommand, SecretsCommand, TenantsCommand, UsersCommand,
};
pub use crate::client::{Client, ClientError};
use crate::config::{Config, ConfigError, Flags, Layers};
pub use crate::say::{complain, say};
pub use crate::signals::StopSignals;
pub use crate::stages::AddStages;
pub use crate::system::environment;

/// Runs the command of the command line, with these stages beside the real ones.
pub fn main(add_stages: AddStages) -> ExitCode {
    panics::report_without_content();
    let cli = Cli::parse();
    // Before there is any other thread: one that began earlier would not be shut in.
    if let Command::ReadWorker(args) = &cli.command {
        return commands::read::be_a_child(args);
    }
    if let Command::PostgresWatchdog(args) = &cli.command {
        return commands::watchdog::be_a_watchdog(args);
    }
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => {
            complain(format_args!("cannot start: {error}"));
            return ExitCode::FAILURE;
        }
    };
    let ended = runtime.block_on(run(cli, add_stages));
    let code = exit_code(ended);
    drop(runtime);
    logging::finish();
    code
}

/// The exit code of a command, after an error was reported on standard error.
pub fn exit_code(ended: anyhow::Result<ExitCode>) -> ExitCode {
    match ended {
        Ok(code) => code,
        Err(error) => {
            complain(in_one_line(&error));
            ExitCode::from(match error.downcast_ref::<ClientError>() {
                Some(error) => error.exit_code(),
                None if error.is::<ConfigError>() => 2,
                None => 1,
            })
        }
    }
}

/// What went wrong and why. A cause whose gist has been said is not said twice, and one that follows
/// a whole sentence goes inside it.
fn in_one_line(error: &anyhow::Error) -> String {
    let mut line = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        let gist = cause.rsplit(": ").next().unwrap_or(&cause);
        if line.contains(gist) {
            continue;
        }
        line = match line.strip_suffix('.') {
            Some(sentence) => format!("{sentence} ({cause})."),
            None => format!("{line}: {cause}"),
        };
    }
    line
}

async fn run(cli: Cli, add_stages: AddStages) -> anyhow::Result<ExitCode> {
    let load = |flags: Flags| load_layers(&cli, flags);
    match &cli.command {
        Command::Serve(args) => {
            commands::serve::run(&talkative(&load(args.flags())?)?, add_stages).await
        }
        Command::Worker(args) => {
            commands::worker::run(&talkative(&load(args.flags())?)?, add_stages).await
        }
        Command::Login { server, email } => {
            commands::login::log_in(server.server.as_deref(), email).await
        }
        Command::Logout => commands::login::log_out().await,
        Command::Password { server } => {
            commands::login::change_password(server.server.as_deref()).await
        }
        Command::Status { server, json } => {
            commands::status::run(server.server.as_deref(), *json).await
        }
        Command::ReadWorker(args) => Ok(commands::read::be_a_child(args)),
        Command::PostgresWatchdog(args) => Ok(commands::watchdog::run(args).await),
        Command::Read(args) => commands::read::run(args, &quiet(&load(Flags::default())?)?).await,
        Command::Doctor { json } => {
            let config = quiet(&load(Flags::default())?)?;
            commands::doctor::run(&config.read, *json).await
        }
        Command::Ingest(args) => commands::ingest::run(args).await,
        Command::Docs(args) => commands::docs::list(args).await,
        Command::Show { id, server, json } => {
            commands::show::run(server.server.as_deref(), *id, *json).await
        }
        Command::Rename { id, title, server } => {
            commands::rename::run(server.server.as_deref(), *id, title).await
        }
        Command::Rerun(args) => commands::rerun::run(args).await,
        Command::Jobs(args) => commands::jobs::list(args).await,
        Command::Dlq { command: DlqCommand::List(args) } => {
            commands::jobs::list(&args.as_jobs()).await
        }
        Command::Dlq { command: DlqCommand::Show { id, server, json } } => {
            commands::dlq::show(server.server.as_deref(), *id, *json).await
        }
        Command::Dlq { command: DlqCommand::Requeue(args) } => commands::dlq::requeue(args).await,
        Command::Dlq { command: DlqCommand::Discard(args) } => commands::dlq::discard(args).await,
        Command::Config(args) => commands::config::run(&load(args.flags())?),
        Command::Check(args) => commands::check::run(&quiet(&load(args.flags())?)?, args).await,
        Command::Migrate(args) => commands::migrate::run(&quiet(&load(args.flags())?)?).await,
        Command::Audit { command: AuditCommand::Verify { against, database, json } } => {
            let config = quiet(&load(database.flags())?)?;
            commands::audit::verify(&config, against.as_deref(), *json).await
        }
        Command::Audit { command: AuditCommand::Export { database } } => {
            commands::audit::export(&quiet(&load(database.flags())?)?).await
        }
        Command::Search(args) => commands::search::search(args).await,
        Command::Ask(args) => commands::search::ask(args).await,
        Command::Mcp { server } => commands::mcp::run(server).await,
        Command::Tenants { command: TenantsCommand::List { database, json } } => {
            commands::tenants::list(&quiet(&load(database.flags())?)?, *json).await
        }
        Command::Tenants { command: TenantsCommand::Create { name, admin_email, database } } => {
            commands::tenants::create(&quiet(&load(database.flags())?)?, name, admin_email).await
        }
        Command::Tenants {
            command:
                TenantsCommand::Limit {
                    name,
                    max_upload_mb,
                    queue_quota,
                    requests_per_second,
                    concurrent_uploads,
                    storage_quota_mb,
                    database,
                },
        } => {
            let limits = TenantLimits {
                max_upload_bytes: max_upload_mb.map(|mb| mb.saturating_mul(1024 * 1024)),
                queue_quota: *queue_quota,
                requests_per_second: *requests_per_second,
                concurrent_uploads: *concurrent_uploads,
                storage_quota_bytes: storage_quota_mb.map(|mb| mb.saturating_mul(1024 * 1024)),
            };
            commands::tenants::limit(&quiet(&load(database.flags())?)?, name, limits).await
        }
        Command::Secrets { command: SecretsCommand::Rotate { database } } => {
            commands::secrets::rotate(&quiet(&load(database.flags())?)?).await
        }
        Command::Users { command: UsersCommand::ResetPassword { email, database } } => {
            commands::users::reset_password(&quiet(&load(database.flags())?)?, email).await
        }
    }
}

fn load_layers(cli: &Cli, flags: Flags) -> Result<Layers, ConfigError> {
    Layers::load(cli.config.as_deref(), variable, flags)
}

/// What is not text cannot be right either; shown with marks where it is not, it gets its refusal.
fn variable(name: &str) -> Option<String> {
    std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
}

/// For commands that run for long: what they do is logged.
fn talkative(layers: &Layers) -> Result<Config, ConfigError> {
    let config = Config::from_layers(layers)?;
    logging::start(&config.log);
    logging::never_wait_for_output();
    for problem in layers.unknown_variables(variable_names()) {
        tracing::warn!("{problem}");
    }
    Ok(config)
}

/// For commands whose output is their result: only warnings are logged.
fn quiet(layers: &Layers) -> Result<Config, ConfigError> {
    let mut config = Config::from_layers(layers)?;
    if config.log.filter == "info" {
        "warn".clone_into(&mut config.log.filter);
    }
    logging::start(&config.log);
    Ok(config)
}

fn variable_names() -> impl Iterator<Item = String> {
    std::env::vars_os().filter_map(|(name, _)| name.into_string().ok())
}
