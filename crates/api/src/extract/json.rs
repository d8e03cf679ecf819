//! Deserializes JSON with [`Mismatch`] as the error.
//!
//! A type with fields must be an object: a list of field values in order, which `serde_json` also accepts, is rejected.
//! Enums are texts, since no enum in a request has data.

use std::fmt;

use serde::de::value::StringDeserializer;
use serde::de::{
    Deserialize, DeserializeOwned, DeserializeSeed, Deserializer, Expected, IntoDeserializer,
    MapAccess, SeqAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use serde_json::{Number, Value};

use super::mismatch::Mismatch;

/// A JSON document. Unlike [`Value`], it keeps duplicate fields, so that they can be rejected.
enum Json {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

/// Why a body cannot be deserialized.
pub(super) enum BadJson {
    /// The location of the syntax error.
    Syntax {
        line: usize,
        column: usize,
    },
    Mismatch(Mismatch),
}

pub(super) fn from_json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, BadJson> {
    let json: Json = serde_json::from_slice(bytes)
        .map_err(|error| BadJson::Syntax { line: error.line(), column: error.column() })?;
    T::deserialize(json).map_err(BadJson::Mismatch)
}

/// The same for parsed JSON.
pub(crate) fn from_value<T: DeserializeOwned>(value: Value) -> Result<T, Mismatch> {
    T::deserialize(Json::from(value))
}

impl From<Value> for Json {
    fn from(value: Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(bool) => Self::Bool(bool),
            Value::Number(number) => Self::Number(number),
            Value::String(text) => Self::Text(text),
            Value::Array(items) => Self::List(items.into_iter().map(Self::from).collect()),
            Value::Object(fields) => {
                let fields = fields.into_iter().map(|(name, value)| (name, Self::from(value)));
                Self::Object(fields.collect())
            }
        }
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(JsonVisitor)
    }
}

struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Json;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(Number::from_f64(value).map_or(Json::Null, Json::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(Json::Text(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Json, E> {
        Ok(Json::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Json::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Json, A::Error> {
        let mut object = Vec::new();
        while let Some(field) = fields.next_entry()? {
            object.push(field);
        }
        Ok(Json::Object(object))
    }
}

impl<'de> Deserializer<'de> for Json {
    type Error = Mismatch;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        let expected = (&visitor as &dyn Expected).to_string();
        let visited = match self {
            Self::Null => visitor.visit_unit(),
            Self::Bool(value) => visitor.visit_bool(value),
            Self::Number(number) => visit_number(&number, visitor),
            Self::Text(text) => visitor.visit_string(text),
            Self::List(items) => return visit_list(items, visitor),
            Self::Object(fields) => return visitor.visit_map(Fields::of(fields)),
        };
        visited.map_err(|mismatch| mismatch.or_expected(&expected))
    }

    /// Only texts: some types would accept other JSON, such as a list of bytes.
    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        match self {
            text @ Self::Text(_) => text.deserialize_any(visitor),
            _ => Err(Mismatch::wrong_type(&visitor)),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        match self {
            Self::Null => visitor.visit_none(),
            value => visitor.visit_some(value),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        match self {
            Self::Object(fields) => visitor.visit_map(Fields::of(fields)),
            _ => Err(Mismatch::wrong_type(&visitor)),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        match self {
            Self::Text(name) => visitor.visit_enum(text(name)),
            _ => Err(Mismatch::not_one_of(variants)),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char bytes byte_buf unit unit_struct seq tuple tuple_struct
        map identifier ignored_any
    }
}

fn text(value: String) -> StringDeserializer<Mismatch> {
    value.into_deserializer()
}

fn visit_number<'de, V: Visitor<'de>>(number: &Number, visitor: V) -> Result<V::Value, Mismatch> {
    if let Some(value) = number.as_u64() {
        visitor.visit_u64(value)
    } else if let Some(value) = number.as_i64() {
        visitor.visit_i64(value)
    } else {
        visitor.visit_f64(number.as_f64().unwrap_or(f64::NAN))
    }
}

fn visit_list<'de, V: Visitor<'de>>(items: Vec<Json>, visitor: V) -> Result<V::Value, Mismatch> {
    let expected = (&visitor as &dyn Expected).to_string();
    let mut items = Items { rest: items.into_iter(), index: 0 };
    let value = visitor.visit_seq(&mut items)?;
    if items.rest.len() > 0 {
        return Err(Mismatch::wrong_type(&expected.as_str()));
    }
    Ok(value)
}

struct Items {
    rest: std::vec::IntoIter<Json>,
    index: usize,
}

impl<'de> SeqAccess<'de> for Items {
    type Error = Mismatch;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Mismatch> {
        let Some(item) = self.rest.next() else { return Ok(None) };
        let index = self.index;
        self.index += 1;
        seed.deserialize(item).map(Some).map_err(|mismatch| mismatch.within_item(index))
    }
}

struct Fields {
    rest: std::vec::IntoIter<(String, Json)>,
    /// The field whose name was read last.
    current: Option<(String, Json)>,
}

impl Fields {
    fn of(fields: Vec<(String, Json)>) -> Self {
        Self { rest: fields.into_iter(), current: None }
    }
}

impl<'de> MapAccess<'de> for Fields {
    type Error = Mismatch;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Mismatch> {
        self.current = self.rest.next();
        let Some((name, _)) = &self.current else { return Ok(None) };
        seed.deserialize(text(name.clone())).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Mismatch> {
        let (name, value) = self.current.take().unwrap_or((String::new(), Json::Null));
        seed.deserialize(value).map_err(|mismatch| mismatch.within_field(&name))
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;
    use uuid::Uuid;

    use super::super::mismatch::Wording;
    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "the test only checks whether it deserializes")]
    struct Order {
        name: String,
        #[serde(default)]
        count: u8,
        #[serde(default)]
        size: Option<Size>,
        #[serde(default)]
        ids: Vec<Uuid>,
        #[serde(default)]
        area: Option<[f32; 2]>,
        #[serde(default)]
        inner: Option<Box<Order>>,
        #[serde(default)]
        anything: Value,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Size {
        Small,
        Large,
    }

    fn rejection(body: &str) -> String {
        match from_json::<Order>(body.as_bytes()) {
            Ok(order) => panic!("{body} was accepted as {order:?}"),
            Err(BadJson::Syntax { line, column }) => format!("line {line}, column {column}"),
            Err(BadJson::Mismatch(mismatch)) => {
                mismatch.into_sentence(Wording { field: "field", whole: "The body" })
            }
        }
    }

    #[test]
    fn a_rejection_names_the_field_and_what_is_expected() {
        let cases = [
            ("{\"name\": ", "line 1, column 9"),
            ("[]", "The body must be an object."),
            ("[\"a\", 1]", "The body must be an object."),
            ("null", "The body must be an object."),
            ("{}", "name is required."),
            ("{\"name\": {}}", "name must be a text."),
            ("{\"name\": \"a\", \"name\": \"b\"}", "name is given more than once."),
            ("{\"name\": \"a\", \"count\": 1.5}", "count must be a whole number."),
            ("{\"name\": \"a\", \"count\": 256}", "count is too small or too large."),
            ("{\"name\": \"a\", \"count\": -1}", "count is too small or too large."),
            ("{\"name\": \"a\", \"size\": \"tiny\"}", "size must be one of small, large."),
            ("{\"name\": \"a\", \"size\": 7}", "size must be one of small, large."),
            ("{\"name\": \"a\", \"area\": [1]}", "area must be a list of 2 values."),
            ("{\"name\": \"a\", \"area\": [1, 2, 3]}", "area must be a list of 2 values."),
            (
                "{\"name\": \"a\", \"ids\": [\"b1\"]}",
                "ids[0] must be a UUID, such as 0199a2c4-7f3a-7cc1-8a52-5d1f0c3b9e21.",
            ),
            (
                "{\"name\": \"a\", \"ids\": [[1]]}",
                "ids[0] must be a UUID, such as 0199a2c4-7f3a-7cc1-8a52-5d1f0c3b9e21.",
            ),
            (
                "{\"name\": \"a\", \"inner\": {\"name\": \"b\", \"ids\": 7}}",
                "inner.ids must be a list.",
            ),
            (
                "{\"name\": \"a\", \"inner\": {\"colour\": 7}}",
                "Unknown field inner.colour. Known: name, count, size, ids, area, inner, anything.",
            ),
        ];
        for (body, sentence) in cases {
            assert_eq!(rejection(body), sentence, "{body}");
        }
    }

    #[test]
    fn a_matching_body_is_accepted_and_free_content_is_unchanged() {
        let free = json!({"a": [1, -1, 1.5, null, true, "x"], "b": {"c": {}}});
        let body = json!({
            "name": "a", "count": 255, "size": "large", "ids": [Uuid::nil()], "area": [1, 2.5],
            "inner": {"name": "b", "size": null}, "anything": free,
        });
        let order: Order = from_value(body.clone()).unwrap();
        assert_eq!(order.anything, free);
        let same: Value = from_value(body.clone()).unwrap();
        assert_eq!(same, body);
    }
}
