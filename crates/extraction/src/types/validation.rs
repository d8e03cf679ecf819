//! Whether a definition of a document type can be used.
//!
//! All problems are reported at once, each with the place in the definition and what to do.

use std::collections::{BTreeMap, BTreeSet};

use domain::{AUTOMATIC_TYPE, FieldKind};
use thiserror::Error;

use super::patterns::pattern;
use super::{Constraint, DocumentType, FieldSpec, GROUPS, json_schema, split_group};

/// The longest name of a type, a constraint, or a segment of a field's name.
const MAX_NAME: usize = 63;
const MAX_SEGMENTS: usize = 4;
const MAX_TITLE: usize = 200;
const MAX_DESCRIPTION: usize = 2_000;
const MAX_FIELDS: usize = 200;
const MAX_LANGUAGES: usize = 30;
/// Labels or phrases of one language, and words of one choice.
const MAX_WORDS: usize = 60;
/// The longest label, phrase or choice, in characters.
const MAX_WORD: usize = 100;
const MAX_CHOICES: usize = 50;
/// Patterns of one field.
const MAX_PATTERNS: usize = 10;
/// Patterns of all fields together: each may need a megabyte when it is compiled.
const MAX_PATTERNS_TOGETHER: usize = 100;
const MAX_CONSTRAINTS: usize = 50;
/// Fields in one list of a constraint.
const MAX_TERMS: usize = 20;
/// The whole definition as JSON, in bytes.
const MAX_SIZE: usize = 256 * 1024;
/// Problems that are reported at once.
const MAX_PROBLEMS: usize = 20;

/// What is wrong in a definition, and where.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{path}: {message}")]
pub struct TypeProblem {
    /// Such as `fields[3].patterns[0]`, or `schema/properties/total` for a place in the JSON Schema.
    pub path: String,
    /// What is wrong and what to do about it.
    pub message: String,
}

impl TypeProblem {
    pub(super) fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into() }
    }
}

/// A definition of a document type that cannot be used.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{}", .problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
pub struct InvalidType {
    /// At least one; at most 20.
    pub problems: Vec<TypeProblem>,
}

impl DocumentType {
    /// Checks everything that a definition can get wrong.
    pub fn validate(&self) -> Result<(), InvalidType> {
        let mut check = Check { definition: self, problems: Vec::new() };
        check.head();
        // The limits are checked first, so that what follows has a bounded amount of work.
        if check.sizes() {
            check.fields();
            check.constraints();
            check.schema();
        }
        check.problems.truncate(MAX_PROBLEMS);
        if check.problems.is_empty() {
            Ok(())
        } else {
            Err(InvalidType { problems: check.problems })
        }
    }
}

struct Check<'a> {
    definition: &'a DocumentType,
    problems: Vec<TypeProblem>,
}

impl Check<'_> {
    fn report(&mut self, path: impl Into<String>, message: impl Into<String>) {
        self.problems.push(TypeProblem::new(path, message));
    }

    fn head(&mut self) {
        if !is_name(&self.definition.name) {
            self.report("name", NAME_RULE);
        }
        if self.definition.name == AUTOMATIC_TYPE {
            let message = "is reserved: it lets Docket recognise the type. Choose another name";
            self.report("name", format!("'{AUTOMATIC_TYPE}' {message}"));
        }
        let title = self.definition.title.trim();
        if title.is_empty() || title.chars().count() > MAX_TITLE {
            self.report("title", format!("must have 1 to {MAX_TITLE} characters"));
        }
        if self.definition.description.chars().count() > MAX_DESCRIPTION {
            self.report("description", format!("must have at most {MAX_DESCRIPTION} characters"));
        }
        self.words_by_language("phrases", &self.definition.phrases);
    }

    /// Whether the numbers of things are within their limits.
    fn sizes(&mut self) -> bool {
        let definition = self.definition;
        let before = self.problems.len();
        let counts = [
            ("fields", definition.fields.len(), MAX_FIELDS),
            ("constraints", definition.constraints.len(), MAX_CONSTRAINTS),
        ];
        for (what, count, limit) in counts {
            if count > limit {
                self.report(what, format!("there are {count}; at most {limit} are allowed"));
            }
        }
        let patterns: usize = definition.fields.iter().map(|field| field.patterns.len()).sum();
        if patterns > MAX_PATTERNS_TOGETHER {
            self.report(
                "fields",
                format!(
                    "they have {patterns} patterns; at most {MAX_PATTERNS_TOGETHER} are allowed"
                ),
            );
        }
        let size = serde_json::to_vec(definition).map_or(usize::MAX, |json| json.len());
        if size > MAX_SIZE {
            self.report("definition", format!("has {size} bytes; at most {MAX_SIZE} are allowed"));
        }
        self.problems.len() == before
    }

    fn fields(&mut self) {
        let mut names = BTreeSet::new();
        for (index, field) in self.definition.fields.iter().enumerate() {
            let at = format!("fields[{index}]");
            if let Some(problem) = wrong_field_name(&field.name) {
                self.report(format!("{at}.name"), problem);
            } else if !names.insert(field.name.as_str()) {
                let message = format!("another field is called '{}' too; remove one", field.name);
                self.report(format!("{at}.name"), message);
            }
            self.words_by_language(&format!("{at}.labels"), &field.labels);
            self.patterns(&at, field);
            self.choices(&at, field);
        }
        for (index, field) in self.definition.fields.iter().enumerate() {
            let mut prefix = field.name.as_str();
            while let Some((shorter, _)) = prefix.rsplit_once('.') {
                prefix = shorter;
                if names.contains(prefix) {
                    let message = format!(
                        "'{prefix}' is a field with a value, so '{}' cannot be in it; rename one of them",
                        field.name
                    );
                    self.report(format!("fields[{index}].name"), message);
                }
            }
        }
    }

    fn patterns(&mut self, at: &str, field: &FieldSpec) {
        if field.patterns.len() > MAX_PATTERNS {
            let message = format!(
                "'{}' has {} patterns; at most {MAX_PATTERNS} are allowed",
                field.name,
                field.patterns.len()
            );
            return self.report(format!("{at}.patterns"), message);
        }
        for (index, text) in field.patterns.iter().enumerate() {
            if let Err(invalid) = pattern(text) {
                self.report(format!("{at}.patterns[{index}]"), invalid.to_string());
            }
        }
    }

    fn choices(&mut self, at: &str, field: &FieldSpec) {
        let at = format!("{at}.choices");
        if field.kind != FieldKind::Choice {
            if !field.choices.is_empty() {
                let message = format!(
                    "choices are for fields of the kind 'choice'; '{}' is of the kind '{}'",
                    field.name, field.kind
                );
                self.report(at, message);
            }
            return;
        }
        if field.choices.is_empty() || field.choices.len() > MAX_CHOICES {
            let message = format!("'{}' must have 1 to {MAX_CHOICES} choices", field.name);
            self.report(at.clone(), message);
        }
        for (value, words) in &field.choices {
            if !is_name(value) {
                self.report(format!("{at}.{value}"), NAME_RULE);
            }
            self.words(&format!("{at}.{value}"), words);
        }
    }

    fn words_by_language(&mut self, at: &str, words: &BTreeMap<String, Vec<String>>) {
        if words.len() > MAX_LANGUAGES {
            self.report(at, format!("at most {MAX_LANGUAGES} languages are allowed"));
        }
        for (language, words) in words {
            let is_code =
                language.len() == 2 && language.bytes().all(|byte| byte.is_ascii_lowercase());
            if !is_code {
                let message = "a language is its two lower-case letters in ISO 639-1, such as 'de'";
                self.report(format!("{at}.{language}"), message);
            }
            self.words(&format!("{at}.{language}"), words);
        }
    }

    fn words(&mut self, at: &str, words: &[String]) {
        if words.len() > MAX_WORDS {
            self.report(at, format!("at most {MAX_WORDS} entries are allowed"));
        }
        for (index, word) in words.iter().enumerate() {
            if word.trim().is_empty() || word.chars().count() > MAX_WORD {
                let message = format!("must have 1 to {MAX_WORD} characters, and not only spaces");
                self.report(format!("{at}[{index}]"), message);
            }
        }
    }

    fn constraints(&mut self) {
        let mut names = BTreeSet::new();
        for (index, constraint) in self.definition.constraints.iter().enumerate() {
            let at = format!("constraints[{index}]");
            if !is_name(constraint.name()) {
                self.report(format!("{at}.name"), NAME_RULE);
            } else if !names.insert(constraint.name()) {
                let message = format!("another constraint is called '{}' too", constraint.name());
                self.report(format!("{at}.name"), message);
            }
            self.constraint(&at, constraint);
        }
    }

    fn constraint(&mut self, at: &str, constraint: &Constraint) {
        const NUMBERS: &[FieldKind] =
            &[FieldKind::Money, FieldKind::Quantity, FieldKind::Percent, FieldKind::Number];
        let mut terms = Terms { at, check: self, group: None };
        match constraint {
            Constraint::Sum { total, add, subtract, optional, when, .. } => {
                terms.one("total", total, NUMBERS);
                terms.list("add", add, 1, NUMBERS);
                terms.list("subtract", subtract, 0, NUMBERS);
                terms.when(when);
                for (index, name) in optional.iter().enumerate() {
                    if !add.contains(name) && !subtract.contains(name) {
                        let message = format!(
                            "'{name}' is not in 'add' or 'subtract', so it cannot be optional"
                        );
                        terms.check.report(format!("{at}.optional[{index}]"), message);
                    }
                }
            }
            Constraint::Product { product, factors, when, .. } => {
                terms.one("product", product, NUMBERS);
                terms.list("factors", factors, 2, NUMBERS);
                terms.when(when);
            }
            Constraint::DateOrder { earlier, later, .. } => {
                terms.one("earlier", earlier, &[FieldKind::Date]);
                terms.one("later", later, &[FieldKind::Date]);
            }
            Constraint::LineSum { field, total, .. } => {
                terms.one("field", field, NUMBERS);
                if split_group(field).0.is_none() {
                    let message = "must be a field of a group, such as 'lines[].line_total'";
                    terms.check.report(format!("{at}.field"), message);
                }
                terms.group = Some(String::new());
                terms.one("total", total, NUMBERS);
            }
        }
    }

    fn schema(&mut self) {
        let inspected = match json_schema::inspect(&self.definition.schema) {
            Ok(inspected) => inspected,
            Err(problems) => return self.problems.extend(problems),
        };
        if let Err(problem) = inspected.compile() {
            return self.problems.push(problem);
        }
        for (index, field) in self.definition.fields.iter().enumerate() {
            let (group, name) = field.group();
            if let Some(problem) = inspected.unreachable(group, name) {
                self.report(
                    format!("fields[{index}].name"),
                    format!("'{}': {problem}", field.name),
                );
            }
        }
    }
}

/// The fields that a constraint names.
struct Terms<'a, 'b> {
    at: &'a str,
    check: &'a mut Check<'b>,
    /// The group that the fields must be in; empty for fields of the document.
    group: Option<String>,
}

impl Terms<'_, '_> {
    fn list(&mut self, key: &str, names: &[String], least: usize, kinds: &[FieldKind]) {
        if names.len() < least || names.len() > MAX_TERMS {
            let message = format!("must name {least} to {MAX_TERMS} fields");
            self.check.report(format!("{}.{key}", self.at), message);
        }
        for (index, name) in names.iter().enumerate().take(MAX_TERMS) {
            self.one(&format!("{key}[{index}]"), name, kinds);
        }
    }

    fn one(&mut self, key: &str, name: &str, kinds: &[FieldKind]) {
        let at = format!("{}.{key}", self.at);
        let Some(field) = self.check.definition.fields.iter().find(|field| field.name == name)
        else {
            return self.check.report(at, format!("there is no field '{name}'; {FULL_NAMES}"));
        };
        if !kinds.is_empty() && !kinds.contains(&field.kind) {
            let kinds: Vec<&str> = kinds.iter().map(|kind| kind.as_str()).collect();
            let message = format!(
                "'{name}' is of the kind '{}'; this needs {}",
                field.kind,
                kinds.join(", ")
            );
            return self.check.report(at, message);
        }
        let group = split_group(name).0.unwrap_or_default();
        match &self.group {
            Some(expected) if expected != group => {
                let expected = match expected.as_str() {
                    "" => "a field of the document".to_owned(),
                    group => format!("a field of '{group}[]'"),
                };
                self.check.report(at, format!("'{name}' must be {expected}, like the others"));
            }
            _ => self.group = Some(group.to_owned()),
        }
    }

    fn when(&mut self, when: &BTreeMap<String, String>) {
        for (name, value) in when {
            self.one(&format!("when.{name}"), name, &[]);
            let field = self.check.definition.fields.iter().find(|field| field.name == *name);
            let is_unknown = field.is_some_and(|field| {
                field.kind == FieldKind::Choice && !field.choices.contains_key(value)
            });
            if is_unknown {
                let message = format!("'{name}' has no choice '{value}'");
                self.check.report(format!("{}.when.{name}", self.at), message);
            }
        }
    }
}

const NAME_RULE: &str = "must begin with a lower-case letter, and have at most 63 lower-case letters, digits and underscores";
const FULL_NAMES: &str = "name fields as in 'fields', with their group";

/// Whether a name has the form that [`NAME_RULE`] asks for.
fn is_name(name: &str) -> bool {
    let begins_with_letter = name.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase());
    let is_allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    begins_with_letter && name.len() <= MAX_NAME && name.bytes().all(is_allowed)
}

fn wrong_field_name(name: &str) -> Option<String> {
    let (group, rest) = split_group(name);
    if group.is_some_and(|group| !GROUPS.contains(&group)) || rest.contains("[]") {
        let groups = GROUPS.map(|group| format!("'{group}[]'"));
        return Some(format!(
            "'{name}': only {} repeat, and only at the beginning of a name",
            groups.join(" and ")
        ));
    }
    let segments: Vec<&str> = rest.split('.').collect();
    if segments.len() > MAX_SEGMENTS || !segments.iter().all(|segment| is_name(segment)) {
        return Some(format!(
            "'{name}': each of the 1 to {MAX_SEGMENTS} parts between dots {NAME_RULE}"
        ));
    }
    let is_reserved =
        group.is_none() && segments.first().is_some_and(|first| GROUPS.contains(first));
    is_reserved.then(|| {
        format!(
            "'{name}': '{}' is a group; write '{}[].…', or use another name",
            segments[0], segments[0]
        )
    })
}
