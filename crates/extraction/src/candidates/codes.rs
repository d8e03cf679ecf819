//! Codes with a fixed form: ISIN, WKN and Swiss security numbers, IBAN, BIC, VAT ids.

use std::sync::LazyLock;

use domain::FieldKind;
use regex::Regex;

use super::{Hit, Token};
use crate::fold::fold;
use crate::geometry::View;

/// Lengths of IBANs by country.
const IBAN_LENGTHS: &str = "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 \
    EG29 ES24 FI18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 HR21 HU28 IE22 IL23 IS26 IT27 JO30 KW30 KZ20 LB28 LI21 LT20 LU20 LV21 \
    MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22 SA24 SE24 SI19 SK24 SM27 TN24 TR26 UA29 \
    VG24 XK20";

/// Countries that issue ISINs, and the prefixes of international securities and funds.
const ISIN_PREFIXES: &str = "AE AM AN AR AT AU AW AZ BA BB BD BE BG BH BM BN BO BR BS BW BY BZ CA CH CI CL CM CN CO CR CU \
    CW CY CZ DE DK DO DZ EC EE EG ES EU FI FO FR GA GB GE GG GH GI GR GT GU HK HN HR HU ID IE IL IM IN IQ IR IS IT JE JM JO \
    JP KE KG KH KN KR KW KY KZ LA LB LC LI LK LR LT LU LV MA MC MD ME MG MH MK MN MO MT MU MV MX MY MZ NA NE NG NL NO NP NZ \
    OM PA PE PG PH PK PL PR PS PT PY QA QS QT RO RS RU SA SC SD SE SG SI SK SM SN SR SV SY SZ TC TG TH TJ TM TN TR TT TW TZ \
    UA UG US UY UZ VC VE VG VI VN XA XB XC XD XF XK XS YE ZA ZM ZW";

static VAT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?x)^(?:
        ATU[0-9]{8} | BE[01][0-9]{9} | BG[0-9]{9,10} | CHE[0-9]{9}(?:MWST|TVA|IVA)? | CY[0-9]{8}[A-Z] | CZ[0-9]{8,10}
        | DE[0-9]{9} | DK[0-9]{8} | EE[0-9]{9} | EL[0-9]{9} | ES[A-Z0-9][0-9]{7}[A-Z0-9] | FI[0-9]{8}
        | FR[A-HJ-NP-Z0-9]{2}[0-9]{9} | GB(?:[0-9]{9}|[0-9]{12}) | HR[0-9]{11} | HU[0-9]{8} | IE[0-9][A-Z0-9+*][0-9]{5}[A-Z]{1,2}
        | IT[0-9]{11} | LT(?:[0-9]{9}|[0-9]{12}) | LU[0-9]{8} | LV[0-9]{11} | MT[0-9]{8} | NL[0-9]{9}B[0-9]{2}
        | PL[0-9]{10} | PT[0-9]{9} | RO[0-9]{2,10} | SE[0-9]{12} | SI[0-9]{8} | SK[0-9]{10}
        )$",
    )
    .ok()
});

pub(super) fn find(view: &View<'_>, row: usize, tokens: &[Token<'_>], hits: &mut Vec<Hit>) {
    let said = said_words(view, row, tokens);
    for at in 0..tokens.len() {
        for part in parts(tokens[at].text) {
            if let Some(isin) = leading_isin(part) {
                hits.push(Hit::code(at..at + 1, FieldKind::Isin, isin));
            } else if is_security_number(part, &said) {
                hits.push(Hit::code(at..at + 1, FieldKind::Wkn, part));
            } else if said.bic && is_bic(part) {
                hits.push(Hit::code(at..at + 1, FieldKind::Bic, part));
            }
        }
        joined(tokens, at, hits);
        hits.extend(isin_in_pieces(tokens, at));
    }
}

/// An ISIN whose letters and digits are spaced unevenly: `N L0 00 0 3 88 6 1 9`. The check digit tells it from other pieces.
fn isin_in_pieces(tokens: &[Token<'_>], at: usize) -> Option<Hit> {
    let mut code = String::new();
    for (count, token) in tokens[at..].iter().take(12).enumerate() {
        let is_piece = (1..=4).contains(&token.text.len())
            && token.text.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
        if !is_piece || code.len() + token.text.len() > 12 {
            return None;
        }
        code.push_str(token.text);
        if code.len() == 12 {
            let is_in_pieces = count >= 3 && is_isin(&code);
            return is_in_pieces.then(|| Hit::code(at..at + count + 1, FieldKind::Isin, code));
        }
    }
    None
}

/// Which codes the row, or the row above it, names.
struct Said {
    bic: bool,
    wkn: bool,
    valor: bool,
}

fn said_words(view: &View<'_>, row: usize, tokens: &[Token<'_>]) -> Said {
    let mut said = Said { bic: false, wkn: false, valor: false };
    let above = row.checked_sub(1).map_or(&[][..], |above| &view.rows[above].words);
    let above = above.iter().map(|&word| view.page.words[word].text.as_str());
    for text in tokens.iter().map(|token| token.text).chain(above) {
        let folded = fold(text);
        said.bic |= folded.contains("bic") || folded.contains("swift");
        said.wkn |= folded.contains("wkn") || folded.contains("kenn") || folded.contains("wpk");
        said.valor |= folded.contains("valor") || folded.contains("numero de valeur");
    }
    said
}

/// The runs of letters and digits of a word: `ISIN:DE0005190003`, `(A0V9L9)`, `DE000A3MP4P9/A3MP4P`.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| part.len() >= 5)
}

/// Codes that may be written in groups: `DE89 3704 0044 0532 0130 00`, `DE 114 103 475`.
fn joined(tokens: &[Token<'_>], at: usize, hits: &mut Vec<Hit>) {
    let starts = |text: &str| {
        let bare = text.rsplit([':', '(']).next().unwrap_or_default();
        bare.len() >= 2 && bare.as_bytes()[..2].iter().all(u8::is_ascii_uppercase)
    };
    if !starts(tokens[at].text) {
        return;
    }
    let mut code = String::new();
    let mut is_vat = false;
    for (count, token) in tokens[at..].iter().take(10).enumerate() {
        let text = if count == 0 {
            token.text.rsplit([':', '(']).next().unwrap_or_default()
        } else {
            token.text
        };
        let bare = text.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        if bare.is_empty()
            || !bare.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-'))
        {
            return;
        }
        code.extend(bare.chars().filter(char::is_ascii_alphanumeric));
        if code.len() > 34 {
            return;
        }
        let range = at..at + count + 1;
        if count > 0 && is_isin(&code) {
            hits.push(Hit::code(range, FieldKind::Isin, code));
            return;
        }
        if is_iban(&code) {
            hits.push(Hit::code(range, FieldKind::Iban, code));
            return;
        }
        // The first groups of an ISIN may look like a VAT id, so the search goes on.
        if !is_vat && is_vat_id(&code) {
            is_vat = true;
            // `MWST` after a Swiss number belongs to it.
            let ending = tokens.get(at + count + 1).map_or("", |next| next.text);
            let to = range.end
                + usize::from(matches!(ending, "MWST" | "TVA" | "IVA") && code.len() == 12);
            hits.push(Hit::code(at..to, FieldKind::VatId, code.clone()));
        }
        // After a whole word that ends a phrase, a code does not go on.
        if text.ends_with([',', ';', ')']) {
            return;
        }
    }
}

/// An ISIN alone, or with a word in lower case that touches it.
fn leading_isin(part: &str) -> Option<&str> {
    let (isin, rest) = part.split_at_checked(12)?;
    let ends = rest.is_empty() || rest.starts_with(|c: char| c.is_ascii_lowercase());
    (ends && is_isin(isin)).then_some(isin)
}

fn is_isin(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() == 12
        && ISIN_PREFIXES.split_ascii_whitespace().any(|prefix| text.starts_with(prefix))
        && bytes.iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
        && bytes[11].is_ascii_digit()
        && bytes[2..].iter().any(u8::is_ascii_digit)
        && luhn(bytes)
}

/// The check digit of an ISIN: letters are numbers from 10, and every second digit from the right counts twice.
fn luhn(code: &[u8]) -> bool {
    let mut digits: Vec<u32> = Vec::with_capacity(24);
    for byte in code {
        let value = char::from(*byte).to_digit(36).unwrap_or_default();
        if value >= 10 {
            digits.push(value / 10);
        }
        digits.push(value % 10);
    }
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(at, digit)| if at % 2 == 1 { digit * 2 / 10 + digit * 2 % 10 } else { *digit })
        .sum();
    sum.is_multiple_of(10)
}

/// A German WKN has six letters and digits. A Swiss number has five to nine digits and is named beside it.
fn is_security_number(text: &str, said: &Said) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    if said.valor && digits == text.len() && (5..=9).contains(&digits) {
        return true;
    }
    text.len() == 6
        && digits > 0
        && (said.wkn || digits < 6)
        && text
            .bytes()
            .all(|b| b.is_ascii_digit() || (b.is_ascii_uppercase() && b != b'I' && b != b'O'))
}

fn is_iban(code: &str) -> bool {
    let Some(country) = code.get(..2) else { return false };
    let length = IBAN_LENGTHS.split_ascii_whitespace().find_map(|known| {
        known.strip_prefix(country).and_then(|length| length.parse::<usize>().ok())
    });
    length == Some(code.len()) && modulo_97(code) == 1
}

fn modulo_97(code: &str) -> u32 {
    code[4..].chars().chain(code[..4].chars()).fold(0, |rest, letter| {
        let value = letter.to_digit(36).unwrap_or_default();
        (if value >= 10 { rest * 100 + value } else { rest * 10 + value }) % 97
    })
}

fn is_bic(text: &str) -> bool {
    let bytes = text.as_bytes();
    let country = text.get(4..6).unwrap_or_default();
    let known = IBAN_LENGTHS.split_ascii_whitespace().any(|known| known.starts_with(country))
        || matches!(country, "US" | "JP" | "CN" | "CA" | "AU" | "SG" | "HK" | "IN" | "RU" | "ZA");
    matches!(bytes.len(), 8 | 11)
        && known
        && bytes[..6].iter().all(u8::is_ascii_uppercase)
        && bytes.iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
}

fn is_vat_id(code: &str) -> bool {
    (8..=16).contains(&code.len()) && VAT.as_ref().is_some_and(|pattern| pattern.is_match(code))
}
