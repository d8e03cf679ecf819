//! `ocr`: pictures of text become words, by two engines that check each other.
//!
//! A document that wants none passes at once and leaves nothing. A page that OCR fails on says so, and the rest
//! is served; so does a page for which there is no engine. A document fails when an empty one would be served:
//! it is all pictures and no engine is installed, or OCR failed on every page that wanted it and those are
//! most of the document.

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

/// What the pages of one document came to.
#[derive(Default)]
struct Counts {
    seen: u32,
    recognised: u32,
    /// There was no engine for them.
    unavailable: u32,
    failed: u32,
    /// Why, the last time.
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

    /// The share of pages that OCR reads, and of words that the engines disagree on, are ratios of these.
    fn tell(&self) {
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

    /// Whether what is left of the document is worth serving. Pages that are damaged stay damaged; anything else is
    /// tried a few times, since a machine that is out of memory loses pages as well.
    fn check(&self, wanting: u32, pages: u32, fault: Option<ReadError>) -> Result<(), Failure> {
        let Some(trouble) = &self.trouble else { return Ok(()) };
        if self.failed < wanting || u64::from(wanting) * 2 <= pages.into() {
            return Ok(());
        }
        if let Some(fault) = fault {
            let error = match wanting {
                1 => fault.to_string(),
                _ => format!("none of the {wanting} pages that are pictures can be drawn: {fault}"),
            };
            return Err(Failure::permanent(error, fault.advice()));
        }
        Err(Failure::poison(
            format!("OCR failed on all {wanting} pages that are pictures: {trouble}"),
            "Open the file in another program; if that works, print it to a new PDF and upload that.",
        ))
    }
}

impl Ocr {
    pub const NAME: StageName = StageName::OCR;

    pub fn new(context: StageContext, concurrency: usize) -> Self {
        // A scan of thousands of pages takes hours of honest work.
        let deadline = Duration::from_hours(12);
        let settings = StageSettings { concurrency, deadline, ..StageSettings::default() };
        Self { settings, context }
    }

    async fn recognise(&self, input: &StageInput) -> Result<StageOutput, Failure> {
        let before = pages_of(input, &Preprocess::NAME);
        let pages = before.and_then(|before| before.pages).unwrap_or(0);
        let wanting = before.and_then(|before| before.wanting_ocr).unwrap_or(0);
        if wanting == 0 {
            return Ok(StageOutput::default());
        }
        if wanting == pages && !self.context.reader.has_ocr() {
            return Err(Failure::permanent(
                "the document is made of pictures, and no OCR engine is installed",
                "Run `docket doctor`: it names the command that installs one. Then run the document again.",
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
        counts.tell();
        counts.check(wanting, pages, parts.fault_of_the_file())?;
        let file = self.context.end_pages(input, recognised).await?;
        let pages = PagesArtifact { file, pages: None, wanting_ocr: None };
        let artifacts = vec![Artifact::Pages(pages)];
        Ok(StageOutput { artifacts, stats: counts.stats(), effects: Vec::new() })
    }
}

/// Whether there are pages that want OCR. What is not known is found out by running the stage.
fn wants_pages(earlier: &EarlierArtifacts) -> bool {
    let pages = earlier.get(&Preprocess::NAME).and_then(|left| Artifact::pages_in(left));
    pages.is_none_or(|pages| pages.wanting_ocr != Some(0))
}

stage!(Ocr, recognise, wants_pages);

#[cfg(test)]
mod tests {
    use domain::{FailureClass, StoredFile};

    use super::*;

    fn counted(recognised: u32, failed: u32) -> Counts {
        let mut counts = Counts::default();
        for number in 1..=recognised + failed {
            let mut page = Page { number, text: TextSource::Recognised, ..Page::default() };
            if number > recognised {
                page.give_up_on_ocr("the reader crashed (signal 11)");
            }
            counts.add(&page);
        }
        counts
    }

    #[test]
    fn a_document_without_pictures_of_text_gives_the_stage_no_work() {
        let left = |wanting_ocr: Option<u32>| {
            let file = StoredFile {
                key: String::new(),
                size_bytes: 0,
                sha256: domain::ContentHash([0; 32]),
            };
            let pages = PagesArtifact { file, pages: Some(3), wanting_ocr };
            EarlierArtifacts::from([(Preprocess::NAME, vec![Artifact::Pages(pages)])])
        };
        assert!(!wants_pages(&left(Some(0))));
        assert!(wants_pages(&left(Some(1))));
        assert!(wants_pages(&left(None)), "what is not known is found out");
        assert!(wants_pages(&EarlierArtifacts::new()));
    }

    #[test]
    fn a_page_that_ocr_fails_on_is_told_of_and_costs_only_itself() {
        let counts = counted(9, 1);
        counts.check(10, 10, None).unwrap();
        let stats = counts.stats();
        assert_eq!((stats.ocr_pages, stats.pages_failed), (Some(9), Some(1)));
        assert_eq!(stats.ocr_trouble.as_deref(), Some("the reader crashed (signal 11)"));
        assert_eq!(counted(10, 0).stats().pages_failed, None);
    }

    #[test]
    fn a_document_of_pictures_none_of_which_could_be_read_fails_with_the_reason() {
        let failure = counted(0, 3).check(3, 4, None).unwrap_err();
        let said = "OCR failed on all 3 pages that are pictures: the reader crashed (signal 11)";
        assert_eq!((failure.error.as_str(), failure.class), (said, FailureClass::Poison));
        // One picture among pages of text is no reason.
        counted(0, 1).check(1, 10, None).unwrap();
        // Nor are pages with nothing on them.
        Counts::default().check(3, 3, None).unwrap();
    }

    #[test]
    fn a_document_whose_pictures_are_damaged_is_not_tried_again() {
        let damaged = || Some(ReadError::damaged("it is cut off"));
        let failure = counted(0, 1).check(1, 1, damaged()).unwrap_err();
        assert_eq!(failure.class, FailureClass::Permanent);
        assert_eq!(failure.error, "the file is damaged: it is cut off");
        assert_eq!(failure.guidance, "Open it in its own program, save it anew and upload that.");
        let failure = counted(0, 3).check(3, 3, damaged()).unwrap_err();
        assert!(failure.error.starts_with("none of the 3 pages"), "{}", failure.error);
        counted(2, 1).check(3, 3, damaged()).unwrap();
    }
}
