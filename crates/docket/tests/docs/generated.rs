//! The generated pages are those that the program would generate now.

use docket::reference::{GENERATED_PAGES, MARKER};

use crate::{markdown, sources};

#[test]
fn the_generated_pages_are_current() {
    for page in GENERATED_PAGES {
        let file = format!("docs/{}", page.file);
        let text = sources::read(&file);
        let written = text.split_once(MARKER).map(|(_, generated)| generated);
        let expected = (page.generate)().unwrap();
        assert!(
            written == Some(&expected),
            "{file} is out of date; write it with: cargo run -p docket --example reference"
        );
    }
}

#[test]
fn the_page_of_commands_says_of_each_where_it_runs() {
    let page = sources::read("docs/cli.md");
    let (by_hand, generated) = page.split_once(MARKER).unwrap();
    let named = markdown::parse(by_hand).code;
    let headings = markdown::parse(generated).headings;
    for (_, command) in headings.iter().filter(|(level, _)| *level == 2) {
        let name = command.strip_prefix("docket ").unwrap();
        let is_named = named.iter().any(|code| code == name || code == command);
        assert!(is_named, "list `{name}` in docs/cli.md under \"Two kinds of commands\"");
    }
}
