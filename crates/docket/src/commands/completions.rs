//! `docket completions`

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::Context;
use clap::{Command, CommandFactory};
use clap_complete::Shell;

use crate::cli::Cli;

pub(crate) fn run(shell: Shell) -> anyhow::Result<ExitCode> {
    io::stdout().write_all(&script(shell)).context("cannot write to standard output")?;
    Ok(ExitCode::SUCCESS)
}

fn script(shell: Shell) -> Vec<u8> {
    let all = Cli::command();
    // The commands that Docket starts itself are not for users.
    let visible = all.get_subcommands().filter(|command| !command.is_hide_set()).cloned();
    let mut command =
        Command::new("docket").args(all.get_arguments().cloned()).subcommands(visible);
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "docket", &mut script);
    script
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shell_completes_commands_and_none_that_is_hidden() {
        for shell in [Shell::Bash, Shell::Elvish, Shell::Fish, Shell::PowerShell, Shell::Zsh] {
            let script = String::from_utf8(script(shell)).unwrap();
            for command in ["ingest", "download", "batches", "completions"] {
                assert!(script.contains(command), "{shell}: {command}");
            }
            assert!(!script.contains("read-worker"), "{shell}");
        }
    }
}
