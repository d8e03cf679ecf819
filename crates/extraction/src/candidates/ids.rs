//! Identifiers that an issuer chose: the value beside or below a label such as `Rechnungs-Nr.` or `Order ID`.

use domain::FieldKind;

use super::{Hit, Token};
use crate::fold::fold;
use crate::geometry::View;

/// Endings of words that announce an identifier, folded.
const MARKERS: [&str; 16] = [
    "nr",
    "no",
    "nummer",
    "number",
    "numero",
    "num",
    "id",
    "ref",
    "referenz",
    "reference",
    "referentie",
    "referencia",
    "kennung",
    "code",
    "#",
    "riferimento",
];
const LONGEST: usize = 40;

pub(super) fn find(
    view: &View<'_>,
    row: usize,
    tokens: &[Token<'_>],
    dated: &[bool],
    hits: &mut Vec<Hit>,
) {
    for at in 0..tokens.len() {
        if dated[at] {
            continue;
        }
        // `Nr.:12345` touches its label.
        let (label, text) = match tokens[at].text.rsplit_once([':', '=', '#']) {
            Some((label, text)) if !text.is_empty() => (is_marker(label), text),
            _ => (false, tokens[at].text),
        };
        let text = text.trim_matches(|c: char| !c.is_alphanumeric());
        if !is_identifier(text) {
            continue;
        }
        let beside = (1..=3).any(|back| at >= back && is_marker(tokens[at - back].text));
        if label || beside || marker_above(view, row, tokens[at].word) {
            hits.push(Hit::code(at..at + 1, FieldKind::Id, text));
            grouped(tokens, at, text, hits);
        }
    }
}

/// `8279 0281115 00` is one identifier in groups.
fn grouped(tokens: &[Token<'_>], at: usize, first: &str, hits: &mut Vec<Hit>) {
    let mut id = first.to_owned();
    for (count, token) in tokens[at + 1..].iter().take(4).enumerate() {
        let is_group = !token.text.is_empty() && token.text.bytes().all(|b| b.is_ascii_digit());
        if !is_group || id.len() + token.text.len() > LONGEST {
            return;
        }
        id.push(' ');
        id.push_str(token.text);
        hits.push(Hit::code(at..at + count + 2, FieldKind::Id, id.clone()));
    }
}

fn marker_above(view: &View<'_>, row: usize, word: usize) -> bool {
    let Some(area) = view.page.words[word].area else { return false };
    row.checked_sub(1).is_some_and(|above| {
        view.rows[above].words.iter().any(|&word| {
            let word = &view.page.words[word];
            is_marker(&word.text)
                && word
                    .area
                    .is_some_and(|own| own.left < area.right + 60.0 && area.left < own.right + 60.0)
        })
    })
}

fn is_identifier(text: &str) -> bool {
    (2..=LONGEST).contains(&text.len())
        && text.bytes().any(|b| b.is_ascii_digit())
        && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '/' | '.' | '_'))
        // An amount is no identifier.
        && !text.contains(',')
}

fn is_marker(text: &str) -> bool {
    if text.len() > 40 {
        return false;
    }
    let folded = fold(text);
    let folded = folded.trim_end_matches(['.', ':', ')', '°', 'º']).replace("n°", "no");
    if folded == "n" || folded == "#" {
        return true;
    }
    let last = folded.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    MARKERS.iter().any(|marker| {
        last == *marker
            || (marker.len() >= 5 && last.ends_with(marker))
            || (*marker == "nr" && last.ends_with("nr"))
    })
}
