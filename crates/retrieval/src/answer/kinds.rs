//! Recognises names, times, places, amounts, numbers and identifiers in a passage by their spelling and their
//! neighbours.

use super::answer_kind::{AnswerKind, has};
use super::passage_tokens::PassageTokens;
use super::question::is_function_word;
use crate::terms::{Form, Language};

pub(super) fn is_of_kind(reading: &PassageTokens<'_>, token: usize, asked: AnswerKind) -> bool {
    match asked {
        AnswerKind::Name => is_name(reading, token),
        AnswerKind::Place => {
            (is_name(reading, token) && !is_role(reading.word(token)))
                || follows_a_preposition_of_place(reading, token)
        }
        AnswerKind::Time => is_time(reading, token),
        AnswerKind::Amount => is_amount(reading, token),
        AnswerKind::Number => is_number(reading, token),
        AnswerKind::Identifier => {
            reading.written(token).contains(|letter: char| letter.is_ascii_digit())
                || reading.piece_around(token).is_some_and(is_code)
        }
        AnswerKind::Thing => true,
    }
}

/// Roles and professions.
const ROLES: &str = "landlord tenant seller buyer vendor supplier customer client owner licensor licensee lessor lessee employer \
     employee contractor subcontractor company bank insurer manufacturer distributor agent guarantor borrower \
     lender director manager president king queen emperor pope bishop government parliament court committee \
     council police army church author teacher student doctor lawyer judge vermieter mieter verkaufer kaufer \
     lieferant kunde eigentumer arbeitgeber arbeitnehmer auftraggeber auftragnehmer bank versicherer hersteller \
     gericht behorde regierung";

fn is_role(word: &str) -> bool {
    let singular = word.strip_suffix('s').unwrap_or(word);
    let is_by_ending =
        ["ist", "ian", "men", "women"].iter().any(|ending| singular.ends_with(ending));
    has(ROLES, word) || has(ROLES, singular) || (is_by_ending && singular.len() > 6)
}

/// A role; or a capitalised word, unless it is capitalised because it begins a sentence, is a German noun, or is a defined
/// term of a contract (`Agreement`). In a script without capitals any word may be a name.
fn is_name(reading: &PassageTokens<'_>, token: usize) -> bool {
    let word = reading.word(token);
    let Some(first) = reading.written(token).chars().next() else { return false };
    if !first.is_alphabetic()
        || [TIMES, MONTHS, TITLES, NOT_NAMES].iter().any(|list| has(list, word))
    {
        return is_role(word);
    }
    if (!first.is_uppercase() && !first.is_lowercase()) || is_role(word) {
        return true;
    }
    if !first.is_uppercase() || word.chars().count() < 2 {
        return false;
    }
    if has_a_title_or_legal_form(reading, token) {
        return true;
    }
    let in_a_run = is_beside_a_capitalised(reading, token);
    if reading.language == Language::German {
        return in_a_run || is_hardly_a_german_noun(reading, token);
    }
    !reading.begins_sentence_or_line(token) || in_a_run || is_elsewhere_a_name(reading, token)
}

/// A neighbour in the same line is capitalised too, and is not a function word.
fn is_beside_a_capitalised(reading: &PassageTokens<'_>, token: usize) -> bool {
    let names = |other: usize, gap: &str| {
        gap.chars().all(|letter| letter == ' ' || letter == '.')
            && reading.is_capitalised(other)
            && !is_function_word(&reading.tokens[other])
            && !has(NOT_NAMES, reading.word(other))
            && !has(COMMON_BEGINNINGS, reading.word(other))
    };
    let after = token + 1 < reading.tokens.len()
        && names(token + 1, reading.gap_before(token + 1))
        && !has(COMMON_BEGINNINGS, reading.word(token));
    let before = token.checked_sub(1).is_some_and(|other| names(other, reading.gap_before(token)));
    after || before
}

/// A word that begins a sentence is a name when it is also capitalised within a sentence, or does not look like an ordinary
/// word.
fn is_elsewhere_a_name(reading: &PassageTokens<'_>, token: usize) -> bool {
    const ENDINGS_OF_WORDS: &str = "ing ed ly ion ions ment ments ness ity ies";
    let word = reading.word(token);
    let is_same = |other: &usize| *other != token && reading.word(*other) == word;
    let mut others = (0..reading.tokens.len()).filter(is_same).peekable();
    if others.peek().is_some() {
        return others
            .any(|other| reading.is_capitalised(other) && !reading.begins_sentence_or_line(other));
    }
    !has(COMMON_BEGINNINGS, word)
        && !ENDINGS_OF_WORDS.split(' ').any(|ending| word.ends_with(ending))
}

/// Has no article before it and no ending of an abstract noun.
fn is_hardly_a_german_noun(reading: &PassageTokens<'_>, token: usize) -> bool {
    const BEFORE_NOUNS: &str = "der die das des dem den ein eine einer eines einem einen kein keine keiner dieser diese dieses \
         diesem diesen zur zum im am vom beim ins ans jeder jede jedes alle allen sein seine seiner ihr ihre \
         ihrer unser unsere pro ohne je";
    const ENDINGS: &str =
        "ung ungen heit keit schaft tion tat nis tum ment betrag datum nummer preis";
    let word = reading.word(token);
    let before = token.checked_sub(1).map_or("", |before| reading.word(before));
    // `der neue Vertrag`: an adjective is between.
    let before_that = token.checked_sub(2).map_or("", |before| reading.word(before));
    !reading.begins_sentence_or_line(token)
        && !has(BEFORE_NOUNS, before)
        && !has(BEFORE_NOUNS, before_that)
        && !ENDINGS.split(' ').any(|ending| word.ends_with(ending))
}

fn has_a_title_or_legal_form(reading: &PassageTokens<'_>, token: usize) -> bool {
    let titled = token
        .checked_sub(1)
        .is_some_and(|before| has(TITLES, reading.word(before)) && reading.is_capitalised(before));
    let has_form = (token + 1..(token + 4).min(reading.tokens.len()))
        .take_while(|next| reading.is_capitalised(*next) || has(LEGAL_FORMS, reading.word(*next)))
        .any(|next| has(LEGAL_FORMS, reading.word(next)));
    titled || (has_form && !has(COMMON_BEGINNINGS, reading.word(token)))
}

/// Words before the name of a person or a company.
const TITLES: &str =
    "mr mrs ms dr prof professor sir lord lady herr herrn frau firma messrs king queen";

/// Endings of the names of companies.
const LEGAL_FORMS: &str = "inc incorporated ltd limited llc llp lp corp corporation plc gmbh mbh ag kg ohg ug se sa sarl spa bv nv \
     pty co company";

fn follows_a_preposition_of_place(reading: &PassageTokens<'_>, token: usize) -> bool {
    const OF_PLACE: &str = "in at near into from along between on across around within throughout inside outside to towards \
         through under aus bei nach neben unter zwischen auf im";
    !is_time(reading, token)
        && (1..=3).any(|back| {
            token.checked_sub(back).is_some_and(|before| has(OF_PLACE, reading.word(before)))
        })
}

fn is_time(reading: &PassageTokens<'_>, token: usize) -> bool {
    let written = reading.written(token);
    if reading.piece_around(token).is_some_and(is_date) {
        return true;
    }
    match &reading.tokens[token].form {
        Form::Word(word) => {
            let is_also_a_verb = matches!(word.as_str(), "may" | "march" | "mai");
            if is_also_a_verb {
                is_beside_a_number(reading, token)
            } else {
                has(TIMES, word.as_str())
            }
        }
        Form::Number(_) if is_year(written) => {
            !has_currency(reading, token) && !is_in_a_code(reading, token)
        }
        Form::Number(_) => {
            let neighbours = [token.checked_sub(1), Some(token + 1)];
            neighbours.into_iter().flatten().any(|other| has(MONTHS, reading.word(other)))
                && written.len() <= 2
        }
        // `1960s` and `10th`
        Form::Code(code) => {
            let digits = code.trim_start_matches(|letter: char| letter.is_ascii_digit());
            digits.len() < code.len() && matches!(digits, "s" | "st" | "nd" | "rd" | "th" | "er")
        }
    }
}

pub(super) fn is_beside_a_number(reading: &PassageTokens<'_>, token: usize) -> bool {
    let neighbours = [token.checked_sub(1), Some(token + 1)];
    let mut forms = neighbours.into_iter().flatten().filter_map(|other| reading.tokens.get(other));
    forms.any(|other| matches!(other.form, Form::Number(_)))
}

fn is_year(written: &str) -> bool {
    written.len() == 4 && written.parse::<u32>().is_ok_and(|year| (1000..=2100).contains(&year))
}

/// `12.03.2024`, `3/20/2023` and `2024-03-12`.
fn is_date(piece: &str) -> bool {
    let parts: Vec<&str> = piece.split(['.', '/', '-']).collect();
    let numbers: Vec<u32> = parts.iter().filter_map(|part| part.parse().ok()).collect();
    let [first, second, third] = numbers.as_slice() else { return false };
    let of_a_month = |number: &u32| (1..=31).contains(number);
    let a_year = |number: &u32, part: &str| {
        part.len() == 2 || is_year(part) || (part.len() == 4 && *number > 0)
    };
    parts.len() == 3
        && of_a_month(second)
        && ((of_a_month(first) && a_year(third, parts[2]))
            || (is_year(parts[0]) && of_a_month(third)))
}

/// `INV/2023/03/0008`, `DE-77` and `0049-30-123456`; neither a date, nor `20-year`, nor `US$100`.
fn is_code(piece: &str) -> bool {
    let separators = piece.chars().filter(|letter| !letter.is_alphanumeric()).count();
    let has_capital = piece.contains(|letter: char| letter.is_ascii_uppercase());
    !piece.contains(CURRENCY_SIGNS)
        && !is_date(piece)
        && (has_capital || separators > 1 || piece.contains(['/', '_', '#', '@']))
}

fn is_in_a_code(reading: &PassageTokens<'_>, token: usize) -> bool {
    reading.piece_around(token).is_some_and(is_code)
}

/// Money: a number next to a currency, or with cents.
fn is_amount(reading: &PassageTokens<'_>, token: usize) -> bool {
    if is_number_in_words(reading, token) {
        return has_currency(reading, token);
    }
    if !is_number(reading, token) {
        return false;
    }
    let written = reading.written(token).as_bytes();
    let has_cents =
        matches!(written, [.., b'.' | b',', a, b] if a.is_ascii_digit() && b.is_ascii_digit());
    let is_percentage = text_after(reading, token).trim_start().starts_with('%');
    (has_cents && !is_percentage) || has_currency(reading, token)
}

const CURRENCY_SIGNS: [char; 6] = ['$', '€', '£', '¥', '₹', '₩'];
const CURRENCIES: &str = "eur euro euros usd us dollar dollars gbp pound pounds chf franken yen jpy cent cents sgd myr rm aud cad \
     nzd inr cny sek nok dkk pln czk rs";

/// A currency sign before or after, or the name of a currency, with `million` in between.
fn has_currency(reading: &PassageTokens<'_>, token: usize) -> bool {
    let before = reading.gap_before(token);
    let near = before.rsplit(['\n', '|']).next().unwrap_or("");
    if near.contains(CURRENCY_SIGNS) {
        return true;
    }
    let after: String = text_after(reading, token).chars().take(3).collect();
    if after.trim_start().starts_with(CURRENCY_SIGNS) {
        return true;
    }
    let is_currency = |other: usize| has(CURRENCIES, reading.word(other));
    let previous = token.checked_sub(1).is_some_and(is_currency);
    let mut next = token + 1;
    while matches!(reading.word(next), "hundred" | "thousand" | "million" | "billion" | "millionen")
    {
        next += 1;
    }
    previous || is_currency(next)
}

fn text_after<'a>(reading: &PassageTokens<'a>, token: usize) -> &'a str {
    reading.text.get(reading.tokens[token].place.end..).unwrap_or("")
}

fn is_number(reading: &PassageTokens<'_>, token: usize) -> bool {
    let is_digits = matches!(reading.tokens[token].form, Form::Number(_));
    let piece = reading.piece_around(token);
    (is_digits && !piece.is_some_and(|piece| is_code(piece) || is_date(piece)))
        || is_number_in_words(reading, token)
}

fn is_number_in_words(reading: &PassageTokens<'_>, token: usize) -> bool {
    let word = reading.word(token);
    // `twenty-five` is two tokens, `einundzwanzig` is one.
    has(COUNTS, word)
        || (word.len() > 8
            && COUNTS.split(' ').any(|count| count.len() > 4 && word.ends_with(count)))
}

/// Capitalised words of contracts, forms and headings that are not names.
const NOT_NAMES: &str = "agreement agreements contract party parties section sections article articles clause exhibit schedule \
     annex appendix attachment amendment invoice date term terms total page table figure chapter part \
     confidential information effective services service products product notice payment termination whereas \
     witness whereof now therefore vertrag vereinbarung partei parteien vertragspartei vertragsparteien \
     paragraf absatz artikel anlage rechnung datum seite tabelle abbildung kapitel betrag summe ziffer \
     leistung leistungen eur usd number no";

/// Words that often begin a sentence and are not names.
const COMMON_BEGINNINGS: &str = "either each both although though however neither while since any no upon unless until except subject \
     notwithstanding such many most several among according following today early later moreover further \
     furthermore therefore thus hence here once only our my over under per please through throughout within \
     without every everyone everything nobody nothing let like unlike due despite instead perhaps rather \
     still yet between by as for from not now of or other others some to with after before during because \
     when where wenn falls sofern soweit jede jeder beide alle bei nach vor sollte sollten hier dies";

const MONTHS: &str = "january february march april may june july august september october november december jan feb mar apr \
     jun jul aug sep sept oct nov dec januar februar marz mai juni juli";

/// Words for a time or a duration.
const TIMES: &str = "january february april june july august september october november december jan feb apr jun jul aug sep \
     sept oct nov dec januar februar marz juni juli oktober dezember monday tuesday wednesday thursday friday \
     saturday sunday montag dienstag mittwoch donnerstag freitag samstag sonntag century centuries decade \
     decades jahrhundert jahrzehnt day days week weeks month months year years hour hours tag tage tagen \
     woche wochen monat monate monaten monats jahr jahre jahren today daily weekly monthly annually quarterly \
     yearly immediately midnight noon unverzuglich sofort";

const COUNTS: &str = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen \
     seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred hundreds \
     thousand thousands million millions billion half third quarter dozen once twice zwei drei vier funf \
     sechs sieben acht neun zehn zwanzig dreissig hundert tausend halfte";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::question::Question;
    use crate::terms::QueryTerms;

    /// The tokens of a kind, as written.
    fn tokens_of_kind(text: &str, asked: AnswerKind) -> Vec<&str> {
        let question = Question::of("", &QueryTerms::of(""), &[]);
        let reading = PassageTokens::of(text, &question);
        let fits = (0..reading.tokens.len()).filter(|token| reading.fits(*token, asked));
        fits.map(|token| reading.written(token)).collect()
    }

    #[test]
    fn a_capital_letter_alone_makes_no_name() {
        let none = "Either party may terminate this Agreement upon 30 days. Payment is due in May.";
        assert_eq!(tokens_of_kind(none, AnswerKind::Name), Vec::<&str>::new());
        let names =
            "This Agreement is made between Alpha Systems Inc. and Beta. Anna Smith signed it.";
        assert_eq!(
            tokens_of_kind(names, AnswerKind::Name),
            ["Alpha", "Systems", "Inc", "Beta", "Anna", "Smith"]
        );
        let german = "Der Vertrag zwischen der Nordlicht Handels GmbH und Frau Kern endet mit einer Kündigung.";
        assert_eq!(
            tokens_of_kind(german, AnswerKind::Name),
            ["Nordlicht", "Handels", "GmbH", "Kern"]
        );
    }

    #[test]
    fn a_role_answers_who_and_not_where() {
        let text = "the landlord insures the house of the scientists";
        assert_eq!(tokens_of_kind(text, AnswerKind::Name), ["landlord", "scientists"]);
        assert_eq!(tokens_of_kind(text, AnswerKind::Place), Vec::<&str>::new());
    }

    #[test]
    fn amounts_have_a_currency_or_cents_and_are_no_codes() {
        let text = "Invoice INV/2023/03/0008 of 20.03.2023, 4 pieces at 25 %: 1.234,50 in all, US$100 and 7 million euros";
        assert_eq!(tokens_of_kind(text, AnswerKind::Amount), ["1.234,50", "100", "7", "million"]);
        assert_eq!(
            tokens_of_kind(text, AnswerKind::Number),
            ["4", "25", "1.234,50", "100", "7", "million"]
        );
        assert_eq!(tokens_of_kind(text, AnswerKind::Identifier).len(), 12);
    }

    #[test]
    fn times_are_dates_years_and_durations() {
        let text = "It may end on 31 May 2031, 12.03.2024 or 2024-03-12, within 30 days; room 12, USD 2000, 10th floor.";
        assert_eq!(
            tokens_of_kind(text, AnswerKind::Time),
            ["31", "May", "2031", "12", "03", "2024", "2024", "03", "12", "days", "10th"]
        );
    }

    #[test]
    fn a_script_without_capitals_may_have_names_anywhere() {
        assert!(!tokens_of_kind("租赁合同由王芳签署", AnswerKind::Name).is_empty());
        assert!(!tokens_of_kind("وقعت ليلى العقد", AnswerKind::Name).is_empty());
    }
}
