//! Links to originals.
//!
//! A link is a signed token of Docket's, whichever store has the original. Each use checks again whether the link's
//! creator is active and may still read the original, so deletions, masks and role changes take effect at once.

use std::net::IpAddr;
use std::ops::Range;
use std::time::Duration;

use blob::BlobStream;
use blob::links::{Link, LinkError};
use chrono::{DateTime, Utc};
use domain::{
    Action, Actor, ApiKey, AuditAction, AuditEntry, Caller, ContentHash, DocId, Entity,
    ReadableObject, TenantId, TraceContext,
};
use serde_json::json;
use url::Url;

use crate::documents::content_access::PermittedOriginal;
use crate::documents::recent_reads::OriginalRead;
use crate::{Content, OpsError};

/// A link that works without a credential until it expires or is revoked.
#[derive(Clone, Debug)]
pub struct SignedLink {
    pub token: String,
    pub file_name: String,
    pub expires_at: DateTime<Utc>,
}

/// A request that follows a link.
#[derive(Clone, Debug)]
pub struct LinkRequest {
    pub range: Option<Range<u64>>,
    /// `false` for a HEAD request.
    pub wants_bytes: bool,
    pub client: IpAddr,
    pub trace: TraceContext,
    /// Builds the `Content-Disposition` header that the object store must send.
    pub content_disposition: fn(file_name: &str) -> String,
}

/// How to deliver the original.
#[derive(Debug)]
pub enum LinkTarget {
    Stream(OriginalDownload),
    /// A presigned URL of the object store that is valid for a minute.
    Redirect(Url),
}

#[derive(Debug)]
pub struct OriginalDownload {
    pub file_name: String,
    pub media_type: String,
    pub content: ContentHash,
    pub bytes: BlobStream,
}

impl Content {
    pub const MAX_LINK_HOURS: u8 = 24;
    /// A presigned URL cannot be revoked, so it is valid only as long as a redirect takes.
    const MAX_REDIRECT_AGE: Duration = Duration::from_mins(1);

    /// Creates a link to a document's original that is valid for 1 to 24 hours.
    pub async fn create_link(
        &self,
        caller: &Caller,
        doc_id: DocId,
        hours: u8,
    ) -> Result<SignedLink, OpsError> {
        let scope = caller.permit(Action::SeeDocuments)?;
        if !(1..=Self::MAX_LINK_HOURS).contains(&hours) {
            return Err(OpsError::invalid("expires_in_hours", "expires_in_hours must be 1 to 24."));
        }
        let mut tx = self.store.begin(&scope).await?;
        let original =
            self.permit_original(&mut tx, caller, ReadableObject::Original, doc_id).await?;
        let expires_at = self.store.clock().now() + Duration::from_secs(u64::from(hours) * 3600);
        tx.append_audit(AuditEntry {
            action: AuditAction::OriginalLinkCreated,
            entity: Entity::Document(doc_id),
            detail: json!({ "expires_at": expires_at }),
        })
        .await?;
        tx.commit().await?;
        let (tenant, creator) = (scope.tenant_id(), scope.actor());
        let token = self.link_key.sign(&Link { tenant, doc_id, creator, expires_at });
        Ok(SignedLink { token, file_name: original.file_name, expires_at })
    }

    /// Resolves a link, if its creator may still read the original.
    pub async fn follow_link(
        &self,
        token: &str,
        request: LinkRequest,
    ) -> Result<LinkTarget, OpsError> {
        let now = self.store.clock().now();
        let link = self.link_key.open(token, now).map_err(|error| match error {
            LinkError::Expired => OpsError::LinkExpired,
            LinkError::Forged => OpsError::NotFound("link"),
        })?;
        let creator = self.creator_of(&link, request.trace).await?.ok_or(OpsError::LinkRevoked)?;
        let original = self.read_by_link(&creator, &link, &request).await?;
        let remaining = (link.expires_at - now).to_std().unwrap_or_default();
        let expires_in = remaining.min(Self::MAX_REDIRECT_AGE);
        let header = (request.content_disposition)(&original.file_name);
        if let Some(address) = original.presigned_url(&self.blobs, expires_in, &header).await? {
            return Ok(LinkTarget::Redirect(address));
        }
        let bytes = original.read(&self.blobs, request.range).await?;
        let PermittedOriginal { file_name, media_type, content, .. } = original;
        Ok(LinkTarget::Stream(OriginalDownload { file_name, media_type, content, bytes }))
    }

    /// Checks access and writes the audit row, before any byte is read.
    async fn read_by_link(
        &self,
        creator: &Caller,
        link: &Link,
        request: &LinkRequest,
    ) -> Result<PermittedOriginal, OpsError> {
        let scope = creator.permit(Action::SeeDocuments).map_err(|_| OpsError::LinkRevoked)?;
        let mut tx = self.store.begin(&scope).await?;
        let permitted = self.permit_original(&mut tx, creator, ReadableObject::Link, link.doc_id);
        let original = permitted.await.map_err(|error| match error {
            OpsError::Withheld { .. } => OpsError::LinkRevoked,
            other => other,
        })?;
        let read = OriginalRead { link: link.clone(), client: request.client };
        if request.wants_bytes && self.recent_reads.is_new(&read, self.store.clock().as_ref()) {
            tx.append_audit(AuditEntry {
                action: AuditAction::OriginalRead,
                entity: Entity::Document(link.doc_id),
                detail: json!({ "client": request.client, "link_expires_at": link.expires_at }),
            })
            .await?;
            tx.commit().await?;
            self.recent_reads.record(read, self.store.clock().as_ref());
        } else {
            tx.commit().await?;
        }
        Ok(original)
    }

    /// The link's creator with their current role; `None` if they are no longer active.
    pub(crate) async fn creator_of(
        &self,
        link: &Link,
        trace: TraceContext,
    ) -> Result<Option<Caller>, OpsError> {
        let found = self.active_caller(link.tenant, link.creator).await?;
        Ok(found.map(|caller| Caller { trace: Some(trace), ..caller }))
    }

    /// An active user or API key with their current role.
    async fn active_caller(
        &self,
        tenant_id: TenantId,
        actor: Actor,
    ) -> Result<Option<Caller>, OpsError> {
        let scope = Caller::system(tenant_id).permit(Action::ManageUsers)?;
        let mut tx = self.store.read(&scope).await?;
        let found = match actor {
            Actor::User(user_id) => {
                let user = tx.find_user(user_id).await?.filter(domain::User::is_active);
                user.map(|user| Caller::of_user(&user))
            }
            Actor::ApiKey(api_key_id) => {
                let key = tx.find_api_key(api_key_id).await?;
                let now = self.store.clock().now();
                let is_unexpired = |key: &ApiKey| key.expires_at.is_none_or(|end| now < end);
                let key = key.filter(|key| key.is_valid() && is_unexpired(key));
                key.map(|key| Caller {
                    actor,
                    role: key.role,
                    name: key.name,
                    ..Caller::system(tenant_id)
                })
            }
            Actor::System => None,
        };
        tx.commit().await?;
        Ok(found)
    }
}
