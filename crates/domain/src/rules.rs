//! Settings of one tenant: rules that its administrators set, and limits that the operator sets.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::FileKind;

/// The rules of a tenant's administrators for its documents. A run keeps the rules that applied when it was created.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TenantRules {
    /// Regions of pages that are hidden. A new mask applies to a document's pages from its next run on, and to the access
    /// to its original at once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub masks: Vec<MaskRule>,
    /// The stages of a document whose batch sets none; the default stages when empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pipeline: Vec<String>,
    /// Which error rate is accepted without review. It applies to documents that are processed from now on.
    #[serde(skip_serializing_if = "AcceptanceRules::is_default")]
    pub acceptance: AcceptanceRules,
}

/// The error rate that a tenant accepts without review; where nothing is set, the default applies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AcceptanceRules {
    /// The share of wrong values among accepted fields, from 0 (everything is reviewed) to 0.5.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accepted_error_rate: Option<f64>,
    /// The share of accepted documents that is sent to review anyway, by chance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub review_share: Option<f64>,
    /// What differs for a document type, by its name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub types: BTreeMap<String, TypeAcceptance>,
}

/// What differs for one document type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TypeAcceptance {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accepted_error_rate: Option<f64>,
}

impl AcceptanceRules {
    pub const DEFAULT_ERROR_RATE: f64 = 0.02;
    pub const DEFAULT_REVIEW_SHARE: f64 = 0.02;
    pub const MAX_ERROR_RATE: f64 = 0.5;
    pub const MAX_TYPES: usize = 500;
    const MAX_TYPE_NAME: usize = 64;

    /// The error rate that is accepted for a document type.
    pub fn error_rate_of(&self, document_type: &str) -> f64 {
        let own = self.types.get(document_type).and_then(|own| own.accepted_error_rate);
        own.or(self.accepted_error_rate).unwrap_or(Self::DEFAULT_ERROR_RATE)
    }

    /// The share of accepted documents that is sent to review anyway.
    pub fn share_for_review(&self) -> f64 {
        self.review_share.unwrap_or(Self::DEFAULT_REVIEW_SHARE)
    }

    pub fn check(&self) -> Result<(), InvalidAcceptance> {
        let is_rate = |rate: &f64| (0.0..=Self::MAX_ERROR_RATE).contains(rate);
        if let Some(rate) = self.accepted_error_rate.filter(|rate| !is_rate(rate)) {
            return Err(InvalidAcceptance::Rate { of: String::new(), rate });
        }
        if let Some(share) = self.review_share.filter(|share| !(0.0..=1.0).contains(share)) {
            return Err(InvalidAcceptance::Share(share));
        }
        if self.types.len() > Self::MAX_TYPES {
            return Err(InvalidAcceptance::TooManyTypes(self.types.len()));
        }
        for (name, own) in &self.types {
            let is_letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
            if name.is_empty() || name.len() > Self::MAX_TYPE_NAME || !name.chars().all(is_letter) {
                return Err(InvalidAcceptance::TypeName(
                    name.chars().take(Self::MAX_TYPE_NAME).collect(),
                ));
            }
            if let Some(rate) = own.accepted_error_rate.filter(|rate| !is_rate(rate)) {
                return Err(InvalidAcceptance::Rate { of: format!(" of '{name}'"), rate });
            }
        }
        Ok(())
    }

    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

#[derive(Debug, Error, PartialEq)]
pub enum InvalidAcceptance {
    #[error(
        "the accepted error rate{of} is {rate}; give a share between 0 and {max}, such as 0.02 for 2 %",
        max = AcceptanceRules::MAX_ERROR_RATE
    )]
    Rate { of: String, rate: f64 },
    #[error("the share for review is {0}; give a share between 0 and 1, such as 0.02 for 2 %")]
    Share(f64),
    #[error("there are {0} document types; at most {max} are allowed", max = AcceptanceRules::MAX_TYPES)]
    TooManyTypes(usize),
    #[error(
        "'{0}' is not the name of a document type: use lower-case letters, digits and underscores, at most 64"
    )]
    TypeName(String),
}

/// A region that is blanked out before a page is read, and in page images.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MaskRule {
    /// Left, top, right, bottom, as fractions of the page's width and height, from its top left corner.
    #[serde(rename = "box")]
    pub area: [f32; 4],
    /// Only on this page, counted from 1; on every page when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    /// Only in files of these kinds; in all when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<FileKind>,
    /// Only in files whose name contains this, in upper or lower case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_name_contains: Option<String>,
}

/// The limits of one tenant; where one is absent, the default applies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TenantLimits {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_upload_bytes: Option<u64>,
    /// The most queued runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_quota: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests_per_second: Option<u32>,
    /// The most uploads at once in one process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub concurrent_uploads: Option<u32>,
    /// The most bytes of the originals of documents that are not deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub storage_quota_bytes: Option<u64>,
}

#[derive(Debug, Error, PartialEq)]
pub enum InvalidRules {
    #[error("there are {0} masks; at most {max} are allowed", max = TenantRules::MAX_MASKS)]
    TooManyMasks(usize),
    #[error(
        "mask {0} is not a valid region: give left, top, right and bottom as fractions of the page between 0 and 1, \
         left before right and top before bottom"
    )]
    NoRegion(usize),
    #[error("mask {0} is for page 0; pages are counted from 1")]
    NoPage(usize),
    #[error("the file name pattern of mask {0} is too long: at most 255 characters are allowed")]
    LongName(usize),
}

impl MaskRule {
    /// Whether this mask hides everything that `other` hides.
    pub fn covers(&self, other: &Self) -> bool {
        let [left, top, right, bottom] = self.area;
        let [other_left, other_top, other_right, other_bottom] = other.area;
        (self.page.is_none() || self.page == other.page)
            && left <= other_left
            && top <= other_top
            && right >= other_right
            && bottom >= other_bottom
    }
}

impl TenantRules {
    pub const MAX_MASKS: usize = 100;
    const MAX_NAME_CHARS: usize = 255;

    pub fn check(&self) -> Result<(), InvalidRules> {
        if self.masks.len() > Self::MAX_MASKS {
            return Err(InvalidRules::TooManyMasks(self.masks.len()));
        }
        for (number, mask) in (1..).zip(&self.masks) {
            let [left, top, right, bottom] = mask.area;
            let in_page = mask.area.iter().all(|share| (0.0..=1.0).contains(share));
            if !in_page || left >= right || top >= bottom {
                return Err(InvalidRules::NoRegion(number));
            }
            if mask.page == Some(0) {
                return Err(InvalidRules::NoPage(number));
            }
            let named = mask.file_name_contains.as_deref().unwrap_or_default();
            if named.chars().count() > Self::MAX_NAME_CHARS {
                return Err(InvalidRules::LongName(number));
            }
        }
        Ok(())
    }

    /// The masks that apply to a file with several names: those of each name.
    pub fn masks_for_names<'a>(
        &self,
        kind: FileKind,
        file_names: impl IntoIterator<Item = &'a str>,
    ) -> Vec<MaskRule> {
        let mut masks: Vec<MaskRule> = Vec::new();
        for mask in file_names.into_iter().flat_map(|name| self.masks_for(kind, name)) {
            if !masks.contains(&mask) {
                masks.push(mask);
            }
        }
        masks
    }

    /// The masks that apply to a file.
    pub fn masks_for(&self, kind: FileKind, file_name: &str) -> Vec<MaskRule> {
        let file_name = file_name.to_lowercase();
        let applies = |mask: &&MaskRule| {
            let named = mask.file_name_contains.as_deref().map(str::to_lowercase);
            (mask.kinds.is_empty() || mask.kinds.contains(&kind))
                && named.is_none_or(|part| file_name.contains(&part))
        };
        self.masks.iter().filter(applies).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mask(area: [f32; 4]) -> MaskRule {
        MaskRule { area, ..MaskRule::default() }
    }

    #[test]
    fn a_mask_is_a_region_of_the_page() {
        let check = |masks| TenantRules { masks, ..TenantRules::default() }.check();
        assert_eq!(check(vec![mask([0.0, 0.0, 1.0, 0.2])]), Ok(()));
        for wrong in [[0.5, 0.0, 0.5, 1.0], [0.0, 0.0, 100.0, 20.0], [f32::NAN, 0.0, 1.0, 1.0]] {
            let masks = vec![mask([0.0, 0.0, 1.0, 1.0]), mask(wrong)];
            assert_eq!(check(masks), Err(InvalidRules::NoRegion(2)), "{wrong:?}");
        }
        let page_0 = MaskRule { page: Some(0), ..mask([0.0, 0.0, 1.0, 1.0]) };
        assert_eq!(check(vec![page_0]), Err(InvalidRules::NoPage(1)));
        assert!(check(vec![mask([0.0, 0.0, 1.0, 1.0]); 101]).is_err());
        let long =
            MaskRule { file_name_contains: Some("x".repeat(256)), ..mask([0.0, 0.0, 1.0, 1.0]) };
        assert_eq!(check(vec![long]), Err(InvalidRules::LongName(1)));
    }

    #[test]
    fn a_mask_applies_to_the_files_that_it_names() {
        let area = [0.0, 0.0, 1.0, 1.0];
        let rules = TenantRules {
            masks: vec![
                MaskRule { kinds: vec![FileKind::Pdf], ..mask(area) },
                MaskRule { file_name_contains: Some("Payslip".to_owned()), ..mask(area) },
            ],
            ..TenantRules::default()
        };
        let count = |kind, name| rules.masks_for(kind, name).len();
        assert_eq!(count(FileKind::Pdf, "PAYSLIP 3.pdf"), 2);
        assert_eq!(count(FileKind::Png, "payslip.png"), 1);
        assert_eq!(count(FileKind::Png, "letter.png"), 0);
    }

    #[test]
    fn a_file_with_two_names_has_the_masks_of_both() {
        let named = |part: &str, top| MaskRule {
            file_name_contains: Some(part.to_owned()),
            ..mask([0.0, top, 1.0, 1.0])
        };
        let masks = vec![named("payslip", 0.1), named("letter", 0.2)];
        let rules = TenantRules { masks, ..TenantRules::default() };
        let of = |names: &[&str]| rules.masks_for_names(FileKind::Pdf, names.iter().copied()).len();
        assert_eq!(of(&["payslip.pdf", "letter.pdf", "payslip 2.pdf"]), 2);
        assert_eq!(of(&["other.pdf"]), 0);
    }

    #[test]
    fn a_mask_covers_a_region_within_it() {
        let whole = mask([0.0, 0.0, 1.0, 1.0]);
        let corner = mask([0.5, 0.5, 1.0, 1.0]);
        let on_page_2 = MaskRule { page: Some(2), ..whole.clone() };
        assert!(whole.covers(&corner) && whole.covers(&whole) && whole.covers(&on_page_2));
        assert!(!corner.covers(&whole) && !on_page_2.covers(&whole));
        assert!(!on_page_2.covers(&MaskRule { page: Some(3), ..corner }));
    }

    #[test]
    fn a_type_has_its_own_error_rate_or_the_tenants_or_the_default() {
        let mut acceptance = AcceptanceRules::default();
        let close =
            |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12, "{found}");
        close(acceptance.error_rate_of("invoice"), 0.02);
        close(acceptance.share_for_review(), 0.02);
        acceptance.accepted_error_rate = Some(0.05);
        acceptance.review_share = Some(0.0);
        let own = TypeAcceptance { accepted_error_rate: Some(0.01) };
        acceptance.types.insert("invoice".to_owned(), own);
        acceptance.types.insert("receipt".to_owned(), TypeAcceptance::default());
        close(acceptance.error_rate_of("invoice"), 0.01);
        close(acceptance.error_rate_of("receipt"), 0.05);
        close(acceptance.error_rate_of("contract_note"), 0.05);
        close(acceptance.share_for_review(), 0.0);
        assert_eq!(acceptance.check(), Ok(()));
    }

    #[test]
    fn error_rates_and_shares_have_limits() {
        let check = |json: &str| serde_json::from_str::<AcceptanceRules>(json).unwrap().check();
        assert_eq!(check(r#"{"accepted_error_rate": 0, "review_share": 1}"#), Ok(()));
        for wrong in [
            r#"{"accepted_error_rate": 2}"#,
            r#"{"accepted_error_rate": -0.1}"#,
            r#"{"review_share": 2}"#,
            r#"{"types": {"invoice": {"accepted_error_rate": 0.6}}}"#,
            r#"{"types": {"Invoice!": {}}}"#,
            r#"{"types": {"": {}}}"#,
        ] {
            assert!(check(wrong).is_err(), "{wrong}");
        }
        let many = (0..=500).map(|n| (format!("type_{n}"), TypeAcceptance::default())).collect();
        let acceptance = AcceptanceRules { types: many, ..AcceptanceRules::default() };
        assert_eq!(acceptance.check(), Err(InvalidAcceptance::TooManyTypes(501)));
    }

    #[test]
    fn absent_values_are_not_written() {
        let written = serde_json::to_string(&TenantRules::default()).unwrap();
        assert_eq!(written, "{}");
        assert_eq!(serde_json::from_str::<TenantLimits>("{}").unwrap(), TenantLimits::default());
    }
}
