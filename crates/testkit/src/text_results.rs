//! A stage that extracts a result from the text of a document, without the product's extraction.

use blob::Blobs;
use domain::{
    Artifact, Effect, Extraction, Failure, Field, FieldGroup, FieldSource, FieldStatus, NewResult,
    StageName, StageOutput,
};
use engine::{Stage, StageFuture, StageInput, StageSettings};
use std::sync::Arc;

/// The text is the field `text`. Each line `trade ISIN DATE PRICE` is a trade; a text without such a line has one trade, whose
/// `security_name` is the text.
pub(crate) struct TextResults {
    name: StageName,
    settings: StageSettings,
    blobs: Blobs,
}

impl TextResults {
    pub(crate) fn new(blobs: Blobs) -> Self {
        Self { name: StageName::PACKAGE, settings: StageSettings::default(), blobs }
    }

    async fn extract(&self, work: &StageInput) -> Result<StageOutput, Failure> {
        let artifacts = &work.earlier[&StageName::LAYOUT];
        let file = artifacts.iter().find_map(|artifact| match artifact {
            Artifact::Text(file) => Some(file),
            _ => None,
        });
        let place = file.expect("the layout has a text").key.parse().unwrap();
        let text = self.blobs.read_artifact(&place, None).await.unwrap().collect().await.unwrap();
        let new = NewResult {
            extraction: extraction_of(std::str::from_utf8(&text).unwrap()),
            type_version: 1,
            sampled_for_review: false,
        };
        let effects = vec![Effect::Result(Arc::new(new))];
        Ok(StageOutput { effects, ..StageOutput::default() })
    }
}

impl Stage for TextResults {
    fn name(&self) -> &StageName {
        &self.name
    }

    fn settings(&self) -> &StageSettings {
        &self.settings
    }

    fn run<'a>(&'a self, work: &'a StageInput) -> StageFuture<'a> {
        Box::pin(self.extract(work))
    }
}

fn extraction_of(text: &str) -> Extraction {
    let mut trades: Vec<FieldGroup> = text
        .lines()
        .filter_map(|line| line.strip_prefix("trade "))
        .map(|trade| group(["isin", "trade_date", "price"].into_iter().zip(trade.split(' '))))
        .collect();
    if trades.is_empty() {
        trades.push(group([("security_name", text)]));
    }
    Extraction {
        document_type: "contract_note".to_owned(),
        fields: group([("text", text)]),
        trades,
        ..Extraction::default()
    }
}

fn group<'a>(values: impl IntoIterator<Item = (&'a str, &'a str)>) -> FieldGroup {
    let field = |value: &str| Field {
        value: Some(value.to_owned()),
        raw: Some(value.to_owned()),
        confidence: 0.75,
        status: FieldStatus::NeedsReview,
        page: Some(1),
        source: Some(FieldSource::Page),
        ..Field::missing()
    };
    values.into_iter().map(|(name, value)| (name.to_owned(), field(value))).collect()
}
