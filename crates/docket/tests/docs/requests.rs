//! The requests in the guides, held against the OpenAPI document: method, path, the fields that are sent, and the fields
//! of the answer that a guide shows after its request.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::samples;

/// Addresses that are not part of the API.
const OTHER_ADDRESSES: [&str; 2] = ["/openapi.json", "/docs/guide"];

#[derive(Debug, Default)]
struct Request {
    method: String,
    path: String,
    json: Option<String>,
    fields: Vec<String>,
}

/// A command line of curl, as far as the guides use it.
fn request(words: &[String]) -> Request {
    let mut request = Request { method: "get".to_owned(), ..Request::default() };
    let mut words = words.iter().skip(1);
    let mut method = None;
    while let Some(word) = words.next() {
        match word.as_str() {
            "-X" => method = words.next().map(|method| method.to_lowercase()),
            "-d" => {
                request.json = words.next().cloned();
                "post".clone_into(&mut request.method);
            }
            "-F" => {
                let field = words.next().and_then(|field| field.split('=').next());
                request.fields.extend(field.map(str::to_owned));
                "post".clone_into(&mut request.method);
            }
            "-H" | "-o" | "-w" => {
                words.next();
            }
            option if option.starts_with('-') => {}
            address => {
                let address = address.trim_start_matches("http://").trim_start_matches("https://");
                let path = address.find('/').map_or("/", |at| &address[at..]);
                path.split('?').next().unwrap_or_default().clone_into(&mut request.path);
            }
        }
    }
    request.method = method.unwrap_or(request.method);
    request
}

fn fits(template: &str, path: &str) -> bool {
    let (template, path) = (template.split('/'), path.split('/'));
    template.clone().count() == path.clone().count()
        && template.zip(path).all(|(wanted, part)| wanted == part || wanted.starts_with('{'))
}

fn operation<'a>(document: &'a Value, request: &Request) -> Option<&'a Value> {
    let paths = document["paths"].as_object().unwrap();
    let exact = paths.get(&request.path).and_then(|item| item.get(&request.method));
    exact.or_else(|| {
        paths
            .iter()
            .filter(|(template, _)| fits(template, &request.path))
            .find_map(|(_, item)| item.get(&request.method))
    })
}

fn resolve<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    match value.get("$ref").and_then(Value::as_str) {
        Some(reference) => document.pointer(reference.trim_start_matches('#')).unwrap(),
        None => value,
    }
}

/// The names of the fields of an object, those of its parts too.
fn properties(document: &Value, schema: &Value) -> BTreeSet<String> {
    let schema = resolve(document, schema);
    let own = schema.get("properties").and_then(Value::as_object);
    let mut names: BTreeSet<String> =
        own.into_iter().flatten().map(|(name, _)| name.clone()).collect();
    for parts in ["allOf", "oneOf", "anyOf"] {
        for part in schema.get(parts).and_then(Value::as_array).into_iter().flatten() {
            names.extend(properties(document, part));
        }
    }
    names
}

fn sent_schema<'a>(document: &'a Value, operation: &'a Value, media_type: &str) -> &'a Value {
    let body = resolve(document, &operation["requestBody"]);
    &body["content"][media_type]["schema"]
}

fn check_request(document: &Value, request: &Request) -> Result<(), String> {
    if OTHER_ADDRESSES.contains(&request.path.as_str()) {
        return Ok(());
    }
    let operation = operation(document, request).ok_or("there is no such route")?;
    let mut sent: BTreeSet<String> = request.fields.iter().cloned().collect();
    let mut media_type = "multipart/form-data";
    if let Some(json) = &request.json {
        let body: Value = serde_json::from_str(json).map_err(|error| error.to_string())?;
        sent = body.as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect();
        media_type = "application/json";
    }
    let schema = resolve(document, sent_schema(document, operation, media_type));
    let known = properties(document, schema);
    if let Some(name) = sent.iter().find(|name| !known.contains(*name)) {
        return Err(format!("the request has no field {name}; it has {known:?}"));
    }
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    let missing = required.filter_map(Value::as_str).find(|name| !sent.contains(*name));
    match missing {
        Some(name) if !sent.is_empty() => Err(format!("the request lacks the field {name}")),
        _ => Ok(()),
    }
}

/// Whether all fields of the answer that a guide shows are in the schema of a successful answer, or of a problem.
fn check_answer(document: &Value, request: &Request, shown: &Value) -> Result<(), String> {
    let Some(operation) = operation(document, request) else { return Ok(()) };
    let responses = operation["responses"].as_object().unwrap().iter();
    let mut known = BTreeSet::new();
    for (_, response) in responses {
        let content = resolve(document, response).get("content").and_then(Value::as_object);
        for (_, media_type) in content.into_iter().flatten() {
            known.extend(properties(document, &media_type["schema"]));
        }
    }
    let shown = shown.as_object().into_iter().flatten().map(|(name, _)| name);
    match shown.into_iter().find(|name| !known.contains(*name)) {
        Some(name) => Err(format!("the answer has no field {name}; it has {known:?}")),
        None => Ok(()),
    }
}

#[test]
fn every_request_in_the_guides_is_one_of_the_api() {
    let document = serde_json::to_value(api::openapi_document()).unwrap();
    let mut count = 0;
    let mut wrong = Vec::new();
    for (name, page) in samples::pages() {
        let mut last: Option<Request> = None;
        for block in &page.blocks {
            match (block.language.as_str(), &last) {
                ("json", Some(request)) => {
                    let shown = serde_json::from_str(&block.text).unwrap_or_default();
                    if let Err(problem) = check_answer(&document, request, &shown) {
                        wrong.push(format!("{name}: after {request:?}: {problem}"));
                    }
                    last = None;
                }
                ("sh", _) => {
                    let commands = samples::commands(&block.text).into_iter();
                    let requests =
                        commands.filter(|words| words.first().is_some_and(|word| word == "curl"));
                    let mut requests: Vec<Request> =
                        requests.map(|words| request(&words)).collect();
                    count += requests.len();
                    for request in &requests {
                        if let Err(problem) = check_request(&document, request) {
                            wrong.push(format!("{name}: {request:?}: {problem}"));
                        }
                    }
                    last = requests.pop();
                }
                _ => last = None,
            }
        }
        // `GET /v1/documents` in the text names a route too.
        for code in &page.code {
            let Some((method, path)) = code.split_once(' ') else { continue };
            if !["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"].contains(&method) {
                continue;
            }
            count += 1;
            let path = path.split(['?', ' ']).next().unwrap_or_default();
            let path = path.strip_prefix("/api/").map_or_else(
                || path.to_owned(),
                |rest| {
                    let is_documented = document["paths"].get(path).is_some();
                    if is_documented { path.to_owned() } else { format!("/v1/{rest}") }
                },
            );
            let method = if method == "HEAD" { "get".to_owned() } else { method.to_lowercase() };
            let request = Request { method, path, ..Request::default() };
            let is_other = OTHER_ADDRESSES.contains(&request.path.as_str());
            if !is_other && operation(&document, &request).is_none() {
                wrong.push(format!("{name}: there is no route {code}"));
            }
        }
    }
    assert!(count > 30, "only {count} requests were found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_wrong_request_is_noticed() {
    let document = serde_json::to_value(api::openapi_document()).unwrap();
    let check = |line: &str| check_request(&document, &request(&shlex::split(line).unwrap()));
    assert_eq!(check("curl -s localhost:8080/v1/search -d '{\"query\": \"rent\"}'"), Ok(()));
    assert_eq!(check("curl localhost:8080/v1/documents/7/original?ttl_hours=2"), Ok(()));
    for wrong in [
        "curl -X DELETE localhost:8080/v1/search",
        "curl localhost:8080/v1/serach",
        "curl localhost:8080/v1/search -d '{\"querry\": \"rent\"}'",
        "curl localhost:8080/v1/search -d '{query}'",
        "curl localhost:8080/v1/ingest -F fiel=@x.pdf",
    ] {
        assert!(check(wrong).is_err(), "{wrong}");
    }
}
