//! Embeds the web UI that `scripts/ui` built into `ui/dist`, when it did, and the guides of `docs`.
//!
//! Writes `ui_files.rs`: a table of every file with its bytes, and with its gzip twin (`FILE.gz`,
//! made by the build of the UI) when it has one. Without `ui/dist` the table is empty, and the
//! front page says where the UI went. Writes `guide_files.rs`: the Markdown files and pictures of `docs`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if let Err(error) = write_table() {
        println!("cargo::error=cannot embed the web UI: {error}");
    }
    if let Err(error) = write_guides() {
        println!("cargo::error=cannot embed the guides: {error}");
    }
}

fn write_table() -> io::Result<()> {
    // Asked at run time: what was compiled here may be run for another checkout that shares the target folder.
    let ui = variable("CARGO_MANIFEST_DIR")?.join("../../ui");
    let dist = ui.join("dist");
    let mut files = Vec::new();
    if dist.join("index.html").is_file() {
        println!("cargo::rerun-if-changed={}", dist.display());
        list_files(&dist.canonicalize()?, &mut files)?;
    } else {
        // What is not there cannot be watched without a rebuild each time: its parent is.
        println!("cargo::rerun-if-changed={}", ui.display());
    }
    files.sort();
    let mut table = String::from("&[\n");
    for file in files.iter().filter(|file| !is_compressed(file)) {
        add_row(&mut table, &dist.canonicalize()?, file)?;
    }
    table.push_str("]\n");
    fs::write(variable("OUT_DIR")?.join("ui_files.rs"), table)
}

fn write_guides() -> io::Result<()> {
    let docs = variable("CARGO_MANIFEST_DIR")?.join("../../docs").canonicalize()?;
    println!("cargo::rerun-if-changed={}", docs.display());
    let mut files = Vec::new();
    list_files(&docs, &mut files)?;
    files.sort();
    let mut table = String::from("&[\n");
    for file in files {
        if !file.extension().is_some_and(|extension| extension == "md" || extension == "webp") {
            continue;
        }
        let name = file.strip_prefix(&docs).map_err(io::Error::other)?;
        let path = name.to_string_lossy().replace('\\', "/");
        let file = file.to_string_lossy();
        writeln!(table, "    GuideFile {{ path: {path:?}, bytes: include_bytes!({file:?}) }},")
            .map_err(io::Error::other)?;
    }
    table.push_str("]\n");
    fs::write(variable("OUT_DIR")?.join("guide_files.rs"), table)
}

fn variable(name: &str) -> io::Result<PathBuf> {
    let value = env::var_os(name).ok_or_else(|| io::Error::other(format!("{name} is not set")))?;
    Ok(value.into())
}

fn list_files(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            list_files(&entry.path(), files)?;
        } else {
            files.push(entry.path());
        }
    }
    Ok(())
}

fn is_compressed(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "gz")
}

fn add_row(table: &mut String, dist: &Path, file: &Path) -> io::Result<()> {
    let name = file.strip_prefix(dist).map_err(io::Error::other)?;
    let address = format!("/{}", name.to_string_lossy().replace('\\', "/"));
    // Written into the source as strings, with what must be escaped in one.
    let file = file.to_string_lossy();
    let compressed = format!("{file}.gz");
    let gzip = if Path::new(&compressed).is_file() {
        format!("Some(include_bytes!({compressed:?}))")
    } else {
        "None".to_owned()
    };
    writeln!(
        table,
        "    UiFile {{ address: {address:?}, bytes: include_bytes!({file:?}), gzip: {gzip} }},"
    )
    .map_err(io::Error::other)
}
