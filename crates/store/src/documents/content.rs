//! The facts that decide who may read which content of a document. `ops` makes the decision.

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
    /// The owner's file name, where the scope is limited to an owner.
    pub file_name: String,
    pub media_type: String,
    pub masking: Masking,
    /// The tenant's rules.
    pub rules: TenantRules,
    /// The requested run; the run of the active version when none was requested.
    pub run: Option<RunFacts>,
}

/// What decides which masks apply to a file.
#[derive(Clone, Debug)]
pub struct Masking {
    pub kind: FileKind,
    /// Every file name under which the content was submitted.
    pub file_names: Vec<String>,
    /// The masks of the active version's run.
    pub applied: Vec<MaskRule>,
}

/// A file that the original of another document contains.
#[derive(Clone, Debug)]
pub struct ContainedFile {
    pub masking: Masking,
    pub is_deleted: bool,
}

/// The facts of a run that decide who may read its artifacts.
#[derive(Clone, Debug)]
pub struct RunFacts {
    pub run_id: RunId,
    pub rank: RunRank,
    /// The masks that it applied.
    pub masks: Vec<MaskRule>,
    /// `None` when the original was deleted.
    pub content: Option<ContentHash>,
    /// False when the scope is limited to an owner who has not presented the password of the run.
    pub knows_password: bool,
}

/// The rank of a run among the runs of its document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunRank {
    /// The run of the active version.
    Active,
    /// The latest run of a document without an active version.
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
        let rank = match (row.is_active, row.is_latest) {
            (Some(true), _) => RunRank::Active,
            (_, Some(true)) => RunRank::Latest,
            _ => RunRank::Older,
        };
        let content = row.content_sha256.as_deref().map(content_hash).transpose()?;
        let run = row.run_id.map(|run_id| RunFacts {
            run_id: RunId(run_id),
            rank,
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
        .map_err(|_| StoreError::Unreadable { what: "kind of file", value: kind.to_owned() })
}

impl Tx {
    /// Those of these documents that the scope may see, each with the requested run or, where none is requested, the run
    /// of the active version; in no order.
    pub async fn content_facts(
        &mut self,
        requested: &[(DocId, Option<RunId>)],
    ) -> Result<Vec<ContentFacts>, StoreError> {
        let owner = self.owner();
        let (documents, runs): (Vec<Uuid>, Vec<Option<Uuid>>) =
            requested.iter().map(|(doc_id, run_id)| (doc_id.0, run_id.map(|id| id.0))).unzip();
        let rows: Vec<FactsRow> = sqlx::query_as(sql!("content/facts"))
            .bind(self.tenant_id().0)
            .bind(documents)
            .bind(runs)
            .bind(owner)
            .fetch_all(self.connection())
            .await?;
        rows.into_iter().map(ContentFacts::try_from).collect()
    }

    /// The files that a document contains, at any depth.
    pub async fn contained_files(
        &mut self,
        doc_id: DocId,
    ) -> Result<Vec<ContainedFile>, StoreError> {
        type Row = (String, Vec<String>, Json<Vec<MaskRule>>, bool);
        let rows: Vec<Row> = sqlx::query_as(sql!("content/contained_files"))
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
