//! Every question of a set, asked.

use anyhow::Result;
use chrono::DateTime;
use domain::{DocId, FileKind};
use retrieval::answer::{Evidence, Passage, Quote, evidence};
use retrieval::index::{Doc, DocFacts, Found, IndexedChunk, Mode, Query, TenantIndex, Within};
use retrieval::terms::{QueryTerms, Terms, pack};
use uuid::Uuid;

use crate::quality_corpus::{Question, QuestionSet};
use crate::quality_vectors::Vectors;

/// A question set with its index and the vectors of its questions.
pub(crate) struct Indexed {
    pub(crate) set: QuestionSet,
    index: TenantIndex,
    vectors: Vec<Vec<f32>>,
}

/// What the extractive answerer makes of a question.
pub(crate) struct Asked {
    pub(crate) quote: Quote,
    pub(crate) evidence: Evidence,
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
        self.search(number, mode, limit).0.iter().map(|hit| passage_of(hit.chunk_id)).collect()
    }

    fn search(&self, number: usize, mode: Mode, limit: usize) -> (Vec<Found>, Vec<f32>) {
        let question = &self.set.questions[number];
        let terms = QueryTerms::of(&question.text);
        let vector = Some(self.vectors[number].as_slice());
        let query = Query { terms: &terms, vector, mode, limit };
        let wanted = |facts: &DocFacts| {
            let document = self.set.document_of[passage_of(facts.version_id)];
            question.document.is_none_or(|only| only == document)
        };
        self.index.search_and_weigh(&query, Within { visible: &|_| true, wanted: &wanted })
    }

    pub(crate) fn ask(&self, number: usize, vectors: &Vectors) -> Option<Asked> {
        let question = &self.set.questions[number].text;
        let (found, weights) = self.search(number, Mode::Hybrid, 5);
        let passages: Vec<Passage<'_>> = found
            .iter()
            .map(|hit| Passage {
                chunk_id: hit.chunk_id,
                text: &self.set.passages[passage_of(hit.chunk_id)],
                score: hit.score,
            })
            .collect();
        let embed = |texts: &[&str]| vectors.of(texts).unwrap_or_default();
        let (quote, evidence) = evidence(question, &weights, &passages, Some(&embed))?;
        Some(Asked { quote, evidence })
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
