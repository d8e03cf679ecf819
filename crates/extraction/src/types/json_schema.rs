//! The JSON Schema of a document type: what of draft 2020-12 it may use, and its compiled form.
//!
//! A schema comes from a user, so it must not reach other servers or files, loop, or grow while it is used. References
//! lead within the schema and never back to where they came from; [`inspect`] refuses others before the schema is
//! compiled. The values of a document are nested only as deep as the names of its fields, so no type needs recursion.

use std::collections::BTreeMap;

use jsonschema::{Draft, PatternOptions, Retrieve, Uri, Validator};
use serde_json::{Map, Value};

use super::patterns::MAX_COMPILED;
use super::validation::TypeProblem;

/// Subschemas within one schema.
const MAX_SUBSCHEMAS: usize = 2_000;
/// Subschemas within each other, references followed.
const MAX_DEPTH: usize = 32;
/// Subschemas that checking one value may visit, references followed.
const MAX_COST: u64 = 10_000;
/// `pattern` keywords, and keys of `patternProperties`.
const MAX_PATTERNS: usize = 100;

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// Keywords whose value is a schema.
const ONE: [&str; 11] = [
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];
/// Keywords whose value is a list of schemas.
const LIST: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];
/// Keywords whose value is an object of schemas.
const NAMED: [&str; 3] = ["dependentSchemas", "patternProperties", "properties"];
/// Keywords whose schemas are used only by reference.
const DEFINITIONS: [&str; 2] = ["$defs", "definitions"];
/// Keywords that are refused: they make references whose target depends on how the schema was reached.
const REFUSED: [&str; 7] = [
    "$anchor",
    "$dynamicAnchor",
    "$dynamicRef",
    "$recursiveAnchor",
    "$recursiveRef",
    "$vocabulary",
    "dependencies",
];

/// A subschema, and what it leads to.
struct Subschema<'a> {
    schema: &'a Value,
    /// JSON Pointers of the subschemas that are applied with it.
    parts: Vec<String>,
    /// The JSON Pointer that `$ref` names.
    reference: Option<String>,
}

/// By JSON Pointer; the root is the empty one.
type Subschemas<'a> = BTreeMap<String, Subschema<'a>>;

/// A schema that [`inspect`] found harmless.
pub(super) struct Inspected<'a> {
    schema: &'a Value,
    subschemas: Subschemas<'a>,
}

/// Finds what makes a schema unusable, without compiling it.
pub(super) fn inspect(schema: &Value) -> Result<Inspected<'_>, Vec<TypeProblem>> {
    let mut collected = Collector::default();
    collected.collect(schema, String::new());
    if collected.problems.is_empty() && collected.found.len() > MAX_SUBSCHEMAS {
        let message =
            format!("the schema has more than {MAX_SUBSCHEMAS} subschemas; make it smaller");
        collected.problems.push(TypeProblem::new("schema", message));
    }
    if collected.problems.is_empty() && collected.patterns > MAX_PATTERNS {
        let message = format!("the schema has more than {MAX_PATTERNS} patterns; use fewer");
        collected.problems.push(TypeProblem::new("schema", message));
    }
    for (pointer, subschema) in &collected.found {
        let Some(target) = &subschema.reference else { continue };
        if !collected.found.contains_key(target) {
            let message = format!(
                "'$ref' names '#{target}', which is not a schema in this document; define it under '$defs'"
            );
            collected.problems.push(TypeProblem::new(path(pointer), message));
        }
    }
    if collected.problems.is_empty() {
        let mut sizes = BTreeMap::new();
        for pointer in collected.found.keys() {
            if let Err(problem) = measure(&collected.found, pointer, 1, &mut sizes) {
                collected.problems.push(problem);
                break;
            }
        }
    }
    if collected.problems.is_empty() {
        Ok(Inspected { schema, subschemas: collected.found })
    } else {
        Err(collected.problems)
    }
}

#[derive(Default)]
struct Collector<'a> {
    found: Subschemas<'a>,
    patterns: usize,
    problems: Vec<TypeProblem>,
}

impl<'a> Collector<'a> {
    /// Adds `schema` and everything below it. The depth is that of the JSON text, which its parser limits.
    fn collect(&mut self, schema: &'a Value, pointer: String) {
        if self.found.len() > MAX_SUBSCHEMAS {
            return;
        }
        let mut parts = Vec::new();
        let mut reference = None;
        if let Value::Object(keywords) = schema {
            reference = self.check_keywords(keywords, &pointer);
            let below = |name: &str| format!("{pointer}/{}", escaped(name));
            for (name, value) in keywords {
                let (is_applied, subschemas) = subschemas_of(name, value);
                for (key, subschema) in subschemas {
                    let at = match key {
                        Some(key) => format!("{}/{}", below(name), escaped(&key)),
                        None => below(name),
                    };
                    if is_applied {
                        parts.push(at.clone());
                    }
                    self.collect(subschema, at);
                }
            }
        }
        self.found.insert(pointer, Subschema { schema, parts, reference });
    }

    /// Refuses keywords that lead out of the schema. Returns the target of `$ref`.
    fn check_keywords(&mut self, keywords: &Map<String, Value>, pointer: &str) -> Option<String> {
        let mut refuse =
            |message: String| self.problems.push(TypeProblem::new(path(pointer), message));
        for keyword in REFUSED.into_iter().filter(|keyword| keywords.contains_key(*keyword)) {
            refuse(format!(
                "'{keyword}' is not supported; define parts under '$defs' and use '$ref' with '#/$defs/…'"
            ));
        }
        for keyword in ["$schema", "$id"] {
            match keywords.get(keyword) {
                Some(_) if !pointer.is_empty() => {
                    refuse(format!("'{keyword}' is allowed at the top of the schema only"));
                }
                Some(Value::String(dialect)) if keyword == "$schema" => {
                    if dialect.trim_end_matches('#') != DIALECT {
                        refuse(format!(
                            "'$schema' must be '{DIALECT}': no other draft is supported"
                        ));
                    }
                }
                Some(Value::String(_)) | None => {}
                Some(_) => refuse(format!("'{keyword}' must be a string")),
            }
        }
        let reference = match keywords.get("$ref") {
            None => None,
            Some(Value::String(reference)) => {
                let target = local_target(reference);
                if target.is_none() {
                    refuse(format!(
                        "'$ref' must be a reference within the schema, such as '#/$defs/date'; '{}' leads out of it, \
                         and other files and servers are never read",
                        shortened(reference)
                    ));
                }
                target
            }
            Some(_) => {
                refuse("'$ref' must be a string".to_owned());
                None
            }
        };
        self.patterns += usize::from(keywords.contains_key("pattern"));
        self.patterns +=
            keywords.get("patternProperties").and_then(Value::as_object).map_or(0, Map::len);
        reference
    }
}

/// The subschemas in the value of a keyword with their keys, and whether they are applied without a reference.
fn subschemas_of<'a>(keyword: &str, value: &'a Value) -> (bool, Vec<(Option<String>, &'a Value)>) {
    let named = |value: &'a Value| -> Vec<(Option<String>, &'a Value)> {
        let entries = value.as_object().into_iter().flatten();
        entries.map(|(key, schema)| (Some(key.clone()), schema)).collect()
    };
    if ONE.contains(&keyword) {
        (true, vec![(None, value)])
    } else if LIST.contains(&keyword) {
        let items = value.as_array().into_iter().flatten().enumerate();
        (true, items.map(|(index, schema)| (Some(index.to_string()), schema)).collect())
    } else if NAMED.contains(&keyword) {
        (true, named(value))
    } else if DEFINITIONS.contains(&keyword) {
        (false, named(value))
    } else {
        (false, Vec::new())
    }
}

/// What applying a subschema takes, references followed.
#[derive(Clone, Copy)]
enum Size {
    /// It is being measured: whoever finds this has come back to where they came from.
    Open,
    Known {
        depth: usize,
        cost: u64,
    },
}

fn measure(
    subschemas: &Subschemas,
    pointer: &str,
    level: usize,
    sizes: &mut BTreeMap<String, Size>,
) -> Result<(usize, u64), TypeProblem> {
    let too_deep = || {
        let message = format!(
            "the schema is nested more than {MAX_DEPTH} levels deep, references included; make it flatter"
        );
        TypeProblem::new(path(pointer), message)
    };
    match sizes.get(pointer) {
        Some(Size::Open) => {
            let message = "the schema refers to itself; a type cannot be recursive, because the values of a document \
                           are nested only as deep as the names of its fields";
            return Err(TypeProblem::new(path(pointer), message));
        }
        Some(Size::Known { depth, .. }) if level + depth > MAX_DEPTH + 1 => return Err(too_deep()),
        Some(Size::Known { depth, cost }) => return Ok((*depth, *cost)),
        None if level > MAX_DEPTH => return Err(too_deep()),
        None => {}
    }
    let Some(subschema) = subschemas.get(pointer) else { return Ok((1, 1)) };
    sizes.insert(pointer.to_owned(), Size::Open);
    let (mut depth, mut cost) = (1, 1_u64);
    for next in subschema.parts.iter().chain(&subschema.reference) {
        let (depth_of_next, cost_of_next) = measure(subschemas, next, level + 1, sizes)?;
        depth = depth.max(1 + depth_of_next);
        cost = cost.saturating_add(cost_of_next);
    }
    // To know what is unevaluated, the parts beside it are evaluated once more.
    let keywords = subschema.schema.as_object();
    if keywords.is_some_and(|keywords| {
        keywords.contains_key("unevaluatedItems") || keywords.contains_key("unevaluatedProperties")
    }) {
        cost = cost.saturating_mul(2);
    }
    if cost > MAX_COST {
        let message = format!(
            "the schema is too large: with its references followed it has more than {MAX_COST} parts; \
             use each definition less often"
        );
        return Err(TypeProblem::new(path(pointer), message));
    }
    sizes.insert(pointer.to_owned(), Size::Known { depth, cost });
    Ok((depth, cost))
}

impl Inspected<'_> {
    /// Compiles the schema. Nothing is fetched: references to other resources fail.
    pub(super) fn compile(&self) -> Result<Validator, TypeProblem> {
        // All references are within the schema, so its own address is not needed; without it, the
        // schema cannot take the place of another one that the library knows.
        let mut schema = self.schema.clone();
        if let Value::Object(keywords) = &mut schema {
            keywords.remove("$id");
            keywords.remove("$schema");
        }
        let patterns =
            PatternOptions::regex().size_limit(MAX_COMPILED).dfa_size_limit(MAX_COMPILED);
        jsonschema::options()
            .with_draft(Draft::Draft202012)
            .with_retriever(NothingIsFetched)
            .with_pattern_options(patterns)
            .should_validate_formats(true)
            .should_ignore_unknown_formats(false)
            .build(&schema)
            .map_err(|error| {
                let at = path(error.instance_path().as_str());
                TypeProblem::new(at, format!("the JSON Schema is invalid: {error}"))
            })
    }

    /// Why a field of the type has no place in the schema, if so.
    pub(super) fn unreachable(&self, group: Option<&str>, name: &str) -> Option<String> {
        let mut at = vec![String::new()];
        if let Some(group) = group {
            at = self.step(&self.step(&at, Some(group)), None);
            if at.is_empty() {
                return Some(format!(
                    "the schema does not describe '{group}'; add it to 'properties' as an array with 'items'"
                ));
            }
        }
        for segment in name.split('.') {
            at = self.step(&at, Some(segment));
        }
        if at.is_empty() {
            return Some(
                "the schema does not describe this field; add it to 'properties'".to_owned(),
            );
        }
        let refused = at.iter().all(|pointer| !self.allows_strings(pointer));
        refused.then(|| {
            "the schema does not allow strings for this field; all values are strings: amounts are decimal strings, \
             dates are ISO 8601"
                .to_owned()
        })
    }

    /// The subschemas for a property, or for the items, of whatever `from` describes.
    fn step(&self, from: &[String], property: Option<&str>) -> Vec<String> {
        let mut next = Vec::new();
        for pointer in from.iter().flat_map(|pointer| self.applied_to_the_same(pointer)) {
            let below = match property {
                Some(property) => format!("{pointer}/properties/{}", escaped(property)),
                None => format!("{pointer}/items"),
            };
            if self.subschemas.contains_key(&below) {
                next.push(below);
            }
        }
        next
    }

    /// A subschema with those that describe the same value: by reference, or as a part or alternative.
    fn applied_to_the_same(&self, pointer: &str) -> Vec<String> {
        let mut all = vec![pointer.to_owned()];
        let mut next = 0;
        while let Some(pointer) = all.get(next).cloned() {
            next += 1;
            let Some(subschema) = self.subschemas.get(&pointer) else { continue };
            let in_place = subschema.parts.iter().filter(|part| {
                let rest = part.strip_prefix(&pointer).unwrap_or_default().trim_start_matches('/');
                let keyword = rest.split('/').next().unwrap_or_default();
                ["allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas"]
                    .contains(&keyword)
            });
            for found in in_place.chain(&subschema.reference) {
                if !all.contains(found) {
                    all.push(found.clone());
                }
            }
        }
        all
    }

    fn allows_strings(&self, pointer: &str) -> bool {
        let is_string = |value: &Value| value.as_str() == Some("string");
        self.applied_to_the_same(pointer).iter().all(|pointer| {
            let schema = self.subschemas.get(pointer).map(|found| found.schema);
            match schema.and_then(|schema| schema.get("type")) {
                Some(Value::Array(types)) => types.iter().any(is_string),
                Some(one) => is_string(one),
                None => schema != Some(&Value::Bool(false)),
            }
        })
    }
}

/// Refuses every address. Inspected schemas have none; this holds should that ever be wrong.
struct NothingIsFetched;

impl Retrieve for NothingIsFetched {
    fn retrieve(
        &self,
        _uri: &Uri<String>,
    ) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        Err("schemas are not read from other files or servers".into())
    }
}

/// The JSON Pointer that a reference within the schema names.
fn local_target(reference: &str) -> Option<String> {
    let fragment = reference.strip_prefix('#')?;
    let decoded = percent_decoded(fragment)?;
    (decoded.is_empty() || decoded.starts_with('/')).then_some(decoded)
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = text.bytes();
    let mut decoded = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        if byte == b'%' {
            let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
            let code = digit(bytes.next())? * 16 + digit(bytes.next())?;
            decoded.push(u8::try_from(code).ok()?);
        } else {
            decoded.push(byte);
        }
    }
    String::from_utf8(decoded).ok()
}

/// A segment of a JSON Pointer.
fn escaped(segment: &str) -> String {
    segment.replace('~', "~0").replace('/', "~1")
}

/// Where in the definition a subschema is.
fn path(pointer: &str) -> String {
    format!("schema{pointer}")
}

fn shortened(text: &str) -> String {
    text.chars().take(100).collect()
}
