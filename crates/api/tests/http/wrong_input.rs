//! Wrong input to every documented route: each problem is a plain sentence that names the field, without terms of Rust or
//! its libraries.

use axum::body::Body;
use axum::http::{Method, StatusCode};
use serde_json::{Map, Value, json};
use testkit::{BOUNDARY, TestApp};

/// Terms of serde, axum and parsers that must not appear.
const FOREIGN_WORDS: [&str; 24] = [
    "Failed to",
    "deserialize",
    "invalid type",
    "invalid value",
    "invalid length",
    "invalid digit",
    "unknown field",
    "unknown variant",
    "missing field",
    "duplicate field",
    "expected struct",
    "expected a",
    " at line ",
    "trailing",
    "EOF while",
    "UUID parsing",
    "premature end",
    "input contains",
    "number too",
    "cannot parse",
    "u32",
    "i32",
    "::",
    "`",
];

const WRONG_WORDS: [&str; 6] = ["", "wrong", "-1", "1.5", "99999999999999999999", "%FF%FE"];

/// An operation of the document.
struct Operation<'a> {
    method: Method,
    path: &'a str,
    described: &'a Value,
    document: &'a Value,
}

impl Operation<'_> {
    fn all(document: &Value) -> Vec<Operation<'_>> {
        let mut all = Vec::new();
        for (path, item) in document["paths"].as_object().unwrap() {
            for (method, described) in item.as_object().unwrap() {
                let method = method.to_uppercase().parse().unwrap();
                all.push(Operation { method, path, described, document });
            }
        }
        all
    }

    /// The path with valid ids.
    fn address(&self) -> String {
        let path = self.path.replace("{id}", "00000000-0000-0000-0000-000000000001");
        path.replace("{page}", "1")
            .replace("{stage}", "layout")
            .replace("{name}", "text.txt")
            .replace("{token}", "token")
    }

    fn parameters(&self, place: &str) -> Vec<&Value> {
        let all = self.described["parameters"].as_array();
        all.into_iter().flatten().filter(|parameter| parameter["in"] == place).collect()
    }

    fn schema_of(&self, kind: &str) -> Option<&Value> {
        let schema = &self.described["requestBody"]["content"].get(kind)?["schema"];
        Some(self.resolved(schema))
    }

    fn resolved<'b>(&'b self, schema: &'b Value) -> &'b Value {
        match schema.get("$ref").and_then(Value::as_str) {
            Some(reference) => self.document.pointer(&reference[1..]).unwrap(),
            None => schema,
        }
    }

    fn is_endless(&self) -> bool {
        self.described["responses"]["200"]["content"].get("text/event-stream").is_some()
            && self.method == Method::GET
    }
}

/// Sends requests, and checks every refusal.
struct Prober {
    app: TestApp,
    token: String,
    refused: usize,
    faults: Vec<String>,
}

impl Prober {
    async fn send(&mut self, request: testkit::Request, case: &str, field: Option<&str>) {
        let response = request.bearer(&self.token).send().await;
        if let Err(fault) = self.check(&response, field) {
            self.faults.push(format!("{case}: {fault}: {}", response.body));
        }
    }

    fn check(&mut self, response: &testkit::Response, field: Option<&str>) -> Result<(), String> {
        if response.status == StatusCode::TOO_MANY_REQUESTS {
            return Err("the limits hide the rest".to_owned());
        }
        if !response.status.is_client_error() {
            let is_taken = response.status.is_success() && field.is_none();
            return if is_taken { Ok(()) } else { Err(format!("{}", response.status)) };
        }
        self.refused += 1;
        if response.header("content-type") != Some("application/problem+json") {
            return Err("not a problem document".to_owned());
        }
        let detail = response.body["detail"].as_str().unwrap_or_default();
        if let Some(words) = FOREIGN_WORDS.iter().find(|words| detail.contains(**words)) {
            return Err(format!("{words:?} in its detail"));
        }
        match field {
            Some(field) if response.status != StatusCode::BAD_REQUEST => {
                Err(format!("{} for a wrong {field}", response.status))
            }
            Some(field) if response.body["field"] != field => {
                Err(format!("its field is not {field}"))
            }
            _ => Ok(()),
        }
    }

    async fn query(&mut self, operation: &Operation<'_>) {
        let address = operation.address();
        let parameters = operation.parameters("query");
        if parameters.is_empty() {
            return;
        }
        let required: Vec<String> = parameters
            .iter()
            .filter(|parameter| parameter["required"] == true)
            .map(|parameter| format!("&{}=x", parameter["name"].as_str().unwrap()))
            .collect();
        for parameter in &parameters {
            let name = parameter["name"].as_str().unwrap();
            let schema = &parameter["schema"];
            let is_free = schema["type"] == "string"
                && schema.get("format").is_none()
                && schema.get("enum").is_none();
            let others: String = required
                .iter()
                .filter(|other| !other.starts_with(&format!("&{name}=")))
                .cloned()
                .collect();
            for word in WRONG_WORDS {
                let request =
                    app_get(&self.app, operation, &format!("{address}?{name}={word}{others}"));
                let case = format!("{} {} with {name}={word}", operation.method, operation.path);
                self.send(request, &case, (!is_free).then_some(name)).await;
            }
            let twice = format!("{address}?{name}=1&{name}=1");
            let case = format!("{} {} with {name} twice", operation.method, operation.path);
            self.send(app_get(&self.app, operation, &twice), &case, None).await;
        }
        let request = app_get(&self.app, operation, &format!("{address}?colour=red"));
        let case = format!("{} {} with an unknown parameter", operation.method, operation.path);
        self.send(request, &case, Some("colour")).await;
        if !required.is_empty() {
            let case = format!("{} {} without its parameters", operation.method, operation.path);
            let name = required[0].trim_start_matches('&').trim_end_matches("=x").to_owned();
            self.send(app_get(&self.app, operation, &address), &case, Some(&name)).await;
        }
    }

    async fn path(&mut self, operation: &Operation<'_>) {
        for parameter in operation.parameters("path") {
            let name = parameter["name"].as_str().unwrap();
            for word in ["b1", "%FF%FE", "7"] {
                let path = operation.path.replace(&format!("{{{name}}}"), word);
                let address =
                    Operation { path: &path, method: operation.method.clone(), ..*operation }
                        .address();
                let case = format!("{} {address}", operation.method);
                self.send(app_get(&self.app, operation, &address), &case, None).await;
            }
        }
    }

    async fn headers(&mut self, operation: &Operation<'_>) {
        for parameter in operation.parameters("header") {
            let name = parameter["name"].as_str().unwrap();
            let request = app_get(&self.app, operation, &operation.address());
            let request = match operation.schema_of("multipart/form-data") {
                Some(_) => request.files([("a.txt", b"text".as_slice())]),
                None if operation.method == Method::GET => request,
                None => request.json(json!({})),
            };
            let case = format!("{} {} with a wrong {name}", operation.method, operation.path);
            self.send(request.header(name, &"x".repeat(300)), &case, Some(name)).await;
        }
    }

    async fn json(&mut self, operation: &Operation<'_>) {
        let Some(schema) = operation.schema_of("application/json") else { return };
        let name = format!("{} {}", operation.method, operation.path);
        for body in ["{", "", "[]", "7", "\"text\"", "null", "[1, 2]", "{} {}", "{\"a\": 1e999}"] {
            let request = raw(&self.app, operation, body.to_owned());
            self.send(request, &format!("{name} with {body}"), None).await;
        }
        let Some(properties) = schema["properties"].as_object() else { return };
        let fitting: Map<String, Value> = properties
            .iter()
            .filter(|(field, _)| requires(schema, field))
            .map(|(field, property)| (field.clone(), fitting(operation, property)))
            .collect();
        let mut unknown = fitting.clone();
        unknown.insert("colour".to_owned(), json!("red"));
        self.body(operation, &unknown, "an unknown field", Some("colour")).await;
        for (field, property) in properties {
            if requires(schema, field) {
                let mut without = fitting.clone();
                without.remove(field);
                self.body(operation, &without, &format!("no {field}"), Some(field)).await;
            }
            for wrong in wrong_values(operation, property) {
                let mut body = fitting.clone();
                body.insert(field.clone(), wrong.clone());
                self.body(operation, &body, &format!("{field}: {wrong}"), Some(field)).await;
            }
            self.nested(operation, &fitting, field, property).await;
        }
    }

    /// The fields of an object within the body, and the items of a list in it.
    async fn nested(
        &mut self,
        operation: &Operation<'_>,
        fitting: &Map<String, Value>,
        field: &str,
        property: &Value,
    ) {
        let property = operation.resolved(property);
        if let Some(fields) = property["properties"].as_object() {
            for (inner, described) in fields {
                for wrong in wrong_values(operation, described) {
                    let mut body = fitting.clone();
                    body.insert(field.to_owned(), json!({ inner: wrong }));
                    let path = format!("{field}.{inner}");
                    self.body(operation, &body, &format!("{path}: {wrong}"), Some(&path)).await;
                }
            }
        }
        if let Some(items) = property.get("items") {
            for wrong in wrong_values(operation, items) {
                let mut body = fitting.clone();
                body.insert(field.to_owned(), json!([wrong]));
                let path = format!("{field}[0]");
                self.body(operation, &body, &format!("{path}: {wrong}"), Some(&path)).await;
            }
        }
    }

    async fn body(
        &mut self,
        operation: &Operation<'_>,
        body: &Map<String, Value>,
        case: &str,
        field: Option<&str>,
    ) {
        let case = format!("{} {} with {case}", operation.method, operation.path);
        let request = raw(&self.app, operation, Value::Object(body.clone()).to_string());
        self.send(request, &case, field).await;
    }

    async fn form(&mut self, operation: &Operation<'_>) {
        if operation.schema_of("multipart/form-data").is_none() {
            return;
        }
        let name = format!("{} {}", operation.method, operation.path);
        let part = |head: &str, value: &str| {
            format!(
                "--{BOUNDARY}\r\ncontent-disposition: form-data; {head}\r\n\r\n{value}\r\n--{BOUNDARY}--\r\n"
            )
        };
        let forms = [
            (String::new(), None),
            ("no form".to_owned(), None),
            (part("name=\"colour\"", "red"), Some("colour")),
            (part("name=\"title\"", &"x".repeat(501)), Some("title")),
            (part("name=\"tag\"", &"x".repeat(101)), Some("tag")),
            (part("filename=\"a.txt\"", "text"), None),
            (part("name=\"title\"", "no file"), None),
        ];
        for (form, field) in forms {
            let request = app_get(&self.app, operation, &operation.address());
            // The form is not read if the batch does not exist.
            let field = field.filter(|_| !operation.path.contains("{id}"));
            let case = format!("{name} with {form:.80}");
            self.send(request.form(Body::from(form)), &case, field).await;
        }
        let request = raw(&self.app, operation, "{}".to_owned());
        self.send(request, &format!("{name} with JSON"), None).await;
    }
}

fn app_get(app: &TestApp, operation: &Operation<'_>, address: &str) -> testkit::Request {
    app.request(operation.method.clone(), address)
}

fn raw(app: &TestApp, operation: &Operation<'_>, body: String) -> testkit::Request {
    app_get(app, operation, &operation.address())
        .body(body)
        .header("content-type", "application/json")
}

fn requires(schema: &Value, field: &str) -> bool {
    schema["required"].as_array().is_some_and(|required| required.iter().any(|name| name == field))
}

/// The types that a property may have, except null.
fn types(operation: &Operation<'_>, property: &Value) -> Vec<String> {
    let alternatives = property["oneOf"].as_array();
    if let Some(alternatives) = alternatives {
        return alternatives
            .iter()
            .flat_map(|alternative| types(operation, alternative))
            .filter(|kind| kind != "null")
            .collect();
    }
    let property = operation.resolved(property);
    match &property["type"] {
        Value::String(kind) => vec![kind.clone()],
        Value::Array(kinds) => kinds
            .iter()
            .filter_map(Value::as_str)
            .filter(|kind| *kind != "null")
            .map(str::to_owned)
            .collect(),
        _ => Vec::new(),
    }
}

/// A value of the right type.
fn fitting(operation: &Operation<'_>, property: &Value) -> Value {
    let property = operation.resolved(property);
    if let Some(first) = property["enum"].as_array().and_then(|values| values.first()) {
        return first.clone();
    }
    match types(operation, property).first().map(String::as_str) {
        Some("array") => json!([]),
        Some("object") => json!({}),
        Some("integer" | "number") => json!(1),
        Some("boolean") => json!(true),
        _ => json!("text of some length"),
    }
}

/// Values of every other type, and words where a text has a format.
fn wrong_values(operation: &Operation<'_>, property: &Value) -> Vec<Value> {
    let types = types(operation, property);
    if types.is_empty() {
        // Any value is valid.
        return Vec::new();
    }
    let others = [
        ("object", json!({"a": 1})),
        ("array", json!([{}])),
        ("integer", json!(7)),
        ("number", json!(1.5)),
        ("boolean", json!(true)),
        ("string", json!("wrong")),
    ];
    let is_number = types.iter().any(|kind| kind == "number");
    let wrong = others.into_iter().filter(|(kind, _)| {
        !(types.iter().any(|right| right == kind) || is_number && *kind == "integer")
    });
    let mut wrong: Vec<Value> = wrong.map(|(_, value)| value).collect();
    let property = operation.resolved(property);
    let words = ["uuid", "date-time"];
    if property["format"].as_str().is_some_and(|format| words.contains(&format))
        || property.get("enum").is_some()
    {
        wrong.push(json!("wrong"));
        wrong.push(json!(""));
    }
    if types.iter().any(|kind| kind == "integer") {
        wrong.push(json!(u64::MAX));
    }
    wrong
}

#[tokio::test]
async fn wrong_input_gets_plain_sentences_that_name_the_field() {
    let app = TestApp::start().await;
    let token = app.tenant("acme").await.admin_token;
    let document = serde_json::to_value(api::openapi_document()).unwrap();
    let mut prober = Prober { app, token, refused: 0, faults: Vec::new() };
    for operation in Operation::all(&document) {
        // Routes without input cannot be wrong, and some of them would end the session.
        prober.headers(&operation).await;
        if operation.is_endless() {
            continue;
        }
        prober.query(&operation).await;
        prober.path(&operation).await;
        prober.json(&operation).await;
        prober.form(&operation).await;
    }
    assert!(prober.faults.is_empty(), "{}", prober.faults.join("\n"));
    assert!(prober.refused > 900, "only {} requests were refused", prober.refused);
}

#[tokio::test]
async fn mcp_tools_name_the_wrong_argument() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let cases = [
        ("search", json!({"query": 7}), "query must be a text."),
        ("search", json!({"query": "a", "limit": "b"}), "limit must be a whole number."),
        ("ask", json!({}), "question is required."),
        ("ask", json!({"question": "a", "b": 1}), "Unknown argument b. Known: question."),
        ("ask", json!([]), "arguments must be an object."),
        (
            "get_document",
            json!({"doc_id": "b1"}),
            "doc_id must be a UUID, such as 0199a2c4-7f3a-7cc1-8a52-5d1f0c3b9e21.",
        ),
    ];
    for (name, arguments, sentence) in cases {
        let params = json!({"name": name, "arguments": arguments});
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let answer = app.post("/v1/mcp", call).bearer(&acme.admin_token).send().await;
        assert_eq!(answer.body["error"]["message"], sentence, "{name} {arguments}");
    }
}
