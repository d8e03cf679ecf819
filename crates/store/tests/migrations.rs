//! Released migrations never change: a database that applied one refuses a Docket with a different text of it.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may do what a test may")]

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use sha2::{Digest, Sha256};

/// As `sha256sum migrations/*.sql` prints them.
const PINNED: &str = "migrations.sha256";

#[test]
fn no_migration_differs_from_its_pinned_checksum() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let pinned = fs::read_to_string(folder.join(PINNED)).unwrap();
    let complaints = differences(&pinned, &checksums(folder));
    assert!(complaints.is_empty(), "\n{complaints}");
}

#[test]
fn every_difference_says_what_to_do() {
    let there = BTreeMap::from([
        ("migrations/1.sql".to_owned(), "aa".to_owned()),
        ("migrations/3.sql".to_owned(), "cc".to_owned()),
    ]);
    let said = differences("ab  migrations/1.sql\nbb  migrations/2.sql\n", &there);
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(
        lines,
        [
            "migrations/1.sql was changed. Databases exist that have the old one: undo the change, and add a new \
             migration instead.",
            "migrations/2.sql is gone. Databases exist that have it: put it back.",
            "migrations/3.sql is new. Add this line to crates/store/migrations.sha256:",
            "cc  migrations/3.sql",
        ]
    );
}

fn checksums(folder: &Path) -> BTreeMap<String, String> {
    let entries = fs::read_dir(folder.join("migrations")).unwrap();
    let files = entries.map(|entry| entry.unwrap().path());
    let checksum = |path: std::path::PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap();
        let mut hexadecimal = String::new();
        for byte in Sha256::digest(fs::read(&path).unwrap()) {
            write!(hexadecimal, "{byte:02x}").unwrap();
        }
        (format!("migrations/{name}"), hexadecimal)
    };
    files.map(checksum).collect()
}

/// A message for each file that differs from its pinned checksum.
fn differences(pinned: &str, there: &BTreeMap<String, String>) -> String {
    let lines = pinned.lines().filter_map(|line| line.split_once("  "));
    let pinned: BTreeMap<&str, &str> = lines.map(|(checksum, name)| (name, checksum)).collect();
    let mut said = String::new();
    for (name, checksum) in &pinned {
        match there.get(*name) {
            Some(found) if found == checksum => {}
            Some(_) => writeln!(
                said,
                "{name} was changed. Databases exist that have the old one: undo the change, and add a new migration \
                 instead."
            )
            .unwrap(),
            None => {
                writeln!(said, "{name} is gone. Databases exist that have it: put it back.").unwrap();
            }
        }
    }
    for (name, checksum) in there.iter().filter(|(name, _)| !pinned.contains_key(name.as_str())) {
        writeln!(
            said,
            "{name} is new. Add this line to crates/store/{PINNED}:\n{checksum}  {name}"
        )
        .unwrap();
    }
    said
}
