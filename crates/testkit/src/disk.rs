//! A small file system for one test. Needs root.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A tmpfs, which is unmounted when the test ends.
#[derive(Debug)]
pub struct Disk {
    at: PathBuf,
}

impl Disk {
    /// `None` and a line of output where mounting is not allowed: without root, and in most containers.
    #[expect(clippy::print_stdout, reason = "whoever reads the test's output must see it")]
    pub fn mounted_at(folder: &Path, options: &str) -> Option<Self> {
        if !is_root() {
            println!("skipped: only root can mount a disk");
            return None;
        }
        fs::create_dir_all(folder).unwrap();
        if !run("mount", &["-t", "tmpfs", "-o", options, "tmpfs"], folder) {
            println!("skipped: this root may not mount a disk");
            return None;
        }
        Some(Self { at: folder.to_owned() })
    }

    pub fn change(&self, options: &str) {
        assert!(run("mount", &["-o", &format!("remount,{options}")], &self.at));
    }

    /// Writes until the file system is full; remove the file to free it.
    pub fn fill_up(&self) -> PathBuf {
        let ballast = self.at.join("ballast");
        let mut file = fs::File::create(&ballast).unwrap();
        let endless = &mut std::io::repeat(0);
        let full = std::io::copy(endless, &mut file).expect_err("the disk is finite");
        assert_eq!(full.kind(), std::io::ErrorKind::StorageFull);
        ballast
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let unmounted = run("umount", &["--lazy"], &self.at);
        assert!(unmounted, "{} is still mounted", self.at.display());
    }
}

fn run(program: &str, arguments: &[&str], folder: &Path) -> bool {
    Command::new(program).args(arguments).arg(folder).status().is_ok_and(|status| status.success())
}

pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}
