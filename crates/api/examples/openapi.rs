//! Writes the OpenAPI document to standard output, without a server:
//! `cargo run -p api --example openapi > openapi.json && (cd ui && npm run schema -- ../openapi.json)`.

use std::io::Write;

fn main() -> std::io::Result<()> {
    let document = serde_json::to_vec_pretty(&api::openapi_document())?;
    std::io::stdout().write_all(&document)
}
