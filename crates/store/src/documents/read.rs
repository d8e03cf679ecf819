//! Reads documents, and changes their tags and status.

use chrono::{DateTime, Utc};
use domain::{
    Artifact, AuditAction, AuditEntry, ContentHash, DocId, DocumentStatus, Entity, Event, MaskRule,
    RunId, Secret, StageName,
};
use serde_json::json;
use sqlx::FromRow;
use sqlx::types::Json;
use uuid::Uuid;

use super::blobs::content_hash;
use crate::{AcrossTenants, StoreError, Tx, Window, sql};

/// The artifacts of a stage of a run, with the masks and the password of the run.
#[derive(Clone, Debug)]
pub struct StageArtifacts {
    pub artifacts: Vec<Artifact>,
    pub masks: Vec<MaskRule>,
    pub password: Option<Secret>,
}

/// A document that contains this one, or that this one contains.
#[derive(Clone, Debug, FromRow)]
pub struct PartRecord {
    #[sqlx(try_from = "Uuid")]
    pub doc_id: DocId,
    /// Its file name in the containing document.
    pub name: String,
    pub title: String,
    #[sqlx(try_from = "String")]
    pub status: DocumentStatus,
    /// This document contains it; otherwise it contains this document.
    pub is_within: bool,
}

/// A document, with its active version if it has one. Where the scope is limited to an owner, title, file name, source,
/// tags and creation time are the owner's.
#[derive(Clone, Debug, FromRow)]
pub struct DocumentRecord {
    #[sqlx(try_from = "Uuid")]
    pub doc_id: DocId,
    pub file_kind: String,
    pub source_uri: String,
    pub title: String,
    pub source: String,
    pub filename: String,
    pub mime: String,
    pub bytes_len: i64,
    /// The pages of the active version, once a run has counted them.
    pub pages: Option<i32>,
    #[sqlx(try_from = "String")]
    pub status: DocumentStatus,
    pub error: Option<String>,
    /// The failure code.
    pub error_code: Option<String>,
    pub revision: i32,
    pub tags: Vec<String>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    pub doc_version_id: Option<Uuid>,
    pub version_label: Option<String>,
    pub content_hash: Option<String>,
    /// The active version has chunks.
    pub is_searchable: bool,
    /// The caller is an owner who has not presented the document's password, and may not read its content.
    pub content_locked: bool,
    /// The active version was read with masks.
    pub is_masked: bool,
}

#[derive(Clone, Debug, FromRow)]
pub struct VersionRecord {
    pub doc_version_id: Uuid,
    #[sqlx(try_from = "Uuid")]
    pub run_id: RunId,
    pub version_label: String,
    pub content_hash: String,
    pub is_active: bool,
    pub is_searchable: bool,
    pub created_at: DateTime<Utc>,
    pub deactivated_at: Option<DateTime<Utc>>,
}

impl Tx {
    /// Documents that never had a version.
    pub async fn list_orphans(
        &mut self,
        window: &Window,
    ) -> Result<Vec<DocumentRecord>, StoreError> {
        Ok(sqlx::query_as(sql!("documents/orphans"))
            .bind(self.tenant_id().0)
            .bind(window.moment())
            .bind(window.id())
            .bind(window.skip)
            .bind(window.limit)
            .fetch_all(self.connection())
            .await?)
    }

    pub async fn find_document(
        &mut self,
        doc_id: DocId,
    ) -> Result<Option<DocumentRecord>, StoreError> {
        let owner = self.owner();
        Ok(sqlx::query_as(sql!("documents/find"))
            .bind(self.tenant_id().0)
            .bind(doc_id.0)
            .bind(owner)
            .fetch_optional(self.connection())
            .await?)
    }

    /// The document with this identity, if the scope may see it.
    pub async fn find_by_identity(
        &mut self,
        source_uri: &str,
    ) -> Result<Option<DocId>, StoreError> {
        let (tenant_id, owner) = (self.tenant_id().0, self.owner());
        let found: Option<Uuid> = sqlx::query_scalar(sql!("documents/find_by_identity"))
            .bind(tenant_id)
            .bind(source_uri)
            .bind(owner)
            .fetch_optional(self.connection())
            .await?;
        Ok(found.map(DocId))
    }

    /// Newest first.
    pub async fn list_versions(&mut self, doc_id: DocId) -> Result<Vec<VersionRecord>, StoreError> {
        Ok(sqlx::query_as(sql!("documents/versions"))
            .bind(self.tenant_id().0)
            .bind(doc_id.0)
            .fetch_all(self.connection())
            .await?)
    }

    pub async fn count_documents(&mut self) -> Result<Vec<(DocumentStatus, i64)>, StoreError> {
        let tenant_id = self.tenant_id().0;
        let counts: Vec<(String, i64)> = match self.owner() {
            Some(owner) => {
                sqlx::query_as(sql!("documents/count_by_status_of_owner"))
                    .bind(tenant_id)
                    .bind(owner)
                    .fetch_all(self.connection())
                    .await?
            }
            None => {
                sqlx::query_as(sql!("documents/count_by_status"))
                    .bind(tenant_id)
                    .fetch_all(self.connection())
                    .await?
            }
        };
        let counted = |(status, count): (String, i64)| Ok((status.parse()?, count));
        counts.into_iter().map(counted).collect()
    }

    /// The current content of the document; `None` when its original was deleted.
    pub async fn original_of(&mut self, doc_id: DocId) -> Result<Option<ContentHash>, StoreError> {
        let hash: Option<Vec<u8>> = sqlx::query_scalar(sql!("documents/original"))
            .bind(self.tenant_id().0)
            .bind(doc_id.0)
            .fetch_one(self.connection())
            .await?;
        hash.as_deref().map(content_hash).transpose()
    }

    /// The artifacts of a stage of a run. The caller checks the access before ([`Tx::content_facts`]).
    pub async fn stage_artifacts(
        &mut self,
        run_id: RunId,
        stage: &StageName,
    ) -> Result<Option<StageArtifacts>, StoreError> {
        type Row = (Json<Vec<Artifact>>, Json<Vec<MaskRule>>, Option<Vec<u8>>);
        let found: Option<Row> = sqlx::query_as(sql!("documents/stage_artifacts"))
            .bind(self.tenant_id().0)
            .bind(run_id.0)
            .bind(stage.as_str())
            .fetch_optional(self.connection())
            .await?;
        Ok(found.map(|(Json(artifacts), Json(masks), sealed)| StageArtifacts {
            artifacts,
            masks,
            password: self.opened_password(run_id, sealed.as_deref()),
        }))
    }

    /// The documents that this one contains and that contain it, as far as the scope may see them.
    pub async fn list_parts(&mut self, doc_id: DocId) -> Result<Vec<PartRecord>, StoreError> {
        let owner = self.owner();
        Ok(sqlx::query_as(sql!("parts/of_document"))
            .bind(self.tenant_id().0)
            .bind(doc_id.0)
            .bind(owner)
            .fetch_all(self.connection())
            .await?)
    }

    /// Records that a document is contained in another one. The owners of that one become its owners too.
    pub async fn add_part(
        &mut self,
        parent: DocId,
        doc_id: DocId,
        name: &str,
    ) -> Result<(), StoreError> {
        let owners: Vec<String> = sqlx::query_scalar(sql!("parts/add"))
            .bind(self.tenant_id().0)
            .bind(parent.0)
            .bind(doc_id.0)
            .bind(name)
            .bind(self.now())
            .fetch_all(self.connection())
            .await?;
        if owners.is_empty() {
            return Ok(());
        }
        self.append_audit(AuditEntry {
            action: AuditAction::OwnerAdded,
            entity: Entity::Document(doc_id),
            detail: json!({ "owners": owners, "within": parent }),
        })
        .await
    }

    /// Replaces the tags of a document; `false` when the document does not exist.
    pub async fn set_tags(&mut self, doc_id: DocId, tags: &[String]) -> Result<bool, StoreError> {
        let changed = sqlx::query(sql!("documents/set_tags"))
            .bind(self.tenant_id().0)
            .bind(doc_id.0)
            .bind(tags)
            .bind(self.now())
            .execute(self.connection())
            .await?;
        Ok(changed.rows_affected() > 0)
    }

    /// Replaces the title of a document, for everyone or, in a scope that sees only the caller's own documents, for the
    /// caller alone; `false` when the scope sees no such document.
    pub async fn rename_document(
        &mut self,
        doc_id: DocId,
        title: &str,
    ) -> Result<bool, StoreError> {
        let owner = self.owner();
        let is_renamed: bool = sqlx::query_scalar(sql!("documents/rename"))
            .bind(self.tenant_id().0)
            .bind(doc_id.0)
            .bind(title)
            .bind(self.now())
            .bind(&owner)
            .fetch_one(self.connection())
            .await?;
        if is_renamed {
            let title = title.to_owned();
            self.append_event(Event::DocumentRenamed { doc_id, title, owner }).await?;
        }
        Ok(is_renamed)
    }

    /// Withdraws a document; `false` when it has no active version.
    pub async fn deactivate_document(&mut self, doc_id: DocId) -> Result<bool, StoreError> {
        self.change_document(sql!("documents/deactivate"), doc_id).await
    }

    /// Deletes a document; `false` when it was deleted before.
    pub async fn delete_document(&mut self, doc_id: DocId) -> Result<bool, StoreError> {
        self.change_document(sql!("documents/delete"), doc_id).await
    }

    async fn change_document(
        &mut self,
        statement: &'static str,
        doc_id: DocId,
    ) -> Result<bool, StoreError> {
        // Lock the document in a statement of its own, as an activation does. The next statement then sees a version that
        // was activated meanwhile.
        sqlx::query("SELECT FROM documents WHERE tenant_id = $1 AND doc_id = $2 FOR NO KEY UPDATE")
            .bind(self.tenant_id().0)
            .bind(doc_id.0)
            .execute(self.connection())
            .await?;
        let changed = sqlx::query(statement)
            .bind(self.tenant_id().0)
            .bind(doc_id.0)
            .bind(self.now())
            .execute(self.connection())
            .await?;
        if changed.rows_affected() == 0 {
            return Ok(false);
        }
        // Its dead jobs need no attention any more.
        self.publish_dead_jobs_changed().await?;
        Ok(true)
    }

    /// The owner to whose documents the scope is limited.
    pub(crate) fn owner(&self) -> Option<String> {
        self.scope().only_own().map(|actor| actor.to_string())
    }
}

impl AcrossTenants {
    /// Records how many pages and bytes the documents have whose active version belongs to these runs.
    pub(crate) async fn describe_served(&mut self, runs: &[Uuid]) -> Result<(), StoreError> {
        if !runs.is_empty() {
            sqlx::query(sql!("documents/describe_served"))
                .bind(runs)
                .execute(self.connection())
                .await?;
        }
        Ok(())
    }
}
