//! Interprets unsuccessful answers.
//!
//! The services use status codes differently (an account without credit is 402, 403, 429 or 400), so the text of the
//! answer is considered as well.

use std::time::Duration;

use chrono::DateTime;
use reqwest::header::{self, HeaderMap};
use serde_json::Value;

use crate::{ModelError, Service};

/// A refusal: the answer to a request, or an event within a stream.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) status: u16,
    pub(crate) retry_after: Option<Duration>,
    /// JSON, or any text from a proxy.
    pub(crate) body: String,
}

impl Refusal {
    /// The error for a caller of `service` at `url`.
    pub(crate) fn into_error(self, service: &Service, url: &str) -> ModelError {
        let server = service.server();
        let model = service.model.clone();
        let document = serde_json::from_str(&self.body).unwrap_or(Value::String(self.body));
        let words = words_of(&document).to_lowercase();
        let message = quote(message_of(&document), service);
        let (status, retry_after) = (self.status, self.retry_after);
        if is_out_of_quota(status, &words) {
            return ModelError::OutOfQuota { server, message };
        }
        match status {
            401 | 403 if service.key.is_none() => ModelError::KeyMissing { server },
            // Without the server's text, which may contain parts of the key.
            401 => ModelError::KeyRefused { server },
            403 => ModelError::NotAllowed { server, model, message },
            400 | 404 if is_about_the_model(&words, &model) => {
                ModelError::UnknownModel { server, model, message }
            }
            300..=399 | 404 | 405 => {
                ModelError::WrongAddress { url: url.to_owned(), status, message }
            }
            429 => ModelError::Busy { server, retry_after, message },
            500.. => ModelError::ServerError { server, status, retry_after, message },
            _ => ModelError::Refused { server, status, message },
        }
    }
}

fn is_out_of_quota(status: u16, words: &str) -> bool {
    const SIGNS: [&str; 3] = ["insufficient_quota", "credit balance", "billing_error"];
    status == 402 || (status < 500 && SIGNS.iter().any(|sign| words.contains(sign)))
}

/// Not every message with "model" in it: a model that lacks a feature is not an unknown model.
fn is_about_the_model(words: &str, model: &str) -> bool {
    const SIGNS: [&str; 4] = ["not found", "not_found", "does not exist", "unknown model"];
    let named = words.contains("model") || words.contains(&model.to_lowercase());
    named && SIGNS.iter().any(|sign| words.contains(sign))
}

/// The reason, which the services put in `{"error": {"message"}}`, `{"error"}`, `{"message"}` or `{"detail"}`.
fn message_of(document: &Value) -> &str {
    let places = ["/error/message", "/error", "/message", "/detail"];
    let message = places.iter().find_map(|place| document.pointer(place)?.as_str());
    message.or(document.as_str()).unwrap_or_default()
}

/// The text to classify a refusal by: the message, and the error's type and code.
fn words_of(document: &Value) -> String {
    let names = ["/error/type", "/error/code", "/code", "/type"];
    let mut words = message_of(document).to_owned();
    for name in names.iter().filter_map(|place| document.pointer(place)?.as_str()) {
        words.push(' ');
        words.push_str(name);
    }
    words
}

/// Quotes the server's text as a sentence.
pub(crate) fn quote(words: &str, service: &Service) -> String {
    match shown(words, service).as_str() {
        "" => "It gave no reason.".to_owned(),
        words => format!("It says: \u{201c}{words}\u{201d}"),
    }
}

/// The server's text for display: on one line, shortened, without the key.
pub(crate) fn shown(words: &str, service: &Service) -> String {
    const LONGEST: usize = 300;
    let key = service.key.as_ref().map(|key| key.reveal().trim()).filter(|key| !key.is_empty());
    let words = key.map_or_else(|| words.to_owned(), |key| words.replace(key, "[key]"));
    let line = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut characters = line.chars().filter(|c| !c.is_control());
    let mut shown: String = characters.by_ref().take(LONGEST).collect();
    if characters.next().is_some() {
        shown.push('…');
    }
    shown
}

/// How long the server asks to wait.
///
/// A point in time is compared with the server's own `Date`, because its clock may differ from ours.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name| headers.get(name)?.to_str().ok();
    if let Some(milliseconds) = text("retry-after-ms").and_then(|ms| ms.trim().parse().ok()) {
        return Some(Duration::from_millis(milliseconds));
    }
    let asked = text(header::RETRY_AFTER.as_str())?.trim();
    if let Ok(seconds) = asked.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let until = DateTime::parse_from_rfc2822(asked).ok()?;
    let now = DateTime::parse_from_rfc2822(text(header::DATE.as_str())?).ok()?;
    Some((until - now).to_std().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use domain::Secret;

    use super::*;
    use crate::Limits;

    fn service() -> Service {
        let at = "http://models.example".parse().unwrap();
        Service::new(at, "small", Limits::COMPLETION).with_key(Secret::new("sk-123"))
    }

    fn error(status: u16, body: &str) -> ModelError {
        let refusal = Refusal { status, retry_after: None, body: body.to_owned() };
        refusal.into_error(&service(), "http://models.example/v1/x")
    }

    #[test]
    fn the_text_decides_where_the_status_does_not() {
        let anthropic = r#"{"type":"error","error":{"type":"invalid_request_error","message":
            "Your credit balance is too low to access the API"}}"#;
        assert!(matches!(error(400, anthropic), ModelError::OutOfQuota { .. }));
        let openai = r#"{"error":{"message":"You exceeded it","code":"insufficient_quota"}}"#;
        assert!(matches!(error(429, openai), ModelError::OutOfQuota { .. }));
        let rate = r#"{"error":{"message":"TimeoutPhase down","code":"rate_limit_exceeded"}}"#;
        assert!(matches!(error(429, rate), ModelError::Busy { .. }));
    }

    #[test]
    fn a_missing_model_is_distinguished_from_a_missing_page() {
        let ollama = r#"{"error":{"message":"model \"small\" not found, try pulling it first"}}"#;
        assert!(matches!(error(404, ollama), ModelError::UnknownModel { .. }));
        let anthropic =
            r#"{"type":"error","error":{"type":"not_found_error","message":"model: small"}}"#;
        assert!(matches!(error(404, anthropic), ModelError::UnknownModel { .. }));
        let page = r#"{"detail":"Not Found"}"#;
        assert!(matches!(error(404, page), ModelError::WrongAddress { .. }));
        let cannot = r#"{"error":{"message":"this model does not support tools"}}"#;
        assert!(matches!(error(400, cannot), ModelError::Refused { .. }));
    }

    #[test]
    fn a_key_in_the_servers_text_is_removed() {
        let shown = error(400, r#"{"error":"the key sk-123 is odd"}"#).to_string();
        assert!(shown.contains("the key [key] is odd"), "{shown}");
    }

    #[test]
    fn a_long_text_is_shortened_to_one_line() {
        let shown = error(500, &"<p>\n oh\tno ".repeat(1000)).to_string();
        assert!(shown.contains("<p> oh no <p>") && shown.contains('…'), "{shown}");
        assert!(shown.len() < 500 && !shown.contains('\n'), "{shown}");
    }

    #[test]
    fn retry_after_is_read_in_all_its_forms() {
        let asked = |headers: &[(&'static str, &'static str)]| {
            let map = headers.iter().map(|(name, value)| {
                (header::HeaderName::from_static(name), header::HeaderValue::from_static(value))
            });
            retry_after(&map.collect())
        };
        let date = ("date", "Fri, 31 Dec 1999 23:59:00 GMT");
        assert_eq!(asked(&[("retry-after", "12")]), Some(Duration::from_secs(12)));
        assert_eq!(asked(&[("retry-after-ms", "250")]), Some(Duration::from_millis(250)));
        let until = ("retry-after", "Fri, 31 Dec 1999 23:59:59 GMT");
        assert_eq!(asked(&[until, date]), Some(Duration::from_secs(59)));
        let past = ("retry-after", "Fri, 31 Dec 1999 23:00:00 GMT");
        assert_eq!(asked(&[past, date]), Some(Duration::ZERO));
        assert_eq!(asked(&[until]), None);
        assert_eq!(asked(&[("retry-after", "soon"), date]), None);
    }
}
