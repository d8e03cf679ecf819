//! Embeds the PostgreSQL programs that `scripts/postgres-bundle` packed, when there are any.
//!
//! The archive is `$DOCKET_POSTGRES_BUNDLE`, or else `.bundle/postgres.tar.xz` at the root of the
//! workspace. With an archive the crate is compiled with `cfg(bundled_postgres)`; without one it
//! looks for PostgreSQL on the machine at run time. `DOCKET_POSTGRES_BUNDLE=` (empty) builds
//! without it even when it lies there.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

const VARIABLE: &str = "DOCKET_POSTGRES_BUNDLE";

fn main() {
    println!("cargo::rustc-check-cfg=cfg(bundled_postgres)");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed={VARIABLE}");
    if let Some(archive) = find_archive()
        && let Err(error) = embed(&archive)
    {
        let archive = archive.display();
        println!("cargo::error=cannot embed the PostgreSQL bundle {archive}: {error}");
    }
}

/// The archive to embed. One that was asked for by name need not exist: that is an error.
fn find_archive() -> Option<PathBuf> {
    if let Some(named) = env::var_os(VARIABLE) {
        return (!named.is_empty()).then(|| PathBuf::from(named));
    }
    // Asked at run time: what was compiled here may be run for another checkout that shares the target folder.
    let folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR")?).join("../../.bundle");
    // The folder, so that an archive that appears later is noticed.
    watch(&folder);
    Some(folder.join("postgres.tar.xz")).filter(|archive| archive.is_file())
}

fn embed(archive: &Path) -> io::Result<()> {
    watch(archive);
    let archive = archive.canonicalize()?;
    let digest = fnv1a(&fs::read(&archive)?);
    println!("cargo::rustc-cfg=bundled_postgres");
    println!("cargo::rustc-env=DOCKET_POSTGRES_ARCHIVE={}", archive.display());
    println!("cargo::rustc-env=DOCKET_POSTGRES_DIGEST={digest:016x}");
    Ok(())
}

fn watch(path: &Path) {
    println!("cargo::rerun-if-changed={}", path.display());
}

/// Tells one archive from another; it protects against nothing.
fn fnv1a(content: &[u8]) -> u64 {
    content.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
