//! Settings as people may see them: `docket config` and `GET /v1/config`.
//!
//! A *secret* is a setting whose value lets whoever has it in somewhere. The command, which only the operator can
//! run, shows of a database's address what is not secret in it; over HTTP no part of a secret is shown.

use api_types::{ConfigView, SettingOrigin, SettingView};
use serde_json::{Value as Json, json};
use toml::Value;
use url::Url;

use super::Layers;
use super::layers::{DEFAULTS, Origin};

const SECRETS: [&str; 11] = [
    "jwt_secret",
    "audit_signing_key",
    "secrets_key",
    "secrets_key_previous",
    "database_url",
    "system_database_url",
    "migration_database_url",
    "llm_api_key",
    "embedding_api_key",
    "rerank_api_key",
    "metrics_token",
];

impl Layers {
    /// Every setting on a line of its own, with where it came from.
    pub(crate) fn lines(&self) -> impl Iterator<Item = String> {
        self.settings
            .iter()
            .map(|(key, setting)| format!("{key} = {}  # {}", self.shown(key), setting.origin))
    }

    /// A value on one line.
    pub(super) fn shown(&self, key: &str) -> String {
        let Some(setting) = self.settings.get(key) else { return String::new() };
        match &setting.value {
            Value::String(text) if SECRETS.contains(&key) && !text.is_empty() => {
                let url = text.parse::<store::DatabaseUrl>().ok();
                url.map_or_else(|| "(hidden)".to_owned(), |url| format!("\"{url}\""))
            }
            Value::String(text) => Value::String(without_credentials(text)).to_string(),
            other => other.to_string(),
        }
    }

    /// Every setting for those who ask over HTTP, in the order of the defaults file.
    pub(crate) fn view(&self) -> ConfigView {
        let settings = explained(DEFAULTS).filter_map(|(key, help)| {
            let setting = self.settings.get(key)?;
            let is_secret = SECRETS.contains(&key);
            let (origin, origin_name) = match &setting.origin {
                Origin::Default => (SettingOrigin::Default, None),
                Origin::File(name) => (SettingOrigin::File, Some(name.clone())),
                Origin::Environment(name) => (SettingOrigin::Environment, Some(name.clone())),
                Origin::Flag(name) => (SettingOrigin::Flag, Some(name.clone())),
            };
            let value =
                if is_secret { whether_set(&setting.value) } else { json_of(&setting.value) };
            let key = key.to_owned();
            Some(SettingView { key, value, is_secret, origin, origin_name, help })
        });
        ConfigView { settings: settings.collect() }
    }
}

fn whether_set(value: &Value) -> Json {
    json!(if value.as_str() == Some("") { "not set" } else { "set" })
}

fn json_of(value: &Value) -> Json {
    match value {
        Value::String(text) => json!(without_credentials(text)),
        Value::Integer(number) => json!(number),
        Value::Boolean(flag) => json!(flag),
        Value::Array(words) => words.iter().map(json_of).collect(),
        other => json!(other.to_string()),
    }
}

/// Addresses of other servers may carry what opens them: a user and a password in front, a key behind.
fn without_credentials(text: &str) -> String {
    let Ok(mut url) = Url::parse(text) else { return text.to_owned() };
    if url.username().is_empty() && url.password().is_none() && url.query().is_none() {
        return text.to_owned();
    }
    let taken_out = url.set_username("").is_ok() && url.set_password(None).is_ok();
    url.set_query(None);
    if taken_out { url.to_string() } else { "(hidden)".to_owned() }
}

/// Every key of the defaults file with the comment above it, on one line.
fn explained(defaults: &str) -> impl Iterator<Item = (&str, String)> {
    explained_groups_of(defaults).flat_map(|(keys, help)| {
        keys.into_iter().map(move |(key, _)| (key, help.clone())).collect::<Vec<_>>()
    })
}

/// Keys with their defaults, as the file has them.
type KeysWithDefaults<'a> = Vec<(&'a str, &'a str)>;

/// The settings in the order of the defaults file. Keys without a blank line between them share one comment.
pub(crate) fn explained_groups() -> impl Iterator<Item = (KeysWithDefaults<'static>, String)> {
    explained_groups_of(DEFAULTS)
}

fn explained_groups_of(defaults: &str) -> impl Iterator<Item = (KeysWithDefaults<'_>, String)> {
    let groups = defaults.split("\n\n").map(|paragraph| {
        let comment = paragraph.lines().filter_map(|line| line.strip_prefix('#'));
        let help = comment.map(str::trim).collect::<Vec<_>>().join(" ");
        let keys = paragraph.lines().filter(|line| !line.starts_with('#'));
        (keys.filter_map(|line| line.split_once(" = ")).collect::<Vec<_>>(), help)
    });
    groups.filter(|(keys, _)| !keys.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(environment: &[(&str, &str)]) -> Layers {
        let value = |name: &str| {
            let found = environment.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        Layers::load(None, value, vec![("listen", "127.0.0.1:3".to_owned())]).unwrap()
    }

    fn setting(view: &ConfigView, key: &str) -> SettingView {
        view.settings.iter().find(|setting| setting.key == key).unwrap().clone()
    }

    #[test]
    fn every_setting_is_shown_and_explained() {
        let layers = with(&[]);
        let view = layers.view();
        assert_eq!(view.settings.len(), layers.settings.len());
        for SettingView { key, help, .. } in &view.settings {
            assert!(help.ends_with('.'), "{key}: {help}");
        }
        assert_eq!(setting(&view, "llm_model").help, setting(&view, "llm_url").help);
    }

    #[test]
    fn a_value_says_where_it_came_from() {
        let view = with(&[("UPLOAD_MAX_SIZE_MB", "7")]).view();
        let upload = setting(&view, "upload_max_size_mb");
        assert_eq!((upload.value, upload.origin), (json!(7), SettingOrigin::Environment));
        assert_eq!(upload.origin_name.as_deref(), Some("UPLOAD_MAX_SIZE_MB"));
        let listen = setting(&view, "listen");
        assert_eq!(listen.origin_name.as_deref(), Some("--listen"));
        assert_eq!(setting(&view, "log_level").origin, SettingOrigin::Default);
    }

    #[test]
    fn no_secret_can_be_found_in_what_is_shown() {
        const PLANTED: &str = "hunter2-hunter2-hunter2-hunter2-hunter2";
        let address = format!("https://lovelace:{PLANTED}@models.test/v1?key={PLANTED}");
        let database = format!("postgres://lovelace:{PLANTED}@db/docs");
        let view = with(&[
            ("JWT_SECRET", PLANTED),
            ("DATABASE_URL", &database),
            ("DOCKET_SYSTEM_DATABASE_URL", &database),
            ("DOCKET_MIGRATION_DATABASE_URL", &database),
            ("DOCKET_LLM_API_KEY", PLANTED),
            ("DOCKET_EMBEDDING_API_KEY", PLANTED),
            ("DOCKET_RERANK_API_KEY", PLANTED),
            ("DOCKET_LLM_URL", &address),
        ])
        .view();
        let told = serde_json::to_string(&view).unwrap();
        assert!(!told.contains("hunter2") && !told.contains("lovelace"), "{told}");
        assert_eq!(setting(&view, "jwt_secret").value, "set");
        assert_eq!(setting(&view, "database_url").value, "set");
        assert_eq!(setting(&view, "llm_url").value, "https://models.test/v1");
        assert_eq!(setting(&with(&[]).view(), "jwt_secret").value, "not set");
    }

    #[test]
    fn what_is_named_like_a_secret_is_one() {
        let ends = ["_key", "_secret", "_password", "_token", "database_url"];
        for (key, _) in explained(DEFAULTS) {
            let sounds_secret = ends.iter().any(|end| key.ends_with(end));
            assert!(!sounds_secret || SECRETS.contains(&key), "{key} must be in SECRETS");
        }
    }
}
