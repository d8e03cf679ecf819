//! From handing a page in to finding it, on a server with nothing else to do.

use std::time::{Duration, Instant};

use anyhow::ensure;
use serde_json::json;

use crate::Bench;
use crate::docket::{ADMIN, Docket, ask, request};
use crate::engine::percentile;
use crate::report::{Figure, Target, Unit, milliseconds};

const NAME: &str = "searchable";
/// In one round.
const DOCUMENTS: usize = 10;
const BOUNDARY: &str = "docket-bench-boundary";
/// A document that is not found by then is a fault.
const LONGEST: Duration = Duration::from_mins(1);

pub(crate) async fn run(bench: &Bench) -> anyhow::Result<Vec<Figure>> {
    let docket = Docket::start(&bench.docket, &bench.folder.path().join("searchable"))?;
    let token = docket.sign_in(ADMIN).await?;
    let mut number = 0;
    let (mut halves, mut worst) = (Vec::new(), Vec::new());
    for round in 0..=bench.rounds {
        let mut times = Vec::new();
        for _ in 0..DOCUMENTS {
            number += 1;
            times.push(time_to_find(&docket, &token, number).await?);
        }
        if round > 0 {
            halves.push(percentile(&times, 50));
            worst.push(percentile(&times, 99));
        }
    }
    Ok(vec![
        Figure::alone(NAME, "uploaded to searchable, p50", Unit::Milliseconds, &halves)
            .with_target(Target::AtMost(1000.0)),
        Figure::alone(NAME, "uploaded to searchable, p99", Unit::Milliseconds, &worst),
    ])
}

/// Asks again and again until the page is among the hits.
pub(crate) async fn time_to_find(
    docket: &Docket,
    token: &str,
    number: usize,
) -> anyhow::Result<f64> {
    let word = format!("zebra{number}x");
    let begun = Instant::now();
    ask(docket.server.address, &upload(token, &page(&word))).await?;
    let query = json!({ "query": word, "limit": 1, "mode": "lexical" }).to_string();
    let search = request("POST", "/v1/search", Some(token), &query);
    while !ask(docket.server.address, &search).await?.contains(&word) {
        ensure!(begun.elapsed() < LONGEST, "{word} is not found after {LONGEST:?}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    Ok(milliseconds(begun.elapsed()))
}

/// A page of about three hundred words.
fn page(word: &str) -> String {
    let sentence = "The supplier delivers the goods within thirty days of the order, and the customer \
                    pays the invoice on the first day of the following month.\n";
    format!("Order {word}\n\n{}", sentence.repeat(12))
}

fn upload(token: &str, text: &str) -> Vec<u8> {
    let form = format!(
        "--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"file\"; filename=\"page.txt\"\r\n\
         content-type: text/plain\r\n\r\n{text}\r\n--{BOUNDARY}--\r\n"
    );
    format!(
        "POST /v1/ingest HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n\
         content-type: multipart/form-data; boundary={BOUNDARY}\r\ncontent-length: {}\r\n\r\n{form}",
        form.len()
    )
    .into_bytes()
}
