//! Samples in the guides and on the front page: commands, settings and JSON.

use docket::reference::{check_command, check_settings};

use crate::markdown::{self, Page};
use crate::sources;

/// What stands for an id in the guides.
const IDS: [&str; 6] = ["DOC_ID", "BATCH_ID", "JOB_ID", "RUN_ID", "KEY_ID", "TRADE_ID"];
const ID: &str = "0199a2c4-7f3a-7cc1-8a52-5d1f0c3b9e21";

/// The pages whose samples readers copy.
pub(crate) fn pages() -> Vec<(String, Page)> {
    let files = sources::files(&["md"]).into_iter();
    let own = files.filter(|(name, _)| {
        name.starts_with("docs/")
            || ["README.md", "CONTRIBUTING.md", "SECURITY.md"].contains(&&**name)
    });
    own.map(|(name, text)| (name, markdown::parse(&text))).collect()
}

/// The commands of a block of shell: each in its words, lines that go on joined.
pub(crate) fn commands(block: &str) -> Vec<Vec<String>> {
    let mut commands = Vec::new();
    for line in block.replace("\\\n", " ").lines() {
        // A command in `$(…)` is one of its own; its quotes are those of the line around it.
        for part in line.split("$(") {
            for part in split_unquoted(part) {
                let Some(words) = shlex::split(&part) else { continue };
                let is_assignment = |word: &&String| {
                    word.split_once('=').is_some_and(|(name, _)| {
                        !name.is_empty() && name.chars().all(|c| c.is_ascii_uppercase() || c == '_')
                    })
                };
                let assignments = words.iter().take_while(is_assignment).count();
                commands.push(words.into_iter().skip(assignments).collect());
            }
        }
    }
    commands
}

/// Splits where one command ends and another begins, outside of quotes; drops comments and redirections.
fn split_unquoted(line: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut quote = None;
    let mut before = ' ';
    for character in line.chars() {
        match (quote, character) {
            (None, '#') if before.is_whitespace() => break,
            (None, '|' | ';' | '&' | '>' | ')') => parts.push(String::new()),
            _ => {
                match (quote, character) {
                    (None, '\'' | '"') => quote = Some(character),
                    (Some(open), close) if open == close => quote = None,
                    _ => {}
                }
                parts.last_mut().unwrap().push(character);
            }
        }
        before = character;
    }
    parts
}

fn with_ids(words: &[String]) -> Vec<String> {
    let replace = |word: &String| if IDS.contains(&&**word) { ID.to_owned() } else { word.clone() };
    words.iter().map(replace).collect()
}

#[test]
fn every_command_of_docket_in_the_guides_exists() {
    let mut count = 0;
    let mut wrong = Vec::new();
    for (name, page) in pages() {
        let blocks = page.blocks.iter().filter(|block| block.language == "sh");
        let whole = blocks.flat_map(|block| commands(&block.text)).map(|words| (words, true));
        // Placeholders in the text: `docket show ID`.
        let named = page.code.iter().filter(|code| code.starts_with("docket "));
        let named = named.filter_map(|code| shlex::split(code)).map(|words| (words, false));
        for (words, is_whole) in whole.chain(named) {
            let is_docket =
                words.first().is_some_and(|word| word == "docket" || word.ends_with("/docket"));
            if !is_docket || words.iter().any(|word| word == "…" || word.ends_with("PATH…")) {
                continue;
            }
            count += 1;
            let mut words = with_ids(&words);
            words[0] = "docket".to_owned();
            if let Err(error) = check_command(&words, is_whole) {
                wrong.push(format!("{name}: {}\n{error}", words.join(" ")));
            }
        }
    }
    assert!(count > 30, "only {count} commands were found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_sample_of_settings_is_accepted() {
    let mut count = 0;
    for (name, page) in pages() {
        for block in page.blocks.iter().filter(|block| block.language == "toml") {
            count += 1;
            if let Err(error) = check_settings(&block.text) {
                panic!("{name}: {error}\n{}", block.text);
            }
        }
    }
    assert!(count > 30, "only {count} samples were found");
}

#[test]
fn every_sample_of_json_is_json() {
    let mut count = 0;
    for (name, page) in pages() {
        for block in page.blocks.iter().filter(|block| block.language == "json") {
            count += 1;
            if let Err(error) = serde_json::from_str::<serde_json::Value>(&block.text) {
                panic!("{name}: {error}\n{}", block.text);
            }
        }
    }
    assert!(count > 3, "only {count} samples were found");
}

#[test]
fn commands_are_found_in_a_block() {
    let block = "# a comment\nTOKEN=$(curl -s 'http://x/v1/me?a=1&b=2' | sed 's/|/x/')\nDOCKET_SERVER=x docket docs --limit 3 > out # more\ncurl -d '{\"a\": 1}' \\\n  http://x/v1/search\n";
    let found: Vec<String> = commands(block)
        .into_iter()
        .filter(|words| words.first().is_some_and(|word| ["curl", "docket"].contains(&&**word)))
        .map(|words| words.join(" "))
        .collect();
    assert_eq!(
        found,
        [
            "curl -s http://x/v1/me?a=1&b=2",
            "docket docs --limit 3",
            "curl -d {\"a\": 1} http://x/v1/search"
        ]
    );
}
