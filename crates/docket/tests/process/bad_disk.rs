//! Disks that cannot be written: one sentence that says what to do, exit code 1, and nothing lost.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use crate::support::{Client, DataFolder, Disk, Docket, eventually, is_root};

#[tokio::test]
async fn a_folder_that_its_user_may_not_write() {
    if is_root() {
        println!("skipped: root may write everywhere");
        return;
    }
    let folder = DataFolder::new();
    fs::create_dir(folder.path()).unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o500)).unwrap();
    assert_eq!(
        Docket::serve(&folder).finish().await.failed_with(1),
        format!(
            "cannot write to the data folder {}: Permission denied (os error 13). Make it writable \
             for this user, or choose another one with --data-dir",
            folder.path().display()
        )
    );
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o700)).unwrap();
    Docket::serve(&folder).start().await.stop().await.succeeded();
}

#[tokio::test]
async fn an_empty_read_only_disk() {
    let folder = DataFolder::new();
    let Some(disk) = Disk::mounted_at(&folder.path(), "ro") else { return };
    assert_eq!(
        Docket::serve(&folder).finish().await.failed_with(1),
        format!(
            "cannot write to the data folder {}: Read-only file system (os error 30). Make it \
             writable for this user, or choose another one with --data-dir",
            folder.path().display()
        )
    );
    disk.change("rw");
    Docket::serve(&folder).start().await.stop().await.succeeded();
}

#[tokio::test]
async fn a_data_folder_that_became_read_only() {
    let folder = DataFolder::new();
    let Some(disk) = Disk::mounted_at(&folder.path(), "size=300m") else { return };
    let key = make_a_key_and_stop(&folder).await;
    disk.change("ro");
    assert_eq!(
        Docket::serve(&folder).finish().await.failed_with(1),
        format!(
            "Docket may not write to {}. Choose another data folder, or make this one writable for \
             the user that runs Docket (Read-only file system (os error 30)).",
            folder.path().join("postgres/start.lock").display()
        )
    );
    disk.change("rw");
    assert_eq!(keys_at_the_next_start(&folder).await, [key]);
}

#[tokio::test]
async fn a_disk_too_small_for_the_first_start() {
    let folder = DataFolder::new();
    let Some(disk) = Disk::mounted_at(&folder.path(), "size=64m") else { return };
    assert_eq!(
        Docket::serve(&folder).finish().await.failed_with(1),
        format!(
            "The disk that holds {} is full (63 MB free). Free at least 128 MB and start Docket \
             again.",
            folder.path().join("postgres").display()
        )
    );
    disk.change("size=300m");
    Docket::serve(&folder).start().await.stop().await.succeeded();
}

#[tokio::test]
async fn a_disk_without_room_for_the_secret() {
    let folder = DataFolder::new();
    let Some(disk) = Disk::mounted_at(&folder.path(), "size=1m") else { return };
    let ballast = disk.fill_up();
    assert_eq!(
        Docket::serve(&folder).finish().await.failed_with(1),
        format!(
            "the disk with the data folder {} is full. Free some space there and start again; \
             nothing was lost",
            folder.path().display()
        )
    );
    fs::remove_file(ballast).unwrap();
    disk.change("size=300m");
    Docket::serve(&folder).start().await.stop().await.succeeded();
}

#[tokio::test]
async fn a_disk_that_filled_up_while_docket_was_stopped() {
    let folder = DataFolder::new();
    let Some(disk) = Disk::mounted_at(&folder.path(), "size=300m") else { return };
    let key = make_a_key_and_stop(&folder).await;
    let ballast = disk.fill_up();
    assert_eq!(
        Docket::serve(&folder).finish().await.failed_with(1),
        format!(
            "The disk that holds {} is full (0 MB free). Free at least 16 MB and start Docket again.",
            folder.path().join("postgres").display()
        )
    );
    folder.is_left_alone().await;
    fs::remove_file(ballast).unwrap();
    assert_eq!(keys_at_the_next_start(&folder).await, [key]);
}

#[tokio::test]
async fn a_disk_that_fills_up_under_a_running_docket() {
    let folder = DataFolder::new();
    let Some(disk) = Disk::mounted_at(&folder.path(), "size=300m") else { return };
    let server = Docket::serve(&folder).start().await;
    let admin = Client::admin(&server).await;
    let ballast = disk.fill_up();
    let mut made = Vec::new();
    let name = "x".repeat(100);
    let refusal = loop {
        let answer = admin.post("/v1/api-keys", json!({ "name": name, "role": "viewer" })).await;
        if answer.status != 201 {
            break answer;
        }
        made.push(answer.body["api_key_id"].as_str().unwrap().to_owned());
    };
    assert!(refusal.says_come_back_later(), "{refusal:?}");
    let readiness = admin.get("/readyz").await;
    assert_eq!(readiness.status, 503, "{readiness:?}");
    assert_eq!(readiness.body["dependencies"][0]["name"], "database");
    fs::remove_file(ballast).unwrap();
    eventually("it is ready again", async || admin.get("/readyz").await.status == 200).await;
    eventually("writes work again", async || {
        let wanted = json!({ "name": "after", "role": "viewer" });
        admin.post("/v1/api-keys", wanted).await.status == 201
    })
    .await;
    let there = admin.key_ids().await;
    assert!(made.iter().all(|id| there.contains(id)), "an acknowledged write is lost");
    assert_eq!(server.stop().await.code, Some(0));
    Docket::on(&folder, ["audit", "verify"]).finish().await.succeeded();
}

async fn make_a_key_and_stop(folder: &DataFolder) -> String {
    let server = Docket::serve(folder).start().await;
    let (key, _) = Client::admin(&server).await.make_key("made before").await;
    server.stop().await.succeeded();
    key
}

async fn keys_at_the_next_start(folder: &DataFolder) -> Vec<String> {
    let server = Docket::serve(folder).start().await;
    let keys = Client::admin(&server).await.key_ids().await;
    server.stop().await.succeeded();
    Docket::on(folder, ["audit", "verify"]).finish().await.succeeded();
    keys
}
