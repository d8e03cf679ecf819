//! One confirmed document improves the next one.

use domain::{Extraction, FieldKind};
use serde_json::json;

use super::recall::fits;
use super::samples::{corrected, document_type, page};
use super::{Counts, MemoryEntry, Recall, ReviewedDocument, UnreadableMemory, Verdict};
use crate::scan::Scan;
use crate::types::{DocumentType, FieldSpec};

const AMOUNTS: [&str; 4] = ["9.000,00", "19,90", "2,10", "9.022,00"];

fn lines(date: &str, booked: &str, quantity: &str, amounts: [&str; 4]) -> Vec<String> {
    let [gross, commission, exchange, net] = amounts;
    vec![
        "Nordbank AG Musterstadt www.nordbank.example".to_owned(),
        format!("Musterstadt {booked} Settlement of your order"),
        format!("We settled on {date} for account 4711"),
        format!("Shares of Alpha Corporation {quantity} pieces"),
        format!("Market value EUR {gross}"),
        format!("Commission EUR {commission}"),
        format!("Exchange charges EUR {exchange}"),
        format!("Debit with value {booked} EUR {net}"),
    ]
}

fn reviewed<L: AsRef<str>>(lines: &[L]) -> ReviewedDocument {
    ReviewedDocument::read([&page(lines)], &contract_note())
}

fn first() -> ReviewedDocument {
    let amounts = ["1.057,20", "9,90", "1,50", "1.068,60"];
    reviewed(&lines("03.05.2024", "07.05.2024", "12", amounts))
}

fn second() -> ReviewedDocument {
    reviewed(&lines("18.11.2023", "20.11.2023", "300", AMOUNTS))
}

fn side() -> FieldSpec {
    let mut spec = document_type(&[("trades[].side", FieldKind::Choice, &[])]).fields.remove(0);
    let words = [("buy", "purchase"), ("sell", "sale")];
    spec.choices =
        words.map(|(value, word)| (value.to_owned(), vec![word.to_owned()])).into_iter().collect();
    spec
}

fn contract_note() -> DocumentType {
    document_type(&[
        ("trades[].trade_date", FieldKind::Date, &["trade date"]),
        ("trades[].quantity", FieldKind::Quantity, &["quantity"]),
        ("trades[].net_amount", FieldKind::Money, &["net amount"]),
        ("trades[].fees", FieldKind::Money, &["fees"]),
    ])
}

fn confirmed() -> Extraction {
    corrected(&[
        ("trade_date", "2024-05-03"),
        ("quantity", "12"),
        ("net_amount", "1068.60"),
        ("fees", "11.40"),
    ])
}

fn learnt(from: &ReviewedDocument) -> MemoryEntry {
    from.learn(&contract_note(), &confirmed()).expect("values of the sample")
}

/// The value of the kind that the memory prefers, and how strongly.
fn recalled(
    entries: &[MemoryEntry],
    on: &ReviewedDocument,
    field: &str,
    kind: FieldKind,
) -> Option<(String, f32)> {
    let recall = Recall::new(entries, on.fingerprint(), "contract_note");
    let places = on.places.iter().filter(|place| fits(kind, place.kind));
    let ranked = places.map(|place| (place.value.clone(), recall.strength(field, &place.context)));
    ranked.filter(|(_, strength)| *strength > 0.0).max_by(|a, b| a.1.total_cmp(&b.1))
}

#[test]
fn the_next_document_of_the_issuer_is_read_like_the_corrected_one() {
    let entries = [learnt(&first())];
    let on = second();
    let value = |field: &str, kind| recalled(&entries, &on, field, kind).map(|(value, _)| value);
    assert_eq!(value("trades[].trade_date", FieldKind::Date).as_deref(), Some("2023-11-18"));
    assert_eq!(value("trades[].quantity", FieldKind::Quantity).as_deref(), Some("300"));
    assert_eq!(value("trades[].net_amount", FieldKind::Money).as_deref(), Some("9022.00"));
}

#[test]
fn the_terms_of_a_sum_are_known_again_and_other_amounts_are_not() {
    let entries = [learnt(&first())];
    let on = second();
    let recall = Recall::new(&entries, on.fingerprint(), "contract_note");
    let spec = &contract_note().fields[3];
    let mut scan = Scan::new();
    scan.add(&page(&lines("18.11.2023", "20.11.2023", "300", AMOUNTS)));
    scan.finish();
    let supported = |is_match: bool| -> Vec<String> {
        let money = scan.mentions.iter().filter(|mention| mention.found.kind == FieldKind::Money);
        let chosen = money.filter(|mention| {
            let support = recall.support(spec, mention);
            assert_eq!(support.is_match, support.log_odds > 0.0, "{support:?}");
            support.is_match == is_match
        });
        chosen.map(|mention| mention.found.normalised()).collect()
    };
    assert_eq!(supported(true), ["19.90", "2.10"]);
    assert_eq!(supported(false), ["9000.00", "9022.00"]);
}

#[test]
fn the_words_of_a_choice_are_known_again_by_their_place() {
    let mut document_type = contract_note();
    document_type.fields.push(side());
    let document = |title: &str| {
        page(&[
            "Nordbank AG Musterstadt www.nordbank.example",
            &format!("Settlement of your {title} order"),
            "You may cancel a purchase or a sale in writing",
            "Fees are charged for each sale",
        ])
    };
    let confirmed = corrected(&[("side", "buy")]);
    let first = ReviewedDocument::read([&document("purchase")], &document_type);
    let entries = [first.learn(&document_type, &confirmed).expect("a choice")];
    let next = document("sale");
    let mut scan = Scan::new();
    scan.add(&next);
    scan.finish();
    let next = ReviewedDocument::read([&next], &document_type);
    let recall = Recall::new(&entries, next.fingerprint(), "contract_note");
    let mut choices = recall.choices("trades[].side", &scan, &document_type);
    choices.sort_by(|a, b| b.1.log_odds.total_cmp(&a.1.log_odds));
    assert_eq!(choices[0].0, "sell");
    assert!(choices[0].1.is_match);
}

#[test]
fn the_document_of_another_issuer_is_left_alone() {
    let entries = [learnt(&first())];
    let other = reviewed(&[
        "Kantonalbank Südtal",
        "Börsenabrechnung Verkauf",
        "Abschlussdatum 18.11.2023",
        "Titel 300 Inhaberaktien Beta",
        "Gutschrift Valuta 20.11.2023 CHF 9.022,00",
    ]);
    let kinds = [
        ("trades[].trade_date", FieldKind::Date),
        ("trades[].quantity", FieldKind::Quantity),
        ("trades[].net_amount", FieldKind::Money),
    ];
    for (field, kind) in kinds {
        assert_eq!(recalled(&entries, &other, field, kind), None, "{field}");
    }
}

#[test]
fn another_document_type_is_left_alone() {
    let entries = [learnt(&first())];
    assert!(Recall::new(&entries, second().fingerprint(), "invoice").is_empty());
    assert_eq!(Recall::document_type(&entries, second().fingerprint()), Some("contract_note"));
}

#[test]
fn a_memory_that_was_often_wrong_counts_less() {
    let mut entry = learnt(&first());
    let on = second();
    let strength = |entry: &MemoryEntry| {
        let recalled =
            recalled(std::slice::from_ref(entry), &on, "trades[].quantity", FieldKind::Quantity);
        recalled.map(|(_, strength)| strength).expect("a match")
    };
    let new = strength(&entry);
    let mut counted = |counts: Counts| {
        for field in &mut entry.fields {
            field.counts = counts;
        }
        strength(&entry)
    };
    let wrong = counted(Counts { right: 0, wrong: 6 });
    let right = counted(Counts { right: 6, wrong: 0 });
    assert!(wrong < new && new < right, "{wrong} {new} {right}");
}

#[test]
fn the_place_that_the_reviewer_marked_is_learnt_when_the_value_occurs_twice() {
    let on = reviewed(&[
        "Nordbank AG www.nordbank.example",
        "Printed 03.05.2024 in Musterstadt",
        "We settled for you on 03.05.2024",
    ]);
    let mut confirmed = corrected(&[("trade_date", "2024-05-03")]);
    let area = on.places.last().and_then(|place| place.area).expect("two dates");
    let field = confirmed.trades.first_mut().and_then(|trade| trade.get_mut("trade_date"));
    let field = field.expect("the field");
    field.page = Some(1);
    field.area = Some([area.left, area.top, area.right, area.bottom]);
    let entry = on.learn(&contract_note(), &confirmed).expect("a date");
    let next = reviewed(&[
        "Nordbank AG www.nordbank.example",
        "Printed 09.05.2024 in Musterstadt",
        "We settled for you on 08.05.2024",
    ]);
    let date = recalled(&[entry], &next, "trades[].trade_date", FieldKind::Date);
    assert_eq!(date.map(|(value, _)| value).as_deref(), Some("2024-05-08"));
}

#[test]
fn an_entry_is_judged_by_what_the_reviewer_of_the_next_document_says() {
    let entries = [learnt(&first())];
    let mut result = corrected(&[
        ("trade_date", "2023-11-20"),
        ("quantity", "300"),
        ("net_amount", "9022.00"),
        ("fees", "22.00"),
    ]);
    let verdict = |field: &str, is_right| Verdict { entry: 0, field: field.to_owned(), is_right };
    let expected = [
        verdict("trades[].trade_date", false),
        verdict("trades[].quantity", true),
        verdict("trades[].net_amount", true),
        verdict("trades[].fees", true),
    ];
    assert_eq!(second().judge(&entries, &result), expected);
    // What nobody reviewed says nothing about the memory.
    for field in result.trades.iter_mut().flat_map(|trade| trade.values_mut()) {
        field.status = domain::FieldStatus::NeedsReview;
    }
    assert!(second().judge(&entries, &result).is_empty());
}

#[test]
fn fields_that_nobody_reviewed_teach_nothing() {
    let mut result = confirmed();
    for field in result.trades.iter_mut().flat_map(|trade| trade.values_mut()) {
        field.status = domain::FieldStatus::Accepted;
    }
    let on = first();
    assert_eq!(on.learn(&contract_note(), &result), None);
}

#[test]
fn a_document_without_words_teaches_nothing() {
    assert_eq!(reviewed::<&str>(&[]).learn(&contract_note(), &confirmed()), None);
}

#[test]
fn an_entry_has_no_text_of_the_document() {
    let stored = learnt(&first()).to_json().to_string().to_lowercase();
    for text in ["nordbank", "alpha", "commission", "1068.60", "2024-05-03", "1.057"] {
        assert!(!stored.contains(text), "{text}");
    }
}

#[test]
fn the_stored_form_is_read_again() {
    let entry = learnt(&first());
    assert_eq!(MemoryEntry::read(entry.to_json()), Ok(entry.clone()));
    let mut newer = entry.to_json();
    newer["version"] = json!(99);
    assert_eq!(MemoryEntry::read(newer), Err(UnreadableMemory::TooNew { found: 99 }));
}

/// The stored form changes only with its version: add fields, and read what is missing.
#[test]
fn the_stored_form_of_version_1_stays() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/memory/golden/memory_entry_v1.json");
    let golden = std::fs::read_to_string(path).expect("the golden file");
    let entry = learnt(&first());
    let shown = format!("{}\n", entry.to_json());
    assert_eq!(shown, golden, "{shown}");
    let golden = serde_json::from_str(&golden).expect("JSON");
    assert_eq!(MemoryEntry::read(golden), Ok(entry));
}
