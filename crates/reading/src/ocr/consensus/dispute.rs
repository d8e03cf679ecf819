//! Decides between the engines where they differ.
//!
//! The second engine is the default: it is right more than ten times as often. But Tesseract knows words, and the second
//! engine only shapes. So Tesseract's reading is used for a word of letters when it is certain and the second engine is
//! not, and where the readings differ only in similar characters and Tesseract's does not mix letters and digits, as in
//! "Tel" against "Te1".

use pages::Word;

use crate::ocr::pp::ReadWord;

const TESSERACT_IS_SURE: u8 = 90;
const PP_IS_UNSURE: u8 = 80;

/// Characters that look alike in print, letters beside the digits they are taken for.
const LOOK_ALIKE: [&[char]; 6] = [
    &['0', 'O', 'o', 'D', 'Q'],
    &['1', 'l', 'I', 'i', '|', '!'],
    &['2', 'Z', 'z'],
    &['5', 'S', 's'],
    &['6', 'G', 'b'],
    &['8', 'B'],
];

/// Whether Tesseract's reading of one word is to be taken.
pub(super) fn tesseract_wins(pp: &ReadWord, tesseract: &Word) -> bool {
    let is_surer = tesseract.confidence.0 >= TESSERACT_IS_SURE
        && pp.confidence.0 < PP_IS_UNSURE
        && is_made_of_letters(&tesseract.text);
    let untangles =
        mixes(&pp.text) && !mixes(&tesseract.text) && look_alike(&pp.text, &tesseract.text);
    is_surer || untangles
}

fn is_made_of_letters(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    letters >= 2 && !text.chars().any(|c| c.is_ascii_digit())
}

/// Letters and digits in one word, without anything between them.
fn mixes(text: &str) -> bool {
    let characters: Vec<char> = text.chars().collect();
    characters.windows(2).any(|pair| {
        pair[0].is_ascii_digit() && pair[1].is_alphabetic()
            || pair[0].is_alphabetic() && pair[1].is_ascii_digit()
    })
}

fn look_alike(a: &str, b: &str) -> bool {
    let is_like = |(a, b): (char, char)| {
        a == b || LOOK_ALIKE.iter().any(|alike| alike.contains(&a) && alike.contains(&b))
    };
    a.chars().count() == b.chars().count() && a.chars().zip(b.chars()).all(is_like)
}
