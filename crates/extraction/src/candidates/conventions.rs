//! How a document writes dates and numbers, learnt from the values that have one meaning only.

use super::{Found, Value};
use domain::FieldKind;

/// Counts of unambiguous values. It does not grow with the document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Conventions {
    day_first: u32,
    month_first: u32,
    decimal_comma: u32,
    decimal_point: u32,
    /// Pages in English, where both orders of day and month occur, and pages in another language.
    english: u32,
    other_language: u32,
}

impl Conventions {
    /// Takes in the values of a page.
    pub fn observe(&mut self, language: Option<&str>, found: &[Found]) {
        match language {
            Some("en") => self.english += 1,
            Some(_) => self.other_language += 1,
            None => {}
        }
        for found in found.iter().filter(|found| !found.is_ambiguous()) {
            let raw = found.raw.as_str();
            match &found.value {
                Value::Date(_) => {
                    if let Some(day_first) = super::dates::unambiguous_order(raw) {
                        *(if day_first { &mut self.day_first } else { &mut self.month_first }) += 1;
                    }
                }
                Value::Number(_) if found.decimals > 0 => {
                    let separator = raw.rfind([',', '.']).and_then(|at| raw.get(at..=at));
                    if separator == Some(",") {
                        self.decimal_comma += 1;
                    } else {
                        self.decimal_point += 1;
                    }
                }
                _ => {}
            }
        }
    }

    /// Decides which meaning an ambiguous value has, where the other values of the document tell. Returns whether it is
    /// still ambiguous.
    pub fn resolve(&self, found: &mut Found) -> bool {
        if found.other.is_none() {
            return false;
        }
        let exchange = match found.kind {
            FieldKind::Date => self.month_comes_first(),
            _ => self.exchange_separator(&found.raw),
        };
        match exchange {
            Some(true) => {
                found.exchange();
                false
            }
            Some(false) => {
                found.other = None;
                false
            }
            None => true,
        }
    }

    /// Day first is the meaning that a date has before it is resolved.
    fn month_comes_first(&self) -> Option<bool> {
        if self.day_first != self.month_first {
            return Some(self.month_first > self.day_first);
        }
        (self.other_language > 0 && self.english == 0).then_some(false)
    }

    /// A single separator before three digits groups thousands before it is resolved: `1.000` is a thousand.
    fn exchange_separator(&self, raw: &str) -> Option<bool> {
        if self.decimal_comma == self.decimal_point {
            return None;
        }
        let comma_is_decimal = self.decimal_comma > self.decimal_point;
        Some(raw.contains(',') == comma_is_decimal)
    }
}
