//! Answering: retrieve, decide whether the evidence suffices, answer, check what was answered.
//!
//! Without a language model the answer is the sentence that answers best, word for word. With one, it is
//! told to answer from the passages alone and to name them; each of its sentences is then held against what
//! it names, and what is not supported is left out. When nothing is left, the honest answer is that the
//! documents do not say.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use domain::{Action, Caller, Scope};
use retrieval::answer::{self, Embed, Passage};
use retrieval::index::Mode;
use store::PassageRecord;
use tokio::sync::mpsc;

use super::write::{self, Writer};
use super::{Filters, Hit, Retrieved, SearchRequest, work};
use crate::{OpsError, Search};

#[derive(Clone, Debug)]
pub struct Question {
    pub question: String,
    pub filters: Filters,
}

/// What became of a question.
#[derive(Clone, Debug)]
pub struct Answered {
    /// `None` when the documents do not say.
    pub answer: Option<String>,
    /// Why there is none, for a person.
    pub reason: Option<String>,
    /// How likely the answer is right, from 0 to 1.
    pub confidence: f32,
    /// Who answered.
    pub provider: String,
    pub sentences: Vec<Sentence>,
    pub citations: Vec<Citation>,
    /// The passages that come nearest, when there is no answer.
    pub nearest: Vec<Hit>,
    pub warnings: Vec<String>,
}

/// A sentence of an answer, and the numbers of the citations that it rests on.
#[derive(Clone, Debug, PartialEq)]
pub struct Sentence {
    pub text: String,
    pub citations: Vec<usize>,
}

#[derive(Clone, Debug)]
pub struct Citation {
    /// Counted from 1.
    pub number: usize,
    pub passage: PassageRecord,
    /// The words of the passage that it rests on.
    pub quote: String,
}

impl Citation {
    /// Points at the part of the passage that has the quote.
    pub(super) fn new(number: usize, passage: &PassageRecord, quote: String) -> Self {
        let begin = passage.text.find(&quote);
        let at = begin.map(|begin| begin..begin + quote.len());
        Self::at(number, passage, quote, at)
    }

    fn at(
        number: usize,
        passage: &PassageRecord,
        quote: String,
        bytes: Option<Range<usize>>,
    ) -> Self {
        let mut passage = passage.clone();
        if let Some(bytes) = bytes {
            passage.narrow_to(&bytes);
        }
        Self { number, passage, quote }
    }
}

/// What is told while a question is being answered.
#[derive(Clone, Debug)]
pub enum AskEvent {
    /// What was found.
    Passages(Vec<Hit>),
    /// More of an answer that nobody has checked yet.
    Delta(String),
}

/// Where a question's events go; who does not listen misses nothing but them.
pub(super) type AskEvents = mpsc::UnboundedSender<AskEvent>;

impl Search {
    /// So many passages are read for an answer.
    const PASSAGES: usize = 8;
    const NEAREST_SHOWN: usize = 3;

    pub async fn ask(
        &self,
        caller: &Caller,
        question: &Question,
        events: Option<&AskEvents>,
    ) -> Result<Answered, OpsError> {
        caller.permit(Action::AskQuestions)?;
        let scope = caller.permit(Action::SeeKnowledgeBase)?;
        let begun = self.store.clock().elapsed();
        let request = SearchRequest {
            query: question.question.clone(),
            mode: Mode::Hybrid,
            limit: Self::PASSAGES,
            filters: question.filters.clone(),
        };
        let trace = scope.trace();
        let retrieved = connect::in_trace(trace, self.retrieve(&scope, &request)).await?;
        let retrieval = self.store.clock().elapsed().saturating_sub(begun);
        if let Some(events) = events {
            let hits = retrieved.hits();
            // Whoever asked may have gone: the answer is for nobody then.
            events.send(AskEvent::Passages(hits)).ok();
        }
        let answered = connect::in_trace(trace, self.answer(question, retrieved, events)).await?;
        self.log_question(&scope, question, &answered, retrieval, begun);
        Ok(answered)
    }

    async fn answer(
        &self,
        question: &Question,
        retrieved: Retrieved,
        events: Option<&AskEvents>,
    ) -> Result<Answered, OpsError> {
        if retrieved.passages.is_empty() {
            let reason = "none of the documents that you can see says anything about this";
            return Ok(abstained(retrieved, reason, 0.0, EXTRACTIVE));
        }
        let extracted = self.extract(question, &retrieved).await?;
        if let Some(writer) = &self.writer
            && extracted.confidence >= answer::MIN_CONFIDENCE * TOO_LITTLE
        {
            return self.write(writer, question, retrieved, extracted, events).await;
        }
        let answered = quoted(extracted, retrieved);
        if let (Some(events), Some(text)) = (events, &answered.answer) {
            events.send(AskEvent::Delta(text.clone())).ok();
        }
        Ok(answered)
    }

    /// What the model writes and the passages support. When it cannot be asked, or nothing of what it wrote
    /// is supported, the best sentence is quoted.
    async fn write(
        &self,
        writer: &Writer,
        question: &Question,
        mut retrieved: Retrieved,
        extracted: answer::Answer,
        events: Option<&AskEvents>,
    ) -> Result<Answered, OpsError> {
        let drafted = match writer.draft(&question.question, &retrieved, events).await {
            Ok(Some(drafted)) => drafted,
            Ok(None) => {
                return Ok(abstained(retrieved, DO_NOT_SAY, extracted.confidence, writer.name()));
            }
            Err(error) => {
                tracing::warn!(%error, "a question was answered without the language model");
                retrieved.warnings.push(format!("the best passage is quoted instead: {error}"));
                return Ok(quoted(extracted, retrieved));
            }
        };
        let embedding = self.vectors.models().current().await;
        let read = Arc::new(retrieved);
        let passages = Arc::clone(&read);
        let check = move |embed: Option<Embed<'_>>| write::check(&drafted, &passages, embed);
        let written = work::run_with_vectors("checking an answer", embedding, check).await?;
        let mut retrieved = Arc::unwrap_or_clone(read);
        if written.sentences.is_empty() {
            let unsupported = "what the language model wrote is not supported by the passages";
            retrieved.warnings.push(unsupported.to_owned());
            return Ok(quoted(extracted, retrieved));
        }
        let texts: Vec<&str> =
            written.sentences.iter().map(|sentence| sentence.text.as_str()).collect();
        Ok(Answered {
            answer: Some(texts.join(" ")),
            reason: None,
            confidence: extracted.confidence,
            provider: writer.name().to_owned(),
            sentences: written.sentences,
            citations: written.citations,
            nearest: Vec::new(),
            warnings: retrieved.warnings,
        })
    }

    /// The sentence that answers best, and how sure that is.
    async fn extract(
        &self,
        question: &Question,
        retrieved: &Retrieved,
    ) -> Result<answer::Answer, OpsError> {
        let embedding = self.vectors.models().current().await;
        let question = question.question.clone();
        let weights = retrieved.weights.clone();
        let texts: Vec<(uuid::Uuid, String, f32)> = retrieved
            .passages
            .iter()
            .map(|(found, passage)| (found.chunk_id, passage.text.clone(), found.score))
            .collect();
        let extract = move |embed: Option<Embed<'_>>| {
            let passages: Vec<Passage<'_>> = texts
                .iter()
                .map(|(chunk_id, text, score)| Passage { chunk_id: *chunk_id, text, score: *score })
                .collect();
            answer::answer(&question, &weights, &passages, embed)
        };
        work::run_with_vectors("answering", embedding, extract).await
    }

    fn log_question(
        &self,
        scope: &Scope,
        question: &Question,
        answered: &Answered,
        retrieval: Duration,
        begun: Duration,
    ) {
        let took = self.store.clock().elapsed().saturating_sub(begun);
        let outcome = if answered.answer.is_some() { "answered" } else { "abstained" };
        metrics::histogram!("docket_retrieval_seconds").record(retrieval);
        metrics::histogram!("docket_answer_seconds").record(took);
        metrics::counter!("docket_questions_total", "outcome" => outcome).increment(1);
        tracing::info!(
            event = "ask",
            tenant_id = %scope.tenant_id(),
            user_id = %scope.actor(),
            question_chars = question.question.chars().count(),
            provider = answered.provider,
            abstained = answered.answer.is_none(),
            confidence = answered.confidence,
            citations = answered.citations.len(),
            retrieval_ms = retrieval.as_millis(),
            answer_ms = took.as_millis(),
            trace_id = scope.trace_id().map(|trace| trace.to_string()),
            "a question was answered"
        );
    }
}

const EXTRACTIVE: &str = "extractive";
/// Below this share of what an answer needs, no model is asked: it would only make something up.
const TOO_LITTLE: f32 = 0.3;
const DO_NOT_SAY: &str =
    "the documents that you can see do not answer this; the nearest passages are given";

fn quoted(extracted: answer::Answer, retrieved: Retrieved) -> Answered {
    let confidence = extracted.confidence;
    let abstains = extracted.abstained();
    let Some(quote) = extracted.quote.filter(|_| !abstains) else {
        return abstained(retrieved, DO_NOT_SAY, confidence, EXTRACTIVE);
    };
    let cited = retrieved.passages.iter().find(|(found, _)| found.chunk_id == quote.chunk_id);
    let citations = cited
        .map(|(_, passage)| Citation::at(1, passage, quote.text.clone(), Some(quote.sentence)));
    Answered {
        answer: Some(quote.text.clone()),
        reason: None,
        confidence,
        provider: EXTRACTIVE.to_owned(),
        sentences: vec![Sentence { text: quote.text, citations: vec![1] }],
        citations: citations.into_iter().collect(),
        nearest: Vec::new(),
        warnings: retrieved.warnings,
    }
}

fn abstained(retrieved: Retrieved, reason: &str, confidence: f32, provider: &str) -> Answered {
    let nearest = retrieved.hits().into_iter().take(Search::NEAREST_SHOWN).collect();
    Answered {
        answer: None,
        reason: Some(reason.to_owned()),
        confidence,
        provider: provider.to_owned(),
        sentences: Vec::new(),
        citations: Vec::new(),
        nearest,
        warnings: retrieved.warnings,
    }
}

#[cfg(test)]
mod tests {
    use domain::{ChunkArea, DocId};

    use super::*;

    fn passage() -> PassageRecord {
        let text = "The rent is 1480 pounds.\n\nThe lease ends on 31 May 2031.";
        let sides = [72.0, 72.0, 300.0, 90.0];
        PassageRecord {
            chunk_id: uuid::Uuid::nil(),
            doc_id: DocId(uuid::Uuid::nil()),
            doc_version_id: uuid::Uuid::nil(),
            title: "lease".to_owned(),
            filename: "lease.pdf".to_owned(),
            file_kind: "pdf".to_owned(),
            heading: Vec::new(),
            text: text.to_owned(),
            first_page: 1,
            last_page: 2,
            areas: vec![ChunkArea::new(1, sides, 0..24), ChunkArea::new(2, sides, 26..text.len())],
        }
    }

    fn pages_of(quote: &str) -> (u32, u32, Vec<u32>) {
        let Citation { passage, .. } = Citation::new(1, &passage(), quote.to_owned());
        let areas = passage.areas.iter().map(|area| area.page).collect();
        (passage.first_page, passage.last_page, areas)
    }

    /// Whatever is quoted from whatever text: a citation keeps its passage's pages, and points at some of its areas.
    #[test]
    fn any_part_of_any_text_can_be_cited() {
        const PIECES: [&str; 12] = [
            "lease ",
            "ü",
            "租赁合同",
            "👩‍👩‍👧‍👦",
            "e\u{301}",
            "العقد ",
            ". ",
            "\n\n",
            "\u{200b}",
            "1.234,56",
            "",
            " ",
        ];
        let mut state = 5_u64;
        let mut roll = |sides: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(state >> 33).unwrap_or(0) % sides
        };
        for _ in 0..2_000 {
            let text: String = (0..roll(30)).map(|_| PIECES[roll(PIECES.len())]).collect();
            let letters: Vec<char> = text.chars().collect();
            let (from, length) = (roll(letters.len() + 1), roll(letters.len() + 1));
            let quote: String = letters.iter().skip(from).take(length).collect();
            let mut passage = passage();
            let [first, second] = [roll(text.len() + 1), roll(text.len() + 40)];
            let sides = [0.0, 0.0, 1.0, 1.0];
            passage.areas = vec![
                ChunkArea::new(1, sides, 0..first),
                ChunkArea::new(2, sides, first..second.max(first)),
            ];
            passage.text = text;
            let cited = Citation::new(1, &passage, quote.clone());
            assert_eq!(cited.quote, quote);
            assert!((1..=2).contains(&cited.passage.first_page));
            assert!(cited.passage.first_page <= cited.passage.last_page);
            assert!(!cited.passage.areas.is_empty() && cited.passage.areas.len() <= 2);
        }
    }

    #[test]
    fn a_citation_points_at_what_it_quotes() {
        assert_eq!(pages_of("The rent is 1480 pounds."), (1, 1, vec![1]));
        assert_eq!(pages_of("The lease ends on 31 May 2031."), (2, 2, vec![2]));
        assert_eq!(pages_of("pounds.\n\nThe lease"), (1, 2, vec![1, 2]));
        assert_eq!(pages_of("words that are not there"), (1, 2, vec![1, 2]), "all of it");
    }
}
