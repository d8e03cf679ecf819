//! Text and JSON that PostgreSQL can store: NUL characters, which may occur in documents and in the output of crashed
//! programs, are replaced by spaces, so that offsets stay the same.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value;

pub(crate) fn text(text: &str) -> Cow<'_, str> {
    if text.contains('\0') { text.replace('\0', " ").into() } else { text.into() }
}

/// A value that JSON cannot represent becomes null; no stored type has such values.
pub(crate) fn json(stored: &impl Serialize) -> Value {
    value(serde_json::to_value(stored).unwrap_or_default())
}

pub(crate) fn value(mut value: Value) -> Value {
    clean(&mut value);
    value
}

fn clean(value: &mut Value) {
    match value {
        Value::String(text) if text.contains('\0') => *text = text.replace('\0', " "),
        Value::Array(values) => values.iter_mut().for_each(clean),
        Value::Object(fields) => {
            fields.values_mut().for_each(clean);
            if fields.keys().any(|name| name.contains('\0')) {
                let named = std::mem::take(fields).into_iter();
                fields.extend(named.map(|(name, value)| (text(&name).into_owned(), value)));
            }
        }
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn nul_is_replaced_by_a_space() {
        assert_eq!(text("a\0b"), "a b");
        let found = json!({ "pages": [{ "ti\0tle": "\0", "text": "as it was" }], "count": 2 });
        let stored = json!({ "pages": [{ "ti tle": " ", "text": "as it was" }], "count": 2 });
        assert_eq!(value(found), stored);
    }
}
