//! Page views: documents without pages of their own, rendered as HTML (`reading::formats::view`).
//!
//! A view shows the original without masks, so it needs what the original needs. A browser shows it in a frame, which
//! cannot send a credential: a view is read by a link of its own, which lasts minutes and does not download anything.
//!
//! Views are rendered for each request and not stored: the browser caches them by tag, and an improved
//! renderer takes effect immediately.

use std::time::Duration;

use blob::links::{Link, LinkError};
use bytes::Bytes;
use domain::{Action, Caller, DocId, FileKind, ReadableObject, TraceContext};
use reading::Limits;
use reading::formats::view;
use reading::pool::Subject;

use crate::documents::content_access::PermittedOriginal;
use crate::documents::links::SignedLink;
use crate::documents::read_pages::{no_reader, rendering_failed};
use crate::{Content, OpsError};

/// A request for a page view by its link.
#[derive(Debug)]
pub struct PageViewRequest {
    pub trace: TraceContext,
    /// Tags of views that the browser has.
    pub known_tags: Vec<String>,
}

/// A page view, or that the browser has it already.
#[derive(Debug)]
pub struct RenderedView {
    /// Changes with the content and with the renderer.
    pub tag: String,
    /// `None` when the request names the tag.
    pub html: Option<Bytes>,
}

impl Content {
    const VIEW_LINK_LASTS: Duration = Duration::from_mins(10);

    /// A link to the page view of a document.
    pub async fn link_to_page_view(
        &self,
        caller: &Caller,
        doc_id: DocId,
    ) -> Result<SignedLink, OpsError> {
        let scope = caller.permit(Action::SeeDocuments)?;
        let mut tx = self.store.read(&scope).await?;
        let original =
            self.permit_original(&mut tx, caller, ReadableObject::PageView, doc_id).await?;
        tx.commit().await?;
        kind_of(&original)?;
        let expires_at = self.store.clock().now() + Self::VIEW_LINK_LASTS;
        let (tenant, creator) = (scope.tenant_id(), scope.actor());
        let link = Link { tenant, doc_id, creator, expires_at };
        let token = self.link_key.for_page_views().sign(&link);
        Ok(SignedLink { token, file_name: original.file_name, expires_at })
    }

    /// The view that a link leads to, as long as its creator may read the original.
    pub async fn render_page_view(
        &self,
        token: &str,
        request: PageViewRequest,
    ) -> Result<RenderedView, OpsError> {
        let opened = self.link_key.for_page_views().open(token, self.store.clock().now());
        let link = opened.map_err(|error| match error {
            LinkError::Expired => OpsError::LinkExpired,
            LinkError::Forged => OpsError::NotFound("link"),
        })?;
        let creator = self.creator_of(&link, request.trace).await?.ok_or(OpsError::LinkRevoked)?;
        let scope = creator.permit(Action::SeeDocuments).map_err(|_| OpsError::LinkRevoked)?;
        let mut tx = self.store.read(&scope).await?;
        let permitted =
            self.permit_original(&mut tx, &creator, ReadableObject::PageView, link.doc_id).await;
        tx.commit().await?;
        let original = permitted.map_err(|error| match error {
            OpsError::Withheld { .. } => OpsError::LinkRevoked,
            other => other,
        })?;
        let kind = kind_of(&original)?;
        let tag = format!("{}-{}-{}", original.content, kind.as_str(), view::VERSION);
        if request.known_tags.contains(&tag) {
            return Ok(RenderedView { tag, html: None });
        }
        let reader = self.reader.as_ref().ok_or_else(no_reader)?;
        let (checked, clock) = (&self.recently_checked, self.store.clock().as_ref());
        let document = original.open(&self.blobs, checked, clock).await?;
        let subject = Subject {
            kind,
            file_name: original.file_name.clone(),
            password: None,
            limits: Limits::default(),
        };
        let rendered = reader.view(original.tenant(), &subject, &document).await;
        let html = Bytes::from(rendered.map_err(rendering_failed)?);
        Ok(RenderedView { tag, html: Some(html) })
    }
}

fn kind_of(original: &PermittedOriginal) -> Result<FileKind, OpsError> {
    let kind = FileKind::of_media_type(&original.media_type);
    kind.filter(|kind| view::has_page_view(*kind)).ok_or_else(|| OpsError::Conflict {
        code: "no_page_view",
        problem: format!(
            "{} has no page view; Word, Excel, PowerPoint, HTML and mail files have one",
            original.file_name
        ),
    })
}
