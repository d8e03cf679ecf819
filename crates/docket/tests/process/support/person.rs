//! A user who runs commands.

use serde_json::Value;
use tempfile::TempDir;

use super::{ADMIN, Docket, PASSWORD, Server};

/// A user with a separate home folder.
#[derive(Debug)]
pub(crate) struct Person {
    pub(crate) home: TempDir,
}

impl Person {
    pub(crate) fn new() -> Self {
        Self { home: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn types<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> Docket {
        Docket::run(arguments).env("DOCKET_CONFIG_HOME", self.home.path().to_str().unwrap())
    }

    pub(crate) async fn sees<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> String {
        self.types(arguments).finish().await.succeeded()
    }

    pub(crate) async fn reads<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> Value {
        serde_json::from_str(&self.sees(arguments).await).expect("one JSON document")
    }

    pub(crate) async fn signs_in(&self, server: &Server) {
        let login =
            self.types(["login"]).and("--server", address(server)).env("DOCKET_PASSWORD", PASSWORD);
        let said = login.finish().await.succeeded();
        assert!(
            said.starts_with(&format!("Signed in at {}/ as {ADMIN} until ", address(server))),
            "{said}"
        );
    }
}

pub(crate) fn address(server: &Server) -> String {
    format!("http://{}", server.address())
}
