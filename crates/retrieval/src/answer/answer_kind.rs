//! Classifies what a question asks for: a name, a date, an amount…
//!
//! The question word decides (`who`, `wann`) and, after `what` and `which`, the noun that follows
//! (`what is the total of …`). Supports English and German, and the question words of French, Spanish and Italian.

/// The kind of answer that a question expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AnswerKind {
    /// A person or an organisation.
    Name,
    Time,
    Place,
    /// Money.
    Amount,
    Number,
    /// The number of an invoice, of an account, of a telephone.
    Identifier,
    /// Anything else: a definition, a reason, yes or no.
    Thing,
}

impl AnswerKind {
    /// Whether a text can be checked for this kind. A sentence without it is then no answer.
    pub(super) fn is_recognisable(self) -> bool {
        self != Self::Thing
    }

    /// `words` are the folded words of the question.
    pub(super) fn of(words: &[&str]) -> Self {
        if is_answered_by_yes_or_no(words) {
            return Self::Thing;
        }
        for (at, word) in words.iter().enumerate() {
            let rest = &words[at + 1..];
            if let Some((kind, _)) = ASKING.iter().find(|(_, asking)| has(asking, word)) {
                return *kind;
            }
            if has(HOW, word) {
                return by_degree(rest);
            }
            if has(HOW_MUCH, word) {
                return number_or_amount(rest);
            }
            // Within an English question `was` is a verb.
            if has(WHAT, word) && (at == 0 || *word != "was") {
                return by_noun(rest);
            }
        }
        // `total of invoice 7`, `name the parties`
        by_noun(words)
    }
}

const ASKING: [(AnswerKind, &str); 4] = [
    (AnswerKind::Thing, "why warum weshalb wieso pourquoi perche"),
    (AnswerKind::Name, "who whom whose wer wem wen wessen qui quien chi"),
    (AnswerKind::Time, "when wann quand cuando quando"),
    (AnswerKind::Place, "where wo wohin woher donde dove"),
];

const HOW: &str = "how wie";
const HOW_MUCH: &str = "wieviel wieviele combien cuanto cuantos quanto quanti";
const WHAT: &str = "what which whats was welche welcher welches welchem welchen quel quelle quels quelles que cual cuales \
     quale quali che";

/// Words after `how` that ask for a number.
const DEGREES: &str = "many much long old far often high tall large big fast deep wide heavy viel viele vielen lange lang alt \
     weit oft hoch gross schnell tief breit schwer frequently";

const AUXILIARIES: &str = "is are were do does did can could may might must shall should will would has have had ist sind war waren \
     hat haben hatte darf durfen kann konnen muss mussen wird werden wurde soll sollen gilt gibt";

/// After `was`, these words show that it is the English verb.
const AFTER_THE_VERB_WAS: &str = "the a an he she it there this that any his her";

/// Words between `what` and its noun.
const BEFORE_A_NOUN: &str = "is are was were be s the a an its their his her our your this that ist sind war der die das den dem ein \
     eine name list give find show tell state me nenne zeige lautet lauten exact";

/// Words that end the noun phrase.
const AFTER_A_NOUN: &str = "of for in on at to from by with under between about into as did does do is are was were has have had can \
     could will would should may might must that which who when where von des der dem den fur auf aus bei mit \
     unter zwischen hat haben wird wurde wurden ist sind im am zu zum zur and";

/// Nouns and the kind that they ask for.
const NOUNS: [(AnswerKind, &str); 5] = [
    (
        AnswerKind::Time,
        "date year day month century decade deadline time datum jahr tag monat jahrhundert jahrzehnt \
                  zeitpunkt",
    ),
    (
        AnswerKind::Place,
        "country city town village place location address region county continent stadt ort adresse \
                   anschrift bundesland wohnort",
    ),
    (AnswerKind::Amount, MONEY),
    (
        AnswerKind::Number,
        "percentage percent number amount population quantity prozentsatz anzahl menge temperature \
                    temperatur",
    ),
    (
        AnswerKind::Name,
        "person people company companies party parties author landlord tenant licensor licensee \
                  seller buyer supplier vendor customer president king queen director sender recipient \
                  signatory signatories firma verkaufer kaufer mieter vermieter lieferant kunde partei \
                  parteien vertragsparteien vertragspartner absender empfanger",
    ),
];

const MONEY: &str = "total price prices cost costs fee fees rent salary wage sum balance subtotal deposit premium vat pay \
     paid owe gesamtbetrag betrag summe preis kosten kostet miete gebuhr gebuhren gehalt honorar kaution \
     endbetrag gesamtsumme";

/// Endings of German compound nouns.
const ENDINGS: [(AnswerKind, &str); 3] = [
    (AnswerKind::Identifier, "nummer kennzeichen"),
    (AnswerKind::Time, "datum jahr tag termin"),
    (AnswerKind::Amount, "betrag summe preis kosten miete gebuhr honorar"),
];

const IDENTIFIERS: &str = "iban bic isin wkn code id reference phone telephone fax zip plz";

/// Whether a space-separated list contains a word.
pub(super) fn has(list: &str, word: &str) -> bool {
    list.split(' ').any(|known| known == word)
}

fn is_answered_by_yes_or_no(words: &[&str]) -> bool {
    match words {
        ["was", next, ..] => has(AFTER_THE_VERB_WAS, next),
        [first, ..] => has(AUXILIARIES, first),
        [] => false,
    }
}

fn by_degree(rest: &[&str]) -> AnswerKind {
    match rest.first() {
        Some(degree) if has(DEGREES, degree) => number_or_amount(rest),
        // `wie ist der Preis`, `wie lautet das Datum`
        Some(&"ist" | &"lautet" | &"heisst") => by_noun(rest),
        _ => AnswerKind::Thing,
    }
}

fn number_or_amount(rest: &[&str]) -> AnswerKind {
    let counts_things = matches!(rest.first(), Some(&"many" | &"viele" | &"vielen"));
    let is_money = |word: &&str| by_word(word) == Some(AnswerKind::Amount);
    if !counts_things && rest.iter().any(is_money) {
        AnswerKind::Amount
    } else {
        AnswerKind::Number
    }
}

/// Classifies by the noun phrase after `what` or `which`, its last word first: `which invoice date`.
fn by_noun(words: &[&str]) -> AnswerKind {
    if words.iter().any(|word| matches!(*word, "cost" | "kostet")) {
        return AnswerKind::Amount;
    }
    let begin = words.iter().position(|word| !has(BEFORE_A_NOUN, word)).unwrap_or(0);
    let rest = &words[begin..];
    let end = rest.iter().position(|word| has(AFTER_A_NOUN, word)).unwrap_or(rest.len());
    let noun = &rest[..end];
    // `invoice number`, but `number of invoices`
    if let [.., _, "number" | "no"] = noun {
        return AnswerKind::Identifier;
    }
    noun.iter().rev().find_map(|word| by_word(word)).unwrap_or(AnswerKind::Thing)
}

fn by_word(word: &str) -> Option<AnswerKind> {
    if has(IDENTIFIERS, word) {
        return Some(AnswerKind::Identifier);
    }
    let of_noun = NOUNS.iter().find(|(_, nouns)| has(nouns, word)).map(|(kind, _)| *kind);
    of_noun.or_else(|| {
        let ends = |ending: &str| word.len() > ending.len() + 2 && word.ends_with(ending);
        let of_ending = ENDINGS.iter().find(|(_, endings)| endings.split(' ').any(ends));
        of_ending.map(|(kind, _)| *kind)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::{Form, tokens};

    fn kind_of(question: &str) -> AnswerKind {
        let tokens = tokens(question);
        let words: Vec<&str> = tokens
            .iter()
            .filter_map(|token| match &token.form {
                Form::Word(word) => Some(word.as_str()),
                Form::Number(_) | Form::Code(_) => None,
            })
            .collect();
        AnswerKind::of(&words)
    }

    #[test]
    fn english_questions_are_classified() {
        for (question, kind) in [
            ("Who are the parties to the agreement?", AnswerKind::Name),
            ("Which company supplies the paper?", AnswerKind::Name),
            ("When does the lease end?", AnswerKind::Time),
            ("On what date was it signed?", AnswerKind::Time),
            ("What is the due date of the invoice?", AnswerKind::Time),
            ("Where is the flat?", AnswerKind::Place),
            ("In which country was she born?", AnswerKind::Place),
            ("What is the total of invoice INV/2023/03/0008?", AnswerKind::Amount),
            ("How much is the rent?", AnswerKind::Amount),
            ("What does the repair cost?", AnswerKind::Amount),
            ("How much water does it need?", AnswerKind::Number),
            ("How many days of notice are needed?", AnswerKind::Number),
            ("What is the number of employees?", AnswerKind::Number),
            ("What is the invoice number?", AnswerKind::Identifier),
            ("What is the governing law?", AnswerKind::Thing),
            ("Was the rent paid in May?", AnswerKind::Thing),
            ("May the tenant sublet when he is away?", AnswerKind::Thing),
            ("What happens when the lease ends?", AnswerKind::Thing),
            ("Why was the price changed?", AnswerKind::Thing),
            ("The lease was signed by whom?", AnswerKind::Name),
        ] {
            assert_eq!(kind_of(question), kind, "{question}");
        }
    }

    #[test]
    fn german_questions_are_classified() {
        for (question, kind) in [
            ("Wer sind die Vertragsparteien?", AnswerKind::Name),
            ("Wann endet der Mietvertrag?", AnswerKind::Time),
            ("Welches Rechnungsdatum steht auf der Rechnung?", AnswerKind::Time),
            ("Wo liegt die Wohnung?", AnswerKind::Place),
            ("Wie hoch ist die Miete?", AnswerKind::Amount),
            ("Was kostet die Reparatur?", AnswerKind::Amount),
            ("Wie lautet der Gesamtbetrag der Rechnung?", AnswerKind::Amount),
            ("Wie viele Tage beträgt die Frist?", AnswerKind::Number),
            ("Wie lautet die Rechnungsnummer?", AnswerKind::Identifier),
            ("Darf der Mieter untervermieten?", AnswerKind::Thing),
            ("Was ist ein Mangel?", AnswerKind::Thing),
        ] {
            assert_eq!(kind_of(question), kind, "{question}");
        }
    }
}
