//! Seller and buyer: which address belongs to whom, and whose VAT id is which.
//!
//! Headings (`Verkäufer`, `Bill to`) decide; without them the place on the page (letterhead, window, footer), contact and
//! bank details, and how often an address is repeated.

use std::sync::LazyLock;

use pages::Area;
use regex::Regex;

use super::address::{Address, Part, addresses, has_legal_form};
use crate::labels::Labels;
use crate::rows::{Rows, Segment, Token, text_of};

/// Headings of other parties: where goods are sent, who is paid, who represents the seller.
const OTHERS: [&str; 44] = [
    "Warenempfänger",
    "Abweichender Warenempfänger",
    "Lieferadresse",
    "Lieferanschrift",
    "Lieferung an",
    "Versandadresse",
    "Leistungsort",
    "Zahlungsempfänger",
    "Abweichender Zahlungsempfänger",
    "Steuerbevollmächtigter",
    "Steuerbevollmächtigter des Verkäufers",
    "Warenlieferant/Hersteller",
    "Abweichender Rechnungsempfänger",
    "Ship to",
    "Shipping address",
    "Shipped to",
    "Deliver to",
    "Delivery address",
    "Delivery to",
    "Service address",
    "Remit to",
    "Remittance address",
    "Payee",
    "Tax representative",
    "Livraison",
    "Adresse de livraison",
    "Livré à",
    "Lieu de livraison",
    "Adresse de l'installation",
    "Bénéficiaire",
    "Représentant fiscal",
    "Indirizzo di consegna",
    "Destinazione merce",
    "Luogo di consegna",
    "Destinazione",
    "Dirección de envío",
    "Dirección de entrega",
    "Enviar a",
    "Afleveradres",
    "Bezorgadres",
    "Leveringsadres",
    "Verzendadres",
    "Bei Rückfragen",
    "Bankverbindung",
];
/// Addresses that are compared with each other.
const MAX_COMPARED: usize = 60;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Seller,
    Buyer,
    Other,
}

/// An address with how well it fits each party.
#[derive(Clone, Debug)]
pub(crate) struct Scored {
    pub(crate) address: Address,
    pub(crate) seller: f32,
    pub(crate) buyer: f32,
}

/// A VAT id with how well it fits each party.
#[derive(Clone, Debug)]
pub(crate) struct VatId {
    pub(crate) part: Part,
    pub(crate) seller: f32,
    pub(crate) buyer: f32,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Parties {
    pub(crate) addresses: Vec<Scored>,
    pub(crate) vat_ids: Vec<VatId>,
    /// Names in the letterhead, for sellers without an address.
    pub(crate) names: Vec<(Part, f32)>,
}

struct Heading {
    role: Role,
    row: usize,
    page: u32,
    area: Area,
}

pub(crate) struct PartyLabels {
    seller: Labels,
    buyer: Labels,
    other: Labels,
}

impl PartyLabels {
    pub(crate) fn new(seller: Labels, buyer: Labels) -> Self {
        Self { seller, buyer, other: Labels::new(OTHERS) }
    }

    /// The party that a heading names. A heading is a label with at most a few more words.
    fn role(&self, tokens: &[Token]) -> Option<Role> {
        if tokens.len() > 8 {
            return None;
        }
        let found = [
            (Role::Other, self.other.find(tokens)),
            (Role::Seller, self.seller.find(tokens)),
            (Role::Buyer, self.buyer.find(tokens)),
        ];
        let best = found
            .into_iter()
            .filter_map(|(role, found)| found.map(|found| (role, found)))
            .filter(|(_, found)| {
                // The label begins the segment; a colon may end it, and little follows.
                let before = tokens[..found.tokens.start]
                    .iter()
                    .filter(|token| !token.key.is_empty())
                    .count();
                let after =
                    tokens[found.tokens.end..].iter().filter(|token| !token.key.is_empty()).count();
                let colon = tokens[found.tokens.end - 1].text.ends_with(':')
                    || tokens
                        .get(found.tokens.end)
                        .is_some_and(|token| token.text.starts_with([':', '/', '(']));
                found.exact && before == 0 && (after == 0 || colon && after <= 4)
            })
            .max_by_key(|(_, found)| found.length)?;
        Some(best.0)
    }
}

static VAT_ID: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"\b(?:ATU ?\d{8}|BE ?[01] ?\d{3}[ .]?\d{3}[ .]?\d{3}|BE ?\d{10}|DE ?\d{3} ?\d{3} ?\d{3}|FR ?[A-Z\d]{2} ?\d{3} ?\d{3} ?\d{3}|FR ?\d{3} ?\d{3} ?\d{3} ?\d{2}|GB ?\d{3} ?\d{4} ?\d{2}|GB ?\d{9}|NL ?\d{4}[ .]?\d{2}[ .]?\d{3}[ .]?B[ .]?\d{2}|NL ?\d{9} ?B ?\d{2}|IT ?\d{11}|ES ?[A-Z\d]-?\d{7}-?[A-Z\d]|LU ?\d{8}|PL ?\d{10}|CZ ?\d{8,10}|DK ?\d{8}|SE ?\d{12}|FI ?\d{8}|IE ?\d[A-Z\d]\d{5}[A-Z]{1,2}|PT ?\d{9}|HU ?\d{8}|SK ?\d{10}|CHE-?\d{3}\.?\d{3}\.?\d{3})\b",
    )
    .ok()
});

static CONTACT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)@|\bwww\.|http|\b(?:tel|fon|fax|phone|telefon|téléphone|mobil)\b|\biban\b|\bbic\b|\bhr[ab]\b|siret|siren|\bkvk\b|\brcs\b|geschäftsf|handelsregister|amtsgericht|steuer-?n|\bust|\bvat\b|\btva\b|\bbtw\b|p\.?\s?iva")
        .ok()
});

pub(crate) fn parties(rows: &Rows, labels: &PartyLabels) -> Parties {
    let headings = headings(rows, labels);
    let mut found = addresses(rows, &|tokens| labels.role(tokens).is_some());
    found.truncate(MAX_COMPARED);
    let scored: Vec<Scored> = (0..found.len())
        .map(|at| {
            let (seller, buyer) = scores(rows, &headings, &found, at);
            Scored { address: found[at].clone(), seller, buyer }
        })
        .collect();
    let vat_ids = vat_ids(rows, &headings, &scored);
    let names = letterhead_names(rows);
    let mut parties = Parties { addresses: scored, vat_ids, names };
    prefer_repeated_names(rows, &mut parties);
    parties
}

fn headings(rows: &Rows, labels: &PartyLabels) -> Vec<Heading> {
    let mut headings = Vec::new();
    for segment in rows.segments() {
        if let Some(role) = labels.role(segment.tokens) {
            let row = segment.row;
            headings.push(Heading { role, row, page: rows.list[row].page, area: segment.area() });
        }
    }
    headings
}

/// The heading that a place on the page belongs to: the nearest above it, in its column.
fn heading_of<'a>(
    headings: &'a [Heading],
    page: u32,
    row: usize,
    area: &Area,
) -> Option<&'a Heading> {
    let height = area.height().max(1.0);
    headings
        .iter()
        .filter(|heading| heading.page == page && heading.row <= row)
        .filter_map(|heading| {
            let down = area.top - heading.area.bottom;
            let aside = (area.left - heading.area.left).abs();
            // A heading on the left of its values is also valid; one on their right is not.
            let is_left = heading.area.left <= area.left + 2.0 * height;
            let near = is_left && down < 220.0 && down > -height;
            near.then_some((heading, down.max(0.0) + 1.5 * (aside - 12.0).max(0.0)))
        })
        .min_by(|(_, a), (_, b)| a.total_cmp(b))
        .map(|(heading, _)| heading)
}

fn scores(rows: &Rows, headings: &[Heading], all: &[Address], at: usize) -> (f32, f32) {
    let address = &all[at];
    let (width, height) = rows.size(address.page);
    let (mut seller, mut buyer) = (0.0_f32, 0.0_f32);
    // The first row of the address, not its whole area: a heading may be above a long block.
    let top = Area { bottom: address.area.top + 10.0, ..address.area };
    if let Some(heading) = heading_of(headings, address.page, address.rows.0, &top) {
        let near = top.top - heading.area.bottom < 60.0;
        let weight = if near { 6.0 } else { 3.0 };
        match heading.role {
            Role::Seller => {
                seller += weight;
                buyer -= weight;
            }
            Role::Buyer => {
                buyer += weight;
                seller -= weight;
            }
            Role::Other => {
                seller -= weight;
                buyer -= weight;
            }
        }
    }
    let place = address.area.top / height;
    let is_footer = place > 0.8;
    if address.is_inline {
        seller += 2.0;
        buyer -= 3.0;
    }
    if is_footer {
        seller += 1.5;
        buyer -= 2.0;
    }
    if has_contact(rows, address) {
        seller += 1.0;
        buyer -= 0.5;
    }
    // Under the sender's line is the recipient.
    let under_sender = all.iter().any(|other| {
        let below = address.area.top - other.area.bottom;
        other.is_inline
            && other.page == address.page
            && below > -2.0
            && below < 90.0
            && address.area.left < other.area.right
            && !address.is_inline
            && !same_place(other, address)
    });
    if under_sender {
        buyer += 3.0;
        seller -= 2.0;
    }
    let repeated = all.iter().filter(|other| same_place(other, address)).count();
    if repeated > 1 {
        seller += 0.7;
    }
    if address.page == 1 && place < 0.45 && !is_footer {
        seller += 0.3;
        buyer += 0.8;
        // The window of an envelope.
        if (0.12..0.36).contains(&place) && address.area.left < 0.5 * width {
            buyer += 0.5;
        }
        if place < 0.12 {
            seller += 0.8;
        }
    }
    if address.page > 1 {
        seller -= 0.5;
        buyer -= 1.0;
    }
    if address.names.first().is_some_and(|name| has_legal_form(&name.value)) {
        seller += 0.4;
    }
    if address.names.is_empty() {
        seller -= 2.0;
        buyer -= 2.0;
    }
    if address.street.is_none() {
        seller -= 0.7;
        buyer -= 0.7;
    }
    // What is first in the document is the seller when nothing else decides.
    #[expect(clippy::cast_precision_loss, reason = "there are few addresses")]
    let order = 0.05 * at as f32;
    (seller - order, buyer)
}

fn same_place(a: &Address, b: &Address) -> bool {
    a.postcode.value == b.postcode.value
        && match (&a.street, &b.street) {
            (Some(a), Some(b)) => a.value.eq_ignore_ascii_case(&b.value),
            _ => true,
        }
}

/// Whether contact or registration details follow in the same column.
fn has_contact(rows: &Rows, address: &Address) -> bool {
    let after = rows.list.iter().skip(address.rows.1 + 1).take(12);
    let mut bottom = address.area.bottom;
    for row in after {
        if row.page != address.page || row.area.top - bottom > 3.0 * row.height() {
            return false;
        }
        let same_column = row.ranges().into_iter().find(|range| {
            let area = crate::rows::around(&row.tokens[range.clone()]);
            (area.left - address.area.left).abs() < row.height()
        });
        if let Some(range) = same_column {
            bottom = row.area.bottom;
            if CONTACT
                .as_ref()
                .is_some_and(|contact| contact.is_match(&text_of(&row.tokens[range])))
            {
                return true;
            }
        }
    }
    false
}

fn vat_ids(rows: &Rows, headings: &[Heading], addresses: &[Scored]) -> Vec<VatId> {
    let Some(pattern) = VAT_ID.as_ref() else { return Vec::new() };
    let mut found: Vec<VatId> = Vec::new();
    for (index, row) in rows.list.iter().enumerate() {
        for range in row.ranges() {
            let segment = Segment { row: index, tokens: &row.tokens[range] };
            let text = segment.text();
            let lower = text.to_lowercase();
            // The beginning of an IBAN looks like one.
            if lower.contains("iban") && !lower.contains("ust") && !lower.contains("vat") {
                continue;
            }
            for matched in pattern.find_iter(&text).take(4) {
                if found.len() >= 100 {
                    return found;
                }
                let rest = &text[matched.end()..];
                if rest.starts_with(|char: char| char.is_ascii_digit() || char == '-') {
                    continue;
                }
                let value: String =
                    matched.as_str().chars().filter(|char| char.is_alphanumeric()).collect();
                let area = segment.area();
                let (mut seller, mut buyer) = (1.0_f32, 0.0_f32);
                if let Some(heading) = heading_of(headings, row.page, index, &area) {
                    match heading.role {
                        Role::Seller => seller += 3.0,
                        Role::Buyer => {
                            buyer += 3.0;
                            seller -= 3.0;
                        }
                        Role::Other => {
                            seller -= 3.0;
                            buyer -= 3.0;
                        }
                    }
                }
                let of_customer = [
                    "kunde", "customer", "your vat", "ihre ust", "client", "klant", "cliente",
                    "buyer",
                ];
                if of_customer.iter().any(|word| lower.contains(word)) {
                    buyer += 2.0;
                    seller -= 2.0;
                }
                if area.top / rows.size(row.page).1 > 0.8 {
                    seller += 1.5;
                    buyer -= 1.0;
                }
                let labelled = [
                    "ust", "vat", "tva", "btw", "iva", "uid", "tax id", "mwst", "mehrwert",
                    "umsatz",
                ];
                if labelled.iter().any(|word| lower.contains(word)) {
                    seller += 0.5;
                    buyer += 0.5;
                }
                if let Some(nearest) = nearest(addresses, row.page, &area) {
                    if nearest.seller > nearest.buyer + 1.0 {
                        seller += 1.0;
                    } else if nearest.buyer > nearest.seller + 1.0 {
                        buyer += 1.0;
                        seller -= 0.7;
                    }
                }
                let part = Part { value, raw: matched.as_str().to_owned(), area, page: row.page };
                found.push(VatId { part, seller, buyer });
            }
        }
    }
    found
}

/// The address that ends nearest above, in the same column.
fn nearest<'a>(addresses: &'a [Scored], page: u32, area: &Area) -> Option<&'a Scored> {
    addresses
        .iter()
        .filter(|scored| {
            let address = &scored.address;
            let down = area.top - address.area.bottom;
            address.page == page
                && down > -2.0
                && down < 80.0
                && (address.area.left - area.left).abs() < 40.0
        })
        .min_by(|a, b| b.address.area.bottom.total_cmp(&a.address.area.bottom))
}

/// Rows with a legal form near the top or in the footer of the first page.
fn letterhead_names(rows: &Rows) -> Vec<(Part, f32)> {
    let mut names: Vec<(Part, f32)> = Vec::new();
    for segment in rows.segments() {
        let row = &rows.list[segment.row];
        let text = segment.text();
        if row.page > 1 || segment.tokens.len() > 7 || text.contains(':') || !has_legal_form(&text)
        {
            continue;
        }
        let area = segment.area();
        let place = area.top / rows.size(row.page).1;
        let score = if (0.2..=0.85).contains(&place) { -2.0 } else { -1.0 };
        names.push((Part { value: text.clone(), raw: text, area, page: row.page }, score));
        if names.len() >= 20 {
            break;
        }
    }
    names
}

/// Of several rows above a street the name is one that the document repeats elsewhere.
fn prefer_repeated_names(rows: &Rows, parties: &mut Parties) {
    let texts: Vec<String> = rows.segments().map(|segment| segment.text().to_lowercase()).collect();
    let count = |name: &str| {
        let name = name.to_lowercase();
        texts.iter().filter(|text| text.ends_with(&name)).count()
    };
    for scored in &mut parties.addresses {
        let names = &mut scored.address.names;
        if names.len() < 2 || names.iter().any(|name| has_legal_form(&name.value)) {
            continue;
        }
        let counts: Vec<usize> = names.iter().take(4).map(|name| count(&name.value)).collect();
        if let Some(best) = (1..counts.len()).find(|at| counts[*at] > 1 && counts[0] <= 1) {
            names.swap(0, best);
        }
    }
}
