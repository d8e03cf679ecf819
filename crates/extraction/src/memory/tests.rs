//! One confirmed document improves the next one.

use domain::{Extraction, FieldKind, FieldSource};
use serde_json::json;

use super::recall::fits;
use super::samples::{corrected, document_type, page};
use super::{Counts, Layout, MemoryEntry, Recall, ReviewedDocument, UnreadableMemory, Verdict};
use crate::parse::{ParseRequest, parse};
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
    let recall = Recall::new(entries, &on.layout, "contract_note");
    let places = on.places.iter().filter(|place| fits(kind, place.kind));
    let ranked = places.map(|place| {
        let compared = recall.compare_context(place.kind, &place.context);
        (place.value.clone(), recall.strengths(field, kind, &compared).0)
    });
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
    let recall = Recall::new(&entries, &on.layout, "contract_note");
    let spec = &contract_note().fields[3];
    let mut scan = Scan::new();
    scan.add(&page(&lines("18.11.2023", "20.11.2023", "300", AMOUNTS)));
    scan.finish();
    let supported = |is_match: bool| -> Vec<String> {
        let money = scan.mentions.iter().filter(|mention| mention.found.kind == FieldKind::Money);
        let chosen = money.filter(|mention| {
            let support = recall.support(spec, &recall.compare(mention));
            assert_eq!(support.is_match, support.log_odds > 0.0, "{support:?}");
            support.is_match == is_match
        });
        chosen.map(|mention| mention.found.normalised()).collect()
    };
    assert_eq!(supported(true), ["19.90", "2.10"]);
    assert_eq!(supported(false), ["9000.00", "9022.00"]);
}

/// The value that a document of this layout has for a date, among two with the same value in the first document.
fn page_with_two_dates(printed: &str, settled: &str) -> Vec<String> {
    vec![
        "Nordbank AG Musterstadt www.nordbank.example".to_owned(),
        format!("Printed {printed} in Musterstadt"),
        format!("We settled for you on {settled}"),
    ]
}

#[test]
fn a_value_that_stood_twice_is_looked_for_at_both_places() {
    let on = reviewed(&page_with_two_dates("03.05.2024", "03.05.2024"));
    let entry = on.learn(&contract_note(), &corrected(&[("trade_date", "2024-05-03")]));
    let entries = [entry.expect("a date")];
    let next = reviewed(&page_with_two_dates("09.05.2024", "08.05.2024"));
    let recall = Recall::new(&entries, &next.layout, "contract_note");
    let strengths = next.places.iter().filter(|place| place.kind == FieldKind::Date).map(|place| {
        let compared = recall.compare_context(place.kind, &place.context);
        recall.strengths("trades[].trade_date", FieldKind::Date, &compared).0
    });
    let strengths: Vec<f32> = strengths.collect();
    assert_eq!(strengths.len(), 2);
    assert!(strengths.iter().all(|strength| *strength > 0.3), "{strengths:?}");
}

#[test]
fn the_place_of_another_value_speaks_against_a_candidate() {
    let on = reviewed(&page_with_two_dates("09.05.2024", "08.05.2024"));
    let entry = on.learn(&contract_note(), &corrected(&[("trade_date", "2024-05-08")]));
    let entries = [entry.expect("a date")];
    let mut scan = Scan::new();
    scan.add(&page(&page_with_two_dates("21.11.2023", "20.11.2023")));
    scan.finish();
    let recall = Recall::new(&entries, &Layout::of(&scan), "contract_note");
    let spec = &contract_note().fields[0];
    let supports = scan.mentions.iter().filter(|mention| mention.found.date().is_some());
    let supports: Vec<f32> =
        supports.map(|mention| recall.support(spec, &recall.compare(mention)).log_odds).collect();
    assert!(supports[0] < -1.0 && supports[1] > 2.0, "{supports:?}");
}

#[test]
fn a_document_of_another_form_counts_less() {
    let mut document_type = contract_note();
    document_type.fields.push(side());
    let mut values = vec![("side", "buy"), ("trade_date", "2024-05-03")];
    let mut text = lines("03.05.2024", "07.05.2024", "12", AMOUNTS);
    text.push("purchase".to_owned());
    let on = ReviewedDocument::read([&page(&text)], &document_type);
    let learn = |values: &[(&str, &str)]| {
        [on.learn(&document_type, &corrected(values)).expect("values of the sample")]
    };
    let entries = learn(&values);
    let next = second();
    let date = next.places.iter().find(|place| place.value == "2023-11-18").expect("a date");
    let strength = |recall: &Recall<'_>| {
        let compared = recall.compare_context(date.kind, &date.context);
        recall.strengths("trades[].trade_date", FieldKind::Date, &compared).0
    };
    let recall = Recall::new(&entries, &next.layout, "contract_note");
    let same = strength(&recall.of_form("trades[].side", &["buy", "sell"]));
    let other = strength(&recall.of_form("trades[].side", &["dividend"]));
    assert!(other < same && same > 0.3, "{other} {same}");
    // Without a confirmed form nothing is known about it.
    values.remove(0);
    let entries = learn(&values);
    let recall = Recall::new(&entries, &next.layout, "contract_note");
    let unknown = strength(&recall.of_form("trades[].side", &["dividend"]));
    assert!(unknown > other, "{unknown} {other}");
}

#[test]
fn a_sum_of_zero_teaches_that_no_amount_is_a_term() {
    let first = first();
    let entries = [first
        .learn(&contract_note(), &corrected(&[("net_amount", "1068.60"), ("fees", "0")]))
        .expect("the net amount")];
    let mut scan = Scan::new();
    scan.add(&page(&lines("18.11.2023", "20.11.2023", "300", AMOUNTS)));
    scan.finish();
    let recall = Recall::new(&entries, &Layout::of(&scan), "contract_note");
    let spec = &contract_note().fields[3];
    for mention in scan.mentions.iter().filter(|mention| mention.found.kind == FieldKind::Money) {
        let support = recall.support(spec, &recall.compare(mention));
        assert!(support.log_odds < -0.5 && !support.is_match, "{support:?}");
    }
}

#[test]
fn names_that_differ_between_documents_are_no_anchors() {
    let row = |name: &str, quantity: &str| {
        page(&[
            "Nordbank AG Musterstadt www.nordbank.example".to_owned(),
            "Shares".to_owned(),
            format!("{name} {quantity} pieces"),
            "Price 88,10 EUR".to_owned(),
        ])
    };
    let on = ReviewedDocument::read([&row("Alpha Corporation", "12")], &contract_note());
    let entries =
        [on.learn(&contract_note(), &corrected(&[("quantity", "12")])).expect("a quantity")];
    let next = ReviewedDocument::read([&row("Omega Industries Limited", "300")], &contract_note());
    let found = recalled(&entries, &next, "trades[].quantity", FieldKind::Quantity);
    let (value, strength) = found.expect("a match");
    assert_eq!(value, "300");
    assert!(strength > 0.5, "{strength}");
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
    let recall = Recall::new(&entries, &next.layout, "contract_note");
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
    assert!(Recall::new(&entries, &second().layout, "invoice").is_empty());
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

fn delivery_note() -> DocumentType {
    DocumentType {
        name: "delivery_note".to_owned(),
        ..document_type(&[
            ("delivery_date", FieldKind::Date, &["delivery date"]),
            ("weight", FieldKind::Quantity, &["weight"]),
            ("supplier", FieldKind::Party, &["supplier"]),
            ("driver", FieldKind::Text, &["driver"]),
        ])
    }
}

fn delivery(date: &str, weight: &str, driver: &str) -> pages::Page {
    page(&[
        "Spedition Nordwind Hamburg www.nordwind.example".to_owned(),
        "Lieferschein Empfang bestätigt am 01.02.2020".to_owned(),
        format!("Ankunft {date} Rampe Tor"),
        format!("Ladung {weight} brutto"),
        format!("Fahrzeug geführt von {driver}"),
    ])
}

/// The values of a delivery note, the best first, and whether the memory has chosen the first one.
fn parsed(page: &pages::Page, memory: Vec<MemoryEntry>, field: &str) -> (Vec<String>, bool) {
    let wanted = Some("delivery_note".to_owned());
    let request = ParseRequest { types: vec![delivery_note()], wanted, memory };
    let parts = std::iter::once(Ok(pages::Part::Page(page.clone())));
    let parsed = parse(parts, &request).expect("a page");
    let field = parsed.fields.iter().find(|found| found.name == field).expect("the field");
    let is_remembered =
        field.candidates.first().is_some_and(|best| best.source == FieldSource::LayoutMemory);
    (field.candidates.iter().map(|candidate| candidate.value.clone()).collect(), is_remembered)
}

/// The labels of the type are not on the page, so that nothing but the memory can know the fields.
#[test]
fn the_fields_of_a_tenants_own_type_are_found_where_they_were_confirmed() {
    let values = [
        ("delivery_date", "2024-05-03"),
        ("weight", "1200"),
        ("supplier", "Spedition Nordwind"),
        ("driver", "Erika Muster"),
    ];
    let mut confirmed = corrected(&values);
    confirmed.fields = confirmed.trades.remove(0);
    confirmed.document_type = "delivery_note".to_owned();
    let first = delivery("03.05.2024", "1.200", "Erika Muster");
    let first = ReviewedDocument::read([&first], &delivery_note());
    let entry = first.learn(&delivery_note(), &confirmed).expect("values of the sample");

    let next = delivery("18.11.2023", "870", "Jan Beispiel");
    for (field, value) in [
        ("delivery_date", "2023-11-18"),
        ("weight", "870"),
        ("supplier", "Spedition Nordwind"),
        ("driver", "Jan Beispiel"),
    ] {
        let (found, is_remembered) = parsed(&next, vec![entry.clone()], field);
        assert_eq!(found.first().map(String::as_str), Some(value), "{field}: {found:?}");
        assert!(is_remembered, "{field}");
        assert!(!parsed(&next, Vec::new(), field).1, "{field}");
    }
    let stored = entry.to_json().to_string().to_lowercase();
    for text in ["nordwind", "muster", "2024-05-03"] {
        assert!(!stored.contains(text), "{text}");
    }
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
    assert_eq!(MemoryEntry::read(newer), Err(UnreadableMemory::OtherVersion { found: 99 }));
}

/// The stored form changes only with its version: add fields, and read what is missing.
#[test]
fn the_stored_form_of_version_2_stays() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/memory/golden/memory_entry_v2.json");
    let golden = std::fs::read_to_string(path).expect("the golden file");
    let entry = learnt(&first());
    let shown = format!("{}\n", entry.to_json());
    assert_eq!(shown, golden, "{shown}");
    let golden = serde_json::from_str(&golden).expect("JSON");
    assert_eq!(MemoryEntry::read(golden), Ok(entry));
}
