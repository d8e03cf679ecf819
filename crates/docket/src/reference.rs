//! The generated parts of `docs/cli.md` and `docs/configuration.md`, and what the tests of the documentation check its
//! samples with. `cargo run -p docket --example reference` writes both pages.

use std::fmt::{self, Write as _};
use std::io::Write as _;

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, Command, CommandFactory, Parser};

use crate::cli::Cli;
use crate::config::{self, Config, Layers};

/// A page of `docs/` that is written by hand down to [`MARKER`] and generated below it.
#[derive(Debug)]
pub struct GeneratedPage {
    pub file: &'static str,
    pub generate: fn() -> Result<String, fmt::Error>,
}

pub const GENERATED_PAGES: [GeneratedPage; 2] = [
    GeneratedPage { file: "cli.md", generate: commands },
    GeneratedPage { file: "configuration.md", generate: settings },
];

/// The last line of a page that is written by hand.
pub const MARKER: &str =
    "<!-- Generated from here on: cargo run -p docket --example reference -->\n";

/// Every command with its arguments, from the definition that parses them.
pub fn commands() -> Result<String, fmt::Error> {
    let mut root = Cli::command();
    root.build();
    let mut page = String::new();
    for command in root.get_subcommands() {
        write_command(&mut page, command, 2)?;
    }
    Ok(page)
}

fn write_command(page: &mut String, command: &Command, level: usize) -> fmt::Result {
    if command.is_hide_set() || command.get_name() == "help" {
        return Ok(());
    }
    let name = command.get_bin_name().unwrap_or_else(|| command.get_name());
    write!(page, "\n{} {name}\n", "#".repeat(level))?;
    let about = command.get_long_about().or(command.get_about());
    if let Some(about) = about {
        write!(page, "\n{}\n", sentence(escape(&about.to_string())))?;
    }
    if command.has_subcommands() {
        for command in command.get_subcommands() {
            write_command(page, command, level + 1)?;
        }
        return Ok(());
    }
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage:").trim();
    write!(page, "\n```text\n{usage}\n```\n")?;
    let arguments = command.get_arguments().filter(|argument| is_listed(argument));
    let rows = arguments.map(row_of).collect::<Result<Vec<String>, fmt::Error>>()?;
    if !rows.is_empty() {
        write!(page, "\n| argument | meaning |\n|---|---|\n{}\n", rows.join("\n"))?;
    }
    Ok(())
}

/// Arguments of all commands are explained once, at the top of the page.
fn is_listed(argument: &Arg) -> bool {
    let is_help = matches!(
        argument.get_action(),
        ArgAction::Help | ArgAction::HelpShort | ArgAction::HelpLong | ArgAction::Version
    );
    !argument.is_hide_set() && !argument.is_global_set() && !is_help
}

fn row_of(argument: &Arg) -> Result<String, fmt::Error> {
    let names = argument.get_value_names().unwrap_or_default();
    let value = names.iter().map(clap::builder::Str::as_str).collect::<Vec<_>>().join(" ");
    let takes_value = argument.get_action().takes_values();
    let name = match (argument.get_short(), argument.get_long()) {
        (short, Some(long)) => {
            let short = short.map(|short| format!("-{short}, ")).unwrap_or_default();
            let value = if takes_value { format!(" {value}") } else { String::new() };
            format!("{short}--{long}{value}")
        }
        (Some(short), None) => format!("-{short} {value}").trim_end().to_owned(),
        (None, None) => value,
    };
    let help = argument.get_long_help().or(argument.get_help());
    let mut meaning = help.map(|help| sentence(escape(&help.to_string()))).unwrap_or_default();
    let values = argument.get_possible_values();
    if takes_value && !values.is_empty() && !argument.is_hide_possible_values_set() {
        let values: Vec<String> = values
            .iter()
            .filter(|value| !value.is_hide_set())
            .map(|value| format!("`{}`", value.get_name()))
            .collect();
        write!(meaning, " One of {}.", values.join(", "))?;
    }
    let defaults = argument.get_default_values();
    if takes_value && !defaults.is_empty() && !argument.is_hide_default_value_set() {
        let defaults: Vec<_> = defaults.iter().map(|value| value.to_string_lossy()).collect();
        write!(meaning, " Default: `{}`.", defaults.join(","))?;
    }
    if let Some(variable) = argument.get_env() {
        write!(meaning, " Environment: `{}`.", variable.to_string_lossy())?;
    }
    Ok(format!("| `{name}` | {} |", meaning.trim()))
}

/// Text of a terminal as Markdown: one line for each paragraph, names of settings and variables as code, and
/// `[env: NAME]` as a sentence.
fn escape(text: &str) -> String {
    let paragraphs = text.split("\n\n").map(|paragraph| {
        let mut is_code = false;
        let words = paragraph.split_whitespace().map(|word| {
            let was_code = is_code;
            is_code ^= word.matches('`').count() % 2 == 1;
            if was_code || is_code || word.contains('`') {
                word.replace('|', "\\|")
            } else {
                escape_word(word)
            }
        });
        words.collect::<Vec<_>>().join(" ")
    });
    let text = paragraphs.collect::<Vec<_>>().join("\n\n");
    match text.split_once(" [env: ") {
        Some((before, variable)) => {
            let before = before.trim_end_matches('.');
            format!("{before}. Environment: {}.", variable.trim_end_matches(['.', ']']))
        }
        None => text,
    }
}

/// clap leaves out the full stop of a single sentence.
fn sentence(text: String) -> String {
    if text.is_empty() || text.ends_with(['.', '!', '?', ':']) { text } else { format!("{text}.") }
}

fn escape_word(word: &str) -> String {
    let is_part_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let name = word.trim_matches(|c| !is_part_of_name(c));
    if name.contains('_') && name.chars().all(is_part_of_name) {
        return word.replacen(name, &format!("`{name}`"), 1);
    }
    word.replace('|', "\\|").replace('<', "\\<").replace('*', "\\*")
}

/// Every setting with its default, its environment variable and the comment above it in `defaults.toml`.
pub fn settings() -> Result<String, fmt::Error> {
    let flags = flags();
    let mut page = String::from("\n## Settings\n\n");
    let groups = config::explained_groups();
    let links = groups.map(|(keys, _)| {
        let title = heading_of(&keys);
        let anchor: String = title.replace(' ', "-").replace(',', "");
        let names = keys.iter().map(|(key, _)| format!("[`{key}`](#{anchor})"));
        names.collect::<Vec<_>>().join(", ")
    });
    writeln!(page, "{}.", links.collect::<Vec<_>>().join(", "))?;
    for (keys, help) in config::explained_groups() {
        let names: Vec<&str> = keys.iter().map(|(key, _)| *key).collect();
        write!(page, "\n### {}\n\n```toml\n", heading_of(&keys))?;
        for (key, default) in &keys {
            writeln!(page, "{key} = {default}")?;
        }
        write!(page, "```\n\n{}\n", link_guides(&escape(&help)))?;
        let variables = names.iter().map(|key| format!("`DOCKET_{}`", key.to_uppercase()));
        let mut places = variables.collect::<Vec<_>>().join(", ");
        let known = names.iter().map(|key| format!("--{}", key.replace('_', "-")));
        for flag in known.filter(|flag| flags.contains(flag)) {
            write!(places, ", `{flag}`")?;
        }
        write!(page, "\n*Set by* {places}.\n")?;
    }
    page.push_str("\n## Names that other deployments use\n\n");
    page.push_str(
        "A compose file that was written for an ingestion service with a separate worker can be used as it is: Docket \
         understands the variables in this table. The `DOCKET_…` name wins when both are set. A variable that would \
         have no effect stops the start, so that nobody relies on it.\n\n| variable | meaning |\n|---|---|\n",
    );
    for (name, meaning) in config::names_of_other_deployments() {
        writeln!(page, "| `{name}` | {meaning} |")?;
    }
    Ok(page)
}

fn heading_of(keys: &[(&str, &str)]) -> String {
    keys.iter().map(|(key, _)| *key).collect::<Vec<_>>().join(", ")
}

/// Every `--flag` of the commands that run Docket itself.
fn flags() -> Vec<String> {
    let root = Cli::command();
    let commands = root
        .get_subcommands()
        .filter(|command| ["serve", "worker", "check"].contains(&command.get_name()));
    let arguments = commands.flat_map(Command::get_arguments);
    arguments.filter_map(|argument| Some(format!("--{}", argument.get_long()?))).collect()
}

/// `docs/sandbox.md` becomes a link to that guide.
fn link_guides(text: &str) -> String {
    let words = text.split(' ').map(|word| {
        let path = word.strip_prefix("docs/").and_then(|rest| rest.split_once(".md"));
        match path {
            Some((name, rest)) => format!("[{name}]({name}.md){rest}"),
            None => word.to_owned(),
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Why a command line is not one of Docket's, if it is not. `is_whole` is false for a command that a text only names,
/// without the arguments that it needs.
pub fn check_command(words: &[String], is_whole: bool) -> Result<(), String> {
    let Err(error) = Cli::try_parse_from(words) else { return Ok(()) };
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Ok(()),
        ErrorKind::MissingRequiredArgument
        | ErrorKind::MissingSubcommand
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
            if !is_whole =>
        {
            Ok(())
        }
        _ => Err(error.to_string()),
    }
}

/// Why a file of settings is refused, if it is.
pub fn check_settings(text: &str) -> Result<(), String> {
    let check = || -> anyhow::Result<()> {
        let mut file = tempfile::NamedTempFile::new()?;
        file.write_all(text.as_bytes())?;
        let layers = Layers::load(Some(file.path()), |_| None, Vec::new())?;
        Config::from_layers(&layers)?;
        Ok(())
    };
    check().map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_listed_with_their_arguments_and_hidden_ones_are_not() {
        let page = commands().unwrap();
        assert!(page.contains("\n## docket ingest\n"), "{page}");
        assert!(page.contains("\n### docket audit verify\n"), "{page}");
        assert!(page.contains("| `--parallel N` |"), "{page}");
        assert!(!page.contains("read-worker") && !page.contains("--help"), "{page}");
    }

    #[test]
    fn a_setting_is_listed_with_its_default_and_where_it_can_be_set() {
        let page = settings().unwrap();
        let listen = "### listen\n\n```toml\nlisten = \"127.0.0.1:8080\"\n```\n";
        assert!(page.contains(listen), "{page}");
        assert!(page.contains("*Set by* `DOCKET_LISTEN`, `--listen`."), "{page}");
        assert!(page.contains("[sandbox](sandbox.md)"), "{page}");
    }

    #[test]
    fn samples_are_checked() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert!(check_command(&words("docket ingest folder --wait"), true).is_ok());
        assert!(check_command(&words("docket ingest"), false).is_ok());
        assert!(check_command(&words("docket ingest"), true).is_err());
        assert!(check_command(&words("docket ingset folder"), false).is_err());
        assert!(check_settings("listen = \"0.0.0.0:80\"").is_ok());
        assert!(check_settings("lisen = \"0.0.0.0:80\"").is_err());
    }
}
