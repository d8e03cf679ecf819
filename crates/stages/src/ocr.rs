//! `ocr`: recognises text in pictures with two engines, whose results are compared.
//!
//! A document without such pages passes at once and stores nothing. When OCR fails on a page, or no engine is
//! installed, the page records that and the rest of the document is used. A document fails when it would be empty: all
//! its pages are pictures and no engine is installed, or OCR failed on every page that needed it and those are most of
//! the document.

use std::time::Duration;

use domain::{Artifact, EarlierArtifacts, Failure, PagesArtifact, RunStats, StageName};
use engine::{StageInput, StageOutput, StageSettings};
use pages::{Origin, Page, Part, TextSource};
use reading::ReadError;

use crate::Preprocess;
use crate::context::{StageContext, pages_of, read_pages, subject};

#[derive(Debug)]
pub struct Ocr {
    settings: StageSettings,
    context: StageContext,
}

/// The results for the pages of one document.
#[derive(Default)]
struct Counts {
    seen: u32,
    recognised: u32,
    /// Pages for which no engine was installed.
    unavailable: u32,
    failed: u32,
    /// The reason of the last failure.
    trouble: Option<String>,
    words: u64,
    agreed: u64,
    disputed: u64,
}

impl Counts {
    fn add(&mut self, page: &Page) {
        self.seen += 1;
        match page.text {
            TextSource::Recognised => self.recognised += 1,
            TextSource::Unavailable if page.trouble.is_some() => {
                self.failed += 1;
                self.trouble.clone_from(&page.trouble);
                return;
            }
            TextSource::Unavailable => self.unavailable += 1,
            _ => return,
        }
        self.words += page.words.len() as u64;
        let count =
            |is: fn(&pages::Word) -> bool| page.words.iter().filter(|word| is(word)).count() as u64;
        self.agreed += count(|word| word.origin == Origin::Agreed);
        self.disputed += count(|word| word.other.is_some());
    }

    /// The share of OCR pages, and of words that the engines disagree on, can be computed from these counters.
    fn record_metrics(&self) {
        metrics::counter!("docket_ocr_pages_total").increment(self.recognised.into());
        metrics::counter!("docket_ocr_unreadable_pages_total").increment(self.unavailable.into());
        metrics::counter!("docket_ocr_failed_pages_total").increment(self.failed.into());
        metrics::counter!("docket_ocr_words_total").increment(self.words);
        metrics::counter!("docket_ocr_words_agreed_total").increment(self.agreed);
        metrics::counter!("docket_ocr_words_disputed_total").increment(self.disputed);
    }

    fn stats(&self) -> RunStats {
        RunStats {
            ocr_pages: Some(self.recognised),
            ocr_words: Some(self.words),
            ocr_words_agreed: Some(self.agreed),
            ocr_words_disputed: Some(self.disputed),
            ocr_unavailable_pages: (self.unavailable > 0).then_some(self.unavailable),
            pages_failed: self.trouble.is_some().then_some(self.failed),
            ocr_trouble: self.trouble.clone(),
            ..RunStats::default()
        }
    }

    /// Fails when OCR read too little of the document. Damaged pages stay damaged; other failures are retried,
    /// because they also happen on a machine that runs out of memory.
    fn check(&self, needing_ocr: u32, pages: u32, fault: Option<ReadError>) -> Result<(), Failure> {
        let Some(trouble) = &self.trouble else { return Ok(()) };
        if self.failed < needing_ocr || u64::from(needing_ocr) * 2 <= pages.into() {
            return Ok(());
        }
        if let Some(fault) = fault {
            let error = match needing_ocr {
                1 => fault.to_string(),
                _ => format!("none of the {needing_ocr} scanned pages can be rendered: {fault}"),
            };
            return Err(Failure::permanent(error, fault.advice()));
        }
        Err(Failure::poison(
            format!("OCR failed on all {needing_ocr} scanned pages: {trouble}"),
            "Open the file in another program; if that works, print it to a new PDF and upload that.",
        ))
    }
}

impl Ocr {
    pub const NAME: StageName = StageName::OCR;

    pub fn new(context: StageContext, concurrency: usize) -> Self {
        // A scan of thousands of pages takes hours.
        let deadline = Duration::from_hours(12);
        let settings = StageSettings { concurrency, deadline, ..StageSettings::default() };
        Self { settings, context }
    }

    async fn recognise(&self, input: &StageInput) -> Result<StageOutput, Failure> {
        let before = pages_of(input, &Preprocess::NAME);
        let pages = before.and_then(|before| before.pages).unwrap_or(0);
        let needing_ocr = before.and_then(|before| before.wanting_ocr).unwrap_or(0);
        if needing_ocr == 0 {
            return Ok(StageOutput::default());
        }
        if needing_ocr == pages && !self.context.reader.has_ocr() {
            return Err(Failure::permanent(
                "the document is a scan, and no OCR engine is installed",
                "Run `docket doctor`, which names the command that installs one. Then rerun the document.",
            ));
        }
        let subject = subject(input)?;
        let document = self.context.document(input).await?;
        let earlier = self.context.pages(input, &[Preprocess::NAME]).await?;
        let mut parts = self.context.reader.recognise(
            input.tenant_id,
            &subject,
            &document,
            read_pages(&earlier)?,
        );
        let mut recognised = self.context.begin_pages().await?;
        let mut counts = Counts::default();
        while let Some(part) = parts.next().await? {
            if let Part::Page(page) = &part {
                counts.add(page);
                input.progress.report(counts.seen, pages.max(counts.seen));
            }
            recognised.write(&part).await?;
        }
        counts.record_metrics();
        counts.check(needing_ocr, pages, parts.fault_of_the_file())?;
        let file = self.context.end_pages(input, recognised).await?;
        let pages = PagesArtifact { file, pages: None, wanting_ocr: None };
        let artifacts = vec![Artifact::Pages(pages)];
        Ok(StageOutput { artifacts, stats: counts.stats(), effects: Vec::new() })
    }
}

/// Whether there are pages for OCR. The stage runs when the number is unknown.
fn has_pages_for_ocr(earlier: &EarlierArtifacts) -> bool {
    let pages = earlier.get(&Preprocess::NAME).and_then(|left| Artifact::pages_in(left));
    pages.is_none_or(|pages| pages.wanting_ocr != Some(0))
}

stage!(Ocr, recognise, has_pages_for_ocr);

#[cfg(test)]
mod tests {
    use domain::{FailureClass, StoredFile};

    use super::*;

    fn counted(recognised: u32, failed: u32) -> Counts {
        let mut counts = Counts::default();
        for number in 1..=recognised + failed {
            let mut page = Page { number, text: TextSource::Recognised, ..Page::default() };
            if number > recognised {
                page.mark_ocr_failed("the reader crashed (signal 11)");
            }
            counts.add(&page);
        }
        counts
    }

    #[test]
    fn the_stage_is_skipped_when_no_page_needs_ocr() {
        let earlier = |wanting_ocr: Option<u32>| {
            let file = StoredFile {
                key: String::new(),
                size_bytes: 0,
                sha256: domain::ContentHash([0; 32]),
            };
            let pages = PagesArtifact { file, pages: Some(3), wanting_ocr };
            EarlierArtifacts::from([(Preprocess::NAME, vec![Artifact::Pages(pages)])])
        };
        assert!(!has_pages_for_ocr(&earlier(Some(0))));
        assert!(has_pages_for_ocr(&earlier(Some(1))));
        assert!(has_pages_for_ocr(&earlier(None)), "the stage runs when the number is unknown");
        assert!(has_pages_for_ocr(&EarlierArtifacts::new()));
    }

    #[test]
    fn one_failed_page_is_reported_and_does_not_fail_the_document() {
        let counts = counted(9, 1);
        counts.check(10, 10, None).unwrap();
        let stats = counts.stats();
        assert_eq!((stats.ocr_pages, stats.pages_failed), (Some(9), Some(1)));
        assert_eq!(stats.ocr_trouble.as_deref(), Some("the reader crashed (signal 11)"));
        assert_eq!(counted(10, 0).stats().pages_failed, None);
    }

    #[test]
    fn a_scan_whose_pages_all_fail_fails_with_the_reason() {
        let failure = counted(0, 3).check(3, 4, None).unwrap_err();
        let expected = "OCR failed on all 3 scanned pages: the reader crashed (signal 11)";
        assert_eq!((failure.error.as_str(), failure.class), (expected, FailureClass::Poison));
        // One failed scan among pages with text does not fail the document.
        counted(0, 1).check(1, 10, None).unwrap();
        // Nor do empty pages.
        Counts::default().check(3, 3, None).unwrap();
    }

    #[test]
    fn a_scan_with_damaged_pages_is_not_retried() {
        let damaged = || Some(ReadError::damaged("it is truncated"));
        let failure = counted(0, 1).check(1, 1, damaged()).unwrap_err();
        assert_eq!(failure.class, FailureClass::Permanent);
        assert_eq!(failure.error, "the file is damaged: it is truncated");
        assert_eq!(failure.guidance, "Open it in its own program, save it again and upload that.");
        let failure = counted(0, 3).check(3, 3, damaged()).unwrap_err();
        assert!(failure.error.starts_with("none of the 3 scanned pages"), "{}", failure.error);
        counted(2, 1).check(3, 3, damaged()).unwrap();
    }
}
