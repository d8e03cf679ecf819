//! `ocr`: pictures of text become words, by two engines that check each other.
//!
//! A document that wants none passes at once and leaves nothing. One that is all pictures fails when no
//! engine is installed: an empty document would be a lie. Where only some pages are pictures, those say
//! that nobody could read them, and the rest is served.

use std::time::Duration;

use domain::{Failure, StageName};
use engine::{Stage, StageFuture, StageOutput, StageSettings, Work};
use reading::model::{Origin, Page, TextSource};
use serde_json::{Map, Value, json};

use crate::Preprocess;
use crate::desk::{Desk, PAGES, listed, new_pages, read_pages, subject};

#[derive(Debug)]
pub struct Ocr {
    name: StageName,
    settings: StageSettings,
    desk: Desk,
}

/// What the pages of one document came to.
#[derive(Default)]
struct Counts {
    seen: u32,
    recognised: u32,
    unavailable: u32,
    words: u64,
    agreed: u64,
    disputed: u64,
}

impl Counts {
    fn add(&mut self, page: &Page) {
        self.seen += 1;
        match page.text {
            TextSource::Recognised => self.recognised += 1,
            TextSource::Unavailable => self.unavailable += 1,
            _ => return,
        }
        self.words += page.words.len() as u64;
        let count = |is: fn(&reading::model::Word) -> bool| {
            page.words.iter().filter(|word| is(word)).count() as u64
        };
        self.agreed += count(|word| word.origin == Origin::Agreed);
        self.disputed += count(|word| word.other.is_some());
    }

    /// The share of pages that OCR reads, and of words that the engines disagree on, are ratios of these.
    fn tell(&self) {
        metrics::counter!("docket_ocr_pages_total").increment(self.recognised.into());
        metrics::counter!("docket_ocr_unreadable_pages_total").increment(self.unavailable.into());
        metrics::counter!("docket_ocr_words_total").increment(self.words);
        metrics::counter!("docket_ocr_words_agreed_total").increment(self.agreed);
        metrics::counter!("docket_ocr_words_disputed_total").increment(self.disputed);
    }

    fn stats(&self) -> Map<String, Value> {
        let mut stats = Map::new();
        stats.insert("ocr_pages".to_owned(), json!(self.recognised));
        stats.insert("ocr_words".to_owned(), json!(self.words));
        stats.insert("ocr_words_agreed".to_owned(), json!(self.agreed));
        stats.insert("ocr_words_disputed".to_owned(), json!(self.disputed));
        if self.unavailable > 0 {
            stats.insert("ocr_unavailable_pages".to_owned(), json!(self.unavailable));
        }
        stats
    }
}

impl Ocr {
    pub const NAME: &str = "ocr";

    pub fn new(desk: Desk, concurrency: usize) -> Result<Self, domain::InvalidPipeline> {
        // A scan of thousands of pages takes hours of honest work.
        let deadline = Duration::from_hours(12);
        let settings = StageSettings { concurrency, deadline, ..StageSettings::default() };
        Ok(Self { name: Self::NAME.parse()?, settings, desk })
    }

    async fn recognise(&self, work: &Work) -> Result<StageOutput, Failure> {
        let before = listed(work, Preprocess::NAME, PAGES);
        let count = |name: &str| before.and_then(|pages| pages[name].as_u64()).unwrap_or(0);
        let (pages, wanting) = (count("pages"), count("wanting_ocr"));
        if wanting == 0 {
            return Ok(StageOutput::default());
        }
        if wanting == pages && !self.desk.reader.has_ocr() {
            return Err(Failure::permanent(
                "the document is made of pictures, and no OCR engine is installed",
                "Run `docket doctor`: it names the command that installs one. Then run the document again.",
            ));
        }
        let subject = subject(work)?;
        let document = self.desk.document(work).await?;
        let earlier = self.desk.pages(work, &[Preprocess::NAME]).await?;
        let (mut from, mut to) = (read_pages(&earlier)?, new_pages()?);
        let mut counts = Counts::default();
        let total = u32::try_from(pages).unwrap_or(u32::MAX);
        let seen = |page: &Page| {
            counts.add(page);
            work.progress.tell(counts.seen, total);
        };
        let reader = &self.desk.reader;
        let both = (&mut from, &mut to);
        reader.recognise_all(work.tenant_id, &subject, &document, both, seen).await?;
        if wanting == pages && counts.recognised == 0 {
            return Err(Failure::permanent(
                "none of its pages could be drawn, so there is nothing to read",
                "Open the file with another program; if that works, print it to a new PDF and upload that.",
            ));
        }
        counts.tell();
        let (kept, _) = self.desk.keep_pages(work, to).await?;
        Ok(StageOutput { artifacts: vec![kept], stats: counts.stats(), chunks: None })
    }
}

impl Stage for Ocr {
    fn name(&self) -> &StageName {
        &self.name
    }

    fn settings(&self) -> &StageSettings {
        &self.settings
    }

    fn run<'a>(&'a self, work: &'a Work) -> StageFuture<'a> {
        Box::pin(self.recognise(work))
    }
}
