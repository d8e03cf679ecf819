//! Documents that can be found, without a child process that reads them: the stage before `index` takes a
//! text file as it is, but for what is masked, and everything after it is the product's own. A text that begins with
//! [`LOCKED`] and a word is opened by that word as its password.

use std::path::Path;
use std::sync::Arc;

use blob::{ArtifactPlace, Blobs};
use domain::{
    Artifact, Failure, PagesArtifact, Pipeline, RunStats, StageName, StageOutput, StoredFile,
};
use engine::{Stage, StageFuture, StageInput, StageSettings, Stages};
use futures_util::TryStreamExt;
use ops::Ops;
use pages::artifact::Writer;
use pages::{Area, Block, BlockKind, Head, Line, Page, Part, Size, Span, Tail, Word};
use reading::prepare::{Mask, masks_of, masks_on};
use reading::reader::{Reader, ReaderSettings};
use reading::sandbox::SandboxPolicy;
use reading::tools::Tools;
use retrieval::embed::tiny;
use retrieval::embedding::EmbeddingSource;
use stages::{Index, Ingest, StageContext};
use tempfile::TempDir;

use crate::samples::TINY_PNG;
use crate::text_results::TextResults;
use crate::{CountedIds, TestApp, TestSettings};

/// How a text begins that needs a password.
const LOCKED: &str = "locked by ";

/// An application whose documents can be found, by words and by the meaning that a tiny model sees.
#[derive(Debug)]
pub struct Library {
    pub app: TestApp,
    model: TempDir,
}

impl Library {
    pub async fn open() -> Self {
        Self::open_with(|_| {}).await
    }

    pub async fn open_with(change: impl FnOnce(&mut TestSettings)) -> Self {
        let model = tempfile::tempdir().expect("a folder for the model");
        tiny::write_embedder(model.path(), 1).expect("a tiny model is written");
        let mut settings = Self::settings_with(model.path());
        change(&mut settings);
        Self { app: TestApp::start_with(settings).await, model }
    }

    /// Its documents have results too: their text, and a trade for each line `trade ISIN DATE PRICE`.
    pub async fn with_results() -> Self {
        Self::open_with(|settings| {
            let stages = &mut settings.ops.intake.stages;
            stages.push(StageName::PACKAGE);
            settings.ops.intake.pipeline = Pipeline::try_from(stages.clone()).ok();
        })
        .await
    }

    /// Settings of a process that embeds by the model in a folder.
    pub fn settings_with(model: &Path) -> TestSettings {
        let mut settings = TestSettings::default();
        let stages = vec![StageName::INGEST, StageName::LAYOUT, StageName::INDEX];
        settings.ops.intake.pipeline = Pipeline::try_from(stages.clone()).ok();
        settings.ops.intake.stages = stages;
        settings.ops.search.embedding = EmbeddingSource::folder(model.to_owned(), 1);
        settings
    }

    pub fn settings(&self) -> TestSettings {
        Self::settings_with(self.model())
    }

    /// The folder of its model.
    pub fn model(&self) -> &Path {
        self.model.path()
    }

    /// Runs the stages of everything that was uploaded.
    pub async fn work_off(&self) {
        self.work_off_as(&self.app.ops).await;
    }

    /// The same, in another process.
    pub async fn work_off_as(&self, ops: &Ops) {
        self.app.work_off_with(self.stages_of(ops)).await;
    }

    /// Its stages, for a test that adds others.
    pub fn stages(&self) -> Stages {
        self.stages_of(&self.app.ops)
    }

    fn stages_of(&self, ops: &Ops) -> Stages {
        let blobs = &self.app.blobs;
        let reader = Reader::new(ReaderSettings {
            program: "/nonexistent".into(),
            children: 1,
            tools: Tools::default(),
            sandbox: SandboxPolicy::Required,
            languages: Vec::new(),
            longest_job: ReaderSettings::LONGEST_JOB,
        });
        let ids = Arc::new(CountedIds::after(1 << 45));
        let context = StageContext::new(blobs.clone(), reader, ids.clone());
        let index = Index::new(context, self.app.chunk_ids(), Arc::new(ops.search.embeddings()), 2);
        Stages::default()
            .with(Ingest::new(blobs.clone()))
            .with(AsItIs {
                name: StageName::LAYOUT,
                settings: StageSettings::default(),
                blobs: blobs.clone(),
            })
            .with(index)
            .with(TextResults::new(blobs.clone()))
    }
}

/// A text as pages: one for each form feed, a paragraph for each empty line, a heading after `# `.
struct AsItIs {
    name: StageName,
    settings: StageSettings,
    blobs: Blobs,
}

impl AsItIs {
    async fn read(&self, work: &StageInput) -> Result<StageOutput, Failure> {
        let content = work.content.expect("a document has content");
        let mut stream = self.blobs.read_original(work.tenant_id, &content, None).await.unwrap();
        let mut bytes = Vec::new();
        while let Some(piece) = stream.try_next().await.unwrap() {
            bytes.extend_from_slice(&piece);
        }
        let text = String::from_utf8(bytes).unwrap();
        let mut stats = RunStats::default();
        if let Some(locked) = text.strip_prefix(LOCKED) {
            open_with(work, locked)?;
            stats.password_used = Some(true);
        }
        let pages = pages_of(&text, &masks_of(&work.config.masks));
        stats.pages = u32::try_from(pages.len()).ok();
        let text: Vec<String> = pages.iter().map(text_of).collect();
        let own = |name, bytes| self.keep(work, StageName::LAYOUT, name, bytes);
        let file = own(Artifact::PAGES, written(pages)).await;
        let (plain, markdown) = (text.join("\n"), text.join("\n\n"));
        let artifacts = vec![
            Artifact::Pages(PagesArtifact { file, pages: None, wanting_ocr: None }),
            Artifact::Text(own(Artifact::TEXT, plain.into_bytes()).await),
            Artifact::Markdown(own(Artifact::MARKDOWN, markdown.into_bytes()).await),
        ];
        let pictures = StageName::constant("pictures");
        self.keep(work, pictures, "page-1-800.png", TINY_PNG.to_vec()).await;
        Ok(StageOutput { artifacts, stats, effects: Vec::new() })
    }

    async fn keep(
        &self,
        work: &StageInput,
        stage: StageName,
        name: &str,
        bytes: Vec<u8>,
    ) -> StoredFile {
        let place = ArtifactPlace {
            tenant: work.tenant_id,
            doc: work.doc_id,
            run: work.run_id,
            stage,
            name: name.parse().unwrap(),
        };
        self.blobs.put_artifact(&place, bytes.into()).await.unwrap()
    }
}

fn open_with(work: &StageInput, locked: &str) -> Result<(), Failure> {
    let opener = locked.split_whitespace().next().unwrap_or_default();
    match &work.password {
        Some(password) if password.reveal() == opener => Ok(()),
        Some(_) => Err(Failure::permanent("the password does not open the file", "Check it.")),
        None => Err(Failure::permanent("the file needs a password", "Give it.")),
    }
}

impl Stage for AsItIs {
    fn name(&self) -> &StageName {
        &self.name
    }

    fn settings(&self) -> &StageSettings {
        &self.settings
    }

    fn run<'a>(&'a self, work: &'a StageInput) -> StageFuture<'a> {
        Box::pin(self.read(work))
    }
}

fn pages_of(text: &str, masks: &[Mask]) -> Vec<Page> {
    let numbered = (1..).zip(text.split('\u{c}'));
    numbered.map(|(number, text)| page_of(number, text, masks)).collect()
}

fn written(pages: Vec<Page>) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new()).unwrap();
    let head = Head {
        kind: domain::FileKind::Txt,
        title: None,
        properties: std::collections::BTreeMap::new(),
        pages: None,
    };
    writer.write(&Part::Head(head)).unwrap();
    let count = u32::try_from(pages.len()).unwrap();
    for page in pages {
        writer.write(&Part::Page(page)).unwrap();
    }
    writer.write(&Part::Tail(Tail { pages: count, remarks: Vec::new() })).unwrap();
    writer.finish().unwrap()
}

fn text_of(page: &Page) -> String {
    let lines: Vec<String> = page.lines.iter().map(|line| page.text_of(line.words)).collect();
    lines.join("\n")
}

fn page_of(number: u32, text: &str, masks: &[Mask]) -> Page {
    let size = Size { width: 595.0, height: 842.0 };
    let masked = masks_on(masks, number, size);
    let mut page = Page { number, size: Some(size), ..Page::default() };
    for (at, paragraph) in text.split("\n\n").filter(|text| !text.trim().is_empty()).enumerate() {
        let first = page.words.len();
        let (kind, paragraph) = match paragraph.trim().strip_prefix("# ") {
            Some(heading) => (BlockKind::Heading { level: 1 }, heading),
            None => (BlockKind::Paragraph, paragraph),
        };
        let top = 72.0 + 20.0 * f32::from(u16::try_from(at).unwrap());
        for (at, text) in paragraph.split_whitespace().enumerate() {
            let left = 72.0 + f32::from(u16::try_from(at).unwrap());
            let area = Area { left, top, right: left + 1.0, bottom: top + 12.0 };
            if masked.iter().any(|mask| mask.top <= top && top < mask.bottom) {
                continue;
            }
            page.words.push(Word { text: text.to_owned(), area: Some(area), ..Word::default() });
        }
        if page.words.len() == first {
            continue;
        }
        let words = Span::new(first..page.words.len());
        let line = page.lines.len();
        page.lines.push(Line { words, area: None });
        page.blocks.push(Block { kind, lines: Span::new(line..line + 1), area: None });
    }
    page
}
