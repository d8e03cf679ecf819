//! Every question of a set, asked.

use std::ops::Range;

use anyhow::Result;
use chrono::DateTime;
use domain::{DocId, FileKind};
use retrieval::answer::{Embed, Evidence, MIN_CONFIDENCE, Passage, Quote, evidence};
use retrieval::index::{
    Doc, DocFacts, IndexedChunk, Mode, Query, SearchHit, SearchScope, TenantIndex,
};
use retrieval::snippet::snippet;
use retrieval::terms::{QueryTerms, Terms, pack};
use uuid::Uuid;

use crate::every_question::Outcome;
use crate::quality_corpus::{Question, QuestionSet, letters};
use crate::quality_vectors::Vectors;

/// A question set with its index and the vectors of its questions.
pub(crate) struct Indexed {
    pub(crate) set: QuestionSet,
    index: TenantIndex,
    vectors: Vec<Vec<f32>>,
}

/// As many characters as the server shows.
const SNIPPET: usize = 320;

/// What the extractive answerer makes of a question.
pub(crate) struct Asked {
    pub(crate) quote: Quote,
    pub(crate) evidence: Evidence,
    pub(crate) has_kind: bool,
    pub(crate) confidence: f32,
}

/// Which passages a question is asked of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Among {
    All,
    /// None of the article or contract that it was made for: nothing there answers it.
    OtherGroups,
}

impl Indexed {
    pub(crate) fn of(set: QuestionSet, vectors: &Vectors) -> Result<Self> {
        let passages: Vec<&str> = set.passages.iter().map(String::as_str).collect();
        let questions: Vec<&str> = set.questions.iter().map(|asked| asked.text.as_str()).collect();
        let mut index = TenantIndex::new();
        for (at, vector) in vectors.of(&passages)?.into_iter().enumerate() {
            let chunk = IndexedChunk {
                chunk_id: id_of(at),
                terms: pack(&Terms::of(&set.passages[at])),
                vectors: vec![vector],
            };
            index.upsert(Doc { facts: facts(at), chunks: vec![chunk] })?;
        }
        Ok(Self { vectors: vectors.of(&questions)?, set, index })
    }

    pub(crate) fn find(&self, number: usize, mode: Mode, limit: usize) -> Vec<usize> {
        let (found, _) = self.search(number, mode, limit, Among::All);
        found.iter().map(|hit| passage_of(hit.chunk_id)).collect()
    }

    fn search(
        &self,
        number: usize,
        mode: Mode,
        limit: usize,
        among: Among,
    ) -> (Vec<SearchHit>, Vec<f32>) {
        let question = &self.set.questions[number];
        let terms = QueryTerms::of(&question.text);
        let vector = Some(self.vectors[number].as_slice());
        let query = Query { terms: &terms, vector, mode, limit };
        let visible = |facts: &DocFacts| {
            let group = self.set.group_of[passage_of(facts.version_id)];
            among == Among::All || group != question.group
        };
        let matching = |facts: &DocFacts| {
            let document = self.set.document_of[passage_of(facts.version_id)];
            among == Among::OtherGroups || question.document.is_none_or(|only| only == document)
        };
        self.index.search_and_weigh(&query, SearchScope { visible: &visible, matching: &matching })
    }

    /// Without vectors, passages are found and sentences judged by their words alone.
    pub(crate) fn ask(
        &self,
        number: usize,
        vectors: Option<&Vectors>,
        among: Among,
    ) -> Option<Asked> {
        let question = &self.set.questions[number].text;
        let mode = if vectors.is_some() { Mode::Hybrid } else { Mode::Lexical };
        let (found, weights) = self.search(number, mode, 5, among);
        let passages: Vec<Passage<'_>> = found
            .iter()
            .map(|hit| Passage {
                chunk_id: hit.chunk_id,
                text: &self.set.passages[passage_of(hit.chunk_id)],
                score: hit.score,
            })
            .collect();
        let embed =
            vectors.map(|vectors| move |texts: &[&str]| vectors.of(texts).unwrap_or_default());
        let embed = embed.as_ref().map(|embed| embed as Embed<'_>);
        let chosen = evidence(question, &weights, &passages, embed)?;
        let confidence = chosen.confidence();
        Some(Asked {
            quote: chosen.quote,
            evidence: chosen.evidence,
            has_kind: chosen.has_kind,
            confidence,
        })
    }

    /// All that is done for a question, and whether every place that is given is in its text.
    pub(crate) fn ask_in_full(
        &self,
        number: usize,
        vectors: Option<&Vectors>,
        among: Among,
    ) -> Outcome {
        let question = &self.set.questions[number].text;
        let mode = if vectors.is_some() { Mode::Hybrid } else { Mode::Lexical };
        let (found, weights) = self.search(number, mode, 8, among);
        let terms = QueryTerms::of(question);
        for hit in &found {
            let text = &self.set.passages[passage_of(hit.chunk_id)];
            let shown = snippet(text, &terms, &weights, SNIPPET);
            let length = shown.text.chars().count();
            let is_within = |place: &Range<usize>| place.start < place.end && place.end <= length;
            if !text.contains(&shown.text) || !shown.highlights.iter().all(is_within) {
                return Outcome::Misplaced;
            }
        }
        let Some(asked) = self.ask(number, vectors, among) else { return Outcome::Abstained };
        let text = &self.set.passages[passage_of(asked.quote.chunk_id)];
        let Quote { sentence, span, text: quoted, .. } = &asked.quote;
        let is_quoted = text.get(sentence.clone()) == Some(quoted);
        let is_spanned = span.clone().is_none_or(|span| {
            sentence.start <= span.start && text.get(span).is_some_and(|words| !words.is_empty())
        });
        match (is_quoted && is_spanned, asked.confidence >= MIN_CONFIDENCE) {
            (false, _) => Outcome::Misplaced,
            (true, true) => Outcome::Answered,
            (true, false) => Outcome::Abstained,
        }
    }

    /// Whether the quoted sentence holds the answer.
    pub(crate) fn is_right(&self, question: &Question, asked: &Asked) -> bool {
        let right_passage = question.passages.contains(&passage_of(asked.quote.chunk_id));
        let quoted = letters(&asked.quote.text);
        let has = |answer: &String| {
            let answer = letters(answer);
            // The sentence has the answer in it, or is a part of an answer of several sentences.
            quoted.contains(&answer) || (self.set.answers_are_long && answer.contains(&quoted))
        };
        right_passage && question.answers.iter().any(has)
    }

    pub(crate) fn questions(&self) -> impl Iterator<Item = (usize, &Question)> {
        self.set.questions.iter().enumerate()
    }
}

fn id_of(passage: usize) -> Uuid {
    Uuid::from_u128(passage as u128)
}

pub(crate) fn passage_of(id: Uuid) -> usize {
    usize::try_from(id.as_u128()).unwrap_or(usize::MAX)
}

fn facts(passage: usize) -> DocFacts {
    DocFacts {
        doc_id: DocId(id_of(passage)),
        version_id: id_of(passage),
        owners: Vec::new(),
        kind: FileKind::Txt,
        created_at: DateTime::UNIX_EPOCH,
        batch_ids: Vec::new(),
        tags: Vec::new(),
    }
}
