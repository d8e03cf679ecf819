//! The `docket` program: reads the configuration, connects the parts and runs one command. It is a library, so that
//! another program (`docket-chaos`) can add stages.
//!
//! Exit codes: 0 success; 1 failure, and one sentence on standard error says why and what to do; 2 the command line or
//! a setting is wrong; 3 the server cannot be reached; 4 the user is not signed in, or their role does not allow it;
//! 130 a signal ended the command after it printed what it had done.

mod backend;
mod cli;
mod client;
mod color;
mod commands;
mod config;
mod data_dir;
mod line_queue;
mod listener;
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

/// Runs the command of the command line, with additional stages.
pub fn main(add_stages: AddStages) -> ExitCode {
    panics::report_without_content();
    let cli = Cli::parse();
    color::choose(cli.color);
    // Before any other thread starts: the sandbox would not apply to it.
    if let Command::ReadWorker(args) = &cli.command {
        return commands::read::run_child(args);
    }
    if let Command::PostgresWatchdog(args) = &cli.command {
        return commands::watchdog::run_watchdog(args);
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

/// What went wrong and why. A cause that the line contains already is left out, and one that follows a whole sentence
/// goes inside it, in brackets.
pub(crate) fn in_one_line(error: &anyhow::Error) -> String {
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
            commands::serve::run(&service_config(&load(args.flags())?)?, add_stages).await
        }
        Command::Worker(args) => {
            commands::worker::run(&service_config(&load(args.flags())?)?, add_stages).await
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
        Command::ReadWorker(args) => Ok(commands::read::run_child(args)),
        Command::PostgresWatchdog(args) => Ok(commands::watchdog::run(args).await),
        Command::Read(args) => {
            commands::read::run(args, &command_config(&load(Flags::default())?)?).await
        }
        Command::Extract(args) => {
            commands::extract::run(args, &command_config(&load(Flags::default())?)?).await
        }
        Command::Doctor { json } => {
            let config = command_config(&load(Flags::default())?)?;
            commands::doctor::run(&config.read, *json).await
        }
        Command::Ingest(args) => commands::ingest::run(args).await,
        Command::Docs(args) => commands::docs::list(args).await,
        Command::Show(args) => commands::show::run(args).await,
        Command::Rename { id, title, server } => {
            commands::rename::run(server.server.as_deref(), id, title).await
        }
        Command::Batches(args) => commands::batches::run(args).await,
        Command::Download(args) => commands::download::run(args).await,
        Command::Open(args) => commands::open::run(args).await,
        Command::Rm(args) => commands::rm::run(args).await,
        Command::Tag(args) => commands::tag::run(args).await,
        Command::Completions { shell } => commands::completions::run(*shell),
        Command::Rerun(args) => commands::rerun::run(args).await,
        Command::Jobs(args) => commands::jobs::list(args).await,
        Command::Dlq { command } => run_dlq(command).await,
        Command::Config(args) => commands::config::run(&load(args.flags())?),
        Command::Check(args) => {
            commands::check::run(&command_config(&load(args.flags())?)?, args).await
        }
        Command::Migrate(args) => {
            commands::migrate::run(&command_config(&load(args.flags())?)?).await
        }
        Command::Audit { command: AuditCommand::Verify { against, database, json } } => {
            let config = command_config(&load(database.flags())?)?;
            commands::audit::verify(&config, against.as_deref(), *json).await
        }
        Command::Audit { command: AuditCommand::Export { database } } => {
            commands::audit::export(&command_config(&load(database.flags())?)?).await
        }
        Command::Search(args) => commands::search::search(args).await,
        Command::Ask(args) => commands::search::ask(args).await,
        Command::Mcp { server } => commands::mcp::run(server).await,
        Command::Tenants { command: TenantsCommand::List { database, json } } => {
            commands::tenants::list(&command_config(&load(database.flags())?)?, *json).await
        }
        Command::Tenants { command: TenantsCommand::Create { name, admin_email, database } } => {
            commands::tenants::create(&command_config(&load(database.flags())?)?, name, admin_email)
                .await
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
            commands::tenants::limit(&command_config(&load(database.flags())?)?, name, limits).await
        }
        Command::Secrets { command: SecretsCommand::Rotate { database } } => {
            commands::secrets::rotate(&command_config(&load(database.flags())?)?).await
        }
        Command::Users { command: UsersCommand::ResetPassword { email, database } } => {
            commands::users::reset_password(&command_config(&load(database.flags())?)?, email).await
        }
    }
}

async fn run_dlq(command: &DlqCommand) -> anyhow::Result<ExitCode> {
    match command {
        DlqCommand::List(args) => commands::jobs::list(&args.as_jobs()).await,
        DlqCommand::Show { id, server, json } => {
            commands::dlq::show(server.server.as_deref(), id, *json).await
        }
        DlqCommand::Requeue(args) => commands::dlq::requeue(args).await,
        DlqCommand::Discard(args) => commands::dlq::discard(args).await,
    }
}

fn load_layers(cli: &Cli, flags: Flags) -> Result<Layers, ConfigError> {
    Layers::load(cli.config.as_deref(), variable, flags)
}

/// A value that is not UTF-8 is converted with replacement characters, and refused later as an invalid setting.
fn variable(name: &str) -> Option<String> {
    std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
}

/// For servers and workers, which log what they do.
fn service_config(layers: &Layers) -> Result<Config, ConfigError> {
    let config = Config::from_layers(layers)?;
    logging::start(&config.log);
    logging::queue_standard_output();
    for problem in layers.unknown_variables(variable_names()) {
        tracing::warn!("{problem}");
    }
    Ok(config)
}

/// For commands that print a result: only warnings are logged.
fn command_config(layers: &Layers) -> Result<Config, ConfigError> {
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
