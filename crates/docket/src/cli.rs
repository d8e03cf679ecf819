//! The command line.

mod administration;
mod check;
mod documents;
mod id;
mod jobs;
mod read;
mod search;
mod serve;
mod types;

use std::path::PathBuf;

use clap::{Args, ColorChoice, Parser, Subcommand};

use crate::client::IdStyle;
use crate::commands::watchdog::WatchdogArgs;

pub(crate) use administration::{AuditCommand, SecretsCommand, TenantsCommand, UsersCommand};
pub(crate) use check::CheckArgs;
pub(crate) use documents::{
    BatchesArgs, BatchesCommand, DocsArgs, DownloadArgs, DownloadFormat, IngestArgs, OpenArgs,
    RerunArgs, RmArgs, ShowArgs, TagArgs,
};
pub(crate) use id::{BatchArg, IdArg};
pub(crate) use jobs::{DiscardArgs, DlqCommand, JobStatusArg, JobsArgs, RequeueArgs, RequeueIds};
pub(crate) use read::{ExtractArgs, ReadArgs, ReadFormat, ReadWorkerArgs};
pub(crate) use search::{AskArgs, SearchArgs, SearchBy, WithinArgs};
pub(crate) use serve::{DatabaseArgs, ServeArgs, WorkerArgs};
pub(crate) use types::TypesCommand;

const EXIT_CODES: &str = "\
Exit codes:
  0    success
  1    it failed, or found nothing (search, ask); standard error says why
  2    the command line or a setting is wrong
  3    the server cannot be reached
  4    you are not signed in, or your role does not allow it
  130  interrupted by Ctrl-C or SIGTERM

Ids: lists show the last 8 digits of each id. Commands take those, any other end of an id that only one \
     thing has, or the full id.";

const INGEST_EXAMPLES: &str = "\
Examples:
  docket ingest ~/Documents/letters --wait
  docket ingest '*.pdf' --batch \"March invoices\" --tag invoice
  scan | docket ingest - --name letter.pdf";

const EXTRACT_EXAMPLES: &str = "\
Examples:
  docket extract invoice.pdf
  docket extract note.pdf --type contract_note --json";

const DOCS_EXAMPLES: &str = "\
Examples:
  docket docs --status failed
  docket docs --batch \"March invoices\" --all";

const BATCHES_EXAMPLES: &str = "\
Examples:
  docket batches
  docket batches show \"March invoices\"";

const DOWNLOAD_EXAMPLES: &str = "\
Examples:
  docket download 5921a8f5
  docket download 5921a8f5 8b1402c7 -o ~/Downloads
  docket download 5921a8f5 --format markdown -o -";

const TAG_EXAMPLES: &str = "\
Examples:
  docket tag 5921a8f5 --add rent --remove draft
  docket tag 5921a8f5 8b1402c7 --set 2026,rent";

const TYPES_EXAMPLES: &str = "\
Examples:
  docket types show invoice > invoice.json
  docket types check invoice.json
  docket types try invoice 5921a8f5 --definition invoice.json
  docket types put invoice.json";

const COMPLETIONS_EXAMPLES: &str = "\
Load it when your shell starts:
  bash  docket completions bash > ~/.local/share/bash-completion/completions/docket
  zsh   docket completions zsh > \"${fpath[1]}/_docket\"
  fish  docket completions fish > ~/.config/fish/completions/docket.fish";

/// Docket stores documents, reads them and answers questions about them.
///
/// Start a server with `docket serve`, sign in with `docket login`, and add documents with `docket ingest`.
#[derive(Debug, Parser)]
#[command(name = "docket", version, max_term_width = 100, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    /// A file of settings; `docket config` lists every key.
    #[arg(long, global = true, env = "DOCKET_CONFIG", value_name = "FILE", hide_env_values = true)]
    pub(crate) config: Option<PathBuf>,
    /// When to colour the output: on a terminal unless NO_COLOR is set (auto), always, or never.
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        hide_default_value = true
    )]
    pub(crate) color: ColorChoice,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Start the server, with workers that process documents.
    Serve(ServeArgs),
    /// Start workers that process documents, in addition to those of `docket serve`.
    ///
    /// On SIGTERM or Ctrl-C the process finishes the jobs under way, or returns them to the queue for other workers.
    Worker(WorkerArgs),
    /// Compare the object store with the database: what is missing, damaged or unused.
    ///
    /// Reads every object and compares it with its recorded hash. May run while a server does. Exits with 1 when
    /// something is wrong, and says for each object what to do.
    Check(CheckArgs),
    /// Update the database schema and exit.
    Migrate(DatabaseArgs),
    /// Print every setting and where its value comes from.
    Config(ServeArgs),
    /// Verify or export the audit log.
    Audit {
        #[command(subcommand)]
        command: AuditCommand,
    },
    /// Manage tenants: customers whose data is kept separate.
    Tenants {
        #[command(subcommand)]
        command: TenantsCommand,
    },
    /// Sign in to a server.
    ///
    /// The password is taken from DOCKET_PASSWORD, typed at the prompt, or read from standard input. The token is
    /// stored in a file that only you can read.
    Login {
        #[command(flatten)]
        server: ServerArgs,
        /// The email address to sign in with.
        #[arg(long, value_name = "EMAIL", default_value = "admin@localhost")]
        email: String,
    },
    /// Sign out.
    Logout,
    /// Change your own password. Your other sessions are signed out; this one stays signed in.
    ///
    /// Docket asks for the current and the new password. Without a terminal it reads them from DOCKET_PASSWORD and
    /// DOCKET_NEW_PASSWORD, or as two lines from standard input.
    Password {
        #[command(flatten)]
        server: ServerArgs,
    },
    /// Show whether a server is ready, and its queues; exits with 1 when it is not ready.
    Status {
        #[command(flatten)]
        server: ServerArgs,
        /// Print one JSON document instead of a table.
        #[arg(long)]
        json: bool,
    },
    /// Upload documents: files, folders, patterns, or standard input.
    ///
    /// Files that were uploaded from this machine before and have not changed are skipped, so you can repeat a command
    /// that was interrupted. Exits with 1 when a file was refused or, with --wait, when one could not be processed.
    #[command(after_long_help = INGEST_EXAMPLES)]
    Ingest(IngestArgs),
    /// Read a local file and print its content; needs no server.
    Read(ReadArgs),
    /// Extract the typed fields of a local file, with their places and confidences; needs no server.
    #[command(after_long_help = EXTRACT_EXAMPLES)]
    Extract(ExtractArgs),
    /// Check the tools that reading documents needs, and say how to install what is missing.
    Doctor {
        /// Print one JSON document instead of text.
        #[arg(long)]
        json: bool,
    },
    /// The child process that reads documents. Docket starts it itself.
    #[command(hide = true)]
    ReadWorker(ReadWorkerArgs),
    /// Stops a private PostgreSQL whose server is gone. Docket starts it itself.
    #[command(hide = true)]
    PostgresWatchdog(WatchdogArgs),
    /// List documents, newest first.
    #[command(after_long_help = DOCS_EXAMPLES)]
    Docs(DocsArgs),
    /// Rename a document. Its file name does not change.
    Rename {
        /// The document.
        #[arg(value_name = "DOC_ID")]
        id: IdArg,
        /// The new title.
        title: String,
        #[command(flatten)]
        server: ServerArgs,
    },
    /// Show a document with its versions, runs and stages.
    Show(ShowArgs),
    /// List batches, newest first, or show one.
    #[command(after_long_help = BATCHES_EXAMPLES, args_conflicts_with_subcommands = true)]
    Batches(BatchesArgs),
    /// Save documents to files: the originals, or what was read of them.
    ///
    /// Existing files are not overwritten unless --force is given.
    #[command(after_long_help = DOWNLOAD_EXAMPLES)]
    Download(DownloadArgs),
    /// Open a document in the browser, and print its address.
    ///
    /// Without a graphical display only the address is printed. The environment variable BROWSER names another
    /// program to open it with.
    Open(OpenArgs),
    /// Delete documents.
    ///
    /// Nobody can see, find or read a deleted document. Asks before it deletes, unless --yes is given.
    Rm(RmArgs),
    /// Show or change the tags of documents.
    #[command(after_long_help = TAG_EXAMPLES)]
    Tag(TagArgs),
    /// Process documents again. Each stays available as it is until its new run succeeds.
    Rerun(RerunArgs),
    /// Search for passages, by words and by meaning; exits with 1 when there are none.
    Search(SearchArgs),
    /// Ask a question; exits with 1 when the documents do not answer it.
    Ask(AskArgs),
    /// Serve the Model Context Protocol on standard input and output, for AI assistants.
    ///
    /// The assistant can find and read what you can: it uses your sign-in, or the API key in DOCKET_TOKEN.
    Mcp {
        #[command(flatten)]
        server: ServerArgs,
    },
    /// Show and change document types: which fields are extracted from which documents.
    #[command(after_long_help = TYPES_EXAMPLES)]
    Types {
        #[command(subcommand)]
        command: TypesCommand,
    },
    /// List jobs, newest first.
    Jobs(JobsArgs),
    /// Repair failed jobs that need attention (the dead-letter queue).
    Dlq {
        #[command(subcommand)]
        command: DlqCommand,
    },
    /// Manage the key that encrypts document passwords and other secrets.
    Secrets {
        #[command(subcommand)]
        command: SecretsCommand,
    },
    /// Recover user accounts.
    Users {
        #[command(subcommand)]
        command: UsersCommand,
    },
    /// Print a script that completes commands and options in your shell.
    #[command(after_long_help = COMPLETIONS_EXAMPLES)]
    Completions {
        /// The shell to print the script for.
        shell: clap_complete::Shell,
    },
}

/// Which server a command talks to.
#[derive(Clone, Debug, Args)]
pub(crate) struct ServerArgs {
    /// The server's address; by default the one you signed in to [env: DOCKET_SERVER; DOCKET_TOKEN holds a
    /// token or an API key].
    #[arg(long, value_name = "URL")]
    pub(crate) server: Option<String>,
}

/// How much of a list a command prints.
#[derive(Clone, Debug, Args)]
pub(crate) struct ListArgs {
    /// How many to list at most.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = at_least_one)]
    limit: usize,
    /// List all, however many there are.
    #[arg(long, conflicts_with = "limit")]
    all: bool,
    /// Show ids in full instead of their last 8 digits.
    #[arg(long)]
    full_ids: bool,
}

impl ListArgs {
    pub(crate) fn limit(&self) -> usize {
        if self.all { usize::MAX } else { self.limit }
    }

    pub(crate) fn id_style(&self) -> IdStyle {
        if self.full_ids { IdStyle::Full } else { IdStyle::Short }
    }
}

fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number @ 1..) => Ok(number),
        _ => Err("give a whole number of at least 1".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    /// Every command, with the path of names that leads to it.
    fn commands(command: &clap::Command, path: &str) -> Vec<(String, clap::Command)> {
        let mut all = vec![(path.to_owned(), command.clone())];
        for child in command.get_subcommands().filter(|child| !child.is_hide_set()) {
            all.extend(commands(child, &format!("{path} {}", child.get_name())));
        }
        all
    }

    #[test]
    fn the_definition_holds_together() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_and_option_has_a_help_text() {
        for (path, command) in commands(&Cli::command(), "docket") {
            assert!(command.get_about().is_some(), "{path}");
            for argument in command.get_arguments().filter(|it| !it.is_hide_set()) {
                assert!(argument.get_help().is_some(), "{path}: {}", argument.get_id());
            }
        }
    }
}
