//! What was read of a document: its pages, their pictures, its text.

use std::ops::Range;

use blob::{ArtifactPlace, BlobStream, Blobs};
use bytes::{Bytes, BytesMut};
use domain::{Action, Caller, DocId, FileKind, RunId, Scope, StageName};
use futures_util::TryStreamExt;
use reading::Limits;
use reading::artifact::{self, ArtifactError, PageIndex};
use reading::model::Page;
use reading::pool::{Document, ReadFailure, Subject};
use reading::prepare::masks_of;
use reading::reader::PictureOf;
use store::ReadAs;

use crate::{Ops, OpsError};

/// The stage whose pages are shown.
const LAST_STAGE: &str = "layout";
const PAGES: &str = "pages.dkt";
/// Pictures are kept under a stage of their own, which no run has.
const PICTURES: &str = "pictures";

/// How a document's text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextForm {
    Plain,
    Markdown,
}

/// Where reading left something of a document.
fn place_of(read: &ReadAs, name: &str) -> Option<ArtifactPlace> {
    let artifact = read.artifacts.iter().find(|artifact| artifact["name"] == name)?;
    artifact["key"].as_str()?.parse().ok()
}

impl Ops {
    /// The widths in which pages are drawn: few, since each is kept.
    pub const PICTURE_WIDTHS: [u32; 4] = [320, 800, 1280, 2000];

    /// One page with its words, blocks, tables and key-values, and how many pages there are.
    pub async fn read_page(
        &self,
        caller: &Caller,
        doc_id: DocId,
        number: u32,
    ) -> Result<(Page, u32), OpsError> {
        let scope = caller.permit(Action::SeeDocuments)?;
        let read = self.read_as(&scope, doc_id).await?;
        let place = place_of(&read, PAGES).ok_or_else(not_read)?;
        let size = self.blobs.read_artifact(&place, Some(0..1)).await?.size();
        let end =
            fetch(&self.blobs, &place, size.saturating_sub(artifact::END_LENGTH)..size).await?;
        let end = artifact::index_place(&end).map_err(damaged)?;
        let index =
            PageIndex::parse(&fetch(&self.blobs, &place, end..size).await?).map_err(damaged)?;
        let range = index.range_of(number, end).ok_or(OpsError::NotFound("page"))?;
        let page =
            artifact::parse_page(&fetch(&self.blobs, &place, range).await?).map_err(damaged)?;
        Ok((page, u32::try_from(index.count()).unwrap_or(u32::MAX)))
    }

    /// The text of the whole document.
    pub async fn read_text(
        &self,
        caller: &Caller,
        doc_id: DocId,
        form: TextForm,
    ) -> Result<BlobStream, OpsError> {
        let scope = caller.permit(Action::SeeDocuments)?;
        let name = match form {
            TextForm::Plain => "text.txt",
            TextForm::Markdown => "document.md",
        };
        let read = self.read_as(&scope, doc_id).await?;
        let place = place_of(&read, name).ok_or_else(not_read)?;
        Ok(self.blobs.read_artifact(&place, None).await?)
    }

    /// A page as a PNG of one of [`Ops::PICTURE_WIDTHS`]. Drawn once, then kept.
    pub async fn draw_page(
        &self,
        caller: &Caller,
        doc_id: DocId,
        number: u32,
        width: u32,
    ) -> Result<Bytes, OpsError> {
        let scope = caller.permit(Action::SeeDocuments)?;
        if !Self::PICTURE_WIDTHS.contains(&width) {
            let widths = Self::PICTURE_WIDTHS.map(|width| width.to_string()).join(", ");
            return Err(OpsError::invalid(
                "width",
                format!("pages are drawn in these widths: {widths}"),
            ));
        }
        let read = self.read_as(&scope, doc_id).await?;
        let place = picture_place(&scope, doc_id, read.run_id, number, width)?;
        match self.blobs.read_artifact(&place, None).await {
            Ok(kept) => return Ok(whole(kept).await?),
            Err(error) if error.is_not_found() => {}
            Err(error) => return Err(error.into()),
        }
        let drawn = self.draw(&scope, doc_id, &read, number, width).await?;
        self.blobs.put_artifact(&place, drawn.clone()).await?;
        Ok(drawn)
    }

    async fn draw(
        &self,
        scope: &Scope,
        doc_id: DocId,
        read: &ReadAs,
        number: u32,
        width: u32,
    ) -> Result<Bytes, OpsError> {
        let reader = self.reader.as_ref().ok_or_else(|| OpsError::Conflict {
            code: "no_reader",
            problem: "this server does not read documents".to_owned(),
        })?;
        let mut tx = self.store.read(scope).await?;
        let document = tx.find_document(doc_id).await?.ok_or(OpsError::NotFound("document"))?;
        let content = tx.original_of(doc_id).await?;
        tx.commit().await?;
        let content = content.ok_or(OpsError::NotFound("original: it is not kept any more"))?;
        let kind = FileKind::of_media_type(&document.mime);
        let kind =
            kind.filter(|kind| has_pages_to_see(*kind)).ok_or_else(|| OpsError::Conflict {
                code: "no_pictures",
                problem: format!(
                    "{} has no pages to look at; its text can be read",
                    document.filename
                ),
            })?;
        let tenant = scope.tenant_id();
        let original = if let Some(file) = self.blobs.open_original(tenant, &content).await? {
            Document::from_file(file).map_err(of_disk)?
        } else {
            let original = self.blobs.read_original(tenant, &content, None).await?;
            Document::from_stream(original.map_err(OpsError::from), of_disk).await?
        };
        let subject = Subject {
            kind,
            file_name: document.filename,
            password: read.password.as_ref().map(|password| password.reveal().to_owned()),
            limits: Limits::default(),
        };
        let wanted = PictureOf { page: number, width, masks: masks_of(&read.config) };
        let drawn = reader.picture(tenant, &subject, &original, wanted).await;
        Ok(Bytes::from(drawn.map_err(unreadable)?.bytes))
    }

    async fn read_as(&self, scope: &Scope, doc_id: DocId) -> Result<ReadAs, OpsError> {
        let mut tx = self.store.read(scope).await?;
        tx.find_document(doc_id).await?.ok_or(OpsError::NotFound("document"))?;
        let found = tx.read_as(doc_id, LAST_STAGE).await?;
        tx.commit().await?;
        found.ok_or_else(not_read)
    }
}

fn has_pages_to_see(kind: FileKind) -> bool {
    matches!(kind, FileKind::Pdf | FileKind::Png | FileKind::Jpg | FileKind::Tiff)
}

fn picture_place(
    scope: &Scope,
    doc: DocId,
    run: RunId,
    number: u32,
    width: u32,
) -> Result<ArtifactPlace, OpsError> {
    let stage: StageName =
        PICTURES.parse().map_err(|error| OpsError::internal("naming a picture", error))?;
    let name = format!("page-{number}-{width}.png").parse();
    let name = name.map_err(|error| OpsError::internal("naming a picture", error))?;
    Ok(ArtifactPlace { tenant: scope.tenant_id(), doc, run, stage, name })
}

async fn fetch(blobs: &Blobs, place: &ArtifactPlace, range: Range<u64>) -> Result<Bytes, OpsError> {
    Ok(whole(blobs.read_artifact(place, Some(range)).await?).await?)
}

async fn whole(stream: BlobStream) -> Result<Bytes, blob::BlobError> {
    let mut bytes = BytesMut::new();
    let mut stream = stream;
    while let Some(piece) = stream.try_next().await? {
        bytes.extend_from_slice(&piece);
    }
    Ok(bytes.freeze())
}

fn not_read() -> OpsError {
    OpsError::Conflict {
        code: "not_read_yet",
        problem: "the document has not been read yet, or could not be; look at its status"
            .to_owned(),
    }
}

fn damaged(error: ArtifactError) -> OpsError {
    OpsError::internal("reading the pages", error)
}

fn of_disk(error: std::io::Error) -> OpsError {
    OpsError::internal("holding the original", error)
}

fn unreadable(failure: ReadFailure) -> OpsError {
    match failure {
        ReadFailure::NotStarted { .. } => OpsError::internal("starting a reader", failure),
        other => OpsError::Conflict {
            code: "cannot_be_drawn",
            problem: format!("{other}. {}", other.advice()),
        },
    }
}
