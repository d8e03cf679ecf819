//! `docket mcp`: the Model Context Protocol on standard input and output.
//!
//! One JSON-RPC message per line. Each is forwarded unchanged to the server's `/v1/mcp`, and so is the response: the
//! server decides by the credentials what an assistant may do.

use std::process::ExitCode;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};

use crate::cli::ServerArgs;
use crate::client::{Client, ClientError, Session};
use crate::say::{complain, say};

const PARSE_ERROR: i64 = -32700;
const INTERNAL_ERROR: i64 = -32603;

/// Runs until the input ends.
pub(crate) async fn run(server: &ServerArgs) -> anyhow::Result<ExitCode> {
    let client = Session::find(server.server.as_deref())?.signed_in()?;
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    while let Some(line) = lines.next_line().await? {
        if line.trim().is_empty() {
            continue;
        }
        if let Some(answer) = answer(&client, &line).await {
            say(answer);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// `None` for a notification, which has no response.
async fn answer(client: &Client, line: &str) -> Option<Value> {
    let message: Value = match serde_json::from_str(line) {
        Ok(message) => message,
        Err(error) => return Some(refusal(&Value::Null, PARSE_ERROR, &error.to_string())),
    };
    let id = message.get("id").cloned();
    let answered: Result<Option<Value>, ClientError> =
        client.post_if_answered("/v1/mcp", &message).await;
    match (answered, id) {
        (Ok(answer), Some(_)) => answer,
        (Ok(_), None) => None,
        (Err(error), Some(id)) => Some(refusal(&id, INTERNAL_ERROR, &error.to_string())),
        (Err(error), None) => {
            complain(error);
            None
        }
    }
}

fn refusal(id: &Value, code: i64, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
}
