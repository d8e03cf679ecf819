//! What kind of thing a question asks for: a name, a date, an amount…
//!
//! Told by the word that asks (`who`, `wann`) and, behind `what` and `which`, by the noun that it belongs to
//! (`what is the total of …`). English and German, and the words that ask in French, Spanish and Italian.

/// What kind of thing would answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
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

impl Asked {
    /// Whether a text shows that it has such a thing. A sentence without it is then no answer.
    pub(super) fn is_recognisable(self) -> bool {
        self != Self::Thing
    }

    /// `words` are those of the question, folded.
    pub(super) fn of(words: &[&str]) -> Self {
        if is_answered_by_yes_or_no(words) {
            return Self::Thing;
        }
        for (at, word) in words.iter().enumerate() {
            let rest = &words[at + 1..];
            if let Some((asked, _)) = ASKING.iter().find(|(_, asking)| has(asking, word)) {
                return *asked;
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

const ASKING: [(Asked, &str); 4] = [
    (Asked::Thing, "why warum weshalb wieso pourquoi perche"),
    (Asked::Name, "who whom whose wer wem wen wessen qui quien chi"),
    (Asked::Time, "when wann quand cuando quando"),
    (Asked::Place, "where wo wohin woher donde dove"),
];

const HOW: &str = "how wie";
const HOW_MUCH: &str = "wieviel wieviele combien cuanto cuantos quanto quanti";
const WHAT: &str = "what which whats was welche welcher welches welchem welchen quel quelle quels quelles que cual cuales \
     quale quali che";

/// Words behind `how` that ask for a number.
const DEGREES: &str = "many much long old far often high tall large big fast deep wide heavy viel viele vielen lange lang alt \
     weit oft hoch gross schnell tief breit schwer frequently";

const AUXILIARIES: &str = "is are were do does did can could may might must shall should will would has have had ist sind war waren \
     hat haben hatte darf durfen kann konnen muss mussen wird werden wurde soll sollen gilt gibt";

/// Behind `was` these make it the English verb.
const BEHIND_THE_VERB_WAS: &str = "the a an he she it there this that any his her";

/// Words between `what` and its noun.
const BEFORE_A_NOUN: &str = "is are was were be s the a an its their his her our your this that ist sind war der die das den dem ein \
     eine name list give find show tell state me nenne zeige lautet lauten exact";

/// Words that end what belongs to the noun.
const BEHIND_A_NOUN: &str = "of for in on at to from by with under between about into as did does do is are was were has have had can \
     could will would should may might must that which who when where von des der dem den fur auf aus bei mit \
     unter zwischen hat haben wird wurde wurden ist sind im am zu zum zur and";

/// Nouns and what they stand for.
const NOUNS: [(Asked, &str); 5] = [
    (
        Asked::Time,
        "date year day month century decade deadline time datum jahr tag monat jahrhundert jahrzehnt \
                  zeitpunkt",
    ),
    (
        Asked::Place,
        "country city town village place location address region county continent stadt ort adresse \
                   anschrift bundesland wohnort",
    ),
    (Asked::Amount, MONEY),
    (
        Asked::Number,
        "percentage percent number amount population quantity prozentsatz anzahl menge temperature \
                    temperatur",
    ),
    (
        Asked::Name,
        "person people company companies party parties author landlord tenant licensor licensee \
                  seller buyer supplier vendor customer president king queen director sender recipient \
                  signatory signatories firma verkaufer kaufer mieter vermieter lieferant kunde partei \
                  parteien vertragsparteien vertragspartner absender empfanger",
    ),
];

const MONEY: &str = "total price prices cost costs fee fees rent salary wage sum balance subtotal deposit premium vat pay \
     paid owe gesamtbetrag betrag summe preis kosten kostet miete gebuhr gebuhren gehalt honorar kaution \
     endbetrag gesamtsumme";

/// What longer German nouns end with.
const ENDINGS: [(Asked, &str); 3] = [
    (Asked::Identifier, "nummer kennzeichen"),
    (Asked::Time, "datum jahr tag termin"),
    (Asked::Amount, "betrag summe preis kosten miete gebuhr honorar"),
];

const IDENTIFIERS: &str = "iban bic isin wkn code id reference phone telephone fax zip plz";

/// Whether a list of words has a word.
pub(super) fn has(list: &str, word: &str) -> bool {
    list.split(' ').any(|known| known == word)
}

fn is_answered_by_yes_or_no(words: &[&str]) -> bool {
    match words {
        ["was", next, ..] => has(BEHIND_THE_VERB_WAS, next),
        [first, ..] => has(AUXILIARIES, first),
        [] => false,
    }
}

fn by_degree(rest: &[&str]) -> Asked {
    match rest.first() {
        Some(degree) if has(DEGREES, degree) => number_or_amount(rest),
        // `wie ist der Preis`, `wie lautet das Datum`
        Some(&"ist" | &"lautet" | &"heisst") => by_noun(rest),
        _ => Asked::Thing,
    }
}

fn number_or_amount(rest: &[&str]) -> Asked {
    let counts_things = matches!(rest.first(), Some(&"many" | &"viele" | &"vielen"));
    let is_money = |word: &&str| by_word(word) == Some(Asked::Amount);
    if !counts_things && rest.iter().any(is_money) { Asked::Amount } else { Asked::Number }
}

/// By the noun that `what` or `which` belongs to, the last word of it first: `which invoice date`.
fn by_noun(words: &[&str]) -> Asked {
    if words.iter().any(|word| matches!(*word, "cost" | "kostet")) {
        return Asked::Amount;
    }
    let begin = words.iter().position(|word| !has(BEFORE_A_NOUN, word)).unwrap_or(0);
    let rest = &words[begin..];
    let end = rest.iter().position(|word| has(BEHIND_A_NOUN, word)).unwrap_or(rest.len());
    let noun = &rest[..end];
    // `invoice number`, but `number of invoices`
    if let [.., _, "number" | "no"] = noun {
        return Asked::Identifier;
    }
    noun.iter().rev().find_map(|word| by_word(word)).unwrap_or(Asked::Thing)
}

fn by_word(word: &str) -> Option<Asked> {
    if has(IDENTIFIERS, word) {
        return Some(Asked::Identifier);
    }
    let of_noun = NOUNS.iter().find(|(_, nouns)| has(nouns, word)).map(|(asked, _)| *asked);
    of_noun.or_else(|| {
        let ends = |ending: &str| word.len() > ending.len() + 2 && word.ends_with(ending);
        let of_ending = ENDINGS.iter().find(|(_, endings)| endings.split(' ').any(ends));
        of_ending.map(|(asked, _)| *asked)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::{Form, tokens};

    fn asked(question: &str) -> Asked {
        let tokens = tokens(question);
        let words: Vec<&str> = tokens
            .iter()
            .filter_map(|token| match &token.form {
                Form::Word(word) => Some(word.as_str()),
                Form::Number(_) | Form::Code(_) => None,
            })
            .collect();
        Asked::of(&words)
    }

    #[test]
    fn english_questions_ask_for_kinds_of_things() {
        for (question, kind) in [
            ("Who are the parties to the agreement?", Asked::Name),
            ("Which company supplies the paper?", Asked::Name),
            ("When does the lease end?", Asked::Time),
            ("On what date was it signed?", Asked::Time),
            ("What is the due date of the invoice?", Asked::Time),
            ("Where is the flat?", Asked::Place),
            ("In which country was she born?", Asked::Place),
            ("What is the total of invoice INV/2023/03/0008?", Asked::Amount),
            ("How much is the rent?", Asked::Amount),
            ("What does the repair cost?", Asked::Amount),
            ("How much water does it need?", Asked::Number),
            ("How many days of notice are needed?", Asked::Number),
            ("What is the number of employees?", Asked::Number),
            ("What is the invoice number?", Asked::Identifier),
            ("What is the governing law?", Asked::Thing),
            ("Was the rent paid in May?", Asked::Thing),
            ("May the tenant sublet when he is away?", Asked::Thing),
            ("What happens when the lease ends?", Asked::Thing),
            ("Why was the price changed?", Asked::Thing),
            ("The lease was signed by whom?", Asked::Name),
        ] {
            assert_eq!(asked(question), kind, "{question}");
        }
    }

    #[test]
    fn german_questions_do_too() {
        for (question, kind) in [
            ("Wer sind die Vertragsparteien?", Asked::Name),
            ("Wann endet der Mietvertrag?", Asked::Time),
            ("Welches Rechnungsdatum steht auf der Rechnung?", Asked::Time),
            ("Wo liegt die Wohnung?", Asked::Place),
            ("Wie hoch ist die Miete?", Asked::Amount),
            ("Was kostet die Reparatur?", Asked::Amount),
            ("Wie lautet der Gesamtbetrag der Rechnung?", Asked::Amount),
            ("Wie viele Tage beträgt die Frist?", Asked::Number),
            ("Wie lautet die Rechnungsnummer?", Asked::Identifier),
            ("Darf der Mieter untervermieten?", Asked::Thing),
            ("Was ist ein Mangel?", Asked::Thing),
        ] {
            assert_eq!(asked(question), kind, "{question}");
        }
    }
}
