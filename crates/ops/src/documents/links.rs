//! Links to originals.
//!
//! A link is a token of ours, whatever store holds the original. Following it asks anew whether its creator is
//! still active and may still read the original: what was deleted, masked or forbidden since is not handed out.

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
use crate::documents::recent_reads::Read;
use crate::{Content, OpsError};

/// A link that whoever has it can follow, until it expires or is revoked.
#[derive(Clone, Debug)]
pub struct SignedLink {
    pub token: String,
    pub file_name: String,
    pub expires_at: DateTime<Utc>,
}

/// A request that follows a link.
#[derive(Clone, Debug)]
pub struct LinkVisit {
    pub range: Option<Range<u64>>,
    /// Whether bytes are sent; a HEAD request asks only about them.
    pub wants_bytes: bool,
    pub client: IpAddr,
    pub trace: TraceContext,
    /// The header that tells a browser to save a file of this name. The object store sends it in our stead.
    pub content_disposition: fn(file_name: &str) -> String,
}

/// Where a link leads.
#[derive(Debug)]
pub enum Followed {
    Here(FoundOriginal),
    /// To the object store, for a minute.
    Elsewhere(Url),
}

#[derive(Debug)]
pub struct FoundOriginal {
    pub file_name: String,
    pub media_type: String,
    pub content: ContentHash,
    pub bytes: BlobStream,
}

impl Content {
    pub const LONGEST_LINK_HOURS: u8 = 24;
    /// An address of the object store cannot be revoked: it lasts only as long as a redirect takes.
    const LONGEST_REDIRECT: Duration = Duration::from_mins(1);

    /// A link to a document's original, good for 1 to 24 hours.
    pub async fn create_link(
        &self,
        caller: &Caller,
        doc_id: DocId,
        hours: u8,
    ) -> Result<SignedLink, OpsError> {
        let scope = caller.permit(Action::SeeDocuments)?;
        if !(1..=Self::LONGEST_LINK_HOURS).contains(&hours) {
            return Err(OpsError::invalid("expires_in_hours", "a link lasts 1 to 24 hours"));
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

    /// What a link leads to, as long as its creator may read it.
    pub async fn follow_link(&self, token: &str, visit: LinkVisit) -> Result<Followed, OpsError> {
        let now = self.store.clock().now();
        let link = self.link_key.open(token, now).map_err(|error| match error {
            LinkError::Expired => OpsError::LinkExpired,
            LinkError::Forged => OpsError::NotFound("link"),
        })?;
        let creator = self.creator_of(&link, visit.trace).await?.ok_or(OpsError::LinkRevoked)?;
        let original = self.read_by_link(&creator, &link, &visit).await?;
        let remaining = (link.expires_at - now).to_std().unwrap_or_default();
        let expires_in = remaining.min(Self::LONGEST_REDIRECT);
        let header = (visit.content_disposition)(&original.file_name);
        if let Some(address) = original.address(&self.blobs, expires_in, &header).await? {
            return Ok(Followed::Elsewhere(address));
        }
        let bytes = original.read(&self.blobs, visit.range).await?;
        let PermittedOriginal { file_name, media_type, content, .. } = original;
        Ok(Followed::Here(FoundOriginal { file_name, media_type, content, bytes }))
    }

    /// Decides, and writes the audit row of the read, before any byte is read.
    async fn read_by_link(
        &self,
        creator: &Caller,
        link: &Link,
        visit: &LinkVisit,
    ) -> Result<PermittedOriginal, OpsError> {
        let scope = creator.permit(Action::SeeDocuments).map_err(|_| OpsError::LinkRevoked)?;
        let mut tx = self.store.begin(&scope).await?;
        let permitted = self.permit_original(&mut tx, creator, ReadableObject::Link, link.doc_id);
        let original = permitted.await.map_err(|error| match error {
            OpsError::Withheld { .. } => OpsError::LinkRevoked,
            other => other,
        })?;
        let read = Read { link: link.clone(), client: visit.client };
        if visit.wants_bytes && self.recent_reads.is_new(&read, self.store.clock().as_ref()) {
            tx.append_audit(AuditEntry {
                action: AuditAction::OriginalRead,
                entity: Entity::Document(link.doc_id),
                detail: json!({ "client": visit.client, "link_expires_at": link.expires_at }),
            })
            .await?;
            tx.commit().await?;
            self.recent_reads.note(read, self.store.clock().as_ref());
        } else {
            tx.commit().await?;
        }
        Ok(original)
    }

    /// Who made a link, with the role they have now; `None` when they are not active any more.
    pub(crate) async fn creator_of(
        &self,
        link: &Link,
        trace: TraceContext,
    ) -> Result<Option<Caller>, OpsError> {
        let found = self.active_caller(link.tenant, link.creator).await?;
        Ok(found.map(|caller| Caller { trace: Some(trace), ..caller }))
    }

    /// A user or a key as they are now.
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
                let lasts = |key: &ApiKey| key.expires_at.is_none_or(|end| now < end);
                let key = key.filter(|key| key.is_valid() && lasts(key));
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
