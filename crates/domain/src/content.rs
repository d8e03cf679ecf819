//! The kinds of objects that show something of a document.
//!
//! Every route that shows something of a document returns one of these. `ops` uses it to decide who may read, and the
//! authorisation test has a row for each of them in each state of a document.

macro_rules! readable_objects {
    ($($(#[$doc:meta])* $variant:ident = $name:literal needs $needs:ident),+ $(,)?) => {
        /// Something that shows what a document contains, or what is known of it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum ReadableObject { $($(#[$doc])* $variant),+ }

        impl ReadableObject {
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }

            /// What a caller needs in addition to seeing the document.
            pub fn needs(self) -> ContentNeed {
                match self { $(Self::$variant => ContentNeed::$needs),+ }
            }
        }
    };
}

/// What a caller needs in addition to seeing the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContentNeed {
    /// Nothing: it shows only that the document exists, and its title.
    Nothing,
    /// Permission to read the run that produced it.
    Run,
    /// Like `Run`, but a later run that replaced it makes no difference: the history of results is for everyone who sees
    /// the document.
    AnyRun,
    /// The run must be the one of the active version.
    ActiveRun,
    /// Permission to read the original without masks.
    Original,
}

readable_objects! {
    /// A document with its versions and runs.
    Document = "document" needs Nothing,
    /// An entry of a list of documents.
    DocumentInList = "document_in_list" needs Nothing,
    /// An entry of the knowledge base.
    KnowledgeBaseEntry = "knowledge_base_entry" needs Nothing,
    Run = "run" needs Nothing,
    RunInList = "run_in_list" needs Nothing,
    BatchResult = "batch_result" needs Nothing,
    /// A mail that has a file attached, or a file that is attached to a mail.
    Part = "part" needs Nothing,
    Event = "event" needs Nothing,
    /// A job of the queue, with the title of its document.
    Job = "job" needs Nothing,
    /// A new link to the original.
    Original = "original" needs Original,
    /// The original, by a link that was created before.
    Link = "link" needs Original,
    Page = "page" needs Run,
    PageImage = "page_image" needs Run,
    /// The page view, which shows the original without masks.
    PageView = "page_view" needs Original,
    Text = "text" needs Run,
    Markdown = "markdown" needs Run,
    /// An artifact of the latest run.
    Artifact = "artifact" needs Run,
    /// An artifact of an earlier run.
    OlderArtifact = "older_artifact" needs Run,
    /// The text that an assistant receives.
    AssistantText = "assistant_text" needs Run,
    /// The current result.
    Result = "result" needs AnyRun,
    /// A result that is not current.
    OlderResult = "older_result" needs AnyRun,
    ResultInList = "result_in_list" needs AnyRun,
    /// The current result of a document of a batch.
    BatchExtraction = "batch_extraction" needs AnyRun,
    /// The fields that a dry run of a document type extracts.
    DryRun = "dry_run" needs Run,
    Trade = "trade" needs AnyRun,
    /// An entry of the list of trades, or of the trades in a document's details.
    TradeInList = "trade_in_list" needs AnyRun,
    SearchHit = "search_hit" needs ActiveRun,
    Citation = "citation" needs ActiveRun,
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_object_has_a_unique_name() {
        let names: BTreeSet<_> = ReadableObject::ALL.iter().map(|object| object.as_str()).collect();
        assert_eq!(names.len(), ReadableObject::ALL.len());
    }
}
