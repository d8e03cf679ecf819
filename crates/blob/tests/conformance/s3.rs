//! The suite on an S3 server, and what only a bucket has.

use testkit::objects::{BUCKET, MotoServer};

use crate::bucket_faults;
use crate::harness::{Harness, open};
use crate::suite::{self, SameKey};

#[tokio::test]
async fn the_suite_on_s3() {
    let started = std::time::Instant::now();
    let server = MotoServer::start().await;
    println!("the server took {:?}", started.elapsed());
    let environment = || MotoServer::environment(server.address());
    for url in [format!("s3://{BUCKET}"), format!("s3://{BUCKET}/a/prefix")] {
        let started = std::time::Instant::now();
        suite::run(&open(&url, environment()), SameKey::WrittenInTurn).await;
        println!("the suite on {url} took {:?}", started.elapsed());
    }
    let elsewhere = Harness::on(&open(&format!("s3://{BUCKET}/another"), environment()));
    assert_eq!(elsewhere.originals().await, []);
    bucket_faults::links_open_with_their_name_and_type(
        open(&format!("s3://{BUCKET}"), environment()),
        server.address(),
    )
    .await;
    bucket_faults::a_bucket_that_is_not_there(open("s3://no-such-bucket", environment())).await;
}

#[tokio::test]
async fn s3_when_it_fails() {
    let server = MotoServer::start().await;
    bucket_faults::run("s3", server.address(), MotoServer::environment).await;
}
