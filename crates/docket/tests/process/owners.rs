//! A data folder that belongs to another user, such as one that root has copied.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::support::{DataFolder, Docket, is_root};

/// An ordinary user that every system has.
const DAEMON: u32 = 1;

fn make(folder: &Path, mode: u32) {
    fs::create_dir(folder).unwrap();
    fs::set_permissions(folder, fs::Permissions::from_mode(mode)).unwrap();
}

/// A folder of root's that holds what a data folder does.
fn copied_by_root(folder: &DataFolder, mode: u32) {
    let parent = folder.path();
    fs::set_permissions(parent.parent().unwrap(), fs::Permissions::from_mode(0o755)).unwrap();
    make(&parent, mode);
    for inside in ["secrets", "postgres", "postgres/data"] {
        make(&parent.join(inside), mode);
    }
}

async fn refusal(folder: &DataFolder) -> String {
    Docket::serve(folder).run_by(DAEMON).finish().await.failed_with(1)
}

#[tokio::test]
async fn the_owner_is_named_and_the_command_that_helps() {
    if !is_root() {
        println!("skipped: only root can be another user");
        return;
    }
    for (mode, owned) in [(0o755, "/postgres"), (0o700, "")] {
        let folder = DataFolder::new();
        copied_by_root(&folder, mode);
        let path = folder.path().display().to_string();
        assert_eq!(
            refusal(&folder).await,
            format!(
                "{path}{owned} belongs to root, and Docket runs as daemon. Give the data folder to that user: chown -R \
                 daemon {path} (cp -a copies a data folder with its owners)"
            )
        );
    }
}
