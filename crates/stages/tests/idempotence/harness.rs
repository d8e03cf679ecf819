//! The registered stages with dependencies that can fail on demand, and documents to run them on.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use blob::{BlobUrl, Blobs, Settings, Timeouts};
use bytes::Bytes;
use domain::{
    Artifact, AttachedFile, Clock, ContentHash, Dependency, DocId, EarlierArtifacts, Effect,
    Failure, FileKind, MaskRule, NewChunks, RetryPolicy, RunConfig, RunId, StageName, StageOutput,
    TenantId,
};
use engine::{Progress, StageInput, Stages};
use extraction::acceptance::TenantAcceptance;
use extraction::calibration::Calibration;
use extraction::language_model::{
    AllowedTenants, AnswerFuture, ExtractionModel, ModelLimits, ModelRequest,
};
use extraction::memory::{Fingerprint, MemoryEntry};
use extraction::tenant_store::{ExtractionStore, ExtractionStoreFuture, TypeVersion};
use extraction::types::DocumentType;
use pages::Part;
use pages::artifact;
use reading::reader::{Reader, ReaderSettings};
use reading::sandbox::SandboxPolicy;
use reading::tools::Tools;
use retrieval::embed::tiny;
use retrieval::embedding::{Embedding, EmbeddingSource, EmbeddingStore, EmbeddingStoreFuture};
use serde_json::json;
use sha2::{Digest, Sha256};
use stages::{DocumentSubmitter, LanguageModelUse, StageContext, StageDependencies, SubmitFuture};
use testkit::objects::{BUCKET, GcsServer};
use testkit::{CountedIds, Disturbance, Disturbed, FakeClock, Steps};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

const TENANT: TenantId = TenantId(Uuid::from_u128(1));
const DOC: DocId = DocId(Uuid::from_u128(2));
const RUN: RunId = RunId(Uuid::from_u128(3));

/// A document to run the stages on.
pub(crate) struct SampleDocument {
    pub(crate) name: &'static str,
    content: Vec<u8>,
    document_type: Option<String>,
    masks: Vec<MaskRule>,
}

impl SampleDocument {
    pub(crate) fn new(name: &'static str, content: Vec<u8>) -> Self {
        Self { name, content, document_type: None, masks: Vec::new() }
    }

    /// With the document type that a batch or rerun chose.
    pub(crate) fn of_type(self, document_type: &str) -> Self {
        Self { document_type: Some(document_type.to_owned()), ..self }
    }

    /// With a mask over a corner of every page.
    pub(crate) fn masked(self) -> Self {
        let mask = MaskRule { area: [0.0, 0.0, 0.1, 0.1], ..MaskRule::default() };
        Self { masks: vec![mask], ..self }
    }
}

/// The observable result of an attempt.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Attempt {
    Done(Box<Outcome>),
    Failed(Failure),
    Killed,
}

impl Attempt {
    pub(crate) fn unwrap(self) -> Box<Outcome> {
        let Self::Done(outcome) = self else { unreachable!("the stage failed: {self:?}") };
        outcome
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Outcome {
    output: StageOutput,
    outside: OutsideState,
}

/// The state outside of a stage.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OutsideState {
    objects: BTreeMap<String, Bytes>,
    submitted: BTreeMap<DocId, String>,
}

pub(crate) struct Harness {
    steps: Steps,
    server: GcsServer,
    blobs: Blobs,
    stages: Stages,
    submitter: Arc<RecordingSubmitter>,
    _model: tempfile::TempDir,
}

/// A run of a document.
pub(crate) struct Run<'a> {
    harness: &'a Harness,
    content: ContentHash,
    kind: FileKind,
    name: &'static str,
    document_type: Option<String>,
    masks: Vec<MaskRule>,
    earlier: Arc<EarlierArtifacts>,
    steps: usize,
}

impl Harness {
    pub(crate) async fn open() -> Self {
        let steps = Steps::default();
        let server = GcsServer::start_with(steps.clone()).await;
        let mut settings = Settings::with_environment(GcsServer::environment(server.address()));
        settings.timeouts = Timeouts { retries: 0, ..Timeouts::default() };
        let url: BlobUrl = format!("gs://{BUCKET}").parse().unwrap();
        let blobs = Blobs::open_with(&url, &settings).unwrap();
        let model = tempfile::tempdir().unwrap();
        tiny::write_embedder(model.path(), 1).unwrap();
        let embedding = EmbeddingSource::folder(model.path().to_owned(), 1).get().await.unwrap();
        let submitter =
            Arc::new(RecordingSubmitter { steps: steps.clone(), submitted: Mutex::default() });
        let ids = Arc::new(CountedIds::after(1 << 40));
        let stages = stages::registered(StageDependencies {
            context: StageContext::new(blobs.clone(), reader(), ids.clone()),
            ids,
            submitter: submitter.clone(),
            embedding_store: Arc::new(TestEmbeddingStore { steps: steps.clone(), embedding }),
            extraction_store: Arc::new(TestExtractionStore { steps: steps.clone() }),
            language_model: Some(LanguageModelUse {
                model: Arc::new(TestModel),
                limits: ModelLimits { context_tokens: 4_000, requests: 2 },
                tenants: AllowedTenants::All,
            }),
            children: 1,
        });
        Self { steps, server, blobs, stages, submitter, _model: model }
    }

    /// In the pipeline's order.
    pub(crate) fn stages(&self) -> Vec<StageName> {
        self.stages.names().cloned().collect()
    }

    pub(crate) fn policies(&self) -> Vec<(StageName, RetryPolicy)> {
        let policy = |name: StageName| {
            let policy = self.stages.get(&name).unwrap().settings().policy;
            (name, policy)
        };
        self.stages().into_iter().map(policy).collect()
    }

    pub(crate) fn stages_without(&self, names: &[StageName]) -> Vec<StageName> {
        self.stages.clone().without(names).names().cloned().collect()
    }

    /// Begins a run with nothing stored but the original.
    pub(crate) async fn begin(&self, document: &SampleDocument) -> Run<'_> {
        self.steps.begin(None);
        self.server.set_contents(&BTreeMap::new());
        self.submitter.submitted.lock().unwrap().clear();
        let mut upload = self.blobs.begin_upload(Uuid::from_u128(4)).await.unwrap();
        upload.write(document.content.clone().into()).await.unwrap();
        let staged = upload.finish().await.unwrap();
        self.blobs.publish(TENANT, &staged).await.unwrap();
        let (_, ending) = document.name.rsplit_once('.').unwrap();
        Run {
            harness: self,
            content: staged.sha256,
            kind: ending.parse().unwrap(),
            name: document.name,
            document_type: document.document_type.clone(),
            masks: document.masks.clone(),
            earlier: Arc::default(),
            steps: 0,
        }
    }
}

impl Run<'_> {
    pub(crate) fn outside_state(&self) -> OutsideState {
        OutsideState {
            objects: self.harness.server.contents(),
            submitted: self.harness.submitter.submitted.lock().unwrap().clone(),
        }
    }

    pub(crate) fn restore(&self, state: &OutsideState) {
        self.harness.server.set_contents(&state.objects);
        self.harness.submitter.submitted.lock().unwrap().clone_from(&state.submitted);
    }

    /// The number of steps of the last attempt.
    pub(crate) fn steps(&self) -> usize {
        self.steps
    }

    pub(crate) async fn attempt(
        &mut self,
        stage: &StageName,
        disturbance: Option<(Disturbance, usize)>,
    ) -> Attempt {
        let input = StageInput {
            tenant_id: TENANT,
            run_id: RUN,
            doc_id: DOC,
            content: Some(self.content),
            config: Arc::new(RunConfig {
                content_type: self.kind.media_type().to_owned(),
                original_filename: self.name.to_owned(),
                document_type: self.document_type.clone(),
                masks: self.masks.clone(),
                ..RunConfig::default()
            }),
            password: None,
            earlier: Arc::clone(&self.earlier),
            stage: stage.clone(),
            attempt: 1,
            trace_parent: None,
            deadline: FakeClock::default().now(),
            cancelled: CancellationToken::new(),
            progress: Progress::default(),
        };
        self.harness.steps.begin(disturbance);
        let stage = self.harness.stages.get(stage).unwrap();
        let ended = tokio::select! {
            biased;
            () = self.harness.steps.hang() => return Attempt::Killed,
            ended = stage.run(&input) => ended,
        };
        self.steps = self.harness.steps.taken();
        match ended {
            Ok(output) => {
                let output = with_counted_chunks(output);
                Attempt::Done(Box::new(Outcome { output, outside: self.outside_state() }))
            }
            Err(failure) => Attempt::Failed(failure),
        }
    }

    /// The parts of the pages that a stage stored.
    pub(crate) fn pages_of(&self, stage: &StageName) -> Vec<Part> {
        let end = format!("/{stage}/{}", Artifact::PAGES);
        let objects = self.harness.server.contents();
        let (_, stored) = objects.iter().find(|(key, _)| key.ends_with(&end)).unwrap();
        let mut reader = artifact::Reader::new(&stored[..]).unwrap();
        std::iter::from_fn(|| reader.next_part().unwrap()).collect()
    }

    /// The number of attached files that were stored.
    pub(crate) fn attachments(&self) -> usize {
        let is_attachment = |artifact: &&Artifact| matches!(artifact, Artifact::Attachment(_));
        self.earlier.values().flatten().filter(is_attachment).count()
    }

    /// Passes the artifacts on to the next stage.
    pub(crate) fn advance(&mut self, stage: StageName, outcome: Box<Outcome>) {
        Arc::make_mut(&mut self.earlier).insert(stage, outcome.output.artifacts);
    }
}

/// Each attempt creates new chunk ids, which nothing refers to before the stage ends: number them in order.
fn with_counted_chunks(output: StageOutput) -> StageOutput {
    let counted = |new: &NewChunks| {
        let mut new = new.clone();
        let places: HashMap<Uuid, Uuid> =
            new.chunks.iter().map(|chunk| chunk.chunk_id).zip((0..).map(Uuid::from_u128)).collect();
        for chunk in &mut new.chunks {
            chunk.chunk_id = places[&chunk.chunk_id];
        }
        for (chunk_id, _) in new.vectors.iter_mut().flat_map(|vectors| &mut vectors.of_chunks) {
            *chunk_id = places[chunk_id];
        }
        new
    };
    let effects = output.effects.iter().map(|effect| match effect {
        Effect::Chunks(new) => Effect::Chunks(Arc::new(counted(new))),
        Effect::Result(_) => effect.clone(),
    });
    StageOutput { effects: effects.collect(), ..output }
}

/// With this machine's tools, except for the second OCR engine, which takes seconds per page.
fn reader() -> Reader {
    let tools = Tools { models: None, ..Tools::find() };
    assert!(tools.pdfium.is_some() && tools.tesseract.is_some(), "pdfium and tesseract are needed");
    Reader::new(ReaderSettings {
        program: child(),
        children: 1,
        tools,
        sandbox: SandboxPolicy::BestEffort,
        languages: Vec::new(),
        longest_job: ReaderSettings::LONGEST_JOB,
    })
}

/// Cargo builds it with the tests, but gives no path to it.
fn child() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let program = test.ancestors().nth(2).unwrap().join("examples/reading_child");
    assert!(program.exists(), "run `cargo build -p stages --examples` first");
    program
}

/// Accepts only `note.txt`, and records it.
struct RecordingSubmitter {
    steps: Steps,
    submitted: Mutex<BTreeMap<DocId, String>>,
}

impl DocumentSubmitter for RecordingSubmitter {
    fn submit(&self, file: AttachedFile) -> SubmitFuture<'_> {
        Box::pin(async move {
            let submit = || {
                let hash: [u8; 32] = Sha256::digest(&file.content).into();
                let doc_id = DocId(Uuid::from_slice(&hash[..16]).unwrap());
                (file.name == "note.txt").then(|| {
                    self.submitted.lock().unwrap().insert(doc_id, file.name);
                    doc_id
                })
            };
            self.steps.take(submit).await.map_err(|Disturbed| unavailable(Dependency::Database))
        })
    }
}

/// One model, and no earlier vectors.
struct TestEmbeddingStore {
    steps: Steps,
    embedding: Arc<dyn Embedding>,
}

impl EmbeddingStore for TestEmbeddingStore {
    fn models(&self, _: TenantId) -> EmbeddingStoreFuture<'_, Vec<Arc<dyn Embedding>>> {
        Box::pin(async {
            let models = self.steps.take(|| vec![Arc::clone(&self.embedding)]).await;
            models.map_err(|Disturbed| unavailable(Dependency::Database))
        })
    }

    fn known<'a>(
        &'a self,
        _: TenantId,
        _: &'a str,
        _: &'a [ContentHash],
    ) -> EmbeddingStoreFuture<'a, HashMap<ContentHash, Vec<f32>>> {
        Box::pin(async {
            let known = self.steps.take(HashMap::new).await;
            known.map_err(|Disturbed| unavailable(Dependency::Database))
        })
    }
}

/// Answers with what the document contains.
#[derive(Debug)]
struct TestModel;

impl ExtractionModel for TestModel {
    fn name(&self) -> &'static str {
        "test"
    }

    fn answer<'a>(&'a self, _: &'a ModelRequest) -> AnswerFuture<'a> {
        Box::pin(async { Ok(json!({ "isin": "US0378331005" }).to_string()) })
    }
}

/// One document type, and no layout memory.
struct TestExtractionStore {
    steps: Steps,
}

impl TestExtractionStore {
    fn document_type() -> DocumentType {
        let json = json!({
            "name": "note", "title": "Note", "schema": { "type": "object" },
            "fields": [{ "name": "isin", "kind": "isin", "labels": { "en": ["ISIN"] } }],
        });
        serde_json::from_value(json).unwrap()
    }

    async fn step<T>(&self, value: impl FnOnce() -> T) -> Result<T, Failure> {
        let taken = self.steps.take(value).await;
        taken.map_err(|Disturbed| unavailable(Dependency::Database))
    }
}

impl ExtractionStore for TestExtractionStore {
    fn types(&self, _: TenantId) -> ExtractionStoreFuture<'_, Vec<TypeVersion>> {
        let types = || vec![TypeVersion { version: 3, document_type: Self::document_type() }];
        Box::pin(self.step(types))
    }

    fn type_version<'a>(
        &'a self,
        _: TenantId,
        name: &'a str,
        version: u32,
    ) -> ExtractionStoreFuture<'a, Option<DocumentType>> {
        let found =
            move || Some(Self::document_type()).filter(|of| of.name == name && version == 3);
        Box::pin(self.step(found))
    }

    fn memory<'a>(
        &'a self,
        _: TenantId,
        _: &'a Fingerprint,
    ) -> ExtractionStoreFuture<'a, Vec<MemoryEntry>> {
        Box::pin(self.step(Vec::new))
    }

    fn acceptance<'a>(
        &'a self,
        _: TenantId,
        _: &'a str,
    ) -> ExtractionStoreFuture<'a, TenantAcceptance> {
        let acceptance = || TenantAcceptance {
            accepted_error_rate: 0.02,
            review_share: 0.5,
            calibration: Calibration::builtin().clone(),
        };
        Box::pin(self.step(acceptance))
    }
}

fn unavailable(dependency: Dependency) -> Failure {
    Failure::unavailable(dependency, "the test made it fail")
}
