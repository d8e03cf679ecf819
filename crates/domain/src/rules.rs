//! Settings of one tenant: rules that its administrators set, and limits that the operator sets.

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
    fn absent_values_are_not_written() {
        let written = serde_json::to_string(&TenantRules::default()).unwrap();
        assert_eq!(written, "{}");
        assert_eq!(serde_json::from_str::<TenantLimits>("{}").unwrap(), TenantLimits::default());
    }
}
