//! The question sets of the corpus: paragraphs with questions, contracts with clauses.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow};
use serde::Deserialize;

/// Where the corpus lies, by `DOCKET_CORPUS`; without it there is nothing to measure.
pub(crate) fn folder() -> Result<PathBuf> {
    let folder = std::env::var_os("DOCKET_CORPUS")
        .ok_or_else(|| anyhow!("SKIPPED: DOCKET_CORPUS does not say where the corpus is"))?;
    Ok(folder.into())
}

#[derive(Deserialize)]
struct File {
    data: Vec<ArticleJson>,
}

#[derive(Deserialize)]
struct ArticleJson {
    paragraphs: Vec<ParagraphJson>,
}

#[derive(Deserialize)]
struct ParagraphJson {
    context: String,
    qas: Vec<QuestionJson>,
}

#[derive(Deserialize)]
struct QuestionJson {
    question: String,
    answers: Vec<AnswerJson>,
    is_impossible: bool,
}

#[derive(Deserialize)]
struct AnswerJson {
    text: String,
}

/// Paragraphs, and questions that one of them answers or seems to.
pub(crate) struct QuestionSet {
    pub(crate) passages: Vec<String>,
    /// The document of each passage.
    pub(crate) document_of: Vec<usize>,
    /// The article or contract of each passage.
    pub(crate) group_of: Vec<usize>,
    /// Answers are clauses, of which a quoted sentence may be a part.
    pub(crate) answers_are_long: bool,
    pub(crate) questions: Vec<Question>,
}

impl QuestionSet {
    fn new(answers_are_long: bool) -> Self {
        Self {
            passages: Vec::new(),
            document_of: Vec::new(),
            group_of: Vec::new(),
            answers_are_long,
            questions: Vec::new(),
        }
    }
}

pub(crate) struct Question {
    pub(crate) text: String,
    /// Questions of one group are never split between fitting and testing.
    pub(crate) group: usize,
    /// The passages that hold the answer; for a question without one, the passage it was made for.
    pub(crate) passages: Vec<usize>,
    /// Empty when there is no answer.
    pub(crate) answers: Vec<String>,
    /// Only passages of the same document may be asked.
    pub(crate) document: Option<usize>,
}

impl Question {
    pub(crate) fn answerable(&self) -> bool {
        !self.answers.is_empty()
    }
}

/// `qa_squad2`: every paragraph is a document of one tenant.
pub(crate) fn squad(corpus: &Path) -> Result<QuestionSet> {
    let path = corpus.join("qa_squad2/squad2_subset.json");
    let text = fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
    let file: File = serde_json::from_str(&text)?;
    let mut set = QuestionSet::new(false);
    for (group, article) in file.data.into_iter().enumerate() {
        for paragraph in article.paragraphs {
            let passage = set.passages.len();
            set.passages.push(paragraph.context);
            set.document_of.push(passage);
            set.group_of.push(group);
            set.questions.extend(paragraph.qas.into_iter().map(|qa| Question {
                text: qa.question,
                group,
                passages: vec![passage],
                answers: if qa.is_impossible {
                    Vec::new()
                } else {
                    qa.answers.into_iter().map(|answer| answer.text).collect()
                },
                document: None,
            }));
        }
    }
    Ok(set)
}

#[derive(Deserialize)]
struct Labels {
    labels: BTreeMap<String, Label>,
}

#[derive(Deserialize)]
struct Label {
    spans: Vec<String>,
    is_impossible: bool,
}

/// `contracts_cuad`: each contract is asked for each kind of clause, within that contract.
pub(crate) fn contracts(corpus: &Path) -> Result<QuestionSet> {
    let mut files: Vec<PathBuf> = fs::read_dir(corpus.join("contracts_cuad"))?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    files.retain(|path| path.extension().is_some_and(|ending| ending == "txt"));
    files.sort();
    let mut set = QuestionSet::new(true);
    for (document, path) in files.iter().enumerate() {
        let text = fs::read_to_string(path)?;
        let labels: Labels =
            serde_json::from_str(&fs::read_to_string(path.with_extension("labels.json"))?)?;
        let first = set.passages.len();
        set.passages.extend(pieces_of(&text));
        set.document_of.resize(set.passages.len(), document);
        set.group_of.resize(set.passages.len(), document);
        for (clause, label) in labels.labels {
            let spans: Vec<String> = label
                .spans
                .iter()
                .flat_map(|span| span.split("<omitted>"))
                .map(letters)
                .filter(|span| !span.is_empty())
                .collect();
            let passages = (first..set.passages.len())
                .filter(|at| spans.iter().any(|span| letters(&set.passages[*at]).contains(span)))
                .collect();
            set.questions.push(Question {
                text: format!("{clause}: what does the contract say about it?"),
                group: document,
                passages,
                answers: if label.is_impossible { Vec::new() } else { label.spans },
                document: Some(document),
            });
        }
    }
    Ok(set)
}

/// About 1,500 letters of whole lines, as large as a chunk; a clause that is cut is in two of them.
fn pieces_of(text: &str) -> Vec<String> {
    const LETTERS: usize = 1_500;
    const OVERLAP: usize = 300;
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut pieces = Vec::new();
    let mut start = 0;
    while start < words.len() {
        let mut end = start;
        let mut length = 0;
        while end < words.len() && length < LETTERS {
            length += words[end].len() + 1;
            end += 1;
        }
        pieces.push(words[start..end].join(" "));
        if end == words.len() {
            break;
        }
        let mut back = 0;
        while end > start + 1 && back < OVERLAP {
            end -= 1;
            back += words[end].len() + 1;
        }
        start = end;
    }
    pieces
}

/// Line breaks and blanks differ between a label and the text.
pub(crate) fn letters(text: &str) -> String {
    text.split_whitespace().collect()
}
