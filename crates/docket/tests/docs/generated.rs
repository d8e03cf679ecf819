//! The generated pages are those that the program would generate now.

use docket::reference::{GENERATED_PAGES, MARKER};

use crate::sources;

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
