//! Which server a command talks to, and with which token: the option is used first, then the environment, then the last
//! sign-in.

use url::Url;

use super::{Client, ClientError, Credentials, CredentialsFile};
use crate::config::ConfigError;

const DEFAULT_SERVER: &str = "http://127.0.0.1:8080";

/// The server and the credentials of a command.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) server: Url,
    /// A token or an API key.
    token: Option<String>,
}

impl Session {
    pub(crate) fn find(flag: Option<&str>) -> anyhow::Result<Self> {
        // Only `docket login` needs a place to store a sign-in.
        let stored = match CredentialsFile::find() {
            Ok(file) => file.read()?,
            Err(_) => None,
        };
        Ok(Self::decide(flag, &variable, stored)?)
    }

    fn decide(
        flag: Option<&str>,
        environment: &dyn Fn(&str) -> Option<String>,
        stored: Option<Credentials>,
    ) -> Result<Self, ConfigError> {
        let named = match flag {
            Some(text) => Some(address(text)?),
            None => environment("DOCKET_SERVER").map(|text| address(&text)).transpose()?,
        };
        let server = match (named, &stored) {
            (Some(named), _) => named,
            (None, Some(stored)) => address(&stored.server)?,
            (None, None) => address(DEFAULT_SERVER)?,
        };
        // A token is sent only to the server that issued it.
        let stored =
            stored.filter(|stored| stored.server == server.as_str()).map(|stored| stored.token);
        Ok(Self { token: environment("DOCKET_TOKEN").or(stored), server })
    }

    /// With the stored sign-in, whatever the environment says.
    pub(crate) fn of(stored: &Credentials) -> Result<Self, ConfigError> {
        Ok(Self { server: address(&stored.server)?, token: Some(stored.token.clone()) })
    }

    /// For requests that need no credentials.
    pub(crate) fn anonymous(&self) -> Result<Client, ClientError> {
        Client::new(self.server.clone(), None)
    }

    pub(crate) fn signed_in(&self) -> Result<Client, ClientError> {
        let Some(token) = &self.token else {
            return Err(ClientError::NotSignedIn { server: self.server.clone() });
        };
        Client::new(self.server.clone(), Some(token.clone()))
    }
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
}

fn address(text: &str) -> Result<Url, ConfigError> {
    match Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => Ok(url),
        _ => Err(ConfigError::argument(format_args!(
            "'{text}' is not the address of a server; write it as {DEFAULT_SERVER}"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored() -> Credentials {
        let [server, token, email] =
            ["https://docs.example/", "stored", "ada@example"].map(str::to_owned);
        Credentials { server, token, email }
    }

    fn decided(
        flag: Option<&str>,
        environment: &[(&str, &str)],
        stored: Option<Credentials>,
    ) -> Session {
        let find = |name: &str| {
            let found = environment.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        Session::decide(flag, &find, stored).unwrap()
    }

    #[test]
    fn a_token_is_sent_only_to_the_server_that_issued_it() {
        let session = decided(None, &[], Some(stored()));
        assert_eq!(
            (session.server.as_str(), session.token.as_deref()),
            ("https://docs.example/", Some("stored"))
        );
        assert_eq!(
            decided(Some("https://docs.example"), &[], Some(stored())).token.as_deref(),
            Some("stored")
        );
        assert_eq!(decided(Some("https://evil.example"), &[], Some(stored())).token, None);
        assert_eq!(
            decided(None, &[("DOCKET_SERVER", "https://evil.example")], Some(stored())).token,
            None
        );
    }

    #[test]
    fn the_option_overrides_the_environment_and_that_the_file() {
        let environment = [("DOCKET_SERVER", "http://one:1"), ("DOCKET_TOKEN", "dk_key")];
        let session = decided(None, &environment, Some(stored()));
        assert_eq!(
            (session.server.as_str(), session.token.as_deref()),
            ("http://one:1/", Some("dk_key"))
        );
        assert_eq!(
            decided(Some("http://two:2"), &environment, Some(stored())).server.as_str(),
            "http://two:2/"
        );
        assert_eq!(decided(None, &[], None).server.as_str(), "http://127.0.0.1:8080/");
    }

    #[test]
    fn an_invalid_address_is_refused() {
        for text in ["localhost:8080", "docs.example", "ftp://x", ""] {
            assert!(address(text).is_err(), "{text}");
        }
    }
}
