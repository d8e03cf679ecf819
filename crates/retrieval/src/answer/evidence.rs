//! The features of a candidate sentence, which the confidence model weighs.

use super::Embed;
use super::answer_kind::AnswerKind;
use super::passage_tokens::PassageTokens;
use super::question::{Content, Question, is_function_word};
use super::span::Span;
use crate::cosine;
use crate::terms::{Form, fold};

/// The names of the features in [`Evidence`], in order.
///
/// `bench-retrieval fit` selected those that predict answers in unseen articles. It rejected the margin to the next best
/// sentence, ordered word pairs, and the distance of the nearest words.
pub const FEATURES: [&str; 18] = [
    "coverage_around_the_sentence",
    "coverage_of_the_passage",
    "heaviest_word_missing_in_the_sentence",
    "heaviest_word_missing_in_the_passage",
    "names_missing_in_the_sentence",
    "numbers_missing_in_the_sentence",
    "similarity_of_the_sentence",
    "score_of_the_passage",
    "what_is_asked_for_is_present",
    "opposite_is_present",
    "opposite_by_prefix_is_present",
    "words_of_the_question",
    "asks_for_any_thing",
    "question_is_negated",
    "gain_by_exchanging_a_word",
    "coverage_of_the_sentence",
    "nearness_of_the_span",
    "margin_to_the_next_passage",
];

/// One number for each of [`FEATURES`].
pub type Evidence = [f32; FEATURES.len()];

/// The cosine of the question with each sentence of each passage; zeros without an embedder.
pub(super) struct Similarities {
    pub(super) of_sentences: Vec<Vec<f32>>,
    /// Whether vectors were available.
    pub(super) is_known: bool,
}

impl Similarities {
    pub(super) fn of(
        question: &str,
        readings: &[PassageTokens<'_>],
        embed: Option<Embed<'_>>,
    ) -> Self {
        let zeros = |reading: &PassageTokens<'_>| vec![0.0; reading.sentences.len()];
        let unknown =
            || Self { of_sentences: readings.iter().map(zeros).collect(), is_known: false };
        let Some(embed) = embed else { return unknown() };
        let mut texts = vec![question];
        for reading in readings {
            texts.extend(reading.sentences.iter().map(|range| &reading.text[range.clone()]));
        }
        let vectors = embed(&texts);
        // An embedder that failed gives no vectors.
        let Some((asked, rest)) = vectors.split_first() else { return unknown() };
        let mut cosines = rest.iter().map(|vector| cosine(asked, vector));
        let of_reading = |reading: &PassageTokens<'_>| {
            (0..reading.sentences.len()).map(|_| cosines.next().unwrap_or(0.0)).collect()
        };
        Self { of_sentences: readings.iter().map(of_reading).collect(), is_known: true }
    }
}

/// How much the similarity of question and sentence grows when a word that the sentence lacks is replaced by the most
/// similar word of the sentence. A large gain means that the question is about another thing of the same kind.
pub(super) fn gain_by_exchange(
    question: &Question,
    reading: &PassageTokens<'_>,
    sentence: usize,
    embed: Embed<'_>,
) -> f32 {
    let within = reading.tokens_in(&reading.sentences[sentence]);
    let missing: Vec<&str> = question
        .contents
        .iter()
        .filter(|content| !reading.has(content.term, &within))
        .map(|content| content.text.as_str())
        .collect();
    let others: Vec<&str> = within
        .filter(|token| {
            !is_function_word(&reading.tokens[*token])
                && matches!(reading.tokens[*token].form, Form::Word(_))
        })
        .map(|token| &reading.text[reading.tokens[token].place.clone()])
        .collect();
    if missing.is_empty() || others.is_empty() {
        return 0.0;
    }
    let words = embed(&[missing.as_slice(), others.as_slice()].concat());
    let (of_missing, of_others) = words.split_at(missing.len().min(words.len()));
    let mut texts =
        vec![question.text.clone(), reading.text[reading.sentences[sentence].clone()].to_owned()];
    for (word, vector) in missing.iter().zip(of_missing) {
        let similarities = of_others.iter().map(|other| cosine(vector, other));
        let most_similar = similarities.zip(&others).max_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((similarity, other)) = most_similar
            && similarity > 0.0
        {
            texts.push(question.text.replacen(word, other, 1));
        }
    }
    let vectors = embed(&texts.iter().map(String::as_str).collect::<Vec<_>>());
    let [question, sentence, exchanged @ ..] = vectors.as_slice() else { return 0.0 };
    let before = cosine(question, sentence);
    exchanged.iter().map(|vector| cosine(vector, sentence) - before).fold(0.0, f32::max)
}

/// The chosen sentence.
pub(super) struct Choice<'a> {
    pub(super) reading: &'a PassageTokens<'a>,
    pub(super) sentence: usize,
    pub(super) similarity: f32,
    /// The score of its passage.
    pub(super) score: f32,
    /// The difference to the best score of another passage.
    pub(super) margin: f32,
    pub(super) gain_by_exchange: f32,
    pub(super) span: Option<&'a Span>,
}

pub(super) fn weigh(question: &Question, choice: &Choice<'_>) -> Evidence {
    let reading = choice.reading;
    let within = reading.tokens_in(&reading.sentences[choice.sentence]);
    let first = choice.sentence.saturating_sub(1);
    let last = (choice.sentence + 1).min(reading.sentences.len() - 1);
    let around = reading.tokens_in(&(reading.sentences[first].start..reading.sentences[last].end));
    let all = 0..reading.tokens.len();
    let missing = |which: fn(&Content) -> bool| {
        let missing =
            question.contents.iter().filter(|c| which(c) && !reading.has(c.term, &within));
        small(missing.count().min(3))
    };
    [
        coverage(question, reading, &around),
        coverage(question, reading, &all),
        heaviest_missing(question, reading, &within),
        heaviest_missing(question, reading, &all),
        missing(|content| content.is_name),
        missing(|content| content.is_number),
        choice.similarity,
        choice.score,
        one_if(choice.span.is_some()),
        one_if(any_opposite(question, reading, &within, are_opposites)),
        one_if(any_opposite(question, reading, &all, differ_by_a_negating_prefix)),
        small(question.contents.len().min(15)),
        one_if(question.asked == AnswerKind::Thing),
        one_if(question.negated),
        choice.gain_by_exchange,
        coverage(question, reading, &within),
        choice.span.map_or(0.0, |span| span.nearness),
        choice.margin,
    ]
}

/// The share of the question's weight whose words are present.
pub(super) fn coverage(
    question: &Question,
    reading: &PassageTokens<'_>,
    within: &std::ops::Range<usize>,
) -> f32 {
    let present: Vec<f32> =
        question.contents.iter().map(|content| one_if(reading.has(content.term, within))).collect();
    weighted(question, &present)
}

fn weighted(question: &Question, shares: &[f32]) -> f32 {
    let total: f32 = question.contents.iter().map(|content| content.weight).sum();
    let covered: f32 =
        question.contents.iter().zip(shares).map(|(content, share)| content.weight * share).sum();
    if total > 0.0 { covered / total } else { 0.0 }
}

fn heaviest_missing(
    question: &Question,
    reading: &PassageTokens<'_>,
    within: &std::ops::Range<usize>,
) -> f32 {
    let missing = question.contents.iter().filter(|content| !reading.has(content.term, within));
    missing.map(|content| content.weight).fold(0.0, f32::max)
}

/// Antonyms: a question with one word does not ask about the other.
const OPPOSITES: [(&str, &str); 40] = [
    ("increase", "decrease"),
    ("increased", "decreased"),
    ("more", "less"),
    ("most", "least"),
    ("largest", "smallest"),
    ("highest", "lowest"),
    ("higher", "lower"),
    ("first", "last"),
    ("before", "after"),
    ("begin", "end"),
    ("began", "ended"),
    ("north", "south"),
    ("east", "west"),
    ("northern", "southern"),
    ("eastern", "western"),
    ("large", "small"),
    ("high", "low"),
    ("strong", "weak"),
    ("early", "late"),
    ("earliest", "latest"),
    ("win", "lose"),
    ("won", "lost"),
    ("accept", "reject"),
    ("accepted", "rejected"),
    ("allow", "prohibit"),
    ("allowed", "forbidden"),
    ("support", "oppose"),
    ("supported", "opposed"),
    ("import", "export"),
    ("buy", "sell"),
    ("bought", "sold"),
    ("positive", "negative"),
    ("male", "female"),
    ("public", "private"),
    ("include", "exclude"),
    ("possible", "impossible"),
    ("common", "rare"),
    ("always", "never"),
    ("minimum", "maximum"),
    ("majority", "minority"),
];

/// Whether a word of the question is missing and its opposite is present.
fn any_opposite(
    question: &Question,
    reading: &PassageTokens<'_>,
    within: &std::ops::Range<usize>,
    opposite: fn(&str, &str) -> bool,
) -> bool {
    let missing = question.contents.iter().filter(|content| !reading.has(content.term, within));
    let mut words = missing.map(|content| fold(&content.text));
    words.any(|word| {
        within.clone().any(|token| match &reading.tokens[token].form {
            Form::Word(other) => opposite(&word, other),
            Form::Number(_) | Form::Code(_) => false,
        })
    })
}

fn are_opposites(word: &str, other: &str) -> bool {
    OPPOSITES.iter().any(|(a, b)| (*a == word && *b == other) || (*b == word && *a == other))
}

/// `fair` and `unfairly`.
fn differ_by_a_negating_prefix(word: &str, other: &str) -> bool {
    const PREFIXES: [&str; 6] = ["un", "in", "im", "non", "dis", "ir"];
    let begins_as = |rest: &str, whole: &str| {
        let rest: String = rest.chars().take(5).collect();
        rest.len() > 3 && whole.starts_with(&rest)
    };
    PREFIXES.iter().any(|prefix| {
        word.strip_prefix(prefix).is_some_and(|rest| begins_as(rest, other))
            || other.strip_prefix(prefix).is_some_and(|rest| begins_as(rest, word))
    })
}

fn one_if(condition: bool) -> f32 {
    f32::from(u8::from(condition))
}

#[expect(clippy::cast_precision_loss, reason = "small counts")]
fn small(count: usize) -> f32 {
    count as f32
}
