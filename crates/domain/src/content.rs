//! What can be read of a document.
//!
//! Every route that shows something of a document shows one of these. `ops` decides by it who may read, and the
//! authorization test has a row for each of them in each state of a document.

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

            /// What a caller who sees the document needs besides.
            pub fn needs(self) -> ContentNeed {
                match self { $(Self::$variant => ContentNeed::$needs),+ }
            }
        }
    };
}

/// What a caller needs besides seeing the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContentNeed {
    /// Nothing: it says that the document is there, and what it is called.
    Nothing,
    /// That the run whose output it is may be read.
    Run,
    /// That the run is the one of the active version.
    ActiveRun,
    /// That the original may be read as it came in, without masks.
    Original,
}

readable_objects! {
    /// A document with its versions and runs.
    Document = "document" needs Nothing,
    /// A line of a list of documents.
    DocumentInList = "document_in_list" needs Nothing,
    /// A line of the list of documents that answers come from.
    KnowledgeBaseEntry = "knowledge_base_entry" needs Nothing,
    Run = "run" needs Nothing,
    RunInList = "run_in_list" needs Nothing,
    BatchResult = "batch_result" needs Nothing,
    /// A mail that a file came with, or a file that came with a mail.
    Part = "part" needs Nothing,
    Event = "event" needs Nothing,
    /// A job of the queue, with the title of its document.
    Job = "job" needs Nothing,
    /// A new link to the original.
    Original = "original" needs Original,
    /// The original, by a link that was made before.
    Link = "link" needs Original,
    Page = "page" needs Run,
    PageImage = "page_image" needs Run,
    /// The page view, which shows the original without masks.
    PageView = "page_view" needs Original,
    Text = "text" needs Run,
    Markdown = "markdown" needs Run,
    /// What a stage of the latest run left.
    Artifact = "artifact" needs Run,
    /// What a stage of a run before the latest one left.
    OlderArtifact = "older_artifact" needs Run,
    /// The text that an assistant is given.
    AssistantText = "assistant_text" needs Run,
    SearchHit = "search_hit" needs ActiveRun,
    Citation = "citation" needs ActiveRun,
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_object_has_a_name_of_its_own() {
        let names: BTreeSet<_> = ReadableObject::ALL.iter().map(|object| object.as_str()).collect();
        assert_eq!(names.len(), ReadableObject::ALL.len());
    }
}
