//! The form of an upload, read as `api` reads it: field by field, piece by piece.
//!
//! The first byte is the length of the boundary, the boundary follows, and the rest is the body.

#![no_main]

use axum::body::Body;
use axum::extract::{FromRequest, Multipart, Request};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Some((length, rest)) = input.split_first() else { return };
    let (boundary, body) = rest.split_at(usize::from(*length).min(rest.len()));
    let kind = [b"multipart/form-data; boundary=", boundary].concat();
    let request = Request::builder().header("content-type", kind).body(Body::from(body.to_vec()));
    // Not every boundary fits into a header.
    let Ok(request) = request else { return };
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(async {
        let Ok(mut form) = Multipart::from_request(request, &()).await else { return };
        let mut taken = 0;
        while let Ok(Some(mut field)) = form.next_field().await {
            let _ = (field.name().map(str::len), field.file_name().map(str::len));
            while let Ok(Some(piece)) = field.chunk().await {
                taken += piece.len();
            }
        }
        assert!(taken <= body.len(), "more came out than went in");
    });
});
