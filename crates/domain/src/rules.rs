//! What holds for one tenant only: rules that its administrators make, limits that the operator sets.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::FileKind;

/// What a tenant's administrators decide about its documents. A run keeps the rules that held when it
/// was made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TenantRules {
    /// Regions of pages that nobody may read. A new one takes effect on a document with its next run, and on who may
    /// read its original at once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub masks: Vec<MaskRule>,
    /// The stages a document passes when its batch does not say otherwise; the usual ones when empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pipeline: Vec<String>,
}

/// A region that is blanked out before a page is read, and in the pictures that people see.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MaskRule {
    /// Left, top, right, bottom, as shares of the page's width and height from its top left corner.
    #[serde(rename = "box")]
    pub area: [f32; 4],
    /// Only on this page, counted from 1; on every page when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    /// Only in files of these kinds; in all when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<FileKind>,
    /// Only in files whose name holds this, in capitals or not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_name_contains: Option<String>,
}

/// What the operator grants one tenant; where nothing is said, what everybody gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TenantLimits {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_upload_bytes: Option<u64>,
    /// Runs that may wait at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_quota: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests_per_second: Option<u32>,
    /// Uploads that one process has under way at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub concurrent_uploads: Option<u32>,
    /// Of the originals of documents that are not deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub storage_quota_bytes: Option<u64>,
}

#[derive(Debug, Error, PartialEq)]
pub enum InvalidRules {
    #[error("there are {0} masks; {max} are the most", max = TenantRules::MOST_MASKS)]
    TooManyMasks(usize),
    #[error(
        "mask {0} is no region: give left, top, right and bottom as shares of the page between 0 and 1, \
         left before right and top before bottom"
    )]
    NoRegion(usize),
    #[error("mask {0} is for page 0; pages are counted from 1")]
    NoPage(usize),
    #[error("mask {0} names too much of a file name: 255 characters are the most")]
    LongName(usize),
}

impl MaskRule {
    /// Whether everything that `other` blanks out of a file is blanked out by this one as well.
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
    pub const MOST_MASKS: usize = 100;
    const LONGEST_NAME: usize = 255;

    pub fn check(&self) -> Result<(), InvalidRules> {
        if self.masks.len() > Self::MOST_MASKS {
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
            if named.chars().count() > Self::LONGEST_NAME {
                return Err(InvalidRules::LongName(number));
            }
        }
        Ok(())
    }

    /// The masks that hold for a file that is known under several names: those of each of them.
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

    /// The masks that hold for one file.
    pub fn masks_for(&self, kind: FileKind, file_name: &str) -> Vec<MaskRule> {
        let file_name = file_name.to_lowercase();
        let holds = |mask: &&MaskRule| {
            let named = mask.file_name_contains.as_deref().map(str::to_lowercase);
            (mask.kinds.is_empty() || mask.kinds.contains(&kind))
                && named.is_none_or(|part| file_name.contains(&part))
        };
        self.masks.iter().filter(holds).cloned().collect()
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
    fn a_mask_holds_for_the_files_that_it_names() {
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
    fn a_mask_covers_what_lies_within_it() {
        let whole = mask([0.0, 0.0, 1.0, 1.0]);
        let corner = mask([0.5, 0.5, 1.0, 1.0]);
        let on_page_2 = MaskRule { page: Some(2), ..whole.clone() };
        assert!(whole.covers(&corner) && whole.covers(&whole) && whole.covers(&on_page_2));
        assert!(!corner.covers(&whole) && !on_page_2.covers(&whole));
        assert!(!on_page_2.covers(&MaskRule { page: Some(3), ..corner }));
    }

    #[test]
    fn what_is_not_said_is_not_written() {
        let written = serde_json::to_string(&TenantRules::default()).unwrap();
        assert_eq!(written, "{}");
        assert_eq!(serde_json::from_str::<TenantLimits>("{}").unwrap(), TenantLimits::default());
    }
}
