//! What two engines read becomes one text, and where the second one is asked.

#![expect(
    clippy::cast_precision_loss,
    clippy::unwrap_used,
    reason = "a test that cannot go on has failed, and its numbers are small"
)]

use pages::{Area, Confidence, Origin, Word};
use reading::ocr::consensus::{ACCEPTED, join, join_by_plan};
use reading::ocr::pp::{Quad, ReadLine, ReadWord};
use reading::ocr::{policy, tesseract};

const LETTER: f32 = 10.0;

/// Words of one row at `top`, ten pixels for each character and space.
fn places(text: &str, top: f32) -> Vec<(String, Area)> {
    let mut left = 0.0;
    let mut words = Vec::new();
    for word in text.split(' ') {
        let right = left + word.chars().count() as f32 * LETTER;
        words.push((word.to_owned(), Area { left, top, right, bottom: top + 20.0 }));
        left = right + LETTER;
    }
    words
}

fn by_tesseract(text: &str, confidence: u8) -> Vec<Word> {
    let word = |(text, area)| Word {
        text,
        area: Some(area),
        confidence: Confidence(confidence),
        origin: Origin::Tesseract,
        ..Word::default()
    };
    places(text, 0.0).into_iter().map(word).collect()
}

fn by_pp(text: &str, top: f32, confidence: u8) -> ReadLine {
    let words: Vec<ReadWord> = places(text, top)
        .into_iter()
        .map(|(text, area)| ReadWord { text, confidence: Confidence(confidence), area })
        .collect();
    let all = words.iter().map(|word| word.area).reduce(|all, area| all.around(&area)).unwrap();
    ReadLine {
        text: text.to_owned(),
        confidence: Confidence(confidence),
        quad: Quad::level(&all).grown(4.0),
        words,
    }
}

fn texts(words: &[Word]) -> Vec<&str> {
    words.iter().map(|word| word.text.as_str()).collect()
}

#[test]
fn what_both_read_is_accepted() {
    let words = join(Some(&by_tesseract("Total due", 80)), Some(&[by_pp("Total due", 0.0, 97)]));
    assert_eq!(texts(&words), ["Total", "due"]);
    assert!(words.iter().all(|word| word.origin == Origin::Agreed && word.confidence >= ACCEPTED));
}

#[test]
fn two_guesses_that_agree_are_not_accepted() {
    let words = join(Some(&by_tesseract("Tntal", 30)), Some(&[by_pp("Tntal", 0.0, 51)]));
    assert!(words[0].confidence < ACCEPTED);
}

#[test]
fn a_space_that_one_engine_misses_does_not_make_a_dispute() {
    let words = join(Some(&by_tesseract("Date 12/03", 90)), Some(&[by_pp("Date12/03", 0.0, 97)]));
    assert_eq!(texts(&words), ["Date", "12/03"]);
    assert!(words.iter().all(|word| word.origin == Origin::Agreed));
}

#[test]
fn the_second_engine_is_kept_in_a_dispute_and_the_other_reading_goes_along() {
    let tesseract = by_tesseract("Total 18.00 EUR", 70);
    let words = join(Some(&tesseract), Some(&[by_pp("Total 16.00 EUR", 0.0, 99)]));
    assert_eq!(texts(&words), ["Total", "16.00", "EUR"]);
    let disputed = &words[1];
    assert_eq!(disputed.origin, Origin::PpOcr);
    assert!(disputed.confidence < ACCEPTED);
    assert_eq!(disputed.other.as_ref().unwrap().text, "18.00");
    assert_eq!(words[2].origin, Origin::Agreed);
}

#[test]
fn letters_and_digits_that_look_alike_are_untangled() {
    let words = join(Some(&by_tesseract("Tel: Level", 60)), Some(&[by_pp("Te1: Leve1", 0.0, 99)]));
    assert_eq!(texts(&words), ["Tel:", "Level"]);
    assert_eq!(words[0].other.as_ref().unwrap().text, "Te1:");
    // A number stays one, and so does a mixed code that Tesseract reads as something else altogether.
    let words = join(Some(&by_tesseract("lOO AXZ", 60)), Some(&[by_pp("100 A72", 0.0, 99)]));
    assert_eq!(texts(&words), ["100", "A72"]);
}

#[test]
fn what_tesseract_alone_sees_needs_to_look_like_writing() {
    let mut tesseract = by_tesseract("Footnote |~ xq", 92);
    tesseract[2].confidence = Confidence(40);
    let words = join(Some(&tesseract), Some(&[by_pp("Heading", 500.0, 99)]));
    assert_eq!(texts(&words), ["Footnote", "Heading"]);
    assert!(words[0].confidence < ACCEPTED);
}

#[test]
fn what_the_second_engine_alone_guesses_at_is_dirt() {
    let lines = [by_pp("漢", 0.0, 90), by_pp("8", 40.0, 60), by_pp("Invoice", 80.0, 99)];
    assert_eq!(texts(&join(Some(&[]), Some(&lines))), ["Invoice"]);
    assert_eq!(texts(&join(None, Some(&lines))), ["Invoice"]);
}

#[test]
fn one_engine_is_enough_to_have_a_text_and_none_is_not() {
    let mut tesseract = by_tesseract("sure 1234 doubt", 97);
    tesseract[2].confidence = Confidence(60);
    let words = join(Some(&tesseract), None);
    assert_eq!(texts(&words), ["sure", "1234", "doubt"]);
    let accepted: Vec<bool> = words.iter().map(|word| word.confidence >= ACCEPTED).collect();
    assert_eq!(accepted, [true, false, false]);
    assert!(join(None, None).is_empty());
}

#[test]
fn rows_are_read_from_top_to_bottom_and_from_left_to_right() {
    let mut right = by_pp("12.00", 42.0, 99);
    right.quad.centre.0 += 400.0;
    let lines = [right, by_pp("Second row", 80.0, 99), by_pp("Price", 40.0, 99)];
    assert_eq!(texts(&join(None, Some(&lines))), ["Price", "12.00", "Second", "row"]);
}

#[test]
fn the_second_engine_is_asked_for_what_is_doubtful_and_for_numbers() {
    let mut tesseract =
        by_tesseract("we hereby confirm the agreement oi 2024 between both parties", 96);
    tesseract[5].confidence = Confidence(50);
    let line = Quad::level(&Area { left: -4.0, top: -4.0, right: 600.0, bottom: 24.0 });
    let plan = policy::plan(&[line], &tesseract);
    let settled: Vec<&str> = plan.settled.iter().map(|(_, word)| word.text.as_str()).collect();
    assert_eq!(
        settled,
        ["we", "hereby", "confirm", "the", "agreement", "between", "both", "parties"]
    );
    assert_eq!(texts(&plan.rest), ["oi", "2024"]);
    let [gap] = plan.doubtful[..] else { panic!("{:?}", plan.doubtful) };
    let (gap, rest) = (gap.area(), plan.rest.iter().map(|word| word.area.unwrap()));
    assert!(rest.into_iter().all(|area| gap.left <= area.left && area.right <= gap.right));
    assert!(gap.width() < 150.0, "{gap:?}");

    let mut second = by_pp("of 2024", 0.0, 99);
    second.quad = plan.doubtful[0];
    let words = join_by_plan(&plan, &[second]);
    let text = texts(&words).join(" ");
    assert_eq!(text, "we hereby confirm the agreement of 2024 between both parties");
}

#[test]
fn a_line_that_tesseract_does_not_see_is_read_whole() {
    let line = Quad::level(&Area { left: 0.0, top: 100.0, right: 300.0, bottom: 130.0 });
    let mut tesseract = by_tesseract("elsewhere dirt", 96);
    tesseract[1].confidence = Confidence(40);
    let plan = policy::plan(&[line], &tesseract);
    assert_eq!(plan.doubtful, [line]);
    assert_eq!(plan.settled[0].1.text, "elsewhere");
    assert_eq!(texts(&plan.rest), ["dirt"]);
}

#[test]
fn only_whole_words_are_taken_from_the_programs_answer() {
    let tsv = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n\
        4\t1\t1\t1\t1\t0\t10\t20\t300\t30\t-1\t\n\
        5\t1\t1\t1\t1\t1\t10\t20\t100\t30\t96.5\tInvoice\n\
        5\t1\t1\t1\t1\t2\t120\t20\t10\t30\t91\t \n\
        5\t1\t1\t1\t1\t3\tNaN\t20\t10\t30\t91\tx\n\
        5\t1\t1\n\
        5\t1\t1\t1\t1\t4\t140\t20\t60\t30\t88\t4711\n";
    let words = tesseract::parse_tsv(tsv, 100);
    assert_eq!(texts(&words), ["Invoice", "4711"]);
    assert_eq!(words[0].confidence, Confidence(96));
    assert_eq!(words[0].area, Some(Area { left: 10.0, top: 20.0, right: 110.0, bottom: 50.0 }));
    assert_eq!(tesseract::parse_tsv(tsv, 1).len(), 1);
}
