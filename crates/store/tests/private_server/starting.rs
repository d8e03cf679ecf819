//! Servers are started, shared, and stopped by the last user.

use std::fs;
use std::os::unix::fs::MetadataExt;

use store::private::{Durability, PrivateServer, Released};

use crate::home::{Home, ask, execute, lives, pid_in, settings};

#[tokio::test]
async fn the_first_start_creates_a_cluster_that_answers() {
    let home = Home::new();
    let server = home.attach().await;
    let about = "SELECT concat_ws(' ', current_user, current_setting('server_encoding'), \
                 current_setting('TimeZone'), current_setting('listen_addresses') = '')";
    assert_eq!(ask(&server, about).await, "docket UTF8 UTC t");
    assert_eq!(fs::metadata(home.path()).unwrap().mode() & 0o777, 0o700);
    assert_eq!(fs::metadata(home.data()).unwrap().mode() & 0o777, 0o700);
    assert!(!home.path().join("data.new").exists());
    server.release().await.unwrap();
}

#[tokio::test]
async fn text_and_vectors_work_as_the_product_needs_them() {
    let home = Home::new();
    let server = home.attach().await;
    assert_eq!(ask(&server, "SELECT upper('ärger, ωμέγα')").await, "ÄRGER, ΩΜΈΓΑ");
    let stemmed = ask(&server, "SELECT to_tsvector('running documents')::text").await;
    assert_eq!(stemmed, "'document':2 'run':1");
    if cfg!(bundled_postgres) {
        execute(&server, "CREATE EXTENSION vector").await;
        let distance = ask(&server, "SELECT ('[1,2]'::vector <-> '[1,4]'::vector)::text").await;
        assert_eq!(distance, "2");
    }
    server.release().await.unwrap();
}

#[tokio::test]
async fn durability_is_on_unless_a_test_switches_it_off() {
    const ASK: &str = "SELECT concat_ws(' ', current_setting('fsync'), \
                       current_setting('synchronous_commit'), current_setting('full_page_writes'))";
    let home = Home::new();
    let server = home.attach().await;
    assert_eq!(ask(&server, ASK).await, "off off off");
    server.release().await.unwrap();

    let mut durable = settings(&home.path());
    durable.durability = Durability::Full;
    let server = PrivateServer::start_or_attach(durable).await.unwrap();
    assert_eq!(ask(&server, ASK).await, "on on on");
    server.release().await.unwrap();
}

#[tokio::test]
async fn second_user_attaches_and_the_last_one_stops_the_server() {
    let home = Home::new();
    let first = home.attach().await;
    let second = home.attach().await;
    let pid = first.postmaster_pid();
    assert_eq!(second.postmaster_pid(), pid);

    assert_eq!(first.release().await.unwrap(), Released::StillUsedByOthers);
    assert_eq!(ask(&second, "SELECT 'still here'").await, "still here");
    assert_eq!(second.release().await.unwrap(), Released::Stopped);
    assert!(!lives(pid), "the server outlived its last user");
    assert_eq!(pid_in(&home.data()), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn eight_at_once_on_an_empty_folder_share_one_server() {
    let home = Home::new();
    let starting: Vec<_> = (0..8)
        .map(|_| tokio::spawn(PrivateServer::start_or_attach(settings(&home.path()))))
        .collect();
    let mut servers = Vec::new();
    for started in starting {
        servers.push(started.await.unwrap().unwrap());
    }
    let pid = servers[0].postmaster_pid();
    assert!(servers.iter().all(|server| server.postmaster_pid() == pid));

    let leaving: Vec<_> = servers.into_iter().map(|it| tokio::spawn(it.release())).collect();
    let mut stopped = 0;
    for left in leaving {
        stopped += usize::from(left.await.unwrap().unwrap() == Released::Stopped);
    }
    assert_eq!(stopped, 1);
    assert!(!lives(pid));
}

#[tokio::test(flavor = "multi_thread")]
async fn processes_that_attach_and_detach_at_once_never_find_a_stopped_server() {
    let home = Home::new();
    home.make_cluster().await;
    let visits: Vec<_> = (0..4)
        .map(|_| {
            let folder = home.path();
            tokio::spawn(async move {
                for _ in 0..4 {
                    let server = PrivateServer::start_or_attach(settings(&folder)).await.unwrap();
                    assert_eq!(ask(&server, "SELECT 'open'").await, "open");
                    server.release().await.unwrap();
                }
            })
        })
        .collect();
    for visit in visits {
        visit.await.unwrap();
    }
    assert_eq!(pid_in(&home.data()), None);
}
