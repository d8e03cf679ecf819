//! The values of form fields, as words at the position of the field.
//!
//! Field values are not part of the page text. A checkbox becomes ☒ or ☐.

use pages::{Area, Origin, Style, Word};
use pdfium_render::prelude::{
    PdfFormField, PdfPage, PdfPageAnnotationCommon, PdfPageAnnotationType,
};

use super::Place;
use crate::Limits;

/// The limit of fields on a page.
const MAX_FIELDS: usize = 20_000;

pub(crate) fn read(page: &PdfPage<'_>, place: &Place, limits: Limits, words: &mut Vec<Word>) {
    for annotation in page.annotations().iter().take(MAX_FIELDS) {
        if annotation.annotation_type() != PdfPageAnnotationType::Widget {
            continue;
        }
        let Some(value) = annotation.as_form_field().and_then(value) else { continue };
        let Ok(bounds) = annotation.bounds() else { continue };
        let room = (limits.words as usize).saturating_sub(words.len());
        words.extend(spread(&value, place.area(&bounds)).take(room));
    }
}

fn value(field: &PdfFormField<'_>) -> Option<String> {
    let ticked = |checked| if checked { "☒" } else { "☐" }.to_owned();
    match field {
        PdfFormField::Text(field) if field.is_password() => None,
        PdfFormField::Text(field) => field.value(),
        PdfFormField::ComboBox(field) => field.value(),
        PdfFormField::ListBox(field) => field.value(),
        PdfFormField::Checkbox(field) => field.is_checked().ok().map(ticked),
        PdfFormField::RadioButton(field) => field.is_checked().ok().map(ticked),
        _ => None,
    }
}

/// Lays the words out over the field: a row for each line, each word as wide as its share of characters.
fn spread(value: &str, area: Area) -> impl Iterator<Item = Word> {
    let rows: Vec<Vec<String>> = value
        .lines()
        .map(|line| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
        .filter(|line| !line.is_empty())
        .collect();
    #[expect(clippy::cast_precision_loss, reason = "no field has that many rows")]
    let row_height = (area.height() / rows.len().max(1) as f32).min(area.height());
    rows.into_iter().enumerate().flat_map(move |(row, texts)| {
        #[expect(clippy::cast_precision_loss, reason = "no field has that many characters")]
        let (lengths, row) =
            (texts.iter().map(|text| text.chars().count() as f32).collect::<Vec<_>>(), row as f32);
        #[expect(clippy::cast_precision_loss, reason = "no field has that many words")]
        let total = (lengths.iter().sum::<f32>() + texts.len() as f32 - 1.0).max(1.0);
        // Characters are about half as wide as high; a long value is squeezed into the field.
        let step = (row_height * 0.5).min(area.width() / total);
        let mut at = area.left;
        let top = area.top + row * row_height;
        texts.into_iter().zip(lengths).map(move |(text, length)| {
            let left = at;
            at += (length + 1.0) * step;
            let right = left + length * step;
            let area = Area { left, top, right, bottom: top + row_height };
            Word {
                text,
                area: Some(area),
                origin: Origin::Form,
                style: Style::default(),
                ..Word::default()
            }
        })
    })
}
