//! Every readable object × every state of a document × every kind of caller, compared with `table.txt`.
//!
//! `world.rs` makes one document for each state, with the stages of the product, and the callers. `probe.rs` reads
//! each object as a client would. All differences are reported at once.

mod probe;
mod table;
mod world;

use std::collections::BTreeSet;

use domain::ReadableObject;

use probe::probe;
use table::{Row, Table};
use world::{Principal, State, World};

fn table() -> Table {
    Table::parse(include_str!("table.txt"))
}

#[test]
fn every_object_has_a_row_for_every_state() {
    let expected: BTreeSet<(String, String)> = ReadableObject::ALL
        .iter()
        .flat_map(|object| State::ALL.map(|state| (object.as_str().into(), state.as_str().into())))
        .collect();
    let rows: Vec<(String, String)> =
        table().rows.into_iter().map(|row| (row.object, row.state)).collect();
    let found: BTreeSet<_> = rows.iter().cloned().collect();
    assert_eq!(expected, found, "left: the objects of the code; right: the rows of table.txt");
    assert_eq!(rows.len(), found.len(), "a row is there twice");
}

#[test]
fn every_get_route_is_in_the_table() {
    let table = table();
    let listed: BTreeSet<String> = table.routes.iter().map(|(route, _)| route.clone()).collect();
    // POST routes that read are in the table by hand; every GET route must be there.
    let read: BTreeSet<String> = crate::authorisation::documented_routes()
        .into_iter()
        .filter(|route| route.starts_with("GET ") || listed.contains(route))
        .collect();
    assert_eq!(read, listed, "left: documented routes; right: the routes of table.txt");
    let shown: BTreeSet<&str> =
        table.routes.iter().flat_map(|(_, objects)| objects).map(String::as_str).collect();
    let objects: BTreeSet<&str> =
        ReadableObject::ALL.iter().map(|object| object.as_str()).collect();
    assert_eq!(objects, shown, "left: the objects of the code; right: what the routes show");
}

#[tokio::test]
async fn the_table_holds_for_every_object_state_and_caller() {
    let world = World::build().await;
    let table = table();
    let mut differences = Vec::new();
    for Row { object, state, expected } in &table.rows {
        let object = ReadableObject::ALL.iter().find(|known| known.as_str() == object).unwrap();
        let state = State::ALL.into_iter().find(|known| known.as_str() == state).unwrap();
        for (principal, expected) in Principal::ALL.iter().zip(expected) {
            let found = probe(&world, *object, state, *principal).await;
            if found != *expected {
                let (object, state) = (object.as_str(), state.as_str());
                let who = principal.as_str();
                differences.push(format!(
                    "{object} of the {state} document as {who}: {found}, expected {expected}"
                ));
            }
        }
    }
    assert!(
        differences.is_empty(),
        "{} differences:\n{}",
        differences.len(),
        differences.join("\n")
    );
}
