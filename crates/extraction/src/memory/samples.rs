//! Small documents for the tests of layout memory.

use domain::{Extraction, Field, FieldKind, FieldStatus};
use pages::{Area, Line, Page, Part, Size, Span, Word};

use crate::types::{DocumentType, FieldSpec};

const HEIGHT: f32 = 12.0;
const LETTER: f32 = 6.0;

/// A page with one row for each line of text.
pub(super) fn page<L: AsRef<str>>(lines: &[L]) -> Page {
    let mut page =
        Page { number: 1, size: Some(Size { width: 595.0, height: 842.0 }), ..Page::default() };
    let mut top = 40.0;
    for line in lines {
        let from = page.words.len();
        let mut left = 40.0;
        for text in line.as_ref().split_whitespace() {
            #[expect(clippy::cast_precision_loss, reason = "short words")]
            let right = left + LETTER * text.chars().count() as f32;
            let area = Some(Area { left, top, right, bottom: top + HEIGHT });
            page.words.push(Word { text: text.to_owned(), area, ..Word::default() });
            left = right + LETTER;
        }
        page.lines.push(Line { words: Span::new(from..page.words.len()), area: None });
        top += 1.5 * HEIGHT;
    }
    page
}

pub(super) fn document<L: AsRef<str>>(lines: &[L]) -> Vec<Part> {
    vec![Part::Page(page(lines))]
}

/// A document type with these fields, each with the English labels.
pub(super) fn document_type(fields: &[(&str, FieldKind, &[&str])]) -> DocumentType {
    let spec = |(name, kind, labels): &(&str, FieldKind, &[&str])| FieldSpec {
        name: (*name).to_owned(),
        kind: *kind,
        labels: [("en".to_owned(), labels.iter().map(|label| (*label).to_owned()).collect())]
            .into(),
        patterns: Vec::new(),
        choices: [].into(),
        additive: name.ends_with("fees"),
        required: false,
        must_review: false,
    };
    DocumentType {
        name: "contract_note".to_owned(),
        title: "Contract note".to_owned(),
        description: String::new(),
        phrases: [].into(),
        schema: serde_json::Value::Bool(true),
        fields: fields.iter().map(spec).collect(),
        constraints: Vec::new(),
    }
}

/// A result with one trade whose fields a reviewer corrected to these values.
pub(super) fn corrected(values: &[(&str, &str)]) -> Extraction {
    let field = |value: &str| Field {
        value: Some(value.to_owned()),
        status: FieldStatus::Corrected,
        ..Field::missing()
    };
    let trade = values.iter().map(|(name, value)| ((*name).to_owned(), field(value))).collect();
    Extraction {
        document_type: "contract_note".to_owned(),
        trades: vec![trade],
        ..Extraction::default()
    }
}
