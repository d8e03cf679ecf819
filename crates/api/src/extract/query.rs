//! The query string.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use serde::de::value::StringDeserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, Expected, IntoDeserializer, MapAccess, Visitor,
};
use serde::forward_to_deserialize_any;

use super::mismatch::{Mismatch, Wording};
use crate::problem::ApiProblem;

#[derive(Debug)]
pub(crate) struct Query<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Query<T> {
    type Rejection = ApiProblem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiProblem> {
        // PostgreSQL cannot store NUL in texts, so nothing could match.
        if parts.uri.query().is_some_and(|query| query.contains("%00")) {
            return Err(ApiProblem::invalid(
                "The query string contains a NUL character. Remove it.",
            ));
        }
        let pairs = axum::extract::Query::<Vec<(String, String)>>::try_from_uri(&parts.uri);
        let axum::extract::Query(pairs) = pairs
            .map_err(|_| ApiProblem::invalid("The query string must have the form name=value&…"))?;
        let wording = Wording { field: "query parameter", whole: "The query string" };
        T::deserialize(Parameters { rest: pairs.into_iter(), current: None })
            .map(Self)
            .map_err(|mismatch| mismatch.into_problem(wording))
    }
}

/// Names and values, in the order of the query string.
struct Parameters {
    rest: std::vec::IntoIter<(String, String)>,
    /// The parameter whose name was read last.
    current: Option<(String, String)>,
}

impl<'de> Deserializer<'de> for Parameters {
    type Error = Mismatch;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        visitor.visit_map(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de> MapAccess<'de> for Parameters {
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
        let (name, value) = self.current.take().unwrap_or_default();
        seed.deserialize(Parameter(value)).map_err(|mismatch| mismatch.within_field(&name))
    }
}

fn text(value: String) -> StringDeserializer<Mismatch> {
    value.into_deserializer()
}

/// The text of one value.
struct Parameter(String);

macro_rules! whole_numbers {
    ($($deserialize:ident $visit:ident $number:ty),+ $(,)?) => { $(
        fn $deserialize<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
            match self.0.parse::<$number>() {
                Ok(number) => visitor.$visit(number),
                Err(_) if is_whole_number(&self.0) => Err(Mismatch::out_of_range()),
                Err(_) => Err(Mismatch::wrong_type(&visitor)),
            }
        }
    )+ };
}

macro_rules! parsed {
    ($($deserialize:ident $visit:ident $parsed:ty),+ $(,)?) => { $(
        fn $deserialize<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
            match self.0.parse::<$parsed>() {
                Ok(value) => visitor.$visit(value),
                Err(_) => Err(Mismatch::wrong_type(&visitor)),
            }
        }
    )+ };
}

fn is_whole_number(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

impl<'de> Deserializer<'de> for Parameter {
    type Error = Mismatch;

    whole_numbers! {
        deserialize_u8 visit_u8 u8, deserialize_u16 visit_u16 u16, deserialize_u32 visit_u32 u32,
        deserialize_u64 visit_u64 u64, deserialize_i8 visit_i8 i8, deserialize_i16 visit_i16 i16,
        deserialize_i32 visit_i32 i32, deserialize_i64 visit_i64 i64,
    }

    parsed! {
        deserialize_bool visit_bool bool, deserialize_f32 visit_f32 f32, deserialize_f64 visit_f64 f64,
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        let expected = (&visitor as &dyn Expected).to_string();
        visitor.visit_string(self.0).map_err(|mismatch: Mismatch| mismatch.or_expected(&expected))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        visitor.visit_enum(text(self.0))
    }

    forward_to_deserialize_any! {
        i128 u128 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use api_types::{DocumentQuery, SearchMode, SearchQuery};
    use axum::http::Request;

    use super::*;

    async fn read<T: DeserializeOwned>(query: &str) -> Result<T, (String, Option<String>)> {
        let (mut parts, ()) =
            Request::builder().uri(format!("/?{query}")).body(()).unwrap().into_parts();
        match Query::<T>::from_request_parts(&mut parts, &()).await {
            Ok(Query(value)) => Ok(value),
            Err(problem) => Err((problem.detail, problem.field.map(Into::into))),
        }
    }

    #[tokio::test]
    async fn query_parameters_are_read_by_name() {
        let read: SearchQuery = read("query=a+b%26c&limit=7&mode=lexical&tag=x").await.unwrap();
        assert_eq!((read.query.as_str(), read.limit), ("a b&c", Some(7)));
        assert_eq!((read.mode, read.tag.as_deref()), (SearchMode::Lexical, Some("x")));
    }

    #[tokio::test]
    async fn a_rejection_names_the_parameter_and_what_is_expected() {
        let cases = [
            ("limit=abc", "limit", "limit must be a whole number."),
            ("limit=", "limit", "limit must be a whole number."),
            ("limit=-1", "limit", "limit is too small or too large."),
            ("limit=99999999999", "limit", "limit is too small or too large."),
            ("page=1&page=2", "page", "page is given more than once."),
            (
                "batch_id=b1",
                "batch_id",
                "batch_id must be a UUID, such as 0199a2c4-7f3a-7cc1-8a52-5d1f0c3b9e21.",
            ),
            (
                "from=yesterday",
                "from",
                "from must be a date and time with a time zone, such as 2026-02-15T12:00:00Z.",
            ),
            (
                "status=gone",
                "status",
                "status must be one of active, uploaded, processing, failed, inactive, rejected, all.",
            ),
        ];
        for (query, field, sentence) in cases {
            let refused = read::<DocumentQuery>(query).await.unwrap_err();
            assert_eq!(refused, (sentence.to_owned(), Some(field.to_owned())), "{query}");
        }
        let (sentence, field) = read::<DocumentQuery>("colour=red").await.unwrap_err();
        assert!(sentence.starts_with("Unknown query parameter colour. Known: status, "));
        assert_eq!(field.as_deref(), Some("colour"));
        let (sentence, _) = read::<SearchQuery>("limit=1").await.unwrap_err();
        assert_eq!(sentence, "query is required.");
    }
}
