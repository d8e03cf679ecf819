//! Currency codes and symbols.

/// Currencies that documents name, by their ISO 4217 codes; `GBX` is a penny of sterling, in which London quotes prices.
const CODES: &str = "AED ARS AUD BGN BHD BRL CAD CHF CLP CNH CNY COP CZK DKK EGP EUR GBP GBX GEL HKD HRK HUF IDR ILS INR ISK \
    JOD JPY KES KRW KWD KZT LKR MAD MXN MYR NGN NOK NZD OMR PEN PHP PKR PLN QAR RON RSD RUB SAR SEK SGD THB TND TRY TWD UAH \
    USD UYU VND XAU XAG ZAR";

/// Symbols and words; longer ones first, because `US$` contains `$`.
const SYMBOLS: [(&str, &str); 40] = [
    ("US$", "USD"),
    ("HK$", "HKD"),
    ("NZ$", "NZD"),
    ("SFr.", "CHF"),
    ("sFr.", "CHF"),
    ("A$", "AUD"),
    ("C$", "CAD"),
    ("S$", "SGD"),
    ("R$", "BRL"),
    ("€", "EUR"),
    ("$", "USD"),
    ("£", "GBP"),
    ("¥", "JPY"),
    ("₹", "INR"),
    ("₺", "TRY"),
    ("zł", "PLN"),
    ("ZŁ", "PLN"),
    ("Kč", "CZK"),
    ("Ft", "HUF"),
    ("RM", "MYR"),
    ("SFr", "CHF"),
    ("Fr.", "CHF"),
    ("Fr", "CHF"),
    ("Euro", "EUR"),
    ("EURO", "EUR"),
    ("euro", "EUR"),
    ("Euros", "EUR"),
    ("euros", "EUR"),
    ("Eur", "EUR"),
    ("eur", "EUR"),
    ("Dollar", "USD"),
    ("Dollars", "USD"),
    ("dollars", "USD"),
    ("Franken", "CHF"),
    ("francs", "CHF"),
    ("Pfund", "GBP"),
    ("GBp", "GBX"),
    ("pence", "GBX"),
    ("Usd", "USD"),
    ("usd", "USD"),
];

/// The ISO 4217 code of a word that names a currency, alone.
pub fn currency(word: &str) -> Option<&'static str> {
    let bare = word.trim_matches(|c| matches!(c, '(' | ')' | '[' | ']' | ':' | ',' | ';' | '/'));
    let bare = if bare.ends_with('.') && bare.len() != 3 && bare.len() != 4 {
        bare.trim_end_matches('.')
    } else {
        bare
    };
    code(bare).or_else(|| SYMBOLS.iter().find(|(symbol, _)| *symbol == bare).map(|(_, code)| *code))
}

fn code(text: &str) -> Option<&'static str> {
    if text.len() != 3 || !text.bytes().all(|b| b.is_ascii_uppercase()) {
        return None;
    }
    CODES.split_ascii_whitespace().find(|code| *code == text)
}

/// Takes a currency off the beginning of a word: `EUR2.000,00`.
pub(super) fn strip_prefix(text: &str) -> Option<(&'static str, &str)> {
    if let Some(start) = text.get(..3)
        && let Some(code) = code(start)
    {
        return Some((code, &text[3..]));
    }
    symbols().find_map(|(symbol, code)| text.strip_prefix(symbol).map(|rest| (code, rest)))
}

/// Takes a currency off the end of a word: `102,40EUR`.
pub(super) fn strip_suffix(text: &str) -> Option<(&'static str, &str)> {
    if let Some(at) = text.len().checked_sub(3)
        && let Some(end) = text.get(at..)
        && let Some(code) = code(end)
    {
        return Some((code, &text[..at]));
    }
    symbols().find_map(|(symbol, code)| text.strip_suffix(symbol).map(|rest| (code, rest)))
}

fn symbols() -> impl Iterator<Item = (&'static str, &'static str)> {
    SYMBOLS.iter().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_symbols_and_words_name_a_currency() {
        assert_eq!(currency("EUR"), Some("EUR"));
        assert_eq!(currency("(USD)"), Some("USD"));
        assert_eq!(currency("€"), Some("EUR"));
        assert_eq!(currency("US$"), Some("USD"));
        assert_eq!(currency("Fr."), Some("CHF"));
        assert_eq!(currency("RM"), Some("MYR"));
        assert_eq!(currency("Eura"), None);
        assert_eq!(currency("ABC"), None);
    }

    #[test]
    fn a_currency_may_touch_its_number() {
        assert_eq!(strip_prefix("EUR2.000,00"), Some(("EUR", "2.000,00")));
        assert_eq!(strip_prefix("HK$5"), Some(("HKD", "5")));
        assert_eq!(strip_suffix("102,40€"), Some(("EUR", "102,40")));
        assert_eq!(strip_suffix("12"), None);
    }
}
