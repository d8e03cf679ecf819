//! Parses `table.txt`.

use super::world::Principal;

pub(super) struct Table {
    pub(super) rows: Vec<Row>,
    /// Every route that reads, with the objects that it returns.
    pub(super) routes: Vec<(String, Vec<String>)>,
}

pub(super) struct Row {
    pub(super) object: String,
    pub(super) state: String,
    /// In the order of [`Principal::ALL`].
    pub(super) expected: Vec<String>,
}

impl Table {
    pub(super) fn parse(text: &str) -> Self {
        let mut table = Self { rows: Vec::new(), routes: Vec::new() };
        let lines = text.lines().map(str::trim);
        for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let cells: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            match cells[0].as_str() {
                "object" => {
                    let principals: Vec<&str> =
                        Principal::ALL.iter().map(|one| one.as_str()).collect();
                    assert_eq!(
                        cells[2..],
                        principals,
                        "the columns are the principals of the world"
                    );
                }
                "GET" | "POST" => {
                    let objects = cells[2..].iter().filter(|object| *object != "-").cloned();
                    table.routes.push((cells[..2].join(" "), objects.collect()));
                }
                _ => {
                    let expected = cells[2..].to_vec();
                    assert_eq!(expected.len(), Principal::ALL.len(), "{line}");
                    let (object, state) = (cells[0].clone(), cells[1].clone());
                    table.rows.push(Row { object, state, expected });
                }
            }
        }
        table
    }
}
