//! Reading the processed content of a document: its pages, page images and text.

use std::fmt;
use std::ops::Range;

use blob::{ArtifactPlace, BlobStream, Blobs};
use bytes::{Bytes, BytesMut};
use domain::{Artifact, Caller, DocId, FileKind, ReadableObject, StageName};
use futures_util::TryStreamExt;
use pages::Page;
use pages::artifact::{self, ArtifactError, PageIndex};
use reading::Limits;
use reading::pool::{ChildFailure, ReadFailure, Subject};
use reading::prepare::masks_of;
use reading::reader::PictureOf;
use store::StageArtifacts;

use crate::documents::content_access::{ListedArtifact, PermittedRun, not_processed};
use crate::{Content, OpsError};

/// Page images are cached under a stage name of their own, which no run has.
pub(crate) const PICTURES: StageName = StageName::constant("pictures");

/// The format of a document's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextForm {
    Plain,
    Markdown,
}

/// An artifact of the stage `layout`, by name.
pub(crate) fn find_artifact(read: &StageArtifacts, name: &str) -> Option<ListedArtifact> {
    ListedArtifact::of(read.artifacts.iter().find(|artifact| artifact.name() == name)?)
}

/// A page as a PNG.
#[derive(Clone, Debug)]
pub struct PageImage {
    /// The same for the same image, and for no other.
    pub tag: String,
    /// `None` when the caller has the image with this tag.
    pub bytes: Option<Bytes>,
}

impl Content {
    /// How many pages are rendered concurrently. The processes that read documents render pages too, so a list of images
    /// must not occupy all of them.
    pub(crate) const CONCURRENT_RENDERINGS: usize = 2;

    /// The widths of page images: few, because each image is stored.
    pub const PICTURE_WIDTHS: [u32; 4] = [320, 800, 1280, 2000];

    /// One page with its words, blocks, tables and key-values, and the number of pages.
    pub async fn read_page(
        &self,
        caller: &Caller,
        doc_id: DocId,
        number: u32,
    ) -> Result<(Page, u32), OpsError> {
        let run = self.permit_run(caller, ReadableObject::Page, doc_id, None).await?;
        let (pages, index, end) = self.page_index(&run).await?;
        let range = index.range_of(number, end).ok_or(OpsError::NotFound("page"))?;
        let page = artifact::parse_page(&fetch(&self.blobs, &run, &pages, range).await?);
        Ok((page.map_err(damaged)?, u32::try_from(index.count()).unwrap_or(u32::MAX)))
    }

    /// The first pages of a run, at most so many.
    pub(crate) async fn first_pages(
        &self,
        run: &PermittedRun,
        limit: usize,
    ) -> Result<Vec<Page>, OpsError> {
        let (artifact, index, end) = self.page_index(run).await?;
        let mut pages = Vec::new();
        for number in (1..).take(index.count().min(limit)) {
            let Some(range) = index.range_of(number, end) else { break };
            let page = artifact::parse_page(&fetch(&self.blobs, run, &artifact, range).await?);
            pages.push(page.map_err(damaged)?);
        }
        Ok(pages)
    }

    /// The pages of a run, with their positions and where these begin.
    async fn page_index(
        &self,
        run: &PermittedRun,
    ) -> Result<(ListedArtifact, PageIndex, u64), OpsError> {
        let pages =
            find_artifact(&self.read_as(run).await?, Artifact::PAGES).ok_or_else(not_processed)?;
        self.verify_pages(run, &pages).await?;
        let fetch = |range| fetch(&self.blobs, run, &pages, range);
        let size = run.read_range(&self.blobs, &pages, Some(0..0)).await?.size();
        let end = fetch(size.saturating_sub(artifact::END_LENGTH)..size).await?;
        let end = artifact::index_position(&end).map_err(damaged)?;
        let index = PageIndex::parse(&fetch(end..size).await?).map_err(damaged)?;
        Ok((pages, index, end))
    }

    /// The text of the whole document.
    pub async fn read_text(
        &self,
        caller: &Caller,
        object: ReadableObject,
        doc_id: DocId,
        form: TextForm,
    ) -> Result<BlobStream, OpsError> {
        let run = self.permit_run(caller, object, doc_id, None).await?;
        let name = match form {
            TextForm::Plain => Artifact::TEXT,
            TextForm::Markdown => Artifact::MARKDOWN,
        };
        let text = find_artifact(&self.read_as(&run).await?, name).ok_or_else(not_processed)?;
        run.read(&self.blobs, &text).await
    }

    /// Verifies the whole artifact against its hash from time to time, since single pages have no hash.
    async fn verify_pages(
        &self,
        run: &PermittedRun,
        pages: &ListedArtifact,
    ) -> Result<(), OpsError> {
        let key = pages.place.key();
        if !self.recently_checked.contains(&key, self.store.clock().as_ref()) {
            run.read_range(&self.blobs, pages, None).await?.read_through().await?;
            self.recently_checked.record(key, self.store.clock().as_ref());
        }
        Ok(())
    }

    /// A page as a PNG image of one of [`Content::PICTURE_WIDTHS`]. Rendered once, then stored. `has_tag` says whether the
    /// caller has the image with a tag.
    pub async fn render_page(
        &self,
        caller: &Caller,
        doc_id: DocId,
        number: u32,
        width: u32,
        has_tag: impl FnOnce(&str) -> bool,
    ) -> Result<PageImage, OpsError> {
        let run = self.permit_run(caller, ReadableObject::PageImage, doc_id, None).await?;
        if !Self::PICTURE_WIDTHS.contains(&width) {
            let widths = Self::PICTURE_WIDTHS.map(|width| width.to_string()).join(", ");
            return Err(OpsError::invalid("width", format!("width must be one of {widths}.")));
        }
        // A run's pages never change, nor do its masks.
        let tag = format!("{}-{number}-{width}", run.run_id.0.simple());
        if has_tag(&tag) {
            return Ok(PageImage { tag, bytes: None });
        }
        let read = self.read_as(&run).await?;
        let place = picture_place(&run, number, width)?;
        let picture = ListedArtifact { place, recorded: None };
        match run.read_range(&self.blobs, &picture, None).await {
            Ok(cached) => {
                let cached = collect(cached).await?;
                if is_intact_png(&cached) {
                    return Ok(PageImage { tag, bytes: Some(cached) });
                }
                tracing::warn!(key = picture.place.key(), "rendering a damaged page image again");
            }
            Err(OpsError::Blob(error)) if error.is_not_found() => {}
            Err(error) => return Err(error),
        }
        let rendered = self.render(&run, &read, number, width).await?;
        self.blobs.put_artifact(&picture.place, rendered.clone()).await?;
        Ok(PageImage { tag, bytes: Some(rendered) })
    }

    async fn render(
        &self,
        run: &PermittedRun,
        read: &StageArtifacts,
        number: u32,
        width: u32,
    ) -> Result<Bytes, OpsError> {
        let reader = self.reader.as_ref().ok_or_else(no_reader)?;
        let kind = FileKind::of_media_type(&run.media_type);
        let kind =
            kind.filter(|kind| has_page_images(*kind)).ok_or_else(|| OpsError::Conflict {
                code: "no_pictures",
                problem: format!("{} has no page images. Read its text instead.", run.file_name),
            })?;
        let closed = |error| OpsError::internal("waiting to render a page", error);
        let _permit = self.renderings.acquire().await.map_err(closed)?;
        let (checked, clock) = (&self.recently_checked, self.store.clock().as_ref());
        let original = run.original_to_render(&self.blobs, checked, clock).await?;
        let subject = Subject {
            kind,
            file_name: run.file_name.clone(),
            password: read.password.as_ref().map(|password| password.reveal().to_owned()),
            limits: Limits::default(),
        };
        let wanted = PictureOf { page: number, width, masks: masks_of(&read.masks) };
        let rendered = reader.picture(run.scope.tenant_id(), &subject, &original, wanted).await;
        Ok(Bytes::from(rendered.map_err(rendering_failed)?.bytes))
    }

    /// The output of the stage `layout`, which has the pages.
    pub(crate) async fn read_as(&self, run: &PermittedRun) -> Result<StageArtifacts, OpsError> {
        let mut tx = self.store.read(&run.scope).await?;
        let found = tx.stage_artifacts(run.run_id, &StageName::LAYOUT).await?;
        tx.commit().await?;
        found.ok_or_else(not_processed)
    }
}

pub(crate) fn no_reader() -> OpsError {
    OpsError::Conflict {
        code: "no_reader",
        problem: "This server cannot render pages. Ask another server.".to_owned(),
    }
}

pub(crate) fn has_page_images(kind: FileKind) -> bool {
    matches!(kind, FileKind::Pdf | FileKind::Png | FileKind::Jpg | FileKind::Tiff)
}

fn picture_place(run: &PermittedRun, number: u32, width: u32) -> Result<ArtifactPlace, OpsError> {
    let name = format!("page-{number}-{width}.png").parse();
    let name = name.map_err(|error| OpsError::internal("naming a picture", error))?;
    let (tenant, doc, run) = (run.scope.tenant_id(), run.doc_id, run.run_id);
    Ok(ArtifactPlace { tenant, doc, run, stage: PICTURES, name })
}

async fn fetch(
    blobs: &Blobs,
    run: &PermittedRun,
    pages: &ListedArtifact,
    range: Range<u64>,
) -> Result<Bytes, OpsError> {
    Ok(collect(run.read_range(blobs, pages, Some(range)).await?).await?)
}

/// Whether each chunk of a PNG has its checksum. No hash is recorded for page images, because no stage lists them.
fn is_intact_png(bytes: &[u8]) -> bool {
    let Some(mut rest) = bytes.strip_prefix(b"\x89PNG\r\n\x1a\n") else { return false };
    while let Some((length, more)) = rest.split_first_chunk::<4>() {
        let length = u32::from_be_bytes(*length) as usize;
        let Some((chunk, more)) = more.split_at_checked(length.saturating_add(4)) else {
            return false;
        };
        let Some((checksum, more)) = more.split_first_chunk::<4>() else { return false };
        if crc32fast::hash(chunk) != u32::from_be_bytes(*checksum) {
            return false;
        }
        if chunk.starts_with(b"IEND") {
            return more.is_empty();
        }
        rest = more;
    }
    false
}

async fn collect(stream: BlobStream) -> Result<Bytes, blob::BlobError> {
    let mut bytes = BytesMut::new();
    let mut stream = stream;
    while let Some(piece) = stream.try_next().await? {
        bytes.extend_from_slice(&piece);
    }
    Ok(bytes.freeze())
}

fn damaged(error: ArtifactError) -> OpsError {
    OpsError::internal("reading the pages", error)
}

pub(crate) fn rendering_failed(failure: ReadFailure) -> OpsError {
    match failure {
        ReadFailure::Child(ChildFailure::Unprotected { .. }) => {
            sandbox_missing(&failure, failure.advice())
        }
        ReadFailure::Child(ChildFailure::NotStarted { .. }) => {
            OpsError::internal("starting a reader", failure)
        }
        other => OpsError::Conflict {
            code: "cannot_be_drawn",
            problem: format!("{other}. {}", other.advice()),
        },
    }
}

pub(crate) fn sandbox_missing(failure: &dyn fmt::Display, advice: &str) -> OpsError {
    OpsError::Conflict {
        code: "sandbox_missing",
        problem: format!("{failure}. Ask an administrator: {advice}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One grey pixel.
    const PNG: &[u8] = &[
        0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', 0, 0, 0, 13, b'I', b'H', b'D', b'R', 0,
        0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0, 0x3a, 0x7e, 0x9b, 0x55, 0, 0, 0, 0, b'I', b'E', b'N',
        b'D', 0xae, 0x42, 0x60, 0x82,
    ];

    #[test]
    fn a_truncated_or_changed_png_is_detected() {
        assert!(is_intact_png(PNG));
        for cut in 0..PNG.len() {
            assert!(!is_intact_png(&PNG[..cut]), "{cut} bytes of it");
        }
        for at in 0..PNG.len() {
            let mut changed = PNG.to_vec();
            changed[at] ^= 1;
            assert!(!is_intact_png(&changed), "the byte {at} of it");
        }
    }
}
