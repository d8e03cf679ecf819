//! Document types: built-in ones, a tenant's own, and their versions.

use axum::http::{Method, StatusCode};
use domain::Role;
use serde_json::{Value, json};
use testkit::{Response, TestApp, TestTenant};

fn delivery_note() -> Value {
    json!({
        "title": "Delivery note",
        "schema": {
            "type": "object",
            "properties": {"number": {"type": "string"}, "weight": {"$ref": "#/$defs/decimal"}},
            "required": ["number"],
            "$defs": {"decimal": {"type": "string", "pattern": "^[0-9]+([.][0-9]+)?$"}}
        },
        "fields": [
            {"name": "number", "kind": "id", "labels": {"en": ["delivery number"]}, "required": true},
            {"name": "weight", "kind": "quantity", "labels": {"en": ["weight"], "de": ["Gewicht"]}}
        ]
    })
}

struct World {
    app: TestApp,
    acme: TestTenant,
}

impl World {
    async fn new() -> Self {
        let app = TestApp::start().await;
        let acme = app.tenant("acme").await;
        Self { app, acme }
    }

    async fn put(&self, name: &str, definition: Value) -> Response {
        let path = format!("/v1/document-types/{name}");
        self.app.put(&path, definition).bearer(&self.acme.admin_token).send().await
    }

    async fn get(&self, path: &str) -> Response {
        let path = format!("/v1/document-types{path}");
        self.app.get(&path).bearer(&self.acme.admin_token).send().await
    }

    async fn withdraw(&self, name: &str) -> StatusCode {
        let path = format!("/v1/document-types/{name}");
        let request = self.app.request(Method::DELETE, &path);
        request.bearer(&self.acme.admin_token).status().await
    }

    /// Name, origin and version of every type in the list.
    async fn listed(&self) -> Vec<(String, String, u64)> {
        let items = self.get("").await.body["items"].as_array().unwrap().clone();
        let text = |item: &Value, key: &str| item[key].as_str().unwrap().to_owned();
        items
            .iter()
            .map(|item| {
                (text(item, "name"), text(item, "origin"), item["version"].as_u64().unwrap())
            })
            .collect()
    }
}

fn row(name: &str, origin: &str, version: u64) -> (String, String, u64) {
    (name.to_owned(), origin.to_owned(), version)
}

#[tokio::test]
async fn built_in_types_are_listed_and_readable() {
    let world = World::new().await;
    assert_eq!(
        world.listed().await,
        [
            row("contract_note", "built_in", 0),
            row("generic", "built_in", 0),
            row("invoice", "built_in", 0),
            row("receipt", "built_in", 0),
        ]
    );
    let invoice = world.get("/invoice").await;
    assert_eq!(invoice.status, StatusCode::OK);
    let fields = invoice.body["definition"]["fields"].as_array().unwrap();
    assert!(fields.iter().any(|field| field["name"] == "seller.vat_id"), "{fields:?}");
    assert_eq!(world.get("/payslip").await.code(), "not_found");
    assert_eq!(world.get("/invoice?version=1").await.code(), "not_found");
}

#[tokio::test]
async fn every_built_in_definition_can_be_sent_back_unchanged() {
    let world = World::new().await;
    for name in ["contract_note", "generic", "invoice", "receipt"] {
        let found = world.get(&format!("/{name}")).await.body;
        let unchanged = world.put(name, found["definition"].clone()).await;
        assert_eq!(unchanged.status, StatusCode::OK, "{name}: {unchanged:?}");
        assert_eq!(unchanged.body, found);
    }
}

#[tokio::test]
async fn every_change_is_a_version_and_the_same_definition_is_none() {
    let world = World::new().await;
    let created = world.put("delivery_note", delivery_note()).await;
    assert_eq!(created.status, StatusCode::CREATED, "{created:?}");
    assert_eq!(created.header("location"), Some("/v1/document-types/delivery_note?version=1"));
    assert_eq!(created.body["origin"], "own");
    assert_eq!(created.body["created_by"], "admin@acme.test");

    let same = world.put("delivery_note", delivery_note()).await;
    assert_eq!((same.status, &same.body["version"]), (StatusCode::OK, &json!(1)));

    let mut changed = delivery_note();
    changed["title"] = json!("Delivery");
    let changed = world.put("delivery_note", changed).await;
    assert_eq!((changed.status, &changed.body["version"]), (StatusCode::CREATED, &json!(2)));

    assert_eq!(world.get("/delivery_note").await.body["title"], "Delivery");
    assert_eq!(world.get("/delivery_note?version=1").await.body["title"], "Delivery note");
    let versions = world.get("/delivery_note/versions").await.body;
    let numbers: Vec<&Value> =
        versions["items"].as_array().unwrap().iter().map(|item| &item["version"]).collect();
    assert_eq!(numbers, [2, 1]);

    let audited = world.app.get("/v1/audit?action=DOCUMENT_TYPE_CHANGED");
    let audited = audited.bearer(&world.acme.admin_token).send().await.body;
    let details: Vec<&Value> =
        audited["items"].as_array().unwrap().iter().map(|item| &item["detail"]).collect();
    assert_eq!(
        details,
        [
            &json!({"name": "delivery_note", "version": 2}),
            &json!({"name": "delivery_note", "version": 1})
        ]
    );
}

#[tokio::test]
async fn an_own_type_replaces_the_built_in_one_until_it_is_withdrawn() {
    let world = World::new().await;
    let mut own = world.get("/receipt").await.body["definition"].clone();
    own["fields"][0]["must_review"] = json!(true);
    let created = world.put("receipt", own).await;
    assert_eq!(created.body["replaces_built_in"], true, "{created:?}");
    assert!(world.listed().await.contains(&row("receipt", "own", 1)));
    assert_eq!(world.get("/receipt?version=0").await.body["origin"], "built_in");

    assert_eq!(world.withdraw("receipt").await, StatusCode::NO_CONTENT);
    assert!(world.listed().await.contains(&row("receipt", "built_in", 0)));
    assert_eq!(world.get("/receipt?version=1").await.status, StatusCode::OK);
    assert_eq!(world.get("/receipt?version=2").await.status, StatusCode::NOT_FOUND);
    assert_eq!(world.withdraw("receipt").await, StatusCode::NOT_FOUND);

    let history = world.get("/receipt/versions").await.body["items"].clone();
    let history: Vec<(&Value, &Value)> = history
        .as_array()
        .unwrap()
        .iter()
        .map(|item| (&item["version"], &item["is_withdrawal"]))
        .collect();
    let expected = [(json!(2), json!(true)), (json!(1), json!(false)), (json!(0), json!(false))];
    assert_eq!(history, expected.iter().map(|(one, other)| (one, other)).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_withdrawn_type_is_gone_and_its_name_can_be_used_again() {
    let world = World::new().await;
    world.put("delivery_note", delivery_note()).await;
    assert_eq!(world.withdraw("delivery_note").await, StatusCode::NO_CONTENT);
    assert_eq!(world.get("/delivery_note").await.status, StatusCode::NOT_FOUND);
    let again = world.put("delivery_note", delivery_note()).await;
    assert_eq!((again.status, &again.body["version"]), (StatusCode::CREATED, &json!(3)));
}

#[tokio::test]
async fn an_unusable_definition_is_refused_with_the_place_and_the_reason() {
    let world = World::new().await;
    let order = json!([{"rule": "date_order", "name": "order", "earlier": "a", "later": "b"}]);
    let cases = [
        (
            "/fields/0/patterns",
            json!(["(?=x)"]),
            "fields[0].patterns[0] | The document type cannot be used. fields[0].patterns[0]: look-around and back",
        ),
        (
            "/schema/$defs/decimal",
            json!({"$ref": "http://127.0.0.1:9/x"}),
            "schema/$defs/decimal | The document type cannot be used. schema/$defs/decimal: '$ref' must be a",
        ),
        ("/schema/properties/again", json!({"$ref": "#"}), "the schema refers to itself"),
        (
            "/schema/properties/weight",
            json!({"type": "number"}),
            "fields[1].name | The document type cannot be used. fields[1].name: 'weight': the schema does not allow \
             strings",
        ),
        ("/constraints", order, "constraints[0].later: there is no field 'b'"),
    ];
    for (pointer, value, expected) in cases {
        let mut definition = delivery_note();
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        definition.pointer_mut(parent).unwrap()[key] = value;
        let refused = world.put("delivery_note", definition).await;
        assert_eq!(
            (refused.status, refused.code()),
            (StatusCode::BAD_REQUEST, "invalid_document_type"),
            "{refused:?}"
        );
        let text = |key: &str| refused.body[key].as_str().unwrap().to_owned();
        let found = format!("{} | {}", text("field"), text("detail"));
        assert!(found.contains(expected), "expected {expected:?} in {found:?}");
        let first = &refused.body["errors"][0];
        assert_eq!(first["path"], refused.body["field"]);
        assert!(text("detail").contains(first["message"].as_str().unwrap()), "{refused:?}");
    }
    let other_name = world
        .put("payslip", json!({"name": "delivery_note", "title": "A", "schema": {}, "fields": []}));
    let other_name = other_name.await;
    assert_eq!((other_name.code(), &other_name.body["field"]), ("invalid_request", &json!("name")));
    assert_eq!(world.listed().await.len(), 4, "nothing was stored");
}

#[tokio::test]
async fn changes_at_the_same_time_get_different_versions() {
    let world = World::new().await;
    let mut changes = Vec::new();
    for number in 0..8 {
        let mut definition = delivery_note();
        definition["title"] = json!(format!("Delivery note {number}"));
        changes.push(world.put("delivery_note", definition));
    }
    let mut versions: Vec<u64> = futures_util::future::join_all(changes)
        .await
        .iter()
        .map(|response| response.body["version"].as_u64().unwrap())
        .collect();
    versions.sort_unstable();
    assert_eq!(versions, [1, 2, 3, 4, 5, 6, 7, 8]);
}

#[tokio::test]
async fn other_tenants_do_not_see_a_type_and_users_may_only_read_it() {
    let world = World::new().await;
    world.put("delivery_note", delivery_note()).await;
    let other = world.app.tenant("other").await;
    for path in ["/v1/document-types/delivery_note", "/v1/document-types/delivery_note/versions"] {
        let seen = world.app.get(path).bearer(&other.admin_token).send().await;
        assert_eq!(seen.status, StatusCode::NOT_FOUND, "{path}");
    }
    let (_, user) = world.app.user(&world.acme, Role::User).await;
    let seen = world.app.get("/v1/document-types/delivery_note").bearer(&user).send().await;
    assert_eq!(seen.status, StatusCode::OK);
    let refused = world.app.put("/v1/document-types/delivery_note", delivery_note());
    let refused = refused.bearer(&user).send().await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    assert_eq!(refused.body["detail"], "The user role can't manage document types.");
}

#[tokio::test]
async fn a_tenant_has_at_most_a_hundred_types() {
    let world = World::new().await;
    for number in 0..100 {
        let created = world.put(&format!("note_{number}"), delivery_note()).await;
        assert_eq!(created.status, StatusCode::CREATED, "{created:?}");
    }
    let refused = world.put("one_more", delivery_note()).await;
    assert_eq!((refused.status, refused.code()), (StatusCode::CONFLICT, "too_many_document_types"));
    let mut changed = delivery_note();
    changed["title"] = json!("Changed");
    assert_eq!(world.put("note_7", changed).await.status, StatusCode::CREATED);
    world.withdraw("note_8").await;
    assert_eq!(world.put("one_more", delivery_note()).await.status, StatusCode::CREATED);
}

#[tokio::test]
async fn all_problems_of_a_definition_are_listed() {
    let world = World::new().await;
    let mut definition = delivery_note();
    definition["title"] = json!("");
    definition["fields"][0]["patterns"] = json!(["("]);
    definition["fields"][1]["labels"] = json!({"english": ["weight"]});
    let refused = world.put("delivery_note", definition.clone()).await;
    let paths = |refused: &Response| -> Vec<String> {
        let errors = refused.body["errors"].as_array().unwrap().iter();
        errors.map(|error| error["path"].as_str().unwrap().to_owned()).collect()
    };
    let expected = ["title", "fields[0].patterns[0]", "fields[1].labels.english"];
    assert_eq!(paths(&refused), expected, "{refused:?}");

    let made = world.app.upload("a.txt", "a").bearer(&world.acme.admin_token).send().await.body;
    let body = json!({"document_id": made["doc_id"], "definition": definition});
    let tried = world.app.post("/v1/document-types/delivery_note/dry-run", body);
    let tried = tried.bearer(&world.acme.admin_token).send().await;
    assert_eq!(tried.code(), "invalid_document_type");
    assert_eq!(paths(&tried), expected);
}

#[tokio::test]
async fn the_name_that_lets_docket_recognise_the_type_is_reserved() {
    let world = World::new().await;
    let refused = world.put("auto", delivery_note()).await;
    assert_eq!((refused.code(), &refused.body["field"]), ("invalid_document_type", &json!("name")));
}

/// What a dry run extracts is told in `docket/tests/process/types.rs`; this application has no reader.
#[tokio::test]
async fn a_dry_run_names_a_type_and_a_document_that_exist() {
    let world = World::new().await;
    let made = world.app.upload("a.txt", "a").bearer(&world.acme.admin_token).send().await.body;
    let doc_id = made["doc_id"].as_str().unwrap();
    let unknown = "00000000-0000-0000-0000-000000000009";
    let other_name = json!({"document_id": doc_id, "definition": {"name": "b", "title": "B", "schema": {}, "fields": []}});
    let with_definition = json!({"document_id": doc_id, "definition": delivery_note()});
    let cases = [
        ("invoice", json!({"document_id": unknown}), "not_found"),
        ("payslip", json!({"document_id": doc_id}), "not_found"),
        ("payslip", other_name, "invalid_request"),
        ("invoice", json!({}), "invalid_request"),
        ("payslip", with_definition, "no_reader"),
        ("auto", json!({"document_id": doc_id}), "no_reader"),
    ];
    for (name, body, code) in cases {
        let tried = world.app.post(&format!("/v1/document-types/{name}/dry-run"), body);
        let tried = tried.bearer(&world.acme.admin_token).send().await;
        assert_eq!(tried.code(), code, "{tried:?}");
    }
}

#[tokio::test]
async fn an_editor_does_not_overwrite_the_change_of_another_one() {
    let world = World::new().await;
    let tag = |response: &Response| response.header("etag").unwrap().to_owned();
    let put = async |name: &str, title: &str, header: (&str, &str)| {
        let mut definition = delivery_note();
        definition["title"] = json!(title);
        let request = world.app.put(&format!("/v1/document-types/{name}"), definition);
        request.bearer(&world.acme.admin_token).header(header.0, header.1).send().await
    };
    let created = put("delivery_note", "First", ("if-none-match", "*")).await;
    assert_eq!(created.status, StatusCode::CREATED);
    let first = tag(&world.get("/delivery_note").await);
    assert_eq!(first, tag(&created));

    let second = put("delivery_note", "Second", ("if-match", &first)).await;
    assert_eq!((second.status, second.body["version"].as_u64()), (StatusCode::CREATED, Some(2)));
    let stale = put("delivery_note", "Other", ("if-match", &first)).await;
    assert_eq!((stale.status, stale.code()), (StatusCode::CONFLICT, "document_type_changed"));
    assert_eq!(tag(&world.get("/delivery_note?version=1").await), first);
    // Who repeats a request that succeeded, succeeds.
    let again = put("delivery_note", "Second", ("if-match", &first)).await;
    assert_eq!((again.status, tag(&again)), (StatusCode::OK, tag(&second)));
    let exists = put("delivery_note", "Other", ("if-none-match", "*")).await;
    assert_eq!((exists.status, exists.code()), (StatusCode::CONFLICT, "document_type_exists"));
    assert_eq!(put("delivery_note", "Third", ("if-match", "*")).await.status, StatusCode::CREATED);

    // A built-in type has a tag too, until the tenant's own one replaces it.
    let built_in = tag(&world.get("/receipt").await);
    let own = put("receipt", "Own", ("if-match", &built_in)).await;
    assert_eq!((own.status, tag(&own) == built_in), (StatusCode::CREATED, false));
    let stale = put("receipt", "Other", ("if-match", &built_in)).await;
    assert_eq!(stale.code(), "document_type_changed");
    let nothing = put("payslip", "New", ("if-match", "*")).await;
    assert_eq!(nothing.code(), "document_type_changed");

    let withdraw = async |tag: &str| {
        let request = world.app.request(Method::DELETE, "/v1/document-types/delivery_note");
        request.bearer(&world.acme.admin_token).header("if-match", tag).status().await
    };
    assert_eq!(withdraw(&first).await, StatusCode::CONFLICT);
    let current = tag(&world.get("/delivery_note").await);
    assert_eq!(withdraw(&current).await, StatusCode::NO_CONTENT);
}
