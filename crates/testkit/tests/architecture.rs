//! The crate table of ARCHITECTURE.md holds: who may use whom, and that everybody is in it. So does what it says of
//! where documents are read.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may do what a test may")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use cargo_metadata::{DependencyKind, MetadataCommand};

enum MayUse {
    All,
    These(BTreeSet<String>),
}

/// The rows `| `crate` | what | may use |` of the map.
fn table() -> BTreeMap<String, MayUse> {
    let map = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ARCHITECTURE.md");
    let text = fs::read_to_string(map).unwrap();
    let rows = text.lines().filter_map(|line| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let ["", name, _, may_use, ""] = cells.as_slice() else { return None };
        let name = name.strip_prefix('`')?.strip_suffix('`')?;
        let may_use = match *may_use {
            "all" => MayUse::All,
            list => MayUse::These(
                list.split(',').map(|name| name.trim().trim_matches('`').to_owned()).collect(),
            ),
        };
        Some((name.to_owned(), may_use))
    });
    rows.collect()
}

/// Every dependency of one crate of the workspace on another, but for those of tests.
fn edges() -> Vec<(String, String)> {
    let metadata = MetadataCommand::new().no_deps().exec().unwrap();
    let members: BTreeSet<String> =
        metadata.packages.iter().map(|package| package.name.to_string()).collect();
    let of_package = |package: &cargo_metadata::Package| {
        let name = package.name.to_string();
        let used = package.dependencies.iter();
        used.filter(|used| used.kind != DependencyKind::Development)
            .filter(|used| members.contains(&used.name))
            .map(|used| (name.clone(), used.name.clone()))
            .collect::<Vec<_>>()
    };
    metadata.packages.iter().flat_map(of_package).collect()
}

#[test]
fn every_crate_is_on_the_map() {
    let table = table();
    let metadata = MetadataCommand::new().no_deps().exec().unwrap();
    for package in &metadata.packages {
        assert!(table.contains_key(package.name.as_str()), "{} is not", package.name);
    }
    assert_eq!(table.len(), metadata.packages.len(), "the map shows rooms that are not there");
}

#[test]
fn nobody_uses_what_the_map_does_not_allow() {
    let table = table();
    for (user, used) in edges() {
        let allowed = match &table[&user] {
            MayUse::All => true,
            MayUse::These(these) => these.contains(&used),
        };
        assert!(allowed, "{user} uses {used}: change the design, or ARCHITECTURE.md");
    }
}

#[test]
fn the_product_does_not_contain_the_testkit() {
    for (user, used) in edges() {
        let measures = user.starts_with("bench");
        assert!(used != "testkit" || measures, "{user} uses the testkit outside its tests");
    }
}

/// Who gets bytes of a document out of the object store has been permitted to (`ops/src/documents/content_access.rs`).
#[test]
fn documents_are_read_in_one_place() {
    let reads = [
        "read_original(",
        "open_original(",
        "reopen_original(",
        "sign_original(",
        "read_artifact(",
    ];
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut elsewhere = Vec::new();
    for name in ["ops", "api"] {
        for file in sources_below(&crates.join(name).join("src")) {
            if file.ends_with("ops/src/documents/content_access.rs") {
                continue;
            }
            let text = fs::read_to_string(&file).unwrap();
            let calls = text.lines().filter(|line| reads.iter().any(|read| line.contains(read)));
            elsewhere.extend(calls.map(|line| format!("{}: {}", file.display(), line.trim())));
        }
    }
    assert!(elsewhere.is_empty(), "{}", elsewhere.join("\n"));
}

fn sources_below(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources_below(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}
