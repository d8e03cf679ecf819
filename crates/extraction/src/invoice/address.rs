//! Postal addresses on a page: the row with postcode and city, and the aligned rows above it.

use std::collections::HashMap;
use std::sync::LazyLock;

use pages::Area;
use regex::Regex;

use crate::rows::{Rows, Segment, Token, text_of};

/// A row further away than this many heights of the text does not belong to the address.
const MAX_GAP: f32 = 2.7;
/// The rows of an address above its city.
const MAX_ROWS: usize = 9;
/// Addresses beyond this number are ignored: the work stays bounded.
const MAX_ADDRESSES: usize = 200;

/// A part of an address with its evidence.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Part {
    pub(crate) value: String,
    pub(crate) raw: String,
    pub(crate) area: Area,
    pub(crate) page: u32,
}

/// A postal address with the name above it.
#[derive(Clone, Debug)]
pub(crate) struct Address {
    /// Possible names, the best first.
    pub(crate) names: Vec<Part>,
    pub(crate) street: Option<Part>,
    pub(crate) postcode: Part,
    pub(crate) city: Part,
    pub(crate) country: Option<Part>,
    pub(crate) page: u32,
    /// Around all rows.
    pub(crate) area: Area,
    /// The index of the first and the last row.
    pub(crate) rows: (usize, usize),
    /// One row with separators, as above the window of an envelope or in a footer.
    pub(crate) is_inline: bool,
}

fn regex(pattern: &str) -> Option<Regex> {
    Regex::new(pattern).ok()
}

static CITY: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    const NAME: &str = r"(?P<city>\p{Lu}[\p{L}.'’\-]+(?:[ /\-]\(?\p{L}[\p{L}.'’\-]*\)?){0,4}?)(?:\s+(?i:cedex)\s*\d*)?";
    const COUNTRY: &str = r"(?:\s*,\s*(?P<country>[A-Z]{2}))?";
    [
        // The Netherlands.
        format!(r"^(?:(?P<prefix>[A-Z]{{1,3}})[ \-–])?(?P<postcode>\d{{4}} ?[A-Z]{{2}})\s+{NAME}{COUNTRY}$"),
        format!(r"^(?:(?P<prefix>[A-Z]{{1,3}})[ \-–])?(?P<postcode>\d{{4,5}}|\d{{3}} \d{{2}}|\d{{2}}-\d{{3}}|\d{{4}}-\d{{3}}),?\s+{NAME}{COUNTRY}(?:\s*\(\p{{Lu}}{{2}}\))?$"),
        // Great Britain, before and after the city.
        format!(r"^(?:(?P<prefix>[A-Z]{{2}}) )?(?P<postcode>[A-Z]{{1,2}}\d[A-Z\d]? ?\d[A-Z]{{2}})\s+{NAME}{COUNTRY}$"),
        format!(r"^{NAME},?\s+(?P<postcode>[A-Z]{{1,2}}\d[A-Z\d]? ?\d[A-Z]{{2}}){COUNTRY}$"),
        // The United States.
        format!(r"^{NAME},?\s+[A-Z]{{2}}\s+(?P<postcode>\d{{5}}(?:-\d{{4}})?){COUNTRY}$"),
    ]
    .iter()
    .filter_map(|pattern| regex(pattern))
    .collect()
});

static STREET: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(
        r"(?i)(?:stra(?:ß|ss)e|str\.|\bstr\b|gasse|weg\b|allee|platz\b|ring\b|damm\b|ufer\b|promenade|chaussee|steig\b|markt\b|\brue\b|\bavenue\b|\bav\.|\bbd\b|boulevard|\bplace\b|chemin|impasse|\bquai\b|\broute\b|street|\bst\.?$|\broad\b|\brd\b|\blane\b|\bdrive\b|\bave\b|\bway\b|\bsquare\b|\bvia\b|\bviale\b|\bpiazza\b|\bcorso\b|\bcalle\b|\bc/|\bavda\b|\bplaza\b|\bpaseo\b|straat|laan\b|\bplein\b|gracht|kade\b|\bweena\b|singel|\bulica\b|\bul\.|\bgatan\b|vej\b|p\.?\s?o\.?\s?box|postfach|bo[iî]te postale|\bjalan\b|\bjln\b)",
    )
});

/// A number at the beginning or the end: `12 Main`, `Ecke 12a`.
static HOUSE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(
        r"^(?:\d{1,5}\s?[a-zA-Z]?(?:\s?[-/]\s?\d+\s?[a-zA-Z]?)?,?\s+\p{L}.{2,}|\p{L}.{1,}\s\d{1,5}\s?[a-zA-Z]?(?:\s?[-/]\s?\d+\s?[a-zA-Z]?)?)$",
    )
});

static NOISE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(
        r"(?i)^(?:tel|fon\b|fax|phone|mobil|e-?mail|www\.|http|gln\b|ust\b|uid\b|vat\b|tva\b|btw\b|siret|siren|iban|bic\b|kunden-?\s?n|customer\s*n|client\s*n|klantn|nummer|number|globale|lief\S*[- ]nr|hr[ab]\b|kvk|attn\b|z\.\s?hd|c/o|seite|page\b|datum|date\b|abteilung|nos\s|n°)|@|^[^\p{L}]*$|^\S+\s*:|:\s*\S+$|^\(",
    )
});

static SALUTATION: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(r"(?i)^(?:herrn?|frau|firma|fa\.|mr\.?|mrs\.?|ms\.?|monsieur|madame|an)$")
});

static LEGAL_FORM: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(
        r"(?:(?i:\bgmbh\b|\bmbh\b|\blimited\b|\bincorporated\b|\bcorporation\b|\bgesellschaft\b|\bgenossenschaft\b|\bstiftung\b|\bsociété\b|\bsarl\b|\bsàrl\b|\bsrl\b|\bs\.r\.l|\bltd\b|\binc\b|\bllc\b|\bllp\b|\bplc\b|\bcorp\b|\bsdn\b|\bbhd\b|\bpty\b|\bunternehmergesellschaft\b|e\.\s?k\.|e\.\s?v\.|a\.\s?g\.|b\.v\.|n\.v\.|s\.a\.|s\.p\.a|s\.l\.|\bspa\b|\baps\b|\boy\b|sp\. z o\.o)|\b(?:AG|SE|KG|KGaA|OHG|UG|GbR|SA|SAS|SASU|EURL|SNC|BV|NV|SL|SLU|AB|AS|A/S|VOF|eG|e\.K)\b)",
    )
});

fn matches(pattern: &LazyLock<Option<Regex>>, text: &str) -> bool {
    pattern.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

pub(crate) fn has_legal_form(text: &str) -> bool {
    matches(&LEGAL_FORM, text)
}

pub(crate) fn looks_like_street(text: &str) -> bool {
    text.chars().count() <= 60
        && !matches(&NOISE, text)
        && text.chars().any(|char| char.is_ascii_digit())
        && (matches(&STREET, text) || matches(&HOUSE, text))
}

struct CityRow {
    postcode: String,
    city: String,
    country: Option<String>,
}

fn city_row(text: &str) -> Option<CityRow> {
    let is_short =
        text.trim_start_matches(|char: char| char.is_ascii_digit()).len() + 4 == text.len();
    if text.chars().count() > 70 || is_short && matches(&STREET, text) {
        return None;
    }
    CITY.iter().find_map(|pattern| {
        let captures = pattern.captures(text)?;
        let named = |name: &str| captures.name(name).map(|found| found.as_str().to_owned());
        let country = named("country").or_else(|| named("prefix")).and_then(|code| country(&code));
        Some(CityRow { postcode: named("postcode")?, city: named("city")?, country })
    })
}

/// The ISO code of a country's name, code or vehicle sign.
pub(crate) fn country(text: &str) -> Option<String> {
    const COUNTRIES: [(&str, &[&str]); 24] = [
        (
            "DE",
            &[
                "D",
                "DE",
                "DEUTSCHLAND",
                "GERMANY",
                "ALLEMAGNE",
                "DUITSLAND",
                "ALEMANIA",
                "GERMANIA",
            ],
        ),
        ("AT", &["A", "AT", "ÖSTERREICH", "AUSTRIA", "AUTRICHE", "OOSTENRIJK"]),
        ("CH", &["CH", "SCHWEIZ", "SWITZERLAND", "SUISSE", "SVIZZERA", "ZWITSERLAND", "SUIZA"]),
        ("FR", &["F", "FR", "FRANCE", "FRANKREICH", "FRANKRIJK", "FRANCIA"]),
        ("IT", &["I", "IT", "ITALIEN", "ITALY", "ITALIA", "ITALIE", "ITALIË"]),
        ("ES", &["E", "ES", "SPANIEN", "SPAIN", "ESPAÑA", "ESPAGNE", "SPANJE", "SPAGNA"]),
        (
            "NL",
            &[
                "NL",
                "NIEDERLANDE",
                "NETHERLANDS",
                "THE NETHERLANDS",
                "NEDERLAND",
                "PAYS-BAS",
                "PAESI BASSI",
                "PAÍSES BAJOS",
            ],
        ),
        ("BE", &["B", "BE", "BELGIEN", "BELGIUM", "BELGIQUE", "BELGIË", "BELGIO", "BÉLGICA"]),
        ("LU", &["L", "LU", "LUXEMBURG", "LUXEMBOURG"]),
        (
            "GB",
            &[
                "GB",
                "UK",
                "UNITED KINGDOM",
                "GREAT BRITAIN",
                "ENGLAND",
                "GROSSBRITANNIEN",
                "ROYAUME-UNI",
            ],
        ),
        ("IE", &["IE", "IRL", "IRELAND", "IRLAND"]),
        ("US", &["US", "USA", "UNITED STATES", "UNITED STATES OF AMERICA"]),
        ("PL", &["PL", "POLEN", "POLAND", "POLSKA", "POLOGNE"]),
        ("CZ", &["CZ", "TSCHECHIEN", "CZECH REPUBLIC", "CZECHIA"]),
        ("DK", &["DK", "DÄNEMARK", "DENMARK", "DANMARK"]),
        ("SE", &["S", "SE", "SCHWEDEN", "SWEDEN", "SVERIGE"]),
        ("PT", &["P", "PT", "PORTUGAL"]),
        ("HK", &["HK", "HONG KONG"]),
        ("CA", &["CA", "CANADA", "KANADA"]),
        ("MY", &["MY", "MALAYSIA"]),
        ("SG", &["SG", "SINGAPORE", "SINGAPUR"]),
        ("NO", &["NO", "NORWEGEN", "NORWAY", "NORGE"]),
        ("FI", &["FI", "FINNLAND", "FINLAND", "SUOMI"]),
        ("LI", &["LI", "FL", "LIECHTENSTEIN"]),
    ];
    let name = text.trim_matches(|char: char| !char.is_alphanumeric()).to_uppercase();
    let first = name.split(" / ").next().unwrap_or(&name);
    let known = COUNTRIES.iter().find(|(_, names)| names.contains(&first));
    known.map(|(code, _)| (*code).to_owned())
}

/// Every address on the pages, from top to bottom.
pub(crate) fn addresses(rows: &Rows, is_heading: &dyn Fn(&[Token]) -> bool) -> Vec<Address> {
    let lines = (0..rows.list.len()).filter_map(|index| inline(rows, index, rows.list[index].page));
    let mut found: Vec<Address> = lines.take(MAX_ADDRESSES).collect();
    let places: HashMap<usize, Area> =
        found.iter().map(|address| (address.rows.0, address.area)).collect();
    let is_inline = |segment: &Segment<'_>| {
        places.get(&segment.row).is_some_and(|place| segment.area().left < place.right)
    };
    let is_end = |segment: &Segment<'_>| is_heading(segment.tokens) || is_inline(segment);
    let segments: Vec<Segment<'_>> = rows.segments().collect();
    for index in 0..segments.len() {
        if found.len() >= 2 * MAX_ADDRESSES {
            break;
        }
        let segment = &segments[index];
        let city = city_row(spaced(segment.tokens).trim_matches([',', ' ']));
        if let Some(city) = city.filter(|_| !is_inline(segment)) {
            found.push(block(rows, &segments, index, city, &is_end));
        }
    }
    found.sort_by_key(|address| address.rows);
    found
}

/// The tokens with spaces between them, also where they are parts of one word.
fn spaced(tokens: &[Token]) -> String {
    tokens.iter().map(|token| token.text.as_str()).collect::<Vec<_>>().join(" ")
}

fn part(page: u32, value: impl Into<String>, raw: impl Into<String>, area: Area) -> Part {
    Part { value: value.into(), raw: raw.into(), area, page }
}

/// The address whose city is the segment at `index`.
fn block(
    rows: &Rows,
    segments: &[Segment<'_>],
    index: usize,
    city: CityRow,
    is_end: &dyn Fn(&Segment<'_>) -> bool,
) -> Address {
    let segment = &segments[index];
    let page = rows.list[segment.row].page;
    let city_area = segment.area();
    let above = rows_above(rows, segments, index, is_end);
    let texts: Vec<(String, Area)> =
        above.iter().map(|at| (segments[*at].text(), segments[*at].area())).collect();
    // From the top: the street ends the name.
    let is_strong = |text: &str| looks_like_street(text) && matches(&STREET, text);
    let street = texts.iter().position(|(text, _)| is_strong(text)).or_else(|| {
        texts.iter().rposition(|(text, _)| looks_like_street(text) && !has_legal_form(text))
    });
    let street_part = street.map(|at| {
        let (text, area) = &texts[at];
        let first = text.split(',').map(str::trim).find(|part| looks_like_street(part));
        part(page, first.unwrap_or(text).trim_end_matches(','), text, *area)
    });
    let above_street: Vec<&(String, Area)> =
        texts[..street.unwrap_or(texts.len())].iter().filter(|(text, _)| is_name(text)).collect();
    let names = names(page, &above_street);
    let below = segments[index + 1..].iter().take(40).find(|below| {
        rows.list[below.row].page == page
            && (below.area().left - city_area.left).abs() < 0.5 * city_area.height()
            && below.area().top - city_area.bottom < 1.2 * city_area.height()
    });
    let named_country = below.and_then(|below| {
        country(&below.text()).map(|code| part(page, code, below.text(), below.area()))
    });
    let raw = segment.text();
    let mut area = city_area;
    for (_, row) in &texts {
        area = area.around(row);
    }
    Address {
        names,
        street: street_part,
        postcode: part(page, city.postcode, raw.clone(), city_area),
        city: part(page, city.city.trim_end_matches(','), raw.clone(), city_area),
        country: named_country.or(city.country.map(|code| part(page, code, raw, city_area))),
        page,
        area,
        rows: (above.first().map_or(segment.row, |at| segments[*at].row), segment.row),
        is_inline: false,
    }
}

/// The aligned segments above a city, from the top, without headings and what is above them.
fn rows_above(
    rows: &Rows,
    segments: &[Segment<'_>],
    index: usize,
    is_end: &dyn Fn(&Segment<'_>) -> bool,
) -> Vec<usize> {
    let page = rows.list[segments[index].row].page;
    let mut last = segments[index].area();
    let mut above = Vec::new();
    let centre = |area: &Area| f32::midpoint(area.left, area.right);
    for at in (0..index).rev().take(60) {
        let candidate = &segments[at];
        let area = candidate.area();
        let height = last.height().max(area.height()).max(1.0);
        if rows.list[candidate.row].page != page || last.top - area.bottom > MAX_GAP * height {
            break;
        }
        let aligned = (area.left - last.left).abs() < 0.4 * height
            || (centre(&area) - centre(&last)).abs() < 0.5 * height
                && area.height() > 0.7 * last.height()
                && area.height() < 1.4 * last.height();
        if !aligned || area.bottom > last.top + 0.4 * height {
            continue;
        }
        if is_end(candidate)
            || city_row(&spaced(candidate.tokens)).is_some()
            || candidate.tokens.len() > 9
            || above.len() >= MAX_ROWS
        {
            break;
        }
        above.push(at);
        last = area;
    }
    above.reverse();
    above
}

fn is_name(text: &str) -> bool {
    let letters = text.chars().filter(|char| char.is_alphabetic()).count();
    letters >= 2
        && !matches(&NOISE, text)
        && !matches(&SALUTATION, text.trim())
        && letters * 2 >= text.chars().filter(|char| !char.is_whitespace()).count()
        && country(text).is_none()
}

/// Which of the rows above the street is the name: one with a legal form, otherwise the first.
fn names(page: u32, rows: &[&(String, Area)]) -> Vec<Part> {
    let mut names: Vec<Part> = Vec::new();
    let tidy = |text: &str| text.trim_matches([',', ' ', ':']).to_owned();
    let legal = rows.iter().position(|(text, _)| has_legal_form(text));
    // A long name continues on the next row, which then has the legal form.
    if let Some(at) = legal.filter(|at| *at > 0) {
        let (first, second) = (rows[at - 1], rows[at]);
        if second.1.top - first.1.bottom < 0.4 * second.1.height().max(1.0) {
            names.push(part(
                page,
                format!("{} {}", tidy(&first.0), tidy(&second.0)),
                format!("{} {}", first.0, second.0),
                first.1.around(&second.1),
            ));
        }
    }
    let order = legal.into_iter().chain((0..rows.len()).filter(|at| Some(*at) != legal));
    for (text, area) in order.map(|at| rows[at]) {
        names.push(part(page, tidy(text), text, *area));
    }
    names
}

/// An address on one row: `Name ● Street 12 ● 12345 City`, as above the window of an envelope.
fn inline(rows: &Rows, index: usize, page: u32) -> Option<Address> {
    let row = &rows.list[index];
    let is_mark = |token: &Token| {
        matches!(
            token.text.as_str(),
            "●" | "•" | "·" | "|" | "-" | "–" | "−" | "*" | "/" | "∙" | "⋅" | "■" | "▪"
        )
    };
    if !row.tokens.iter().any(is_mark) && !row.tokens.iter().any(|token| token.text.ends_with(','))
    {
        return None;
    }
    let mut parts: Vec<&[Token]> =
        row.tokens.split(is_mark).filter(|part| !part.is_empty()).collect();
    if parts.len() < 3 {
        parts = row.tokens.split_inclusive(|token| token.text.ends_with(',')).collect();
    }
    if parts.len() < 3 || parts.len() > 12 {
        return None;
    }
    let clean = |tokens: &[Token]| text_of(tokens).trim_matches([',', ' ']).to_owned();
    // Another column may follow on the same row.
    let narrow = |tokens: &'_ [Token]| {
        let wide = tokens.windows(2).position(|pair| {
            pair[1].area.left - pair[0].area.right > 2.0 * pair[0].area.height().max(1.0)
        });
        wide.map_or(tokens.len(), |at| at + 1)
    };
    let at = parts.iter().position(|part| city_row(&clean(&part[..narrow(part)])).is_some())?;
    if at < 1 {
        return None;
    }
    let city_tokens = &parts[at][..narrow(parts[at])];
    let city = city_row(&clean(city_tokens))?;
    let area_of = crate::rows::around;
    let street_at = (0..at).rev().find(|part| looks_like_street(&clean(parts[*part])))?;
    let street =
        part(page, clean(parts[street_at]), clean(parts[street_at]), area_of(parts[street_at]));
    let name = street_at.checked_sub(1).map(|_| parts[0]).filter(|name| is_name(&clean(name)))?;
    let raw = clean(city_tokens);
    let area = area_of(city_tokens);
    let after = parts.get(at + 1).and_then(|next| {
        country(&clean(next)).map(|code| part(page, code, clean(next), area_of(next)))
    });
    Some(Address {
        names: vec![part(page, clean(name), clean(name), area_of(name))],
        street: Some(street),
        postcode: part(page, city.postcode, raw.clone(), area),
        city: part(page, city.city, raw.clone(), area),
        country: after.or(city.country.map(|code| part(page, code, raw, area))),
        page,
        area: area_of(name).around(&area),
        rows: (index, index),
        is_inline: true,
    })
}
