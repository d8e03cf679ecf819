//! The form of an upload, read as `api` reads it: part by part, piece by piece.
//!
//! The first byte is the length of the boundary, the boundary follows, and the rest is the body.

#![no_main]

use std::time::Duration;

use axum::body::Body;
use libfuzzer_sys::fuzz_target;

#[path = "../../crates/api/src/form.rs"]
mod form;

fuzz_target!(|input: &[u8]| {
    let Some((length, rest)) = input.split_first() else { return };
    let (boundary, body) = rest.split_at(usize::from(*length).min(rest.len()));
    let Ok(boundary) = std::str::from_utf8(boundary) else { return };
    let kind = format!("multipart/form-data; boundary={boundary}");
    let Some(boundary) = form::boundary_of(&kind) else { return };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    runtime.expect("a runtime").block_on(async {
        let read_timeout = Duration::from_secs(1);
        let mut form = form::FormReader::new(Body::from(body.to_vec()), &boundary, read_timeout);
        let mut taken = 0;
        while let Ok(Some(part)) = form.next_part().await {
            assert!(part.name.len() + part.file_name.map_or(0, |name| name.len()) <= 64 * 1024);
            while let Ok(Some(piece)) = form.chunk().await {
                taken += piece.len();
            }
        }
        assert!(taken <= body.len(), "more came out than went in");
    });
});
