//! Counts OCR failures of a document, and decides when to stop.

use std::time::Duration;

use pages::{Page, Part, TextSource};

use crate::ReadError;
use crate::pool::ReadFailure;

/// After this many failures in a row, the cause is not the pages.
const MOST_IN_A_ROW: u32 = 8;
/// The limit of time for pages that are lost.
const LONGEST: Duration = Duration::from_mins(15);
/// The number of remarks with a page number; further pages are only counted.
const NAMED: u32 = 20;

/// The failures of one document. Pages are read in parallel, so *in a row* refers to the order in which they finish.
#[derive(Debug, Default)]
pub(crate) struct Losses {
    pages_in_a_row: u32,
    time: Duration,
    abandoned: Option<String>,
    first_engine_in_a_row: u32,
    second_engine_in_a_row: u32,
    /// The last error that a child reported about a page.
    refusal: Option<ReadError>,
    /// A child crashed, hung or exceeded a limit.
    has_lost_a_child: bool,
}

/// The engines that failed on a page that was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct EnginesLost {
    pub(super) first: bool,
    pub(super) second: bool,
}

impl Losses {
    pub(super) fn page_lost(&mut self, failure: &ReadFailure, time: Duration) {
        match failure {
            ReadFailure::Typed(error) => self.page_refused(error.clone()),
            ReadFailure::Child(_) => self.has_lost_a_child = true,
        }
        self.pages_in_a_row += 1;
        self.time += time;
        if self.pages_in_a_row >= MOST_IN_A_ROW || self.time >= LONGEST {
            self.abandoned.get_or_insert_with(|| {
                format!("OCR was stopped after it failed on too many pages, the last time because {failure}")
            });
        }
    }

    pub(super) fn page_read(&mut self, lost: EnginesLost) {
        let next = |in_a_row: u32, is_lost: bool| match in_a_row {
            // The engine is not used any more, so its count stays.
            MOST_IN_A_ROW.. => in_a_row,
            _ if is_lost => in_a_row + 1,
            _ => 0,
        };
        self.pages_in_a_row = 0;
        self.first_engine_in_a_row = next(self.first_engine_in_a_row, lost.first);
        self.second_engine_in_a_row = next(self.second_engine_in_a_row, lost.second);
    }

    /// A child reported an error about a page.
    pub(super) fn page_refused(&mut self, error: ReadError) {
        self.refusal = Some(error);
    }

    /// Why pages failed, when no child crashed, hung or exceeded a limit.
    pub(super) fn fault_of_the_file(&self) -> Option<&ReadError> {
        self.refusal.as_ref().filter(|_| !self.has_lost_a_child)
    }

    /// Why OCR stopped.
    pub(super) fn abandoned(&self) -> Option<&str> {
        self.abandoned.as_deref()
    }

    pub(super) fn trusts_first_engine(&self) -> bool {
        self.first_engine_in_a_row < MOST_IN_A_ROW
    }

    pub(super) fn trusts_second_engine(&self) -> bool {
        self.second_engine_in_a_row < MOST_IN_A_ROW
    }
}

/// The remarks of a document about pages on which OCR failed.
#[derive(Debug, Default)]
pub(super) struct Remarks {
    failed: u32,
    named: Vec<String>,
}

impl Remarks {
    /// Collects the trouble of a page, and adds the collected remarks to the tail of the document.
    pub(super) fn add_to(&mut self, mut part: Part) -> Part {
        match &mut part {
            Part::Page(page) => self.add(page),
            Part::Tail(tail) => tail.remarks.extend(self.take()),
            Part::Head(_) | Part::Attachment(_) => {}
        }
        part
    }

    fn add(&mut self, page: &Page) {
        let (TextSource::Unavailable, Some(trouble)) = (page.text, &page.trouble) else { return };
        self.failed += 1;
        if self.failed <= NAMED {
            self.named.push(format!("OCR failed on page {}: {trouble}.", page.number));
        }
    }

    fn take(&mut self) -> Vec<String> {
        let mut remarks = std::mem::take(&mut self.named);
        if self.failed > NAMED {
            remarks.push(format!("OCR failed on {} pages in all.", self.failed));
        }
        remarks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pool::ChildFailure;

    fn crash() -> ReadFailure {
        ChildFailure::Crashed { signal: Some(11), code: None, stderr_tail: String::new() }.into()
    }

    #[test]
    fn a_row_of_lost_pages_ends_it_and_a_page_that_is_read_ends_the_row() {
        let mut losses = Losses::default();
        for _ in 0..3 {
            for _ in 1..MOST_IN_A_ROW {
                losses.page_lost(&crash(), Duration::ZERO);
            }
            losses.page_read(EnginesLost::default());
        }
        assert_eq!(losses.abandoned(), None);
        for _ in 0..MOST_IN_A_ROW {
            losses.page_lost(&crash(), Duration::ZERO);
        }
        let why = losses.abandoned().unwrap();
        assert!(why.ends_with("because the reader crashed (signal 11)"), "{why}");
    }

    #[test]
    fn a_few_pages_that_hang_for_long_end_it_as_well() {
        let mut losses = Losses::default();
        losses.page_lost(&crash(), LONGEST / 2);
        losses.page_read(EnginesLost::default());
        assert_eq!(losses.abandoned(), None);
        losses.page_lost(&crash(), LONGEST / 2);
        assert!(losses.abandoned().is_some());
    }

    #[test]
    fn an_engine_that_keeps_failing_is_not_asked_any_more() {
        let mut losses = Losses::default();
        for _ in 0..MOST_IN_A_ROW {
            assert!(losses.trusts_second_engine());
            losses.page_read(EnginesLost { first: false, second: true });
        }
        losses.page_read(EnginesLost::default());
        assert!(losses.trusts_first_engine() && !losses.trusts_second_engine());
    }

    #[test]
    fn only_what_children_say_themselves_is_the_fault_of_the_file() {
        let mut losses = Losses::default();
        assert_eq!(losses.fault_of_the_file(), None);
        let damaged = ReadError::damaged("it is cut off");
        losses.page_lost(&damaged.clone().into(), Duration::ZERO);
        assert_eq!(losses.fault_of_the_file(), Some(&damaged));
        losses.page_lost(&crash(), Duration::ZERO);
        assert_eq!(losses.fault_of_the_file(), None);
    }

    #[test]
    fn the_first_pages_are_named_and_the_rest_is_counted() {
        let mut remarks = Remarks::default();
        for number in 1..=NAMED + 5 {
            let mut page = Page { number, ..Page::default() };
            page.mark_ocr_failed(crash());
            remarks.add(&page);
        }
        remarks.add(&Page { trouble: Some("one engine failed".into()), ..Page::default() });
        let remarks = remarks.take();
        assert_eq!(remarks.len() as u64, u64::from(NAMED) + 1);
        assert_eq!(remarks[0], "OCR failed on page 1: the reader crashed (signal 11).");
        assert_eq!(remarks.last().unwrap(), "OCR failed on 25 pages in all.");
    }
}
