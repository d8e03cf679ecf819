//! Definitions of document types: what is refused and with which words, and how values are checked.

#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "the helpers of a test may do what a test may"
)]

use std::fmt::Write;

use domain::{Extraction, Field};
use extraction::types::{DocumentType, builtin, values};
use serde_json::{Value, json};

/// A small type with one field of the document and two of its lines.
fn delivery() -> Value {
    json!({
        "name": "delivery_note",
        "title": "Delivery note",
        "schema": {
            "type": "object",
            "properties": {
                "number": {"type": "string"},
                "total": {"$ref": "#/$defs/amount"},
                "lines": {"type": "array", "items": {
                    "type": "object",
                    "properties": {"name": {"type": "string"}, "weight": {"$ref": "#/$defs/amount"}}
                }}
            },
            "required": ["number"],
            "$defs": {"amount": {"type": "string", "pattern": "^[0-9]+([.][0-9]+)?$"}}
        },
        "fields": [
            {"name": "number", "kind": "id", "labels": {"en": ["delivery number"]}, "patterns": ["DN-[0-9]{4}"]},
            {"name": "total", "kind": "quantity"},
            {"name": "lines[].name", "kind": "text"},
            {"name": "lines[].weight", "kind": "quantity"}
        ],
        "constraints": [{"rule": "line_sum", "name": "weights", "field": "lines[].weight", "total": "total"}]
    })
}

fn read(definition: Value) -> DocumentType {
    serde_json::from_value(definition).expect("a document type")
}

/// The problems of `delivery` with one place changed, one in a line.
fn problems_with(pointer: &str, value: Value) -> String {
    let mut definition = delivery();
    *definition.pointer_mut(pointer).unwrap_or_else(|| panic!("no {pointer}")) = value;
    problems(definition)
}

fn problems(definition: Value) -> String {
    match read(definition).validate() {
        Ok(()) => String::new(),
        Err(invalid) => invalid.to_string(),
    }
}

/// The problems of `delivery` with another schema, whose fields it does not have.
fn problems_of_schema(schema: Value) -> String {
    let definition = json!({"name": "other", "title": "Other", "schema": schema, "fields": []});
    problems(definition)
}

#[test]
fn a_good_definition_is_accepted() {
    assert_eq!(problems(delivery()), "");
}

#[test]
fn problems_name_the_place_and_the_remedy() {
    let cases = [
        ("/name", json!("Delivery Note"), "name: must begin with a lower-case letter"),
        ("/title", json!("  "), "title: must have 1 to 200 characters"),
        ("/fields/1/name", json!("number"), "fields[1].name: another field is called 'number' too"),
        (
            "/fields/1/name",
            json!("number.of.what"),
            "fields[1].name: 'number' is a field with a value",
        ),
        ("/fields/1/name", json!("items[].weight"), "only 'trades[]' and 'lines[]' repeat"),
        ("/fields/2/name", json!("lines.name"), "'lines' is a group; write 'lines[].…'"),
        ("/fields/1/name", json!("a.b.c.d.e"), "each of the 1 to 4 parts between dots"),
        ("/fields/1/name", json!("weight"), "'weight': the schema does not describe this field"),
        (
            "/fields/0/patterns/0",
            json!("(a"),
            "fields[0].patterns[0]: the pattern is not a regular expression: unclosed",
        ),
        (
            "/fields/0/patterns/0",
            json!("(?<=a)b"),
            "look-around and back references are not supported",
        ),
        (
            "/fields/0/labels",
            json!({"english": ["x"]}),
            "fields[0].labels.english: a language is its two",
        ),
        (
            "/fields/0/labels",
            json!({"en": [" "]}),
            "fields[0].labels.en[0]: must have 1 to 100 characters",
        ),
        (
            "/fields/0/kind",
            json!("choice"),
            "fields[0].choices: 'number' must have 1 to 50 choices",
        ),
        ("/constraints/0/total", json!("sum"), "constraints[0].total: there is no field 'sum'"),
        (
            "/constraints/0/total",
            json!("number"),
            "'number' is of the kind 'id'; this needs money, quantity",
        ),
        (
            "/constraints/0/field",
            json!("total"),
            "constraints[0].field: must be a field of a group",
        ),
        ("/constraints/0/total", json!("lines[].weight"), "must be a field of the document"),
        (
            "/schema/properties/number",
            json!({"type": "number"}),
            "the schema does not allow strings for this field",
        ),
        (
            "/schema/properties/number",
            json!({"type": "text"}),
            "schema/properties/number/type: the JSON Schema is invalid",
        ),
        (
            "/schema/properties/number",
            json!({"type": "string", "pattern": "(?=a)"}),
            "schema/properties/number",
        ),
        ("/schema/properties/number", json!({"format": "colour"}), "schema/properties/number"),
        (
            "/schema/$schema",
            json!("http://json-schema.org/draft-07/schema#"),
            "no other draft is supported",
        ),
    ];
    for (pointer, value, expected) in cases {
        let mut definition = delivery();
        let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
        match definition.pointer_mut(parent) {
            Some(Value::Object(object)) => drop(object.insert(key.to_owned(), value)),
            Some(Value::Array(items)) => items[key.parse::<usize>().expect("an index")] = value,
            _ => panic!("no {parent}"),
        }
        let found = problems(definition);
        assert!(found.contains(expected), "{pointer}: expected {expected:?} in {found:?}");
    }
}

#[test]
fn all_problems_are_reported_at_once() {
    let mut definition = delivery();
    definition["name"] = json!("");
    definition["fields"][0]["patterns"] = json!(["("]);
    definition["constraints"][0]["total"] = json!("sum");
    assert_eq!(problems(definition).lines().count(), 3);
}

#[test]
fn a_definition_beyond_the_limits_is_refused() {
    let field = |index: usize| json!({"name": format!("f{index}"), "kind": "text"});
    let many: Vec<Value> = (0..201).map(field).collect();
    assert!(problems_with("/fields", json!(many)).contains("there are 201; at most 200"));
    let labels = json!({"en": vec!["label"; 61]});
    assert!(problems_with("/fields/0/labels", labels).contains("at most 60 entries"));
    let long = "x".repeat(300_000);
    assert!(
        problems_with("/schema/properties/number", json!({"description": long}))
            .contains("at most 262144")
    );
}

#[test]
fn references_to_other_files_and_servers_are_refused() {
    for reference in [
        "http://127.0.0.1:9/schema.json",
        "https://json-schema.org/draft/2020-12/schema",
        "file:///etc/hostname",
        "other.json",
        "//host/schema",
        "#anchor",
        "urn:example:a",
    ] {
        let found = problems_with("/schema/$defs/amount", json!({"$ref": reference}));
        assert!(found.contains("leads out of it"), "{reference}: {found}");
    }
    for keyword in ["$dynamicRef", "$recursiveRef", "$anchor", "$dynamicAnchor"] {
        let found = problems_with("/schema/$defs/amount", json!({keyword: "#/$defs/amount"}));
        assert!(found.contains(&format!("'{keyword}' is not supported")), "{found}");
    }
    let found = problems_with("/schema/$defs/amount", json!({"$id": "http://127.0.0.1/x"}));
    assert!(found.contains("at the top of the schema only"), "{found}");
    let found = problems_with("/schema/$defs/amount", json!({"$ref": "#/title"}));
    assert!(found.contains("which is not a schema in this document"), "{found}");
}

/// A property may be called like a keyword, and data may look like a schema.
#[test]
fn words_that_only_look_like_references_are_allowed() {
    let schema = json!({
        "$id": "https://example.com/types/other",
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "properties": {"$ref": {"type": "string"}, "a/b": {"$ref": "#/$defs/c~1d"}, "x": {"$ref": "#/$defs/c%7E1d"}},
        "const": {"$ref": "http://127.0.0.1:9/"},
        "$defs": {"c/d": {"type": "string"}}
    });
    assert_eq!(problems_of_schema(schema), "");
}

#[test]
fn recursive_schemas_are_refused() {
    for schema in [
        json!({"$ref": "#"}),
        json!({"allOf": [{"$ref": "#"}]}),
        json!({"properties": {"next": {"$ref": "#"}}}),
        json!({"items": {"anyOf": [{"type": "string"}, {"$ref": "#/items"}]}}),
        json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}),
        json!({"$defs": {"unused": {"not": {"$ref": "#/$defs/unused"}}}}),
    ] {
        let found = problems_of_schema(schema.clone());
        assert!(found.contains("the schema refers to itself"), "{schema}: {found}");
        // Whoever checks values without having validated the type gets an answer too.
        let unchecked = json!({"name": "other", "title": "Other", "schema": schema, "fields": []});
        let checked = read(unchecked).check_values(&json!({"next": {"next": {}}}));
        assert!(checked[0].message.contains("refers to itself"), "{checked:?}");
    }
}

#[test]
fn schemas_that_grow_when_they_are_used_are_refused() {
    // Each definition uses the next one twice: 2^30 parts.
    let mut definitions = serde_json::Map::new();
    for index in 0..30 {
        let next = format!("#/$defs/d{}", index + 1);
        definitions.insert(format!("d{index}"), json!({"allOf": [{"$ref": next}, {"$ref": next}]}));
    }
    definitions.insert("d30".to_owned(), json!({"type": "object"}));
    let doubling = json!({"$ref": "#/$defs/d0", "$defs": definitions});
    assert!(!problems_of_schema(doubling).is_empty());

    let mut wide = serde_json::Map::new();
    for index in 0..9 {
        let next = format!("#/$defs/d{}", index + 1);
        wide.insert(format!("d{index}"), json!({"allOf": vec![json!({"$ref": next}); 4]}));
    }
    wide.insert("d9".to_owned(), json!({"type": "object"}));
    let found = problems_of_schema(json!({"$ref": "#/$defs/d0", "$defs": wide}));
    assert!(found.contains("with its references followed"), "{found}");

    let mut chain = serde_json::Map::new();
    for index in 0..500 {
        chain.insert(format!("d{index}"), json!({"$ref": format!("#/$defs/d{}", index + 1)}));
    }
    chain.insert("d500".to_owned(), json!({"type": "object"}));
    let found = problems_of_schema(json!({"$ref": "#/$defs/d0", "$defs": chain}));
    assert!(found.contains("levels deep"), "{found}");

    let mut deep = String::new();
    for _ in 0..60 {
        write!(deep, r#"{{"not":"#).expect("a string grows");
    }
    deep.push_str("{}");
    deep.push_str(&"}".repeat(60));
    let found = problems_of_schema(serde_json::from_str(&deep).expect("JSON"));
    assert!(found.contains("levels deep"), "{found}");
}

fn field(value: &str) -> Field {
    Field { value: Some(value.to_owned()), ..Field::missing() }
}

#[test]
fn values_are_nested_as_the_schema_describes() {
    let invoice = builtin().iter().find(|kind| kind.name == "invoice").expect("a built-in type");
    let mut extraction = Extraction::default();
    for (name, value) in [
        ("invoice_number", "2026-17"),
        ("issue_date", "2026-03-01"),
        ("seller.name", "Muster GmbH"),
        ("grand_total", "119.00"),
    ] {
        extraction.fields.insert(name.to_owned(), field(value));
    }
    extraction.fields.insert("due_date".to_owned(), Field::missing());
    let line = [("name", "Paper"), ("quantity", "2")];
    extraction.lines.push(line.map(|(name, value)| (name.to_owned(), field(value))).into());

    let nested = values(invoice, &extraction);
    assert_eq!(
        nested,
        json!({
            "invoice_number": "2026-17",
            "issue_date": "2026-03-01",
            "seller": {"name": "Muster GmbH"},
            "grand_total": "119.00",
            "lines": [{"name": "Paper", "quantity": "2"}]
        })
    );
    assert_eq!(invoice.check_values(&nested), []);
}

#[test]
fn values_that_the_schema_does_not_allow_are_named_with_their_field() {
    let note = builtin().iter().find(|kind| kind.name == "contract_note").expect("a built-in type");
    let wrong = json!({
        "document_date": "1. März",
        "trades": [
            {"side": "lend", "isin": "DE0007164600", "trade_date": "2026-03-01", "quantity": "1.000,5", "net_amount": "1"},
            {"side": "buy", "trade_date": "2026-03-01", "quantity": "3", "net_amount": 12.5, "colour": "red"}
        ]
    });
    let mut found: Vec<String> = note
        .check_values(&wrong)
        .into_iter()
        .map(|problem| format!("{}: {}", problem.path, problem.message))
        .collect();
    found.sort();
    assert_eq!(
        found,
        [
            "document_date: is not in the format 'date'",
            "trades.0.quantity: does not match the pattern '^-?[0-9]+([.][0-9]+)?$'",
            "trades.0.side: must be one of [\"buy\",\"sell\",\"dividend\",\"other\"]",
            "trades.1.colour: is not a field of the schema",
            "trades.1.net_amount: must be of the type string",
        ]
    );
    let empty = values(note, &Extraction::default());
    let missing = note.check_values(&empty);
    assert_eq!(missing.len(), 1, "{missing:?}");
    assert_eq!(missing[0].path, "trades");
}

/// The names of the labels on a page may be anything.
#[test]
fn a_field_whose_name_is_also_an_object_keeps_its_dotted_name() {
    let generic = builtin().iter().find(|kind| kind.name == "generic").expect("a built-in type");
    let mut extraction = Extraction::default();
    for (name, value) in [("order", "1"), ("order.date", "2"), ("other", "3")] {
        extraction.fields.insert(name.to_owned(), field(value));
    }
    let nested = values(generic, &extraction);
    assert_eq!(nested, json!({"order": "1", "order.date": "2", "other": "3"}));
}

/// Readers copy the sample of the guide.
#[test]
fn the_types_and_values_in_the_guide_are_valid() {
    let guide = include_str!("../../../docs/document-types.md");
    let mut samples = guide.split("```json\n").skip(1).filter_map(|rest| rest.split("```").next());
    let definition = samples.next().expect("a definition");
    let delivery_note = DocumentType::from_file(definition.as_bytes())
        .unwrap_or_else(|invalid| panic!("{invalid}"));
    let values = samples.next().expect("values");
    let values: Value = serde_json::from_str(values).expect("JSON");
    assert_eq!(delivery_note.check_values(&values), []);
    assert_eq!(samples.next(), None, "another sample, which is not checked");
}

/// A file with this form is in the database of every tenant that has types.
#[test]
fn stored_definitions_read_back_and_write_the_same() {
    let stored: Value =
        serde_json::from_str(include_str!("golden/document_type_1.json")).expect("JSON");
    let read = DocumentType::read_stored(stored.clone()).expect("a definition");
    assert_eq!(read, DocumentType::read_stored(read.to_stored()).expect("a definition"));
    assert_eq!(read.to_stored(), stored);
    let mut newer = stored;
    newer["format"] = json!(2);
    let refused = DocumentType::read_stored(newer).expect_err("a newer format");
    assert!(refused.to_string().contains("format 2; this Docket reads up to 1"), "{refused}");
}
