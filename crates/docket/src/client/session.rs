//! Which server, and as whom: flag < what the environment says < what the last sign-in left is the
//! order of precedence, read from the left.

use url::Url;

use super::{Client, ClientError, Credentials, CredentialsFile};
use crate::config::ConfigError;

const USUAL_SERVER: &str = "http://127.0.0.1:8080";

/// What a command knows before it asks.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) server: Url,
    /// A token or an API key.
    token: Option<String>,
}

impl Session {
    pub(crate) fn find(flag: Option<&str>) -> anyhow::Result<Self> {
        // A place to keep a sign-in is needed only by who keeps one.
        let kept = match CredentialsFile::find() {
            Ok(file) => file.read()?,
            Err(_) => None,
        };
        Ok(Self::decide(flag, &variable, kept)?)
    }

    fn decide(
        flag: Option<&str>,
        environment: &dyn Fn(&str) -> Option<String>,
        kept: Option<Credentials>,
    ) -> Result<Self, ConfigError> {
        let named = match flag {
            Some(text) => Some(address(text)?),
            None => environment("DOCKET_SERVER").map(|text| address(&text)).transpose()?,
        };
        let server = match (named, &kept) {
            (Some(named), _) => named,
            (None, Some(kept)) => address(&kept.server)?,
            (None, None) => address(USUAL_SERVER)?,
        };
        // A token is for the server that gave it: nobody else gets to see it.
        let kept = kept.filter(|kept| kept.server == server.as_str()).map(|kept| kept.token);
        Ok(Self { token: environment("DOCKET_TOKEN").or(kept), server })
    }

    /// With the sign-in that was kept, whatever the environment says.
    pub(crate) fn of(kept: &Credentials) -> Result<Self, ConfigError> {
        Ok(Self { server: address(&kept.server)?, token: Some(kept.token.clone()) })
    }

    /// For what anybody may ask.
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
            "'{text}' is not the address of a server; write it as {USUAL_SERVER}"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept() -> Credentials {
        let [server, token, email] =
            ["https://docs.example/", "kept", "ada@example"].map(str::to_owned);
        Credentials { server, token, email }
    }

    fn decided(
        flag: Option<&str>,
        environment: &[(&str, &str)],
        kept: Option<Credentials>,
    ) -> Session {
        let find = |name: &str| {
            let found = environment.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        Session::decide(flag, &find, kept).unwrap()
    }

    #[test]
    fn a_token_goes_only_to_the_server_that_gave_it() {
        let session = decided(None, &[], Some(kept()));
        assert_eq!(
            (session.server.as_str(), session.token.as_deref()),
            ("https://docs.example/", Some("kept"))
        );
        assert_eq!(
            decided(Some("https://docs.example"), &[], Some(kept())).token.as_deref(),
            Some("kept")
        );
        assert_eq!(decided(Some("https://evil.example"), &[], Some(kept())).token, None);
        assert_eq!(
            decided(None, &[("DOCKET_SERVER", "https://evil.example")], Some(kept())).token,
            None
        );
    }

    #[test]
    fn the_environment_beats_the_file_and_the_flag_beats_both() {
        let environment = [("DOCKET_SERVER", "http://one:1"), ("DOCKET_TOKEN", "dk_key")];
        let session = decided(None, &environment, Some(kept()));
        assert_eq!(
            (session.server.as_str(), session.token.as_deref()),
            ("http://one:1/", Some("dk_key"))
        );
        assert_eq!(
            decided(Some("http://two:2"), &environment, Some(kept())).server.as_str(),
            "http://two:2/"
        );
        assert_eq!(decided(None, &[], None).server.as_str(), "http://127.0.0.1:8080/");
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for text in ["localhost:8080", "docs.example", "ftp://x", ""] {
            assert!(address(text).is_err(), "{text}");
        }
    }
}
