//! Values and where they came from.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::path::Path;

use toml::{Table, Value};

use super::ConfigError;
use super::other_names::{OTHER_NAMES, refuse_replaced};

pub(super) const DEFAULTS: &str = include_str!("defaults.toml");

#[derive(Clone, Debug)]
pub(super) enum Origin {
    Default,
    File(String),
    Environment(String),
    Flag(String),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File(file) => f.write_str(file),
            Self::Environment(name) => f.write_str(name),
            Self::Flag(flag) => f.write_str(flag),
        }
    }
}

#[derive(Debug)]
pub(super) struct Setting {
    pub(super) value: Value,
    pub(super) origin: Origin,
}

/// The values given on the command line, by key.
pub(crate) type Flags = Vec<(&'static str, String)>;

/// Every setting, from the highest layer that has it.
#[derive(Debug)]
pub(crate) struct Layers {
    pub(super) settings: BTreeMap<String, Setting>,
}

impl Layers {
    pub(crate) fn load(
        file: Option<&Path>,
        environment: impl Fn(&str) -> Option<String>,
        flags: Flags,
    ) -> Result<Self, ConfigError> {
        let mut layers = Self::defaults();
        if let Some(file) = file {
            layers.add_file(file)?;
        }
        layers.add_environment(environment)?;
        for (key, value) in flags {
            let origin = Origin::Flag(format!("--{}", key.replace('_', "-")));
            layers.set_text(key, &value, origin)?;
        }
        Ok(layers)
    }

    fn defaults() -> Self {
        // Parsed by a test as well: it cannot fail in a build that passed.
        let table: Table = DEFAULTS.parse().unwrap_or_default();
        let settings = table
            .into_iter()
            .map(|(key, value)| (key, Setting { value, origin: Origin::Default }))
            .collect();
        Self { settings }
    }

    fn add_file(&mut self, file: &Path) -> Result<(), ConfigError> {
        let shown = file.display().to_string();
        let text = std::fs::read_to_string(file).map_err(|error| ConfigError::Unreadable {
            file: shown.clone(),
            reason: error.to_string(),
        })?;
        let table: Table =
            text.parse().map_err(|error: toml::de::Error| ConfigError::NotUnderstood {
                file: shown.clone(),
                line: line_of(&text, error.span()),
                reason: error.message().to_owned(),
            })?;
        for (key, value) in table {
            let Some(setting) = self.settings.get_mut(&key) else {
                let suggestion = self.suggestion(&key);
                return Err(ConfigError::UnknownKey { file: shown, key, suggestion });
            };
            let fits = setting.value.same_type(&value);
            *setting = Setting { value, origin: Origin::File(shown.clone()) };
            if !fits {
                return Err(self.refuse(&key, Self::wanted(&key)));
            }
        }
        Ok(())
    }

    fn add_environment(
        &mut self,
        environment: impl Fn(&str) -> Option<String>,
    ) -> Result<(), ConfigError> {
        refuse_replaced(&environment)?;
        for other in OTHER_NAMES {
            if let Some(text) = environment(other.name) {
                let origin = Origin::Environment(other.name.to_owned());
                self.set_text(other.key, &other.value_of(text), origin)?;
            }
        }
        let own_names: Vec<(String, String)> =
            self.settings.keys().map(|key| (own_name(key), key.clone())).collect();
        for (name, key) in own_names {
            if let Some(text) = environment(&name) {
                self.set_text(&key, &text, Origin::Environment(name))?;
            }
        }
        Ok(())
    }

    /// Reads text as the kind of value that the default is.
    fn set_text(&mut self, key: &str, text: &str, origin: Origin) -> Result<(), ConfigError> {
        let Some(setting) = self.settings.get_mut(key) else { return Ok(()) };
        let value = match &setting.value {
            Value::Boolean(_) => match text {
                "true" | "1" | "yes" | "on" => Some(Value::Boolean(true)),
                "false" | "0" | "no" | "off" => Some(Value::Boolean(false)),
                _ => None,
            },
            Value::Integer(_) => text.trim().parse().ok().map(Value::Integer),
            Value::Array(_) => Some(words_of(text)),
            _ => Some(Value::String(text.to_owned())),
        };
        let fits = value.is_some();
        *setting =
            Setting { value: value.unwrap_or_else(|| Value::String(text.to_owned())), origin };
        if fits { Ok(()) } else { Err(self.refuse(key, Self::wanted(key))) }
    }

    fn wanted(key: &str) -> &'static str {
        match Self::defaults().settings.get(key).map(|setting| &setting.value) {
            Some(Value::Boolean(_)) => "write true or false",
            Some(Value::Integer(_)) => "write a whole number",
            Some(Value::Array(_)) => "write a list of words: [\"one\", \"two\"]",
            _ => "write text in quotes",
        }
    }

    /// The known key that is spelled most alike, if any is.
    fn suggestion(&self, key: &str) -> String {
        let nearest = self.settings.keys().min_by_key(|known| distance(known, key));
        match nearest.filter(|known| distance(known, key) <= 3) {
            Some(known) => format!("; did you mean '{known}'?"),
            None => String::new(),
        }
    }

    pub(crate) fn text(&self, key: &str) -> Result<&str, ConfigError> {
        let value = self.settings.get(key).and_then(|setting| setting.value.as_str());
        value.ok_or_else(|| self.refuse(key, "write text in quotes"))
    }

    pub(crate) fn words(&self, key: &str) -> Result<Vec<&str>, ConfigError> {
        let list = self.settings.get(key).and_then(|setting| setting.value.as_array());
        let words = list.and_then(|list| list.iter().map(Value::as_str).collect());
        words.ok_or_else(|| self.refuse(key, Self::wanted(key)))
    }

    pub(crate) fn flag(&self, key: &str) -> Result<bool, ConfigError> {
        let value = self.settings.get(key).and_then(|setting| setting.value.as_bool());
        value.ok_or_else(|| self.refuse(key, "write true or false"))
    }

    pub(crate) fn number(&self, key: &str, least: u32, most: u32) -> Result<u32, ConfigError> {
        let value = self.settings.get(key).and_then(|setting| setting.value.as_integer());
        value
            .and_then(|number| u32::try_from(number).ok())
            .filter(|number| (least..=most).contains(number))
            .ok_or_else(|| self.refuse(key, format!("write a whole number from {least} to {most}")))
    }

    pub(crate) fn refuse(&self, key: &str, fix: impl ToString) -> ConfigError {
        let origin = self.settings.get(key).map_or(Origin::Default, |found| found.origin.clone());
        ConfigError::Refused {
            key: key.to_owned(),
            value: self.shown(key),
            origin: origin.to_string(),
            fix: fix.to_string(),
        }
    }

    /// Variables that look like ours and are not: most likely a typing error.
    pub(crate) fn unknown_variables(
        &self,
        names: impl Iterator<Item = String>,
    ) -> impl Iterator<Item = String> {
        /// Read elsewhere: the first password, the file of settings, what reading uses, by the commands that talk to a
        /// server, and by the build.
        const ELSEWHERE: [&str; 14] = [
            "ADMIN_PASSWORD",
            "CONFIG",
            "CONFIG_HOME",
            "CORPUS",
            "FILE_PASSWORD",
            "OCR_MODELS",
            "PDFIUM",
            "PASSWORD",
            "POSTGRES_BUNDLE",
            "SERVER",
            "TESSERACT",
            "TOKEN",
            "TOOLS",
            "TOOLS_READY",
        ];
        names.filter_map(|name| {
            let rest = name.strip_prefix("DOCKET_")?;
            let known = self.settings.contains_key(&rest.to_lowercase());
            (!known && !ELSEWHERE.contains(&rest)).then(|| {
                format!("{name} is not a setting{}", self.suggestion(&rest.to_lowercase()))
            })
        })
    }
}

/// `ingest, index`
fn words_of(text: &str) -> Value {
    let words = text.split(',').map(str::trim).filter(|word| !word.is_empty());
    Value::Array(words.map(|word| Value::String(word.to_owned())).collect())
}

/// The line, counted from 1, that a place in the text is in.
fn line_of(text: &str, place: Option<Range<usize>>) -> usize {
    let before = place.and_then(|place| text.get(..place.start)).unwrap_or_default();
    before.matches('\n').count() + 1
}

fn own_name(key: &str) -> String {
    format!("DOCKET_{}", key.to_uppercase())
}

/// How many letters must be changed, added or left out to make one word of the other.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in other.iter().enumerate() {
            let replaced = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::io::Write;

    use super::super::Config;
    use super::*;

    fn with(environment: &[(&str, &str)], flags: Flags) -> Result<Layers, ConfigError> {
        let environment: HashMap<String, String> =
            environment.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        Layers::load(None, |name| environment.get(name).cloned(), flags)
    }

    fn refusal(environment: &[(&str, &str)]) -> String {
        let layers = match with(environment, Vec::new()) {
            Ok(layers) => layers,
            Err(error) => return error.to_string(),
        };
        Config::from_layers(&layers).unwrap_err().to_string()
    }

    #[test]
    fn the_defaults_are_a_working_configuration() {
        let config = Config::from_layers(&Layers::defaults()).unwrap();
        assert_eq!(config.listen.to_string(), "127.0.0.1:8080");
        assert!(config.auth.enabled);
        assert!(config.database.url.is_none());
    }

    #[test]
    fn a_flag_beats_the_environment_which_beats_the_file() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        writeln!(file, "listen = \"127.0.0.1:1\"\njwt_expiry_hours = 2\nlog_level = \"warn\"")
            .unwrap();
        let environment = |name: &str| match name {
            "DOCKET_LISTEN" => Some("127.0.0.1:2".to_owned()),
            "JWT_EXPIRY_HOURS" => Some("3".to_owned()),
            _ => None,
        };
        let flags = vec![("listen", "127.0.0.1:3".to_owned())];
        let layers = Layers::load(Some(file.path()), environment, flags).unwrap();
        assert_eq!(layers.text("listen").unwrap(), "127.0.0.1:3");
        assert_eq!(layers.number("jwt_expiry_hours", 1, 9).unwrap(), 3);
        assert_eq!(layers.text("log_level").unwrap(), "warn");
    }

    #[test]
    fn our_own_name_beats_the_other_name() {
        let layers =
            with(&[("JWT_EXPIRY_HOURS", "3"), ("DOCKET_JWT_EXPIRY_HOURS", "4")], Vec::new());
        assert_eq!(layers.unwrap().number("jwt_expiry_hours", 1, 9).unwrap(), 4);
    }

    #[test]
    fn a_wrong_value_is_refused_by_key_value_origin_and_fix() {
        assert_eq!(
            refusal(&[("DOCKET_LISTEN", "here")]),
            "listen = \"here\" (from DOCKET_LISTEN) does not work: write an address of this machine \
             and a port: 127.0.0.1:8080"
        );
        assert_eq!(
            refusal(&[("JWT_EXPIRY_HOURS", "soon")]),
            "jwt_expiry_hours = \"soon\" (from JWT_EXPIRY_HOURS) does not work: write a whole number"
        );
        assert_eq!(
            refusal(&[("DOCKET_BLOB_URL", "ftp://x")]),
            "blob_url = \"ftp://x\" (from DOCKET_BLOB_URL) does not work: write file:///folder, \
             s3://bucket/prefix or gs://bucket/prefix"
        );
    }

    #[test]
    fn a_secret_does_not_show_in_its_own_refusal() {
        let text = refusal(&[("JWT_SECRET", "hunter2")]);
        assert!(text.starts_with("jwt_secret = (hidden) (from JWT_SECRET)"), "{text}");
        let layers =
            with(&[("DATABASE_URL", "postgres://ada:hunter2@db/docs")], Vec::new()).unwrap();
        let shown: Vec<String> = layers.lines().collect();
        assert!(shown.contains(
            &"database_url = \"postgres://ada@db:5432/docs\"  # DATABASE_URL".to_owned()
        ));
    }

    #[test]
    fn an_unknown_key_gets_the_nearest_known_one() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        writeln!(file, "lisen = \"127.0.0.1:1\"").unwrap();
        let error = Layers::load(Some(file.path()), |_| None, Vec::new()).unwrap_err().to_string();
        assert!(error.contains("unknown key 'lisen'; did you mean 'listen'?"), "{error}");
        let unknown: Vec<String> = Layers::defaults()
            .unknown_variables(
                ["DOCKET_LISEN", "DOCKET_CONFIG", "HOME"].map(str::to_owned).into_iter(),
            )
            .collect();
        assert_eq!(unknown, ["DOCKET_LISEN is not a setting; did you mean 'listen'?"]);
    }

    #[test]
    fn a_pipeline_is_a_list_of_stages() {
        let layers = with(&[("DOCKET_PIPELINE", "ingest, index")], Vec::new()).unwrap();
        let config = Config::from_layers(&layers).unwrap();
        let names: Vec<&str> = config.work.pipeline.iter().map(domain::StageName::as_str).collect();
        assert_eq!(names, ["ingest", "index"]);
        assert_eq!(
            refusal(&[("DOCKET_PIPELINE", "Ingest")]),
            "pipeline = [\"Ingest\"] (from DOCKET_PIPELINE) does not work: 'Ingest' is not the name of \
             a stage: use lower-case letters, digits and underscores"
        );
        assert!(refusal(&[("DOCKET_PIPELINE", "ocr,ocr")]).ends_with("is in the pipeline twice"));
    }

    #[test]
    fn the_workers_settings_are_known_by_the_names_of_other_deployments() {
        let layers = with(
            &[
                ("WORKER_MAX_CONCURRENT_JOBS", "7"),
                ("CRASH_GUARD_QUEUED_TTL_HOURS", "2"),
                ("CRASH_GUARD_RUNNING_STALE_MIN", "30"),
            ],
            Vec::new(),
        );
        let work = Config::from_layers(&layers.unwrap()).unwrap().work;
        assert_eq!(work.max_jobs, 7);
        assert_eq!(work.stale.queued, std::time::Duration::from_hours(2));
        assert_eq!(work.stale.running, std::time::Duration::from_mins(30));
        assert!(
            refusal(&[("WORKER_MAX_CONCURRENT_JOBS", "0")])
                .ends_with("write a whole number from 1 to 1000")
        );
    }

    #[test]
    fn no_authentication_only_on_loopback() {
        let text = refusal(&[("AUTH_ENABLED", "false"), ("DOCKET_LISTEN", "0.0.0.0:8080")]);
        assert!(text.contains("listens on a loopback address only"), "{text}");
        let layers = with(&[("AUTH_ENABLED", "false")], Vec::new()).unwrap();
        assert!(!Config::from_layers(&layers).unwrap().auth.enabled);
    }
}
