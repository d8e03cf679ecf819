//! The address of a model, and the time limits of a call.

use std::time::Duration;

use domain::Secret;
use url::{Host, Url};

/// One model on one server, from the settings.
#[derive(Clone, Debug)]
pub struct Service {
    /// Used as it is when it has a path (`http://localhost:11434/v1`), as usual for clients of these services;
    /// without a path, the version of the protocol is added.
    pub base_url: Url,
    pub model: String,
    /// Self-hosted services often need none.
    pub key: Option<Secret>,
    pub limits: Limits,
}

/// How long each part of a call may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// To connect.
    pub connect: Duration,
    /// From the connection to the first piece of the answer; a server may load its model first.
    pub first_byte: Duration,
    /// Between two pieces of the answer.
    pub between_pieces: Duration,
    /// For the whole call with all its attempts. A batch of texts to embed is one call.
    pub total: Duration,
}

impl Limits {
    /// For text that a user reads while it is written.
    pub const COMPLETION: Self = Self {
        connect: Duration::from_secs(5),
        first_byte: Duration::from_mins(2),
        between_pieces: Duration::from_mins(1),
        total: Duration::from_mins(5),
    };
    /// For the fields of documents, which background work extracts. It continues without the model after this time.
    pub const EXTRACTION: Self = Self {
        connect: Duration::from_secs(5),
        first_byte: Duration::from_mins(1),
        between_pieces: Duration::from_secs(30),
        total: Duration::from_mins(2),
    };
    /// For background work.
    pub const EMBEDDING: Self = Self {
        connect: Duration::from_secs(5),
        first_byte: Duration::from_mins(1),
        between_pieces: Duration::from_secs(15),
        total: Duration::from_mins(3),
    };
    /// For search, which continues without reranking after a short time.
    pub const RERANKING: Self = Self {
        connect: Duration::from_secs(1),
        first_byte: Duration::from_secs(2),
        between_pieces: Duration::from_secs(1),
        total: Duration::from_secs(3),
    };
}

impl Service {
    pub fn new(base_url: Url, model: impl Into<String>, limits: Limits) -> Self {
        Self { base_url, model: model.into(), key: None, limits }
    }

    #[must_use]
    pub fn with_key(self, key: Secret) -> Self {
        Self { key: Some(key), ..self }
    }

    /// Identifies the model in stored data: the host and the model's name. Neither port nor path, which may change
    /// without changing the model.
    pub fn identity(&self) -> String {
        format!("{}/{}", self.base_url.host_str().unwrap_or_default(), self.model)
    }

    /// The server for error messages: without the path and without a password in the URL.
    pub(crate) fn server(&self) -> String {
        let origin = self.base_url.origin();
        if origin.is_tuple() {
            origin.ascii_serialization()
        } else {
            without_secrets(&self.base_url)
        }
    }

    /// The address of `operation`; `version` is used when the base URL has no path.
    pub(crate) fn endpoint(&self, version: &str, operation: &str) -> Url {
        let mut url = self.base_url.clone();
        let base = url.path().trim_end_matches('/').to_owned();
        let path = match base.as_str() {
            "" => format!("/{version}/{operation}"),
            base => format!("{base}/{operation}"),
        };
        url.set_path(&path);
        url
    }

    /// Whether it runs on this machine, where no proxy is used.
    pub(crate) fn is_on_this_machine(&self) -> bool {
        match self.base_url.host() {
            Some(Host::Domain(name)) => name == "localhost",
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        }
    }
}

/// The address without credentials: some services take a key in the query.
pub(crate) fn without_secrets(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    // URLs that cannot have credentials have none to remove.
    url.set_username("").ok();
    url.set_password(None).ok();
    url.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(base_url: &str) -> Service {
        Service::new(base_url.parse().unwrap(), "small", Limits::COMPLETION)
    }

    #[test]
    fn the_version_is_added_only_where_there_is_no_path() {
        let endpoint = |base: &str| at(base).endpoint("v1", "embeddings").to_string();
        assert_eq!(endpoint("http://host"), "http://host/v1/embeddings");
        assert_eq!(endpoint("http://host/"), "http://host/v1/embeddings");
        assert_eq!(endpoint("http://host/v1"), "http://host/v1/embeddings");
        assert_eq!(endpoint("http://host/openai/v1/"), "http://host/openai/v1/embeddings");
        assert_eq!(endpoint("http://host/v1?api=2"), "http://host/v1/embeddings?api=2");
    }

    #[test]
    fn identity_is_host_and_model() {
        assert_eq!(at("https://models.example:8443/v1").identity(), "models.example/small");
    }

    #[test]
    fn secrets_in_the_address_are_not_shown() {
        let url = "https://me:hunter2@models.example/v1?key=hunter2".parse().unwrap();
        assert_eq!(without_secrets(&url), "https://models.example/v1");
        assert_eq!(at("https://me:hunter2@models.example/v1").server(), "https://models.example");
        assert_eq!(at("odd://me:hunter2@models.example/v1").server(), "odd://models.example/v1");
        assert_eq!(at("localhost:8080").server(), "localhost:8080");
    }

    #[test]
    fn this_machine_is_distinguished_from_others() {
        for here in ["http://localhost:1", "http://127.0.0.1:1", "http://[::1]:1"] {
            assert!(at(here).is_on_this_machine(), "{here}");
        }
        for there in ["http://10.0.0.1", "https://models.example", "http://localhost.example"] {
            assert!(!at(there).is_on_this_machine(), "{there}");
        }
    }
}
