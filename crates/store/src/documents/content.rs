//! What decides who may read what of a document. The decision itself is made in `ops`.

use std::str::FromStr;

use domain::{ContentHash, DocId, FileKind, MaskRule, RunId, TenantRules};
use sqlx::FromRow;
use sqlx::types::Json;
use uuid::Uuid;

use super::blobs::content_hash;
use crate::{StoreError, Tx, sql};

/// A document that the scope may see, and one run of it.
#[derive(Clone, Debug)]
pub struct ContentFacts {
    pub doc_id: DocId,
    /// As the scope's owner calls it.
    pub file_name: String,
    pub media_type: String,
    pub masking: Masking,
    /// What the tenant's administrators decided.
    pub rules: TenantRules,
    /// The run that was asked for; the one that is served when none was.
    pub run: Option<RunFacts>,
}

/// What decides which masks hold for a file.
#[derive(Clone, Debug)]
pub struct Masking {
    pub kind: FileKind,
    /// Every name that the content was seen under.
    pub file_names: Vec<String>,
    /// The masks of the run that is served.
    pub applied: Vec<MaskRule>,
}

/// A file whose bytes the original of another document holds.
#[derive(Clone, Debug)]
pub struct ContainedFile {
    pub masking: Masking,
    pub is_deleted: bool,
}

/// One run, as far as it matters for who may read what it left.
#[derive(Clone, Debug)]
pub struct RunFacts {
    pub run_id: RunId,
    pub standing: RunStanding,
    /// The masks that it was made with.
    pub masks: Vec<MaskRule>,
    /// `None` when the original is gone.
    pub content: Option<ContentHash>,
    /// False when the scope is that of an owner who has not shown the password that the run needed.
    pub knows_password: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunStanding {
    /// The active version is its work.
    Active,
    /// The latest one of a document without an active version.
    Latest,
    Older,
}

#[derive(FromRow)]
struct FactsRow {
    doc_id: Uuid,
    file_name: String,
    media_type: String,
    kind: String,
    file_names: Vec<String>,
    rules: Json<TenantRules>,
    run_id: Option<Uuid>,
    content_sha256: Option<Vec<u8>>,
    run_masks: Json<Vec<MaskRule>>,
    served_masks: Json<Vec<MaskRule>>,
    is_active: Option<bool>,
    is_latest: Option<bool>,
    knows_password: bool,
}

impl TryFrom<FactsRow> for ContentFacts {
    type Error = StoreError;

    fn try_from(row: FactsRow) -> Result<Self, StoreError> {
        let standing = match (row.is_active, row.is_latest) {
            (Some(true), _) => RunStanding::Active,
            (_, Some(true)) => RunStanding::Latest,
            _ => RunStanding::Older,
        };
        let content = row.content_sha256.as_deref().map(content_hash).transpose()?;
        let run = row.run_id.map(|run_id| RunFacts {
            run_id: RunId(run_id),
            standing,
            masks: row.run_masks.0,
            content,
            knows_password: row.knows_password,
        });
        Ok(Self {
            doc_id: DocId(row.doc_id),
            file_name: row.file_name,
            media_type: row.media_type,
            masking: Masking {
                kind: parse_kind(&row.kind)?,
                file_names: row.file_names,
                applied: row.served_masks.0,
            },
            rules: row.rules.0,
            run,
        })
    }
}

fn parse_kind(kind: &str) -> Result<FileKind, StoreError> {
    FileKind::from_str(kind)
        .map_err(|_| StoreError::NotUnderstood { what: "kind of file", value: kind.to_owned() })
}

impl Tx {
    /// Of these documents those that the scope may see, each with the run that is named or, where none is,
    /// the one that is served; in no order.
    pub async fn content_facts(
        &mut self,
        wanted: &[(DocId, Option<RunId>)],
    ) -> Result<Vec<ContentFacts>, StoreError> {
        let owner = self.owner();
        let (documents, runs): (Vec<Uuid>, Vec<Option<Uuid>>) =
            wanted.iter().map(|(doc_id, run_id)| (doc_id.0, run_id.map(|id| id.0))).unzip();
        let rows: Vec<FactsRow> = sqlx::query_as(sql!("content/facts"))
            .bind(self.tenant_id().0)
            .bind(documents)
            .bind(runs)
            .bind(owner)
            .fetch_all(self.connection())
            .await?;
        rows.into_iter().map(ContentFacts::try_from).collect()
    }

    /// The files that came within a document, at any depth.
    pub async fn contained_files(
        &mut self,
        doc_id: DocId,
    ) -> Result<Vec<ContainedFile>, StoreError> {
        type Row = (String, Vec<String>, Json<Vec<MaskRule>>, bool);
        let rows: Vec<Row> = sqlx::query_as(sql!("content/within"))
            .bind(self.tenant_id().0)
            .bind(doc_id.0)
            .fetch_all(self.connection())
            .await?;
        rows.into_iter()
            .map(|(kind, file_names, Json(applied), is_deleted)| {
                let masking = Masking { kind: parse_kind(&kind)?, file_names, applied };
                Ok(ContainedFile { masking, is_deleted })
            })
            .collect()
    }
}
