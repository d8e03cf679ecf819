//! Electronic invoices: whether their XML is read exactly, and whether the comparison with the pages finds what the pages
//! show.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Write, stdout};
use std::path::Path;

use anyhow::Context;
use extraction::candidates;
use extraction::e_invoice::Collector;
use extraction::geometry::View;
use extraction::parsed::{Parsed, ParsedField};
use pages::{Attachment, Part};
use rust_decimal::Decimal;
use serde_json::Value;

use crate::corpus;

/// The fields of a document and of its lines, by path.
type Fields = BTreeMap<String, String>;

#[derive(Debug, Default)]
struct Score {
    documents: usize,
    expected: usize,
    right: usize,
    wrong: Vec<String>,
}

/// What the comparison with the pages reports.
#[derive(Debug, Default)]
struct Compared {
    visible: usize,
    located: usize,
    contradictions: Vec<String>,
    missed: Vec<String>,
}

pub(crate) fn measure(corpus: &Path, cache: &Path) -> anyhow::Result<()> {
    let mut compared = Compared::default();
    let embedded = folder(corpus, cache, "invoices/with_attachment", &mut compared)?;
    let beside = folder(corpus, cache, "invoices", &mut compared)?;
    let mut out = stdout();
    for (name, score) in [("XML in the PDF", &embedded), ("XML beside the PDF", &beside)] {
        let Score { documents, expected, right, wrong } = score;
        writeln!(out, "{name}: {documents} documents, {right} of {expected} fields")?;
        for wrong in wrong {
            writeln!(out, "  {wrong}")?;
        }
    }
    let Compared { visible, located, contradictions, missed } = compared;
    writeln!(out, "fields that the pages show: {located} of {visible} located")?;
    for missed in missed {
        writeln!(out, "  {missed}")?;
    }
    writeln!(out, "differences reported between XML and pages: {}", contradictions.len())?;
    for contradiction in contradictions {
        writeln!(out, "  {contradiction}")?;
    }
    Ok(())
}

fn folder(
    corpus: &Path,
    cache: &Path,
    folder: &str,
    compared: &mut Compared,
) -> anyhow::Result<Score> {
    let mut score = Score::default();
    for file in corpus::files(corpus, folder, "pdf")? {
        let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let truth = corpus.join("invoices").join(format!("{stem}.fields.json"));
        let truth = fs::read(&truth).with_context(|| truth.display().to_string())?;
        let truth: Value = serde_json::from_slice(&truth)?;
        let xml = fs::read(corpus.join("invoices").join(format!("{stem}.xml")))?;
        let mut parts = corpus::load(cache, folder, &file)?;
        let has_xml = parts.iter().any(|part| matches!(part, Part::Attachment(_)));
        if !has_xml {
            let attached =
                Attachment { name: "beside.xml".to_owned(), media_type: None, bytes: xml };
            parts.insert(1, Part::Attachment(attached));
        }
        let parsed = parse(&parts);
        let found = fields_of(&parsed);
        let mut expected = Fields::new();
        flatten("", &truth["fields"], &mut expected);
        expected.remove("type_code");
        score.documents += 1;
        for (name, expected) in &expected {
            score.expected += 1;
            match found.get(name) {
                Some(found) if is_same(found, expected) => score.right += 1,
                found => score.wrong.push(format!("{stem}: {name}: {found:?} for {expected:?}")),
            }
        }
        let extra =
            found.keys().filter(|name| !expected.contains_key(*name) && *name != "due_date");
        score.wrong.extend(extra.map(|name| format!("{stem}: {name}: not expected")));
        compared.add(&stem, &parsed, &truth["visible_in_text"]);
    }
    Ok(score)
}

impl Compared {
    fn add(&mut self, stem: &str, parsed: &Parsed, visible: &Value) {
        let visible = visible.as_array().map_or(&[][..], Vec::as_slice);
        for name in visible.iter().filter_map(Value::as_str) {
            let field = parsed.fields.iter().find(|field| field.name == name);
            let Some(candidate) = field.and_then(|field| field.candidates.first()) else {
                continue;
            };
            self.visible += 1;
            if candidate.page.is_some() {
                self.located += 1;
            } else {
                self.missed.push(format!("{stem}: {name} {}", candidate.value));
            }
        }
        let failed = parsed.checks.iter().filter(|check| check.passed == Some(false));
        self.contradictions
            .extend(failed.map(|check| format!("{stem}: {}: {}", check.name, check.detail)));
    }
}

fn parse(parts: &[Part]) -> Parsed {
    let mut collector = Collector::default();
    for part in parts {
        match part {
            Part::Head(head) => collector.head(head),
            Part::Attachment(attachment) => collector.attachment(attachment),
            Part::Page(page) => {
                let view = View::new(page);
                collector.page(&view, &candidates::find(&view));
            }
            Part::Tail(_) => {}
        }
    }
    collector.finish()
}

fn fields_of(parsed: &Parsed) -> Fields {
    let value = |field: &ParsedField| Some(field.candidates.first()?.value.clone());
    let header = parsed.fields.iter().filter_map(|field| Some((field.name.clone(), value(field)?)));
    let mut fields: Fields = header.collect();
    for (index, line) in parsed.lines.iter().enumerate() {
        let of_line = line
            .iter()
            .filter_map(|field| Some((format!("lines.{index}.{}", field.name), value(field)?)));
        fields.extend(of_line);
    }
    fields
}

fn flatten(path: &str, value: &Value, fields: &mut Fields) {
    let join =
        |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    match value {
        Value::Object(members) => {
            members.iter().for_each(|(name, value)| flatten(&join(name), value, fields));
        }
        Value::Array(items) => {
            items
                .iter()
                .enumerate()
                .for_each(|(at, value)| flatten(&join(&at.to_string()), value, fields));
        }
        Value::Null => {}
        Value::String(text) => drop(fields.insert(path.to_owned(), text.clone())),
        other => drop(fields.insert(path.to_owned(), other.to_string())),
    }
}

/// Numbers are the same when their values are; texts may differ in white space.
fn is_same(found: &str, expected: &str) -> bool {
    let numbers = (found.parse::<Decimal>(), expected.parse::<Decimal>());
    if let (Ok(found), Ok(expected)) = numbers {
        return found == expected;
    }
    let spaceless = |text: &str| text.split_whitespace().collect::<String>();
    spaceless(found) == spaceless(expected)
}
