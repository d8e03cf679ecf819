//! Lists files.
//!
//! One folder is read at a time, so a listing of a million originals has the names of one folder (1/256 of a tenant's) in
//! memory. Files that are deleted meanwhile may be listed or not.

use std::fs::{self, DirEntry};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use futures_util::stream::{self, BoxStream};
use futures_util::{StreamExt, TryStreamExt};

use super::disk::Disk;
use crate::ListedObject;
use crate::error::{Attempt, Result};
use crate::upload::on_blocking_thread;

pub(super) fn list_below(disk: Arc<Disk>, key: String) -> BoxStream<'static, Result<ListedObject>> {
    let folders = vec![disk.path_of(&key)];
    let pages = stream::try_unfold((disk, folders), |(disk, mut folders)| async move {
        let Some(folder) = folders.pop() else { return Ok(None) };
        let read = on_blocking_thread(move || {
            let page = read_folder(&disk, folder)?;
            Ok((disk, page))
        });
        let (disk, page) = read.await??;
        folders.extend(page.folders);
        Ok(Some((stream::iter(page.files.into_iter().map(Ok)), (disk, folders))))
    });
    pages.try_flatten().boxed()
}

struct Page {
    files: Vec<ListedObject>,
    folders: Vec<PathBuf>,
}

fn read_folder(disk: &Disk, folder: PathBuf) -> Result<Page> {
    let mut page = Page { files: Vec::new(), folders: Vec::new() };
    let Some(entries) = if_exists(fs::read_dir(&folder)).attempt("list", &folder)? else {
        return Ok(page);
    };
    for entry in entries {
        let entry = entry.attempt("list", &folder)?;
        read_entry(disk, &entry, &mut page).attempt("list", &folder)?;
    }
    Ok(page)
}

fn read_entry(disk: &Disk, entry: &DirEntry, page: &mut Page) -> io::Result<()> {
    let Some(metadata) = if_exists(entry.metadata())? else { return Ok(()) };
    if metadata.is_dir() {
        page.folders.push(entry.path());
    } else if metadata.is_file() {
        let key = disk.key_of(&entry.path());
        page.files.push(ListedObject {
            key,
            size: metadata.len(),
            last_modified: metadata.modified()?.into(),
        });
    }
    Ok(())
}

fn if_exists<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        other => other.map(Some),
    }
}
