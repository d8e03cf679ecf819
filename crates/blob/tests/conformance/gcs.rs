//! The suite on Google Cloud Storage's protocol.

use testkit::objects::{BUCKET, GcsServer};

use crate::bucket_faults;
use crate::harness::{Harness, content, eventually, open};
use crate::suite::{self, SameKey};

#[tokio::test]
async fn the_suite_on_gcs() {
    let server = GcsServer::start().await;
    let environment = || GcsServer::environment(server.address());
    for url in [format!("gs://{BUCKET}"), format!("gs://{BUCKET}/a/prefix")] {
        let started = std::time::Instant::now();
        suite::run(&open(&url, environment()), SameKey::WrittenAtOnce).await;
        println!("the suite on {url} took {:?}", started.elapsed());
    }
    let elsewhere = Harness::on(&open(&format!("gs://{BUCKET}/another"), environment()));
    assert_eq!(elsewhere.originals().await, []);
    bucket_faults::links_open_with_their_name_and_type(
        open(&format!("gs://{BUCKET}"), environment()),
        server.address(),
    )
    .await;
    bucket_faults::a_bucket_that_is_not_there(open("gs://no-such-bucket", environment())).await;
}

#[tokio::test]
async fn gcs_when_it_fails() {
    let server = GcsServer::start().await;
    bucket_faults::run("gs", server.address(), GcsServer::environment).await;
}

#[tokio::test]
async fn a_dropped_upload_is_aborted() {
    let server = GcsServer::start().await;
    let environment = GcsServer::environment(server.address());
    let harness = Harness::on(&open(&format!("gs://{BUCKET}"), environment));
    let mut upload = harness.begin().await;
    upload.write(content(1, 12_000_000).into()).await.unwrap();
    assert_eq!(server.uploads_under_way(), 1);
    drop(upload);
    eventually("its parts are gone", async || server.uploads_under_way() == 0).await;
}
